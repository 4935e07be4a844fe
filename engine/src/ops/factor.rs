//! LU factors of any matrix, reflections, and eigenvalues of general matrices.

use crate::autograd::{Save, differentiable, differentiable_many, non_differentiable};
use crate::backend::{dense, eigen};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::ops::{
    Batch, add, batch, cat, column_major, failed, matmul, mt, narrow, solve_triangular, square_batch, sub, tril, triu,
};
use crate::registry::{Args, Op, Value, op, places};
use crate::tensor::Tensor;

fn any_shape(what: &str, x: &Tensor) -> Result<(Batch, usize)> {
    if x.ndim() < 2 {
        return Err(Error::runtime(match what {
            "torch.geqrf" => format!("{what}: input must have at least 2 dimensions."),
            _ => format!(
                "{}: Expected tensor with 2 or more dimensions. Got size: {} instead",
                what.replace("torch.linalg", "torch"),
                crate::error::list(&x.shape())
            ),
        }));
    }
    let b = batch(what, x)?;
    let k = b.rows.min(b.cols);
    Ok((b, k))
}

/// `P, L, U` with `A = P L U`.
pub fn lu(x: &Tensor) -> Result<(Tensor, Tensor, Tensor)> {
    let (b, k) = any_shape("linalg.lu", x)?;
    let (m, n) = (b.rows, b.cols);
    let (mut p, mut l, mut u) = (vec![], vec![], vec![]);
    for a in b.each() {
        let f = dense::lu_of(a, m, n, b.precision());
        for i in 0..m {
            p.extend((0..m).map(|j| (f.rows[j] == i) as u8 as f64));
            l.extend((0..k).map(|j| if i > j { f.factors[i * n + j] } else { (i == j) as u8 as f64 }));
            if i < k {
                u.extend((0..n).map(|j| if i <= j { f.factors[i * n + j] } else { 0.0 }));
            }
        }
    }
    let p = non_differentiable(b.raw(&p, &[m, m])?);
    let outs = vec![b.raw(&l, &[m, k])?, b.raw(&u, &[k, n])?];
    let saved = [Save::Input(&p), Save::Output(0), Save::Output(1)];
    let mut outs = differentiable_many("LinalgLuBackward0", &[x], outs, &saved, |ctx| {
        let grads = (ctx.opt_grad_of(0), ctx.opt_grad_of(1));
        Ok(vec![lu_slope(ctx.saved(0), ctx.saved(1), ctx.saved(2), grads)?])
    });
    match (outs.pop(), outs.pop()) {
        (Some(u), Some(l)) => Ok((p, l, u)),
        _ => Err(Error::runtime("lu has three results")),
    }
}

/// The gradient of a matrix from those of its factors.
fn lu_slope(p: &Tensor, l: &Tensor, u: &Tensor, grads: (Option<Tensor>, Option<Tensor>)) -> Result<Option<Tensor>> {
    if grads.0.is_none() && grads.1.is_none() {
        return Ok(None);
    }
    let filled = |g: Option<Tensor>, like: &Tensor| g.map_or_else(|| like.zeros_like(), Ok);
    let (mut gl, mut gu) = (filled(grads.0, l)?, filled(grads.1, u)?);
    let (m, k, n) = (l.size(l.ndim() - 2) as i64, l.size(l.ndim() - 1) as i64, u.size(u.ndim() - 1) as i64);
    // The square part first; what stands beyond it depends on it.
    let (mut square_l, mut square_u, mut rest) = (l.clone(), u.clone(), None);
    if n > k {
        let beyond = solve_triangular(&mt(l)?, &narrow(&gu, -1, k, n - k)?, true, true, true)?;
        gl = sub(&gl, &matmul(&beyond, &mt(&narrow(u, -1, k, n - k)?)?)?)?;
        (gu, square_u) = (narrow(&gu, -1, 0, k)?, narrow(u, -1, 0, k)?);
        rest = Some((beyond, -1));
    } else if m > k {
        let beyond = solve_triangular(&mt(u)?, &narrow(&gl, -2, k, m - k)?, false, false, false)?;
        gu = sub(&gu, &matmul(&mt(&narrow(l, -2, k, m - k)?)?, &beyond)?)?;
        (gl, square_l) = (narrow(&gl, -2, 0, k)?, narrow(l, -2, 0, k)?);
        rest = Some((beyond, -2));
    }
    let below = tril(&matmul(&mt(&square_l)?, &gl)?, -1)?;
    let middle = add(&below, &triu(&matmul(&gu, &mt(&square_u)?)?, 0)?)?;
    let right = solve_triangular(&mt(&square_u)?, &middle, false, false, false)?;
    let mut whole = solve_triangular(&mt(&square_l)?, &right, true, true, true)?;
    if let Some((beyond, dim)) = rest {
        whole = cat(&[whole, beyond], dim)?;
    }
    Ok(Some(matmul(p, &whole)?))
}

