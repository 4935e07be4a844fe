//! What is computed from singular values: pseudoinverse, rank, condition, least squares.

use crate::autograd::{Save, differentiable, differentiable_many, grad_mode::no_grad, non_differentiable};
use crate::backend::{singular, symmetric};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::ops::decompose::{NOT_CONVERGED, columns_times, pair, plus, qr, svdvals};
use crate::ops::{
    Batch, Order, add, amax, amin, batch, cat, column_major, div, failed, inv, matmul, matrix_norm, mt, mul, narrow,
    neg, number, number_order, solve_triangular, square_batch, sub, sum, unsqueeze,
};
use crate::registry::{Args, Op, Value, op, places};
use crate::tensor::Tensor;

/// What counts as zero among singular values: two numbers, or two tensors with one number for each matrix.
#[derive(Default)]
pub struct Tolerance {
    pub atol: Option<Tensor>,
    pub rtol: Option<Tensor>,
}

impl Tolerance {
    pub fn numbers(atol: Option<f64>, rtol: Option<f64>) -> Result<Self> {
        let tensor = |v: Option<f64>| v.map(|v| Tensor::from_slice(&[v], &[])).transpose();
        Ok(Tolerance { atol: tensor(atol)?, rtol: tensor(rtol)? })
    }

    /// The cutoff of each matrix, given its largest singular value.
    fn cutoffs(&self, b: &Batch, largest: &[f64]) -> Result<Vec<f64>> {
        let each = |t: &Option<Tensor>| -> Result<Option<Vec<f64>>> {
            let wide = |t: &Tensor| no_grad(|| crate::ops::expand(t, &crate::ops::dims_of(&b.lead))?.to_vec::<f64>());
            t.as_ref().map(wide).transpose()
        };
        let (atol, rtol) = (each(&self.atol)?, each(&self.rtol)?);
        let eps = if b.dtype == DType::F32 { f32::EPSILON as f64 } else { f64::EPSILON };
        let usual = eps * b.rows.max(b.cols) as f64;
        Ok((0..largest.len())
            .map(|i| {
                let atol = atol.as_ref().map_or(0.0, |v| v[i]);
                // A given atol alone switches the relative default off.
                let rtol = rtol.as_ref().map_or(if atol > 0.0 { 0.0 } else { usual }, |v| v[i]);
                (rtol * largest[i]).max(atol)
            })
            .collect())
    }
}

/// Left vectors as columns, singular values, right vectors as rows.
type Spectrum = (Vec<f64>, Vec<f64>, Vec<f64>);

/// Singular values and vectors; those of symmetric matrices come from the eigenvalues of the lower triangle.
fn spectrum(what: &str, b: &Batch, a: &[f64], hermitian: bool) -> Result<Spectrum> {
    if !hermitian {
        return singular::svd::<f64>(a, b.rows, b.cols, false).ok_or_else(|| failed(what, None, NOT_CONVERGED));
    }
    let n = b.rows;
    let (l, v) = symmetric::eigh::<f64>(a, n, false).ok_or_else(|| failed(what, None, NOT_CONVERGED))?;
    let turned = (0..n * n).map(|at| v[at % n * n + at / n] * l[at / n].signum()).collect();
    Ok((v, l.iter().map(|l| l.abs()).collect(), turned))
}

fn spectra(what: &str, x: &Tensor, tolerance: &Tolerance, hermitian: bool) -> Result<(Batch, Vec<Spectrum>, Vec<f64>)> {
    let b = if hermitian { square_batch(what, x)? } else { batch(what, x)? };
    let found = b.each().map(|a| spectrum(what, &b, a, hermitian)).collect::<Result<Vec<_>>>()?;
    let largest: Vec<f64> = found.iter().map(|(_, s, _)| s.iter().copied().fold(0.0, f64::max)).collect();
    let cutoffs = tolerance.cutoffs(&b, &largest)?;
    Ok((b, found, cutoffs))
}

