//! Linear systems: inverse, determinant, solving, least squares, LU and Cholesky factors.

use crate::autograd::{Save, differentiable, differentiable_many, grad_mode::no_grad, non_differentiable};
use crate::backend::backend;
use crate::backend::dense::{self, Precision};
use crate::dtype::DType;
use crate::error::{Class, Error, Result};
use crate::layout::broadcast_shapes;
use crate::ops::{
    add, cast, dims_of, eq, expand, matmul, mul, neg, number, refuse_not_square, squeeze_dim, sub, transpose, tril,
    triu, unsqueeze, where_number,
};
use crate::registry::{Op, Value, op, places};
use crate::tensor::{Raw, Tensor};

/// The matrices of a batch, row-major on the host.
pub(crate) struct Batch {
    pub lead: Vec<usize>,
    pub rows: usize,
    pub cols: usize,
    pub data: Vec<f64>,
    pub dtype: DType,
}

impl Batch {
    pub fn precision(&self) -> Precision {
        Precision { single: self.dtype == DType::F32 }
    }
    pub fn each(&self) -> impl Iterator<Item = &[f64]> {
        let n = (self.rows * self.cols).max(1);
        let count: usize = crate::layout::numel(&self.lead);
        // Empty matrices have no elements to chunk, but there is still one for each batch entry.
        (0..count).map(move |i| if self.data.is_empty() { &[][..] } else { &self.data[i * n..(i + 1) * n] })
    }
    pub fn shape(&self, last: &[usize]) -> Vec<usize> {
        [&self.lead[..], last].concat()
    }
    pub fn raw(&self, data: &[f64], last: &[usize]) -> Result<Raw> {
        Ok(cast(&Tensor::from_slice(data, &self.shape(last))?, self.dtype)?.raw())
    }
    /// The same, stored column after column: most of PyTorch's results come from LAPACK, and their strides show it.
    pub fn columns(&self, data: &[f64], last: &[usize]) -> Result<Raw> {
        column_major(&self.raw(data, last)?)
    }
}

/// The same elements with the last two dims stored column after column.
pub(crate) fn column_major(raw: &Raw) -> Result<Raw> {
    let n = raw.layout.ndim();
    if n < 2 {
        return Ok(raw.clone());
    }
    Ok(raw_mt(&backend(raw.device()).copy(&raw_mt(raw), raw.dtype)?))
}

/// [`mt`] before there is a tensor; two dims at least.
fn raw_mt(raw: &Raw) -> Raw {
    let n = raw.layout.ndim();
    raw.with_layout(raw.layout.transpose(n - 2, n - 1))
}

/// # Errors
/// Integers, half types, fewer than two dims.
pub(crate) fn batch(what: &str, x: &Tensor) -> Result<Batch> {
    if x.ndim() < 2 {
        return Err(Error::runtime(format!("{what}: The input tensor A must have at least 2 dimensions.")));
    }
    if x.dtype().is_complex() {
        return Err(Error::not_implemented(format!("{what} of complex tensors is not available here")));
    }
    if !x.dtype().is_float() {
        return Err(Error::not_implemented(format!(
            "{what}: Expected a floating point or complex tensor as input. Got {}",
            x.dtype().scalar_type_name()
        )));
    }
    if !matches!(x.dtype(), DType::F32 | DType::F64) {
        return Err(Error::not_implemented(format!(
            "{what}: Low precision dtypes not supported. Got {}",
            x.dtype().scalar_type_name()
        )));
    }
    let shape = x.shape();
    let n = shape.len();
    let data = no_grad(|| x.to_vec::<f64>())?;
    Ok(Batch { lead: shape[..n - 2].to_vec(), rows: shape[n - 2], cols: shape[n - 1], data, dtype: x.dtype() })
}

pub(crate) fn square_batch(what: &str, x: &Tensor) -> Result<Batch> {
    refuse_not_square(what, x)?;
    batch(what, x)
}

/// The last two dims exchanged.
pub(crate) fn mt(x: &Tensor) -> Result<Tensor> {
    transpose(x, -2, -1)
}

pub(crate) fn failed(what: &str, in_batch: Option<usize>, text: &str) -> Error {
    let which = in_batch.map_or(String::new(), |i| format!("(Batch element {i}): "));
    Error::Text(Class::LinAlg, format!("{what}: {which}{text}"))
}

fn position(b: &Batch, i: usize) -> Option<usize> {
    (!b.lead.is_empty()).then_some(i)
}

