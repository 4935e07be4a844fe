//! QR, eigenvalues of symmetric matrices, singular values; the matrix exponential.

use crate::autograd::{Save, differentiable, differentiable_many, non_differentiable};
use crate::backend::{dense, singular, symmetric};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::ops::{
    Batch, add, batch, cat, div, failed, identity_mask, matmul, mt, mul, narrow, neg, number, reciprocal,
    solve_triangular, square_batch, sub, tril, unsqueeze, where_, where_number,
};
use crate::registry::{Op, Value, op, places};
use crate::tensor::Tensor;

pub(super) fn pair(mut outs: Vec<Tensor>) -> Result<(Tensor, Tensor)> {
    match (outs.pop(), outs.pop()) {
        (Some(b), Some(a)) => Ok((a, b)),
        _ => Err(Error::runtime("a factorization has two results")),
    }
}

/// Add two gradients of which either may be missing.
pub(super) fn plus(a: Option<Tensor>, b: Tensor) -> Result<Option<Tensor>> {
    Ok(Some(match a {
        Some(a) => add(&a, &b)?,
        None => b,
    }))
}

/// A diagonal scaled matrix: columns of `x` times `s`.
pub(super) fn columns_times(x: &Tensor, s: &Tensor) -> Result<Tensor> {
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
        return Ok((none, non_differentiable(b.columns(&rs, &[k, n])?)));
    }
    let outs = vec![b.columns(&qs, &[m, k])?, b.columns(&rs, &[k, n])?];
    let saved = [Save::Output(0), Save::Output(1)];
    pair(differentiable_many("LinalgQrBackward0", &[x], outs, &saved, move |ctx| {
        if k > n {
            return Err(Error::runtime(
                "The QR decomposition is not differentiable when mode='complete' and nrows > ncols",
            ));
        }
        let (q, r) = (ctx.saved(0), ctx.saved(1));
        let (mut gq, gr) = (ctx.opt_grad_of(0), ctx.opt_grad_of(1));
        // A wide matrix is [X Y] = Q [U V]: V = Q^T Y, so its gradient goes to Y and to Q.
        let (r, wide) = (&narrow(r, -1, 0, k as i64)?, narrow(r, -1, k as i64, (n - k) as i64)?);
        let (gr, to_y) = match gr {
            Some(g) if n > k => {
                let gv = narrow(&g, -1, k as i64, (n - k) as i64)?;
                gq = plus(gq, matmul(&matmul(q, &wide)?, &mt(&gv)?)?)?;
                (Some(narrow(&g, -1, 0, k as i64)?), Some(matmul(q, &gv)?))
            }
            gr => (gr, None),
        };
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
        let to_x = solve_triangular(&mt(r)?, &total, false, false, false)?;
        Ok(vec![Some(match to_y {
            Some(to_y) => cat(&[to_x, to_y], -1)?,
            None if n > k => cat(&[to_x, Tensor::zeros(&wide.shape(), wide.dtype())?], -1)?,
            None => to_x,
        })])
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
    let outs = vec![b.raw(&ls, &[n])?, b.columns(&vs, &[n, n])?];
    let saved = [Save::Output(0), Save::Output(1)];
    pair(differentiable_many("LinalgEighBackward0", &[x], outs, &saved, move |ctx| {
        let (l, v) = (ctx.saved(0), ctx.saved(1));
        let mut inner = None;
        if let Some(g) = ctx.opt_grad_of(1) {
            let gaps = sub(&unsqueeze(l, -2)?, &unsqueeze(l, -1)?)?;
            let gaps = where_number(&identity_mask(&[n, n])?, f64::INFINITY, &gaps)?;
            // Only the antisymmetric part can move eigenvectors of a symmetric matrix.
            let turn = matmul(&mt(v)?, &g)?;
            let turn = mul(&sub(&turn, &mt(&turn)?)?, &number(0.5)?)?;
            inner = plus(inner, div(&turn, &gaps)?)?;
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
    let outs = vec![b.columns(&us, &[m, mu])?, b.raw(&ss, &[k])?, b.columns(&vs, &[nv, n])?];
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

pub(super) const NOT_CONVERGED: &str = "The algorithm failed to converge because the input matrix is ill-conditioned or has too many \
                             repeated singular values.";

pub fn svdvals(x: &Tensor) -> Result<Tensor> {
    Ok(svd(x, false)?.1)
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

fn three(t: (Tensor, Tensor, Tensor)) -> Result<Value> {
    Ok(t.into())
}

pub(crate) const TABLE: &[Op] = &[
    op("linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)", places::LINALG, |a| {
        Ok(qr(a.tensor(0)?, &a.str(1)?)?.into())
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
        if a.tensor(0)?.ndim() < 2 {
            return Err(Error::runtime(format!(
                "linalg.svd: input should have at least 2 dimensions, but has {} dimensions instead",
                a.tensor(0)?.ndim()
            )));
        }
        let (u, s, vh) = svd(a.tensor(0)?, !a.bool(1)?)?;
        three((u, s, mt(&vh)?))
    }),
    op("linalg_matrix_exp(Tensor self) -> Tensor", places::LINALG, |a| Ok(matrix_exp(a.tensor(0)?)?.into())),
    op("matrix_exp(Tensor self) -> Tensor", places::BOTH, |a| Ok(matrix_exp(a.tensor(0)?)?.into())),
];
