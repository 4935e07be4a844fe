//! QR, eigenvalues of symmetric matrices, singular values, and what is computed from them: pseudoinverse, rank,
//! condition, least squares; the matrix exponential.

use crate::autograd::{Save, differentiable, differentiable_many, grad_mode::no_grad, non_differentiable};
use crate::backend::{dense, singular, symmetric};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::ops::{
    Batch, Order, add, amax, amin, batch, cat, div, failed, identity_mask, inv, matmul, matrix_norm, mt, mul, narrow,
    neg, number_order, reciprocal, solve_triangular, square_batch, sub, sum, tril, unsqueeze, where_, where_number,
};
use crate::registry::{Args, Op, Value, op, places};
use crate::tensor::Tensor;

fn pair(mut outs: Vec<Tensor>) -> Result<(Tensor, Tensor)> {
    match (outs.pop(), outs.pop()) {
        (Some(b), Some(a)) => Ok((a, b)),
        _ => Err(Error::runtime("a factorization has two results")),
    }
}

/// Add two gradients of which either may be missing.
fn plus(a: Option<Tensor>, b: Tensor) -> Result<Option<Tensor>> {
    Ok(Some(match a {
        Some(a) => add(&a, &b)?,
        None => b,
    }))
}

/// A diagonal scaled matrix: columns of `x` times `s`.
fn columns_times(x: &Tensor, s: &Tensor) -> Result<Tensor> {
    mul(x, &unsqueeze(s, -2)?)
}

/// A square matrix with `d` on its diagonal.
fn diagonal_matrix(d: &Tensor) -> Result<Tensor> {
    let n = d.size(d.ndim().saturating_sub(1));
    where_(&identity_mask(&[n, n])?, &unsqueeze(d, -1)?, &Tensor::full(&[], 0.into(), d.dtype())?)
}

/// Factors that do not fit into memory are an error before they are worked out.
fn refuse_too_large(b: &Batch, rows: usize, cols: usize) -> Result<()> {
    Tensor::zeros(&b.shape(&[rows, cols]), DType::F64).map(|_| ())
}

/// `torch.linalg.qr`
///
/// # Errors
/// An unknown mode.
pub fn qr(x: &Tensor, mode: &str) -> Result<(Tensor, Tensor)> {
    let b = batch("linalg.qr", x)?;
    let (m, n) = (b.rows, b.cols);
    let k = match mode {
        "reduced" | "r" => m.min(n),
        "complete" => m,
        other => {
            return Err(Error::runtime(format!(
                "qr received unrecognized mode '{other}' but expected one of 'reduced' (default), 'r', or 'complete'"
            )));
        }
    };
    refuse_too_large(&b, m, k)?;
    let (mut qs, mut rs) = (vec![], vec![]);
    for a in b.each() {
        let (q, r) = dense::qr(a, m, n, k);
        qs.extend(q);
        rs.extend_from_slice(&r[..k * n]);
    }
    if mode == "r" {
        let none = Tensor::zeros(&[0], x.dtype())?;
        return Ok((none, non_differentiable(b.raw(&rs, &[k, n])?)));
    }
    let outs = vec![b.raw(&qs, &[m, k])?, b.raw(&rs, &[k, n])?];
    let saved = [Save::Output(0), Save::Output(1)];
    pair(differentiable_many("LinalgQrBackward0", &[x], outs, &saved, move |ctx| {
        if k > n || m < n {
            return Err(Error::runtime(
                "The QR decomposition is not differentiable when mode='complete' and nrows > ncols, or for wide matrices",
            ));
        }
        let (q, r) = (ctx.saved(0), ctx.saved(1));
        let (gq, gr) = (ctx.opt_grad_of(0), ctx.opt_grad_of(1));
        let mut inner = None;
        if let Some(gr) = &gr {
            inner = plus(inner, matmul(r, &mt(gr)?)?)?;
        }
        if let Some(gq) = &gq {
            inner = plus(inner, neg(&matmul(&mt(gq)?, q)?)?)?;
        }
        let Some(inner) = inner else { return Ok(vec![None]) };
        // The lower triangle, reflected.
        let below = tril(&inner, -1)?;
        let symmetric = add(&tril(&inner, 0)?, &mt(&below)?)?;
        let mut total = matmul(q, &symmetric)?;
        if let Some(gq) = &gq {
            total = add(&total, gq)?;
        }
        Ok(vec![Some(solve_triangular(&mt(r)?, &total, false, false, false)?)])
    }))
}

