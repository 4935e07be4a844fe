//! Running totals and extremes along one dimension, differences, and the trapezoidal rule.

use crate::autograd::{Save, differentiable, differentiable_many, grad_mode, non_differentiable};
use crate::backend::{ArgOp, CumOp, backend};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::wrap_dim;
use crate::ops::{
    add, cast, cat, div, eq, exp, expand_as_shape, gt, le, log, logical_xor, mul, narrow, neg, number, places_along,
    put_places, size_at, steps, sub, sum, take_places, transpose, unsqueeze, where_, without_own,
};
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

fn cumulate(kind: CumOp, x: &Tensor, dim: usize, dtype: DType) -> Result<Raw> {
    let raw = x.raw();
    let b = backend(raw.device());
    let raw = if raw.dtype == dtype { raw } else { b.copy(&raw, dtype)? };
    b.cumulate(kind, &raw, dim)
}

fn total_dtype(x: &Tensor, dtype: Option<DType>) -> DType {
    dtype.unwrap_or(if x.dtype().is_inexact() { x.dtype() } else { DType::I64 })
}

/// The same elements back to front along `dim`.
fn reversed(x: &Tensor, dim: usize) -> Result<Tensor> {
    if x.ndim() == 0 || x.numel() == 0 {
        return Ok(x.clone());
    }
    let n = x.size(dim) as i64;
    let mut shape = vec![1; x.ndim()];
    shape[dim] = x.size(dim);
    let back = Tensor::from_slice(&(0..n).rev().collect::<Vec<_>>(), &shape)?;
    let at = backend(x.device()).copy(&back.raw().broadcast_to(&x.shape())?, DType::I64)?;
    take_places(x, &places_along(&x.shape(), dim, &at)?)
}

/// Totals from the end.
fn cumsum_back(x: &Tensor, dim: usize) -> Result<Tensor> {
    reversed(&cumsum(&reversed(x, dim)?, dim as i64, None)?, dim)
}

pub fn cumsum(x: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    let d = wrap_dim(dim, x.ndim())?;
    let out = cumulate(CumOp::Sum, x, d, total_dtype(x, dtype))?;
    Ok(differentiable("CumsumBackward0", &[x], out, &[], move |ctx| Ok(vec![Some(cumsum_back(&ctx.grad()?, d)?)])))
}

pub fn cumprod(x: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    let d = wrap_dim(dim, x.ndim())?;
    let out = cumulate(CumOp::Prod, x, d, total_dtype(x, dtype))?;
    Ok(differentiable("CumprodBackward0", &[x], out, &[Save::Input(x), Save::Output(0)], move |ctx| {
        let (g, x, y) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        if x.ndim() == 0 || x.numel() == 0 {
            return Ok(vec![Some(g)]);
        }
        if !crate::ops::any(&eq(x, &number(0)?)?, &[], false)?.is_true()? {
            return Ok(vec![Some(div(&cumsum_back(&mul(&g, y)?, d)?, x)?)]);
        }
        // With zeros: d y_j / d x_k = prod of the first j without x_k, for j >= k; a row for each k.
        let last = transpose(x, d as i64, -1)?;
        let n = last.size(last.ndim() - 1);
        let slopes = cumprod(&without_own(&last)?, -1, None)?;
        let reached = le(&unsqueeze(&steps(n)?, 1)?, &steps(n)?)?;
        let g_rows = unsqueeze(&transpose(&g, d as i64, -1)?, -2)?;
        let each = mul(&mul(&slopes, &reached)?, &g_rows)?;
        Ok(vec![Some(transpose(&sum(&each, &[-1], false, None)?, d as i64, -1)?)])
    }))
}