/// Both factors in one matrix, the row exchanges (counted from 1), and the number of the first pivot that is zero.
pub fn lu_factor(x: &Tensor) -> Result<(Tensor, Tensor, Tensor)> {
    let (b, k) = any_shape("torch.linalg.lu_factor", x)?;
    let (m, n) = (b.rows, b.cols);
    let (mut packed, mut pivots, mut info, mut p) = (vec![], vec![], vec![], vec![]);
    for a in b.each() {
        let f = dense::lu_of(a, m, n, b.precision());
        info.push(f.singular.map_or(0, |at| at as i32 + 1));
        pivots.extend(f.pivots.iter().map(|&at| at as i32 + 1));
        (0..m).for_each(|i| p.extend((0..m).map(|j| (f.rows[j] == i) as u8 as f64)));
        packed.extend(f.factors);
    }
    let p = non_differentiable(b.raw(&p, &[m, m])?);
    let saved = [Save::Input(&p), Save::Output(0)];
    let (rows, k) = (m as i64, k as i64);
    let packed = differentiable("LinalgLuFactorExBackward0", &[x], b.columns(&packed, &[m, n])?, &saved, move |ctx| {
        let (p, f, g) = (ctx.saved(0), ctx.saved(1), ctx.grad()?);
        let lower = |t: &Tensor| tril(&narrow(t, -1, 0, k)?, -1);
        let unit = crate::ops::eye(rows, Some(k), Some(f.dtype()))?;
        let (l, u) = (add(&lower(f)?, &unit)?, triu(&narrow(f, -2, 0, k)?, 0)?);
        let grads = (Some(lower(&g)?), Some(triu(&narrow(&g, -2, 0, k)?, 0)?));
        Ok(vec![lu_slope(p, &l, &u, grads)?])
    });
    let pivots = Tensor::from_slice(&pivots, &b.shape(&[k as usize]))?;
    Ok((packed, pivots, Tensor::from_slice(&info, &b.lead)?))
}

/// `torch.geqrf`
pub fn geqrf(x: &Tensor) -> Result<(Tensor, Tensor)> {
    let (b, k) = any_shape("torch.geqrf", x)?;
    let (mut packed, mut taus) = (vec![], vec![]);
    for a in b.each() {
        let (r, t) = dense::reflectors(a, b.rows, b.cols);
        packed.extend(r);
        taus.extend(t);
    }
    let outs = vec![b.columns(&packed, &[b.rows, b.cols])?, b.raw(&taus, &[k])?];
    let outs = differentiable_many("GeqrfBackward0", &[x], outs, &[], |_| {
        Err(Error::not_implemented("the derivative for 'geqrf' is not implemented."))
    });
    match <[Tensor; 2]>::try_from(outs) {
        Ok([a, tau]) => Ok((a, tau)),
        Err(_) => Err(Error::runtime("geqrf has two results")),
    }
}

/// Eigenvalues and eigenvectors of general matrices, complex and without history (`torch.linalg` gives the gradient).
fn eig(x: &Tensor) -> Result<(Tensor, Tensor)> {
    let b = square_batch("linalg.eig", x)?;
    let n = b.rows;
    let (mut values, mut vectors) = (vec![], vec![]);
    for (i, a) in b.each().enumerate() {
        if a.iter().any(|v| !v.is_finite()) {
            return Err(Error::runtime("torch.linalg.eig: input tensor should not contain infs or NaNs."));
        }
        let found = if b.dtype == DType::F64 { eigen::eig::<f64>(a, n) } else { eigen::eig::<f32>(a, n) };
        let Some(e) = found else {
            let text = "The algorithm failed to converge because the input matrix is ill-conditioned.";
            return Err(failed("linalg.eig", (!b.lead.is_empty()).then_some(i), text));
        };
        values.extend(e.re.iter().copied().zip(e.im.iter().copied()));
        for row in e.vectors.chunks(n.max(1)) {
            vectors.extend((0..n).map(|j| match e.im[j] {
                w if w > 0.0 => (row[j], row[j + 1]),
                w if w < 0.0 => (row[j - 1], -row[j]),
                _ => (row[j], 0.0),
            }));
        }
    }
    let kind = if b.dtype == DType::F64 { DType::C128 } else { DType::C64 };
    let vectors = column_major(&Tensor::from_pairs(&vectors, &b.shape(&[n, n]), kind)?.raw())?;
    Ok((Tensor::from_pairs(&values, &b.shape(&[n]), kind)?, non_differentiable(vectors)))
}

fn with_pivots(a: &Args, i: usize) -> Result<()> {
    if a.bool(i)? {
        return Ok(());
    }
    Err(Error::runtime("linalg.lu_factor: LU without pivoting is not implemented on the CPU"))
}

pub(crate) const TABLE: &[Op] = &[
    op("linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)", places::LINALG, |a| {
        with_pivots(a, 1)?;
        Ok(lu(a.tensor(0)?)?.into())
    }),
    op("linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)", places::LINALG, |a| {
        with_pivots(a, 1)?;
        let (packed, pivots, info) = lu_factor(a.tensor(0)?)?;
        if let Some((i, at)) = info.to_vec::<i64>()?.iter().enumerate().find(|(_, at)| **at > 0) {
            let which = if info.ndim() > 0 { format!("(Batch element {i}): ") } else { String::new() };
            let text = format!(
                "torch.linalg.lu_factor: {which}U[{at},{at}] is zero and using it on lu_solve would result in a division \
                 by zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or \
                 linalg.lu_factor_ex(A, pivot)"
            );
            return Err(Error::runtime(text));
        }
        Ok(Value::Tuple(vec![packed.into(), pivots.into()]))
    }),
    op(
        "linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)",
        places::LINALG,
        |a| {
            with_pivots(a, 1)?;
            Ok(lu_factor(a.tensor(0)?)?.into())
        },
    ),
    op("geqrf(Tensor self) -> (Tensor a, Tensor tau)", places::BOTH, |a| Ok(geqrf(a.tensor(0)?)?.into())),
    op("_linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)", places::LINALG, |a| {
        Ok(eig(a.tensor(0)?)?.into())
    }),
];