fn refuse_triangle(what: &str, name: &str) -> Result<bool> {
    match name {
        "L" | "l" => Ok(false),
        "U" | "u" => Ok(true),
        other => Err(Error::runtime(format!("{what}: Expected UPLO argument to be 'L' or 'U', but got {other}"))),
    }
}

/// Eigenvalues (ascending) and eigenvectors of symmetric matrices.
pub fn eigh(x: &Tensor, triangle: &str) -> Result<(Tensor, Tensor)> {
    let b = square_batch("linalg.eigh", x)?;
    let upper = refuse_triangle("linalg.eigh", triangle)?;
    let n = b.rows;
    let (mut ls, mut vs) = (vec![], vec![]);
    for (i, a) in b.each().enumerate() {
        if a.iter().any(|v| !v.is_finite()) {
            let text = "The algorithm failed to converge because the input matrix contained non-finite values.";
            return Err(failed("linalg.eigh", (!b.lead.is_empty()).then_some(i), text));
        }
        let found = if b.dtype == DType::F64 {
            symmetric::eigh::<f64>(a, n, upper)
        } else {
            symmetric::eigh::<f32>(a, n, upper)
        };
        let Some((l, v)) = found else {
            let text = "The algorithm failed to converge because the input matrix is ill-conditioned or has too many \
                        repeated eigenvalues.";
            return Err(failed("linalg.eigh", (!b.lead.is_empty()).then_some(i), text));
        };
        ls.extend(l);
        vs.extend(v);
    }
    let outs = vec![b.raw(&ls, &[n])?, b.raw(&vs, &[n, n])?];
    let saved = [Save::Output(0), Save::Output(1)];
    pair(differentiable_many("LinalgEighBackward0", &[x], outs, &saved, move |ctx| {
        let (l, v) = (ctx.saved(0), ctx.saved(1));
        let mut inner = None;
        if let Some(g) = ctx.opt_grad_of(1) {
            let gaps = sub(&unsqueeze(l, -2)?, &unsqueeze(l, -1)?)?;
            let gaps = where_number(&identity_mask(&[n, n])?, f64::INFINITY, &gaps)?;
            inner = plus(inner, div(&matmul(&mt(v)?, &g)?, &gaps)?)?;
        }
        if let Some(g) = ctx.opt_grad_of(0) {
            inner = plus(inner, diagonal_matrix(&g)?)?;
        }
        let Some(inner) = inner else { return Ok(vec![None]) };
        Ok(vec![Some(matmul(v, &matmul(&inner, &mt(v)?)?)?)])
    }))
}