/// `log(cumsum(exp(x)))` without overflow.
///
/// # Errors
/// Integers.
pub fn logcumsumexp(x: &Tensor, dim: i64) -> Result<Tensor> {
    let d = wrap_dim(dim, x.ndim())?;
    let dtype = x.dtype().to_float();
    let out = cumulate(CumOp::LogSumExp, x, d, dtype)?;
    Ok(differentiable("LogcumsumexpBackward0", &[x], out, &[Save::Input(x), Save::Output(0)], move |ctx| {
        let (g, x, y) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        if x.numel() == 0 {
            return Ok(vec![Some(g)]);
        }
        // Positive and negative gradients apart, each in logarithms.
        let part = |g: &Tensor| -> Result<Tensor> {
            let nothing = number(f64::NEG_INFINITY)?;
            let positive = gt(g, &number(0)?)?;
            let safe = where_(&positive, g, &number(1)?)?;
            let logs = where_(&positive, &sub(&log(&safe)?, y)?, &nothing)?;
            let back = reversed(&logcumsumexp(&reversed(&logs, d)?, d as i64)?, d)?;
            exp(&add(&back, x)?)
        };
        Ok(vec![Some(sub(&part(&g)?, &part(&neg(&g)?)?)?)])
    }))
}

fn running_extreme(kind: ArgOp, name: &'static str, x: &Tensor, dim: i64) -> Result<(Tensor, Tensor)> {
    if x.ndim() == 0 && !(-1..=0).contains(&dim) {
        let what = if kind == ArgOp::Max { "cummax" } else { "cummin" };
        return Err(Error::index(format!("{what}(): Expected reduction dim -1 or 0 for scalar but got {dim}")));
    }
    let d = wrap_dim(dim, x.ndim())?;
    let b = backend(x.device());
    let index = b.cumulate_arg(kind, &x.raw(), d)?;
    let at = places_along(&x.shape(), d, &index)?;
    let values = b.take(&x.raw(), &at.raw())?;
    let shape = x.shape();
    let mut outs = differentiable_many(name, &[x], vec![values, index], &[Save::Input(&at)], move |ctx| {
        let g = ctx.grad_of(0)?;
        Ok(vec![Some(put_places(&Tensor::zeros(&shape, g.dtype())?, ctx.saved(0), &g, true)?)])
    });
    match (outs.pop(), outs.pop()) {
        (Some(i), Some(v)) => Ok((v, i)),
        _ => Err(Error::runtime("a running extreme has two results")),
    }
}
pub fn cummax(x: &Tensor, dim: i64) -> Result<(Tensor, Tensor)> {
    running_extreme(ArgOp::Max, "CummaxBackward0", x, dim)
}
pub fn cummin(x: &Tensor, dim: i64) -> Result<(Tensor, Tensor)> {
    running_extreme(ArgOp::Min, "CumminBackward0", x, dim)
}

/// Differences of neighbours, `n` times over; `prepend` and `append` are joined on first.
///
/// # Errors
/// A 0-d tensor; a negative order.
pub fn diff(x: &Tensor, n: i64, dim: i64, prepend: Option<&Tensor>, append: Option<&Tensor>) -> Result<Tensor> {
    if x.ndim() == 0 {
        return Err(Error::runtime("diff expects input to be at least one-dimensional"));
    }
    if n < 0 {
        return Err(Error::runtime(format!("order must be non-negative but got {n}")));
    }
    let d = wrap_dim(dim, x.ndim())? as i64;
    if n == 0 {
        return crate::ops::clone(x);
    }
    let parts: Vec<Tensor> = [prepend, Some(x), append].into_iter().flatten().cloned().collect();
    let mut t = if parts.len() > 1 { cat(&parts, d)? } else { x.clone() };
    for _ in 0..n {
        let size = t.size(d as usize) as i64;
        if size == 0 {
            break;
        }
        let (later, earlier) = (narrow(&t, d, 1, size - 1)?, narrow(&t, d, 0, size - 1)?);
        t = if t.dtype() == DType::Bool { logical_xor(&later, &earlier)? } else { sub(&later, &earlier)? };
    }
    Ok(t)
}

/// Neighbours along `dim`: without the first, without the last.
fn neighbours(y: &Tensor, dim: i64) -> Result<(Tensor, Tensor)> {
    let n = size_at(y, dim)? as i64;
    let fewer = (n - 1).max(0);
    Ok((narrow(y, dim, n - fewer, fewer)?, narrow(y, dim, 0, fewer)?))
}