/// The pseudoinverse.
pub fn pinv(x: &Tensor, tolerance: &Tolerance, hermitian: bool) -> Result<Tensor> {
    if x.ndim() < 2 || !matches!(x.dtype(), DType::F32 | DType::F64) {
        return Err(Error::runtime(format!(
            "linalg.pinv({}{{{}}}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types",
            x.dtype().scalar_type_name(),
            crate::error::list(&x.shape())
        )));
    }
    let (b, found, cutoffs) = spectra("linalg.pinv", x, tolerance, hermitian)?;
    let (m, n) = (b.rows, b.cols);
    let k = m.min(n);
    let mut out = vec![];
    for ((u, s, vt), cut) in found.iter().zip(cutoffs) {
        for i in 0..n {
            for j in 0..m {
                out.push((0..k).filter(|&c| s[c] > cut).map(|c| vt[c * n + i] * u[j * k + c] / s[c]).sum::<f64>());
            }
        }
    }
    let raw = b.raw(&out, &[n, m])?;
    Ok(differentiable("LinalgPinvBackward0", &[x], raw, &[Save::Input(x), Save::Output(0)], |ctx| {
        Ok(vec![Some(pinv_slope(&ctx.grad()?, ctx.saved(0), ctx.saved(1))?)])
    }))
}

/// The gradient of a pseudoinverse `p` of `a` (Golub and Pereyra).
fn pinv_slope(g: &Tensor, a: &Tensor, p: &Tensor) -> Result<Tensor> {
    let (gt, pt) = (mt(g)?, mt(p)?);
    let direct = neg(&matmul(&pt, &matmul(g, &pt)?)?)?;
    // (I - A P) G^T ... and its mirror, written without forming the projectors.
    let left = sub(&gt, &matmul(a, &matmul(p, &gt)?)?)?;
    let left = matmul(&left, &matmul(p, &pt)?)?;
    let right = sub(&gt, &matmul(&gt, &matmul(p, a)?)?)?;
    let right = matmul(&matmul(&pt, p)?, &right)?;
    add(&direct, &add(&left, &right)?)
}

/// How many singular values are not zero.
pub fn matrix_rank(x: &Tensor, tolerance: &Tolerance, hermitian: bool) -> Result<Tensor> {
    if x.ndim() < 2 {
        return Err(Error::runtime(
            "torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.",
        ));
    }
    let (b, found, cutoffs) = spectra("linalg.matrix_rank", x, tolerance, hermitian)?;
    let count = |((_, s, _), cut): (&Spectrum, &f64)| s.iter().filter(|s| *s > cut).count() as i64;
    let ranks: Vec<i64> = found.iter().zip(&cutoffs).map(count).collect();
    Tensor::from_slice(&ranks, &b.lead)
}

/// The condition number; `None` is the ratio of singular values.
pub fn cond(x: &Tensor, p: Option<&Order>) -> Result<Tensor> {
    if x.ndim() < 2 {
        return Err(Error::runtime("linalg.cond: The input tensor must have at least 2 dimensions."));
    }
    if x.numel() == 0 {
        return Tensor::zeros(&x.shape()[..x.ndim() - 2], x.dtype());
    }
    let ratio = |largest: bool| -> Result<Tensor> {
        let s = svdvals(x)?;
        let (top, bottom) = (amax(&s, &[-1], false)?, amin(&s, &[-1], false)?);
        if largest { div(&top, &bottom) } else { div(&bottom, &top) }
    };
    match p {
        None => ratio(true),
        Some(Order::Number(p)) if *p == 2.0 => ratio(true),
        Some(Order::Number(p)) if *p == -2.0 => ratio(false),
        Some(p) => {
            crate::ops::refuse_not_square("linalg.cond", x)?;
            let norm = |t: &Tensor| matrix_norm(t, p, &[-2, -1], false, None);
            mul(&norm(x)?, &norm(&inv(x)?)?)
        }
    }
}