/// `U, S, V^T` with `A = U diag(S) V^T`; with `full`, U and V are square.
pub fn svd(x: &Tensor, full: bool) -> Result<(Tensor, Tensor, Tensor)> {
    let b = batch("linalg.svd", x)?;
    let (m, n) = (b.rows, b.cols);
    let k = m.min(n);
    if full {
        refuse_too_large(&b, m.max(n), m.max(n))?;
    }
    let (mut us, mut ss, mut vs) = (vec![], vec![], vec![]);
    for (i, a) in b.each().enumerate() {
        if a.iter().any(|v| !v.is_finite()) {
            let text = "The algorithm failed to converge because the input matrix contained non-finite values.";
            return Err(failed("linalg.svd", (!b.lead.is_empty()).then_some(i), text));
        }
        let found = if b.dtype == DType::F64 {
            singular::svd::<f64>(a, m, n, full)
        } else {
            singular::svd::<f32>(a, m, n, full)
        };
        let (u, s, v) = found.ok_or_else(|| failed("linalg.svd", (!b.lead.is_empty()).then_some(i), NOT_CONVERGED))?;
        us.extend(u);
        ss.extend(s);
        vs.extend(v);
    }
    let (mu, nv) = if full { (m, n) } else { (k, k) };
    let outs = vec![b.raw(&us, &[m, mu])?, b.raw(&ss, &[k])?, b.raw(&vs, &[nv, n])?];
    let saved = [Save::Output(0), Save::Output(1), Save::Output(2)];
    let mut outs = differentiable_many("LinalgSvdBackward0", &[x], outs, &saved, move |ctx| {
        let thin = |t: &Tensor, dim: i64| narrow(t, dim, 0, k as i64);
        let (u, s, v) = (thin(ctx.saved(0), -1)?, ctx.saved(1), mt(&thin(ctx.saved(2), -2)?)?);
        let gu = ctx.opt_grad_of(0).map(|g| thin(&g, -1)).transpose()?;
        let gv = ctx.opt_grad_of(2).map(|g| mt(&thin(&g, -2)?)).transpose()?;
        let squares = mul(s, s)?;
        let gaps = sub(&unsqueeze(&squares, -2)?, &unsqueeze(&squares, -1)?)?;
        let gaps = where_number(&identity_mask(&[k, k])?, 1.0, &gaps)?;
        let skew = |w: &Tensor, g: &Tensor| -> Result<Tensor> {
            let t = matmul(&mt(w)?, g)?;
            div(&sub(&t, &mt(&t)?)?, &gaps)
        };
        let mut inner = match ctx.opt_grad_of(1) {
            Some(g) => Some(diagonal_matrix(&g)?),
            None => None,
        };
        if let Some(gu) = &gu {
            inner = plus(inner, columns_times(&skew(&u, gu)?, s)?)?;
        }
        if let Some(gv) = &gv {
            inner = plus(inner, mul(&unsqueeze(s, -1)?, &skew(&v, gv)?)?)?;
        }
        let mut total = match inner {
            Some(t) => Some(matmul(&u, &matmul(&t, &mt(&v)?)?)?),
            None => None,
        };
        if let (Some(gu), true) = (&gu, m > k) {
            let t = columns_times(gu, &reciprocal(s)?)?;
            let t = sub(&t, &matmul(&u, &matmul(&mt(&u)?, &t)?)?)?;
            total = plus(total, matmul(&t, &mt(&v)?)?)?;
        }
        if let (Some(gv), true) = (&gv, n > k) {
            let t = columns_times(gv, &reciprocal(s)?)?;
            let t = sub(&t, &matmul(&v, &matmul(&mt(&v)?, &t)?)?)?;
            total = plus(total, matmul(&u, &mt(&t)?)?)?;
        }
        Ok(vec![total])
    });
    match (outs.pop(), outs.pop(), outs.pop()) {
        (Some(v), Some(s), Some(u)) => Ok((u, s, v)),
        _ => Err(Error::runtime("svd has three results")),
    }
}

const NOT_CONVERGED: &str = "The algorithm failed to converge because the input matrix is ill-conditioned or has too many \
                             repeated singular values.";

pub fn svdvals(x: &Tensor) -> Result<Tensor> {
    Ok(svd(x, false)?.1)
}

/// What counts as zero among singular values, for each matrix of a batch.
fn cutoffs(s: &[f64], k: usize, size: usize, dtype: DType, atol: Option<f64>, rtol: Option<f64>) -> Vec<f64> {
    let eps = if dtype == DType::F32 { f32::EPSILON as f64 } else { f64::EPSILON };
    // A given atol alone switches the relative default off.
    let rtol = rtol.unwrap_or(if atol.is_some_and(|a| a > 0.0) { 0.0 } else { eps * size as f64 });
    s.chunks(k.max(1)).map(|s| (rtol * s.first().copied().unwrap_or(0.0)).max(atol.unwrap_or(0.0))).collect()
}