/// The areas between neighbours, before they are added up.
fn strips(y: &Tensor, x: Option<&Tensor>, dx: f64, dim: i64, what: &str) -> Result<Tensor> {
    let d = wrap_dim(dim, y.ndim())?;
    let (after, before) = neighbours(y, dim)?;
    let heights = add(&after, &before)?;
    let widths = match x {
        None => number(dx / 2.0)?,
        Some(x) => {
            if x.ndim() == 0 || x.shape().last() != y.shape().get(d) && x.ndim() == 1 {
                return Err(Error::runtime(format!("{what}: There must be one `x` value for each sample point")));
            }
            let (xa, xb) = neighbours(x, if x.ndim() == 1 { -1 } else { dim })?;
            let mut w = mul(&sub(&xa, &xb)?, &number(0.5)?)?;
            if x.ndim() == 1 {
                for _ in d + 1..y.ndim() {
                    w = unsqueeze(&w, -1)?;
                }
            }
            w
        }
    };
    mul(&heights, &widths)
}

pub fn trapezoid(y: &Tensor, x: Option<&Tensor>, dx: f64, dim: i64) -> Result<Tensor> {
    size_at(y, dim)?;
    let d = wrap_dim(dim, y.ndim())?;
    if y.shape().get(d) == Some(&0) {
        let mut shape = y.shape();
        shape.remove(d);
        return Tensor::zeros(&shape, y.dtype().to_float());
    }
    if x.is_some() {
        return sum(&strips(y, x, dx, dim, "trapezoid")?, &[dim], false, None);
    }
    let (after, before) = neighbours(y, dim)?;
    mul(&sum(&add(&after, &before)?, &[dim], false, None)?, &number(dx / 2.0)?)
}

pub fn cumulative_trapezoid(y: &Tensor, x: Option<&Tensor>, dx: f64, dim: i64) -> Result<Tensor> {
    if y.ndim() == 0 {
        return Err(Error::index("slice() cannot be applied to a 0-dim tensor."));
    }
    cumsum(&strips(y, x, dx, dim, "cumulative_trapezoid")?, dim, None)
}

/// Softmax along `dim`, or its logarithm; `dtype` casts the input first.
fn normalized(x: &Tensor, dim: i64, dtype: Option<DType>, log: bool) -> Result<Tensor> {
    let x = match dtype {
        Some(dtype) => cast(x, dtype)?,
        None => x.clone(),
    };
    let d = wrap_dim(dim, x.ndim())?;
    if !x.dtype().is_float() {
        let last = d + 1 >= x.ndim();
        let kernel = match (log, last) {
            (false, true) => "softmax_lastdim_kernel_impl",
            (false, false) => "softmax_kernel_impl",
            (true, true) => "log_softmax_lastdim_kernel_impl",
            (true, false) => "softmax_kernel_impl",
        };
        return Err(Error::no_kernel(kernel, x.dtype()));
    }
    let out = backend(x.device()).softmax(&x.raw(), d, log)?;
    let name = if log { "LogSoftmaxBackward0" } else { "SoftmaxBackward0" };
    let over = move |t: &Tensor| if t.ndim() == 0 { Ok(t.clone()) } else { sum(t, &[d as i64], true, None) };
    Ok(differentiable(name, &[&x], out, &[Save::Output(0)], move |ctx| {
        let (g, y) = (ctx.grad()?, ctx.saved(0));
        // One kernel, where the gradient itself is not recorded.
        if d + 1 == y.ndim() && [&g, y].iter().all(|t| t.dtype() == DType::F32) && !grad_mode::is_enabled() {
            let out = backend(y.device()).softmax_grad(&g.raw(), &y.raw(), log)?;
            return Ok(vec![Some(non_differentiable(out))]);
        }
        Ok(vec![Some(if log {
            sub(&g, &mul(&exp(y)?, &over(&g)?)?)?
        } else {
            mul(&sub(&g, &over(&mul(&g, y)?)?)?, y)?
        })])
    }))
}
pub fn softmax(x: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    normalized(x, dim, dtype, false)
}
pub fn log_softmax(x: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    normalized(x, dim, dtype, true)
}