/// Least squares: solution, residuals (not by the default driver), rank, singular values (by two drivers only).
pub fn lstsq(a: &Tensor, b: &Tensor, rcond: Option<f64>, driver: Option<&str>) -> Result<[Tensor; 4]> {
    if a.ndim() < 2 {
        return Err(Error::runtime("torch.linalg.lstsq: input must have at least 2 dimensions."));
    }
    if b.ndim() == 0 {
        return Err(Error::runtime("torch.linalg.lstsq: other must have at least 1 dimension."));
    }
    let vector = b.ndim() + 1 == a.ndim();
    let wide = if vector { unsqueeze(b, -1)? } else { b.clone() };
    let (m, n) = (a.size(a.ndim() - 2), a.size(a.ndim() - 1));
    if wide.ndim() < 2 || wide.size(wide.ndim() - 2) != m {
        return Err(Error::runtime("torch.linalg.lstsq: input.size(-2) should match other.size(-2)"));
    }
    let driver = driver.unwrap_or("gelsy");
    if !["gels", "gelsy", "gelsd", "gelss"].contains(&driver) {
        return Err(Error::runtime(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)",
        ));
    }
    let tolerance = Tolerance::numbers(None, rcond)?;
    let rank = matrix_rank(a, &tolerance, false)?;
    let full = m >= n && rank.to_vec::<i64>()?.iter().all(|&r| r == n as i64);
    if driver == "gels"
        && let Some(r) = rank.to_vec::<i64>()?.iter().find(|&&r| (r as usize) < m.min(n))
    {
        return Err(failed(
            "torch.linalg.lstsq",
            None,
            &format!(
                "The least squares solution could not be computed because the input matrix does not have full rank (error \
                 code: {}).",
                r + 1
            ),
        ));
    }
    let x = no_grad(|| {
        if full {
            let (q, r) = qr(a, "reduced")?;
            solve_triangular(&r, &matmul(&mt(&q)?, &wide)?, true, true, false)
        } else {
            matmul(&pinv(a, &tolerance, false)?, &wide)
        }
    })?;
    let none = Tensor::zeros(&[0], a.dtype())?;
    let residuals = if full && m > n && driver != "gelsy" {
        let off = no_grad(|| sub(&matmul(a, &x)?, &wide))?;
        no_grad(|| sum(&mul(&off, &off)?, &[-2], false, None))?
    } else {
        none.clone()
    };
    // The solution stands in the first rows of a matrix with room for the right hand side.
    let x = no_grad(|| -> Result<_> {
        let mut shape = x.shape();
        let rows = shape.len() - 2;
        shape[rows] = m.max(n) - n;
        let room = cat(&[x, Tensor::zeros(&shape, a.dtype())?], -2)?;
        narrow(&non_differentiable(column_major(&room.raw())?), -2, 0, n as i64)
    })?;
    let saved = [Save::Input(a), Save::Input(&wide), Save::Output(0)];
    let outs = vec![x.raw(), residuals.raw()];
    let (solution, residuals) =
        pair(differentiable_many("LinalgLstsqBackward0", &[a, &wide], outs, &saved, move |ctx| {
            let (a, b, x) = (ctx.saved(0), ctx.saved(1), ctx.saved(2));
            let (mut to_a, mut to_b) = (None, None);
            if let Some(g) = ctx.opt_grad_of(0) {
                let p = pinv(a, &tolerance, false)?;
                to_a = ctx.needs(0).then(|| pinv_slope(&matmul(&g, &mt(b)?)?, a, &p)).transpose()?;
                to_b = Some(matmul(&mt(&p)?, &g)?);
            }
            if let Some(g) = ctx.opt_grad_of(1).filter(|g| g.numel() > 0) {
                // What is left over does not change with the solution, which makes it least.
                let off = columns_times(&sub(&matmul(a, x)?, b)?, &mul(&g, &number(2)?)?)?;
                to_a = plus(to_a, matmul(&off, &mt(x)?)?)?;
                to_b = plus(to_b, neg(&off)?)?;
            }
            Ok(vec![to_a, to_b])
        }))?;
    let solution = if vector { crate::ops::squeeze_dim(&solution, -1)? } else { solution };
    let values = if matches!(driver, "gelsd" | "gelss") { no_grad(|| svdvals(a))? } else { none.clone() };
    // This driver does not look at the rank.
    let rank = if driver == "gels" { Tensor::zeros(&[0], DType::I64)? } else { rank };
    Ok([solution, residuals, rank, values])
}