/// The pseudoinverse.
pub fn pinv(x: &Tensor, atol: Option<f64>, rtol: Option<f64>) -> Result<Tensor> {
    if x.ndim() < 2 || !matches!(x.dtype(), DType::F32 | DType::F64) {
        return Err(Error::runtime(format!(
            "linalg.pinv({}{{{}}}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types",
            x.dtype().scalar_type_name(),
            crate::error::list(&x.shape())
        )));
    }
    let b = batch("linalg.pinv", x)?;
    let (m, n) = (b.rows, b.cols);
    let k = m.min(n);
    let mut out = vec![];
    for a in b.each() {
        let (u, s, vt) =
            singular::svd::<f64>(a, m, n, false).ok_or_else(|| failed("linalg.pinv", None, NOT_CONVERGED))?;
        let cut = cutoffs(&s, k, m.max(n), b.dtype, atol, rtol).first().copied().unwrap_or(0.0);
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
pub fn matrix_rank(x: &Tensor, atol: Option<f64>, rtol: Option<f64>) -> Result<Tensor> {
    let b = batch("linalg.matrix_rank", x)?;
    let k = b.rows.min(b.cols);
    let mut ranks: Vec<i64> = vec![];
    for a in b.each() {
        let (_, s, _) = singular::svd::<f64>(a, b.rows, b.cols, false)
            .ok_or_else(|| failed("linalg.matrix_rank", None, NOT_CONVERGED))?;
        let cut = cutoffs(&s, k, b.rows.max(b.cols), b.dtype, atol, rtol).first().copied().unwrap_or(0.0);
        ranks.push(s.iter().filter(|&&s| s > cut).count() as i64);
    }
    Tensor::from_slice(&ranks, &b.lead)
}

/// The condition number; `None` is the ratio of singular values.
pub fn cond(x: &Tensor, p: Option<&Order>) -> Result<Tensor> {
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
    let rank = matrix_rank(a, None, rcond)?;
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
            matmul(&pinv(a, None, rcond)?, &wide)
        }
    })?;
    let none = Tensor::zeros(&[0], a.dtype())?;
    let residuals = if full && m > n && driver != "gelsy" {
        let off = no_grad(|| sub(&matmul(a, &x)?, &wide))?;
        no_grad(|| sum(&mul(&off, &off)?, &[-2], false, None))?
    } else {
        none.clone()
    };
    let solution = differentiable(
        "LinalgLstsqBackward0",
        &[a, &wide],
        x.raw(),
        &[Save::Input(a), Save::Input(&wide)],
        move |ctx| {
            let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
            let p = pinv(a, None, rcond)?;
            let to_a = ctx.needs(0).then(|| pinv_slope(&matmul(&g, &mt(b)?)?, a, &p)).transpose()?;
            let to_b = ctx.needs(1).then(|| matmul(&mt(&p)?, &g)).transpose()?;
            Ok(vec![to_a, to_b])
        },
    );
    let solution = if vector { crate::ops::squeeze_dim(&solution, -1)? } else { solution };
    let values = if matches!(driver, "gelsd" | "gelss") { no_grad(|| svdvals(a))? } else { none.clone() };
    // This driver does not look at the rank.
    let rank = if driver == "gels" { Tensor::zeros(&[0], DType::I64)? } else { rank };
    Ok([solution, residuals, rank, values])
}