/// Slices along `dim` whose `p`-norm is above `maxnorm` are scaled down to it.
pub fn renorm(x: &Tensor, p: f64, dim: i64, maxnorm: f64) -> Result<Tensor> {
    if x.ndim() < 2 {
        return Err(Error::runtime(format!("renorm: input needs at least 2 dimensions, got {} dimensions", x.ndim())));
    }
    if p <= 0.0 || maxnorm < 0.0 {
        let text = if p <= 0.0 {
            "renorm: non-positive norm not supported".to_owned()
        } else {
            format!("renorm: expected maxnorm to be >= 0 but got {maxnorm}")
        };
        return Err(Error::runtime(text));
    }
    let d = wrap_dim(dim, x.ndim())? as i64;
    let others: Vec<i64> = (0..x.ndim() as i64).filter(|&i| i != d).collect();
    let norm = crate::ops::vector_norm(x, p, &others, true, None)?;
    let shrink = div(&number(maxnorm)?, &add(&norm, &number(1e-7)?)?)?;
    let scale = where_(&gt(&norm, &number(maxnorm)?)?, &shrink, &Tensor::full(&[], 1.into(), x.dtype())?)?;
    mul(x, &expand_as_shape(&scale, &x.shape())?)
}

pub(crate) const TABLE: &[Op] = &[
    op("cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", places::ALL, |a| {
        Ok(cumsum(a.tensor(0)?, a.int(1)?, a.opt_dtype(2)?)?.into())
    }),
    op("cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", places::ALL, |a| {
        Ok(cumprod(a.tensor(0)?, a.int(1)?, a.opt_dtype(2)?)?.into())
    }),
    op("logcumsumexp(Tensor self, int dim) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(logcumsumexp(a.tensor(0)?, a.int(1)?)?.into())
    }),
    op("cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)", places::BOTH, |a| {
        Ok(cummax(a.tensor(0)?, a.int(1)?)?.into())
    }),
    op("cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)", places::BOTH, |a| {
        Ok(cummin(a.tensor(0)?, a.int(1)?)?.into())
    }),
    op(
        "diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor",
        places::BOTH | places::OUT,
        |a| {
            let (before, after) = (a.opt_tensor(3)?, a.opt_tensor(4)?);
            Ok(diff(a.tensor(0)?, a.int(1)?, a.int(2)?, before.as_ref(), after.as_ref())?.into())
        },
    ),
    op("trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", places::FUNCTION, |a| {
        Ok(trapezoid(a.tensor(0)?, Some(a.tensor(1)?), 1.0, a.int(2)?)?.into())
    }),
    op("trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", places::FUNCTION, |a| {
        Ok(trapezoid(a.tensor(0)?, None, a.float(1)?, a.int(2)?)?.into())
    }),
    op("trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", places::FUNCTION, |a| {
        Ok(trapezoid(a.tensor(0)?, Some(a.tensor(1)?), 1.0, a.int(2)?)?.into())
    }),
    op("trapz.dx(Tensor y, *, float dx=1, int dim=-1) -> Tensor", places::FUNCTION, |a| {
        Ok(trapezoid(a.tensor(0)?, None, a.float(1)?, a.int(2)?)?.into())
    }),
    op("cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", places::FUNCTION, |a| {
        Ok(cumulative_trapezoid(a.tensor(0)?, Some(a.tensor(1)?), 1.0, a.int(2)?)?.into())
    }),
    op("cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", places::FUNCTION, |a| {
        Ok(cumulative_trapezoid(a.tensor(0)?, None, a.float(1)?, a.int(2)?)?.into())
    }),
    op("softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(softmax(a.tensor(0)?, a.int(1)?, a.opt_dtype(2)?)?.into())
    }),
    op("log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(log_softmax(a.tensor(0)?, a.int(1)?, a.opt_dtype(2)?)?.into())
    }),
    op("special_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", places::SPECIAL, |a| {
        Ok(softmax(a.tensor(0)?, a.int(1)?, a.opt_dtype(2)?)?.into())
    }),
    op("special_log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", places::SPECIAL, |a| {
        Ok(log_softmax(a.tensor(0)?, a.int(1)?, a.opt_dtype(2)?)?.into())
    }),
    op("renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor", places::ALL, |a| {
        Ok(renorm(a.tensor(0)?, a.float(1)?, a.int(2)?, a.float(3)?)?.into())
    }),
];