/// Two tolerances among the arguments, from `i` on.
fn tolerance_of(a: &Args, i: usize) -> Result<Tolerance> {
    Ok(Tolerance { atol: a.opt_tensor(i)?, rtol: a.opt_tensor(i + 1)? })
}
fn relative(rtol: Tensor) -> Result<Tolerance> {
    Ok(Tolerance { atol: Some(Tensor::from_slice(&[0.0], &[])?), rtol: Some(rtol) })
}

pub(crate) const TABLE: &[Op] = &[
    op(
        "linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor",
        places::LINALG | places::OUT,
        |a| Ok(pinv(a.tensor(0)?, &Tolerance::numbers(a.opt_float(1)?, a.opt_float(2)?)?, a.bool(3)?)?.into()),
    ),
    op(
        "linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor",
        places::LINALG | places::OUT,
        |a| Ok(pinv(a.tensor(0)?, &tolerance_of(a, 1)?, a.bool(3)?)?.into()),
    ),
    op("linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor", places::LINALG | places::OUT, |a| {
        Ok(pinv(a.tensor(0)?, &Tolerance::numbers(Some(0.0), Some(a.float(1)?))?, a.bool(2)?)?.into())
    }),
    op(
        "linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor",
        places::LINALG | places::OUT,
        |a| Ok(pinv(a.tensor(0)?, &relative(a.owned_tensor(1)?)?, a.bool(2)?)?.into()),
    ),
    op("pinverse(Tensor self, float rcond=1e-15) -> Tensor", places::BOTH, |a| {
        Ok(pinv(a.tensor(0)?, &Tolerance::numbers(Some(0.0), Some(a.float(1)?))?, false)?.into())
    }),
    op(
        "linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor",
        places::LINALG | places::OUT,
        |a| Ok(matrix_rank(a.tensor(0)?, &Tolerance::numbers(a.opt_float(1)?, a.opt_float(2)?)?, a.bool(3)?)?.into()),
    ),
    op(
        "linalg_matrix_rank.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor",
        places::LINALG | places::OUT,
        |a| Ok(matrix_rank(a.tensor(0)?, &tolerance_of(a, 1)?, a.bool(3)?)?.into()),
    ),
    op("linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor", places::LINALG, |a| {
        Ok(matrix_rank(a.tensor(0)?, &Tolerance::numbers(Some(a.float(1)?), Some(0.0))?, a.bool(2)?)?.into())
    }),
    op(
        "linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor",
        places::LINALG,
        |a| {
            let none = relative(Tensor::from_slice(&[0.0], &[])?)?;
            let tolerance = Tolerance { atol: Some(a.owned_tensor(1)?), ..none };
            Ok(matrix_rank(a.tensor(0)?, &tolerance, a.bool(2)?)?.into())
        },
    ),
    op("linalg_cond(Tensor self, Scalar? p=None) -> Tensor", places::LINALG | places::OUT, |a| {
        Ok(cond(a.tensor(0)?, number_order(a, 1)?.as_ref())?.into())
    }),
    op("linalg_cond.p_str(Tensor self, str p) -> Tensor", places::LINALG | places::OUT, |a| {
        let p = a.str(1)?;
        if p != "fro" && p != "nuc" {
            return Err(Error::value(format!("linalg.cond got an invalid norm type: {p}")));
        }
        Ok(cond(a.tensor(0)?, Some(&Order::Name(a.str(1)?)))?.into())
    }),
    op(
        "linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)",
        places::LINALG,
        |a| {
            Ok(Value::Tuple(
                lstsq(a.tensor(0)?, a.tensor(1)?, a.opt_float(2)?, a.opt_str(3)?.as_deref())?.map(Value::from).to_vec(),
            ))
        },
    ),
];