/// The matrix exponential, by scaling, a Taylor polynomial, and squaring.
pub fn matrix_exp(x: &Tensor) -> Result<Tensor> {
    let b = square_batch("linalg.matrix_exp", x)?;
    let n = b.rows;
    let product = |p: &[f64], q: &[f64]| -> Vec<f64> {
        (0..n * n).map(|at| (0..n).map(|k| p[at / n * n + k] * q[k * n + at % n]).sum()).collect()
    };
    let mut out = vec![];
    for a in b.each() {
        let size = (0..n).map(|i| a[i * n..(i + 1) * n].iter().map(|v| v.abs()).sum::<f64>()).fold(0.0, f64::max);
        let squarings = if size > 0.25 && size.is_finite() { (size / 0.25).log2().ceil() as i32 } else { 0 };
        let scale = 2f64.powi(-squarings);
        let a: Vec<f64> = a.iter().map(|v| v * scale).collect();
        let (mut total, mut term) = (dense::identity(n), dense::identity(n));
        for k in 1..=18 {
            term = product(&term, &a).into_iter().map(|v| v / k as f64).collect();
            total.iter_mut().zip(&term).for_each(|(t, v)| *t += v);
        }
        for _ in 0..squarings {
            total = product(&total, &total);
        }
        out.extend(total);
    }
    let raw = b.raw(&out, &[n, n])?;
    Ok(differentiable("LinalgMatrixExpBackward0", &[x], raw, &[Save::Input(x)], move |ctx| {
        // exp [[A, G], [0, A]] has the derivative in the direction G in its corner.
        let (a, g) = (mt(ctx.saved(0))?, ctx.grad()?);
        let top = cat(&[a.clone(), g.clone()], -1)?;
        let bottom = cat(&[g.zeros_like()?, a], -1)?;
        let whole = matrix_exp(&cat(&[top, bottom], -2)?)?;
        Ok(vec![Some(narrow(&narrow(&whole, -2, 0, n as i64)?, -1, n as i64, n as i64)?)])
    }))
}

fn run_rank(a: &Args) -> Result<Value> {
    Ok(matrix_rank(a.tensor(0)?, a.opt_float(1)?, a.opt_float(2)?)?.into())
}
fn three(t: (Tensor, Tensor, Tensor)) -> Result<Value> {
    Ok(t.into())
}

pub(crate) const TABLE: &[Op] = &[
    op("linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)", places::LINALG, |a| {
        Ok(qr(a.tensor(0)?, &a.str(1)?)?.into())
    }),
    op("qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)", places::BOTH, |a| {
        Ok(qr(a.tensor(0)?, if a.bool(1)? { "reduced" } else { "complete" })?.into())
    }),
    op("linalg_eigh(Tensor self, str UPLO='L') -> (Tensor eigenvalues, Tensor eigenvectors)", places::LINALG, |a| {
        Ok(eigh(a.tensor(0)?, &a.str(1)?)?.into())
    }),
    op("linalg_eigvalsh(Tensor self, str UPLO='L') -> Tensor", places::LINALG | places::OUT, |a| {
        Ok(eigh(a.tensor(0)?, &a.str(1)?)?.0.into())
    }),
    op(
        "linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
        places::LINALG,
        |a| three(svd(a.tensor(0)?, a.bool(1)?)?),
    ),
    op("linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor", places::LINALG | places::OUT, |a| {
        Ok(svdvals(a.tensor(0)?)?.into())
    }),
    op("svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)", places::BOTH, |a| {
        let (u, s, vh) = svd(a.tensor(0)?, !a.bool(1)?)?;
        three((u, s, mt(&vh)?))
    }),
    op(
        "linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor",
        places::LINALG | places::OUT,
        |a| Ok(pinv(a.tensor(0)?, a.opt_float(1)?, a.opt_float(2)?)?.into()),
    ),
    op("linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor", places::LINALG | places::OUT, |a| {
        Ok(pinv(a.tensor(0)?, Some(0.0), Some(a.float(1)?))?.into())
    }),
    op("pinverse(Tensor self, float rcond=1e-15) -> Tensor", places::BOTH, |a| {
        Ok(pinv(a.tensor(0)?, Some(0.0), Some(a.float(1)?))?.into())
    }),
    op(
        "linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor",
        places::LINALG | places::OUT,
        run_rank,
    ),
    op("linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor", places::LINALG, |a| {
        Ok(matrix_rank(a.tensor(0)?, Some(a.float(1)?), Some(0.0))?.into())
    }),
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
    op("linalg_matrix_exp(Tensor self) -> Tensor", places::LINALG, |a| Ok(matrix_exp(a.tensor(0)?)?.into())),
    op("matrix_exp(Tensor self) -> Tensor", places::BOTH, |a| Ok(matrix_exp(a.tensor(0)?)?.into())),
];