/// The inverse.
///
/// # Errors
/// A singular matrix.
pub fn inv(x: &Tensor) -> Result<Tensor> {
    let b = square_batch("linalg.inv", x)?;
    let n = b.rows;
    let mut out = vec![];
    for (i, a) in b.each().enumerate() {
        let f = dense::lu(a, n, b.precision());
        if let Some(k) = f.singular {
            let text = format!(
                "The diagonal element {} is zero, the inversion could not be completed because the input matrix is \
                 singular.",
                k + 1
            );
            return Err(failed("linalg.inv", position(&b, i), &text));
        }
        out.extend(f.solve(&dense::identity(n), n, b.precision()));
    }
    let raw = b.columns(&out, &[n, n])?;
    Ok(differentiable("LinalgInvExBackward0", &[x], raw, &[Save::Output(0)], |ctx| {
        let yt = mt(ctx.saved(0))?;
        Ok(vec![Some(neg(&matmul(&yt, &matmul(&ctx.grad()?, &yt)?)?)?)])
    }))
}

/// Solve with a matrix that may be singular in some batch entries, for gradients: infinities there.
fn inverse_or_inf(x: &Tensor) -> Result<Tensor> {
    match inv(x) {
        Err(e) if e.class() == Class::LinAlg => Tensor::full(&x.shape(), f64::INFINITY.into(), x.dtype()),
        other => other,
    }
}

pub fn det(x: &Tensor) -> Result<Tensor> {
    let b = square_batch("linalg.det", x)?;
    let dets: Vec<f64> = b.each().map(|a| dense::lu(a, b.rows, b.precision()).det(b.precision())).collect();
    let raw = b.raw(&dets, &[])?;
    Ok(differentiable("LinalgDetBackward0", &[x], raw, &[Save::Input(x), Save::Output(0)], |ctx| {
        let (g, x, y) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let wide = |t: &Tensor| unsqueeze(&unsqueeze(t, -1)?, -1);
        if y.to_vec::<f64>()?.contains(&0.0) {
            return Ok(vec![Some(mul(&wide(&g)?, &cofactors(x)?)?)]);
        }
        Ok(vec![Some(mul(&wide(&mul(&g, y)?)?, &mt(&inv(x)?)?)?)])
    }))
}

/// The determinants of all minors, signed: the gradient of a determinant where the inverse does not exist.
fn cofactors(x: &Tensor) -> Result<Tensor> {
    let b = square_batch("linalg.det", x)?;
    let n = b.rows;
    let mut out = vec![];
    for a in b.each() {
        for i in 0..n {
            for j in 0..n {
                let minor: Vec<f64> = (0..n * n).filter(|p| p / n != i && p % n != j).map(|p| a[p]).collect();
                let d = dense::lu(&minor, n - 1, Precision { single: false }).det(Precision { single: false });
                out.push(if (i + j) % 2 == 0 { d } else { -d });
            }
        }
    }
    Ok(non_differentiable(b.raw(&out, &[n, n])?))
}

/// Sign and logarithm of the absolute determinant.
pub fn slogdet(x: &Tensor) -> Result<(Tensor, Tensor)> {
    let b = square_batch("linalg.slogdet", x)?;
    let (signs, logs): (Vec<f64>, Vec<f64>) = b.each().map(|a| dense::lu(a, b.rows, b.precision()).slogdet()).unzip();
    let outs = vec![b.raw(&signs, &[])?, b.raw(&logs, &[])?];
    let mut outs = differentiable_many("LinalgSlogdetBackward0", &[x], outs, &[Save::Input(x)], |ctx| {
        let Some(g) = ctx.opt_grad_of(1) else { return Ok(vec![Some(ctx.saved(0).zeros_like()?)]) };
        let wide = unsqueeze(&unsqueeze(&g, -1)?, -1)?;
        Ok(vec![Some(mul(&wide, &mt(&inverse_or_inf(ctx.saved(0))?)?)?)])
    });
    match (outs.pop(), outs.pop()) {
        (Some(l), Some(s)) => Ok((s, l)),
        _ => Err(Error::runtime("slogdet has two results")),
    }
}

/// Logarithm of a determinant; NaN of a negative one.
pub fn logdet(x: &Tensor) -> Result<Tensor> {
    refuse_not_square("logdet", x)?;
    let (sign, log) = slogdet(x)?;
    where_number(&eq(&sign, &number(-1)?)?, f64::NAN, &log)
}

/// Is `b` a vector (or a batch of vectors) for `A x = b`?
fn is_vector(a: &Tensor, b: &Tensor) -> bool {
    b.ndim() == 1 || (a.ndim() == b.ndim() + 1 && a.shape()[..a.ndim() - 1] == b.shape()[..])
}

/// Both operands with the same batch dims.
fn same_batch(a: &Tensor, b: &Tensor) -> Result<(Tensor, Tensor)> {
    let (sa, sb) = (a.shape(), b.shape());
    let lead = broadcast_shapes(&sa[..sa.len() - 2], &sb[..sb.len() - 2])?;
    let wide = |t: &Tensor, s: &[usize]| expand(t, &dims_of(&[&lead[..], &s[s.len() - 2..]].concat()));
    Ok((wide(a, &sa)?, wide(b, &sb)?))
}

/// `A X = B` (or `X A = B` with `left` false).
///
/// # Errors
/// Singular matrices; shapes that do not fit.
pub fn solve(a: &Tensor, b: &Tensor, left: bool) -> Result<Tensor> {
    refuse_not_square("linalg.solve", a)?;
    if b.dtype() != a.dtype() {
        return Err(Error::runtime(format!(
            "linalg.solve: Expected A and B to have the same dtype, but found A of type {} and B of type {} instead",
            a.dtype().scalar_type_name(),
            b.dtype().scalar_type_name()
        )));
    }
    let vector = is_vector(a, b);
    let wide = if vector { unsqueeze(b, -1)? } else { b.clone() };
    if !left && vector {
        return Err(Error::runtime(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case linalg.solve is equivalent to B / A.squeeze(-1)",
        ));
    }
    // `X A = B` is `A^T X^T = B^T`.
    let turned = |t: &Tensor| if left { Ok(t.clone()) } else { mt(t) };
    let n = a.size(a.ndim() - 1);
    let side = if left { 2 } else { 1 };
    if wide.ndim() < 2 || wide.size(wide.ndim() - side) != n {
        let sb = wide.shape();
        let (r, c) = if sb.len() < 2 { (0, 0) } else { (sb[sb.len() - 2], sb[sb.len() - 1]) };
        let equation = if left { "AX" } else { "XA" };
        return Err(Error::runtime(format!(
            "linalg.solve: Incompatible shapes of A and B for the equation {equation} = B ({n}x{n} and {r}x{c})"
        )));
    }
    let (a2, b2) = no_grad(|| same_batch(&turned(a)?, &turned(&wide)?))?;
    let (ab, bb) = (square_batch("linalg.solve", &a2)?, batch("linalg.solve", &b2)?);
    let mut out = vec![];
    for (i, (m, r)) in ab.each().zip(bb.each()).enumerate() {
        let f = dense::lu(m, n, ab.precision());
        if f.singular.is_some() {
            let text = "The solver failed because the input matrix is singular.";
            return Err(failed("torch.linalg.solve", position(&ab, i), text));
        }
        out.extend(f.solve(r, bb.cols, ab.precision()));
    }
    // A batch of vectors gets the strides of a matrix of its shape.
    let raw = if vector { bb.columns(&out, &[n])? } else { bb.columns(&out, &[n, bb.cols])? };
    let raw = if left { raw } else { raw_mt(&raw) };
    Ok(differentiable("LinalgSolveExBackward0", &[a, b], raw, &[Save::Input(a), Save::Output(0)], move |ctx| {
        let (g, a, x) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let column = |t: &Tensor| if vector { unsqueeze(t, -1) } else { Ok(t.clone()) };
        let to_b = solve(&mt(a)?, &column(&g)?, left)?;
        let to_a = ctx.needs(0).then(|| outer_of(&to_b, &column(x)?, left)).transpose()?;
        Ok(vec![to_a, Some(if vector { squeeze_dim(&to_b, -1)? } else { to_b })])
    }))
}

/// The gradient of `A` in `A X = B` (or `X A = B`) from that of `B`.
fn outer_of(to_b: &Tensor, x: &Tensor, left: bool) -> Result<Tensor> {
    neg(&if left { matmul(to_b, &mt(x)?)? } else { matmul(&mt(x)?, to_b)? })
}

/// `A X = B` (or `X A = B` with `left` false) for a triangular `A`; the other triangle is not looked at.
pub fn solve_triangular(a: &Tensor, b: &Tensor, upper: bool, left: bool, unit: bool) -> Result<Tensor> {
    refuse_not_square("linalg.solve_triangular", a)?;
    let side = if left { 2 } else { 1 };
    if b.ndim() < 2 || a.size(a.ndim() - 1) != b.size(b.ndim() - side) {
        let equation = if left { "AX" } else { "XA" };
        let shapes = [a, b].map(|t| match t.shape()[..] {
            [.., r, c] => format!("{r}x{c}"),
            _ => "0x0".to_owned(),
        });
        return Err(Error::runtime(format!(
            "linalg.solve_triangular: Incompatible shapes of A and B for the equation {equation} = B ({} and {})",
            shapes[0], shapes[1]
        )));
    }
    let turned = |t: &Tensor| if left { Ok(t.clone()) } else { mt(t) };
    let (a2, b2) = no_grad(|| same_batch(&turned(a)?, &turned(b)?))?;
    let (ab, bb) = (square_batch("linalg.solve_triangular", &a2)?, batch("linalg.solve_triangular", &b2)?);
    let mut out = vec![];
    for (m, r) in ab.each().zip(bb.each()) {
        let mut x = r.to_vec();
        dense::triangular(m, ab.rows, &mut x, bb.cols, upper == left, unit, ab.precision());
        out.extend(x);
    }
    let raw = if left { bb.columns(&out, &[ab.rows, bb.cols])? } else { raw_mt(&bb.raw(&out, &[ab.rows, bb.cols])?) };
    let saved = [Save::Input(a), Save::Output(0)];
    Ok(differentiable("LinalgSolveTriangularBackward0", &[a, b], raw, &saved, move |ctx| {
        let (a, x) = (ctx.saved(0), ctx.saved(1));
        let to_b = solve_triangular(&mt(a)?, &ctx.grad()?, !upper, left, unit)?;
        let to_a = ctx.needs(0).then(|| -> Result<Tensor> {
            let full = outer_of(&to_b, x, left)?;
            let skip = unit as i64;
            if upper { triu(&full, skip) } else { tril(&full, -skip) }
        });
        Ok(vec![to_a.transpose()?, Some(to_b)])
    }))
}

/// The lower (or upper) Cholesky factor.
///
/// # Errors
/// A matrix that is not positive definite.
pub fn cholesky(x: &Tensor, upper: bool) -> Result<Tensor> {
    let b = square_batch("linalg.cholesky", x)?;
    let mut out = vec![];
    for (i, a) in b.each().enumerate() {
        match dense::cholesky(a, b.rows, b.precision()) {
            Ok(l) => out.extend(l),
            Err(order) => {
                let text = format!(
                    "The factorization could not be completed because the input is not positive-definite (the leading \
                     minor of order {order} is not positive-definite)."
                );
                return Err(failed("linalg.cholesky", position(&b, i), &text));
            }
        }
    }
    let raw = if upper { raw_mt(&b.raw(&out, &[b.rows, b.rows])?) } else { b.columns(&out, &[b.rows, b.rows])? };
    Ok(differentiable("LinalgCholeskyExBackward0", &[x], raw, &[Save::Output(0)], move |ctx| {
        let turned = |t: &Tensor| if upper { mt(t) } else { Ok(t.clone()) };
        let l = &turned(ctx.saved(0))?;
        // L^-T phi(L^T G) L^-1, made symmetric; phi keeps the lower triangle and halves the diagonal.
        let inner = tril(&matmul(&mt(l)?, &turned(&ctx.grad()?)?)?, 0)?;
        let half = mul(&sub(&inner, &tril(&inner, -1)?)?, &number(0.5)?)?;
        let phi = sub(&inner, &half)?;
        let left = solve_triangular(&mt(l)?, &phi, true, true, false)?;
        let both = solve_triangular(l, &left, false, false, false)?;
        Ok(vec![Some(mul(&add(&both, &mt(&both)?)?, &number(0.5)?)?)])
    }))
}

/// `A X = B` given the Cholesky factor of `A`.
///
/// # Errors
/// Shapes that do not fit.
pub fn cholesky_solve(b: &Tensor, factor: &Tensor, upper: bool) -> Result<Tensor> {
    let out = no_grad(|| by_factor(b, factor, upper))?;
    let saved = [Save::Input(factor), Save::Output(0)];
    Ok(differentiable("CholeskySolveBackward0", &[b, factor], out.raw(), &saved, move |ctx| {
        let (factor, x) = (ctx.saved(0), ctx.saved(1));
        let to_b = cholesky_solve(&ctx.grad()?, factor, upper)?;
        let to_factor = ctx.needs(1).then(|| factor_slope(&outer_of(&to_b, x, true)?, factor, upper)).transpose()?;
        Ok(vec![Some(to_b), to_factor])
    }))
}

fn by_factor(b: &Tensor, factor: &Tensor, upper: bool) -> Result<Tensor> {
    let l = if upper { mt(factor)? } else { factor.clone() };
    solve_triangular(&mt(&l)?, &solve_triangular(&l, b, false, true, false)?, true, true, false)
}

/// The gradient of a Cholesky factor from that of the whole matrix.
fn factor_slope(whole: &Tensor, factor: &Tensor, upper: bool) -> Result<Tensor> {
    let both = add(whole, &mt(whole)?)?;
    if upper { matmul(factor, &both) } else { matmul(&both, factor) }
}

/// The inverse of `A` given its Cholesky factor.
pub fn cholesky_inverse(factor: &Tensor, upper: bool) -> Result<Tensor> {
    let out = no_grad(|| by_factor(&crate::ops::identity_like(factor)?, factor, upper))?;
    let saved = [Save::Input(factor), Save::Output(0)];
    Ok(differentiable("CholeskyInverseBackward0", &[factor], out.raw(), &saved, move |ctx| {
        let (factor, inverse) = (ctx.saved(0), ctx.saved(1));
        let whole = neg(&matmul(inverse, &matmul(&ctx.grad()?, inverse)?)?)?;
        Ok(vec![Some(factor_slope(&whole, factor, upper)?)])
    }))
}

pub(crate) const TABLE: &[Op] = &[
    op("linalg_inv(Tensor A) -> Tensor", places::LINALG | places::OUT, |a| Ok(inv(a.tensor(0)?)?.into())),
    op("inverse(Tensor self) -> Tensor", places::BOTH | places::OUT, |a| Ok(inv(a.tensor(0)?)?.into())),
    op("linalg_det(Tensor A) -> Tensor", places::LINALG | places::OUT, |a| Ok(det(a.tensor(0)?)?.into())),
    op("det(Tensor self) -> Tensor", places::BOTH, |a| Ok(det(a.tensor(0)?)?.into())),
    op("linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)", places::LINALG, |a| {
        Ok(slogdet(a.tensor(0)?)?.into())
    }),
    op("slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)", places::BOTH, |a| Ok(slogdet(a.tensor(0)?)?.into())),
    op("logdet(Tensor self) -> Tensor", places::BOTH, |a| Ok(logdet(a.tensor(0)?)?.into())),
    op("linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor", places::LINALG | places::OUT, |a| {
        Ok(solve(a.tensor(0)?, a.tensor(1)?, a.bool(2)?)?.into())
    }),
    op(
        "linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor",
        places::LINALG | places::OUT,
        |a| Ok(solve_triangular(a.tensor(0)?, a.tensor(1)?, a.bool(2)?, a.bool(3)?, a.bool(4)?)?.into()),
    ),
    op(
        "triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)",
        places::BOTH,
        |a| {
            let (m, upper) = (a.tensor(1)?, a.bool(2)?);
            for (t, name) in [(a.tensor(0)?, "b"), (m, "A")] {
                if t.ndim() < 2 {
                    return Err(Error::runtime(format!(
                        "torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {} \
                         dimensions instead",
                        t.ndim()
                    )));
                }
            }
            let x = if a.bool(3)? {
                solve_triangular(&mt(m)?, a.tensor(0)?, !upper, true, a.bool(4)?)?
            } else {
                solve_triangular(m, a.tensor(0)?, upper, true, a.bool(4)?)?
            };
            let kept = differentiable("TriangularSolveBackward0", &[m], column_major(&m.raw())?, &[], |ctx| {
                Ok(vec![Some(ctx.grad()?)])
            });
            Ok(Value::Tuple(vec![x.into(), kept.into()]))
        },
    ),
    op("linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor", places::LINALG | places::OUT, |a| {
        Ok(cholesky(a.tensor(0)?, a.bool(1)?)?.into())
    }),
    op("cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(cholesky_solve(a.tensor(0)?, a.tensor(1)?, a.bool(2)?)?.into())
    }),
    op("cholesky_inverse(Tensor self, bool upper=False) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(cholesky_inverse(a.tensor(0)?, a.bool(1)?)?.into())
    }),
];
