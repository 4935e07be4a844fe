//! Sums, means, products, any/all, largest and smallest values over some or all dimensions.

use crate::autograd::{Save, differentiable, grad_mode::no_grad, non_differentiable};
use crate::backend::{ReduceOp, backend};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::wrap_dim;
use crate::ops::{
    cast, cut, div, eq, expand_as_shape, isnan, logical_not, mul, ne, number, size_at, unsqueeze, unsqueeze_all,
    where_number,
};
use crate::registry::{Args, Op, Value, op, places};
use crate::tensor::{Raw, Tensor};

/// Dims as Python gives them, wrapped, sorted; none given means all.
///
/// # Errors
/// Out of range; the same dim twice.
pub fn wrap_dims(dims: &[i64], ndim: usize) -> Result<Vec<usize>> {
    if dims.is_empty() {
        return Ok((0..ndim).collect());
    }
    let mut out = Vec::with_capacity(dims.len());
    for &d in dims {
        let w = wrap_dim(d, ndim)?;
        if out.contains(&w) {
            return Err(Error::runtime(format!("dim {w} appears multiple times in the list of dims")));
        }
        out.push(w);
    }
    // A 0-d tensor has no dimension to reduce.
    out.retain(|&d| d < ndim);
    out.sort_unstable();
    Ok(out)
}

/// The kernel's result keeps reduced dims with size 1; drop them unless `keepdim`.
pub(crate) fn finish(raw: Raw, dims: &[usize], keepdim: bool) -> Raw {
    if keepdim {
        return raw;
    }
    let layout = raw.layout.squeeze(dims);
    raw.with_layout(layout)
}

/// Put back the reduced dims of a result or its gradient, so that it broadcasts against the input.
pub(crate) fn restore(t: &Tensor, dims: &[usize], keepdim: bool) -> Result<Tensor> {
    if keepdim { Ok(t.clone()) } else { unsqueeze_all(t, dims) }
}

/// A reduction kernel on elements of `dtype`.
pub(crate) fn reduce_kernel(kind: ReduceOp, x: &Tensor, dims: &[usize], dtype: DType) -> Result<Raw> {
    let raw = x.raw();
    let b = backend(raw.device());
    let raw = if raw.dtype == dtype { raw } else { b.copy(&raw, dtype)? };
    b.reduce(kind, &raw, dims)
}

/// Integers and bool sum and multiply as int64.
fn sum_dtype(x: &Tensor, dtype: Option<DType>) -> DType {
    dtype.unwrap_or(if x.dtype().is_inexact() { x.dtype() } else { DType::I64 })
}

/// Sum over `dims` (all when empty); integers and bool sum as int64.
pub fn sum(x: &Tensor, dims: &[i64], keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    sum_named(x, dims, keepdim, dtype, if dims.is_empty() { "SumBackward0" } else { "SumBackward1" })
}

fn sum_named(x: &Tensor, dims: &[i64], keepdim: bool, dtype: Option<DType>, name: &'static str) -> Result<Tensor> {
    let dtype = sum_dtype(x, dtype);
    let wrapped = wrap_dims(dims, x.ndim())?;
    let out = finish(reduce_kernel(ReduceOp::Sum, x, &wrapped, dtype)?, &wrapped, keepdim);
    let shape = x.shape();
    Ok(differentiable(name, &[x], out, &[], move |ctx| {
        Ok(vec![Some(expand_as_shape(&restore(&ctx.grad()?, &wrapped, keepdim)?, &shape)?)])
    }))
}

/// Sum with NaN counted as 0.
pub fn nansum(x: &Tensor, dims: &[i64], keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    if !x.dtype().is_float() {
        return sum(x, dims, keepdim, dtype);
    }
    let out = no_grad(|| sum(&where_number(&isnan(x)?, 0.0, x)?, dims, keepdim, dtype))?;
    let wrapped = wrap_dims(dims, x.ndim())?;
    Ok(differentiable("NansumBackward0", &[x], out.raw(), &[Save::Input(x)], move |ctx| {
        let g = restore(&ctx.grad()?, &wrapped, keepdim)?;
        let numbers = logical_not(&isnan(ctx.saved(0))?)?;
        Ok(vec![Some(mul(&g, &numbers)?)])
    }))
}

/// # Errors
/// Integers without a float `dtype`, as in PyTorch.
pub fn mean(x: &Tensor, dims: &[i64], keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    mean_named(x, dims, keepdim, dtype, if dims.is_empty() { "MeanBackward0" } else { "MeanBackward1" })
}

fn mean_named(x: &Tensor, dims: &[i64], keepdim: bool, dtype: Option<DType>, name: &'static str) -> Result<Tensor> {
    let dt = dtype.unwrap_or(x.dtype());
    if !dt.is_inexact() {
        let (what, kind) = if dtype.is_some() {
            ("mean(): ", "Optional dtype")
        } else {
            ("mean(): could not infer output dtype. ", "Input dtype")
        };
        return Err(Error::not_implemented(format!(
            "{what}{kind} must be either a floating point or complex dtype. Got: {}",
            dt.scalar_type_name()
        )));
    }
    let wrapped = wrap_dims(dims, x.ndim())?;
    let shape = x.shape();
    let n: usize = crate::layout::numel(&wrapped.iter().map(|&d| shape[d]).collect::<Vec<_>>());
    let total = non_differentiable(reduce_kernel(ReduceOp::Sum, x, &wrapped, dt)?);
    let out = finish(div(&total, &number(n as i64)?)?.raw(), &wrapped, keepdim);
    Ok(differentiable(name, &[x], out, &[], move |ctx| {
        let g = expand_as_shape(&restore(&ctx.grad()?, &wrapped, keepdim)?, &shape)?;
        Ok(vec![Some(div(&g, &number(n as i64)?)?)])
    }))
}

/// Mean of what is not NaN.
pub fn nanmean(x: &Tensor, dims: &[i64], keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    if !x.dtype().is_float() {
        return Err(Error::not_implemented(format!(
            "nanmean(): expected input to have floating point or complex dtype but got {}",
            x.dtype().scalar_type_name()
        )));
    }
    let count = sum(&logical_not(&isnan(x)?)?, dims, keepdim, None)?;
    div(&nansum(x, dims, keepdim, dtype)?, &count)
}

/// Product over one dim, or all.
pub fn prod(x: &Tensor, dim: Option<i64>, keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    let dtype = sum_dtype(x, dtype);
    let wrapped = wrap_dims(dim.as_slice(), x.ndim())?;
    let out = finish(reduce_kernel(ReduceOp::Prod, x, &wrapped, dtype)?, &wrapped, keepdim);
    let name = if dim.is_some() { "ProdBackward1" } else { "ProdBackward0" };
    Ok(differentiable(name, &[x], out, &[Save::Input(x), Save::Output(0)], move |ctx| {
        let (g, x, y) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let (g, y) = (restore(&g, &wrapped, keepdim)?, restore(y, &wrapped, keepdim)?);
        let zeros = non_differentiable(reduce_kernel(ReduceOp::All, x, &(0..x.ndim()).collect::<Vec<_>>(), x.dtype())?);
        if x.numel() == 0 || zeros.is_true()? {
            return Ok(vec![Some(mul(&g, &div(&y, x)?)?)]);
        }
        if dim.is_some() {
            let d = wrapped.first().map_or(0, |&d| d as i64);
            return Ok(vec![Some(mul(&g, &products_of_others(x, d)?)?)]);
        }
        let flat = crate::ops::reshape(x, &[-1])?;
        let shape: Vec<i64> = x.shape().iter().map(|&s| s as i64).collect();
        Ok(vec![Some(mul(&g, &crate::ops::reshape(&products_of_others(&flat, 0)?, &shape)?)?)])
    }))
}

/// For each element, the product of all others along `dim`: right where division fails, on zeros.
fn products_of_others(x: &Tensor, dim: i64) -> Result<Tensor> {
    if x.ndim() == 0 {
        return Tensor::full(&[], 1.into(), x.dtype());
    }
    let last = crate::ops::transpose(x, dim, -1)?;
    let masked = without_own(&last)?;
    crate::ops::transpose(&prod(&masked, Some(-1), false, None)?, dim, -1)
}

/// `[.., n] -> [.., n, n]`: row k is the input with element k replaced by 1.
pub(crate) fn without_own(x: &Tensor) -> Result<Tensor> {
    let n = x.size(x.ndim().saturating_sub(1));
    let mut shape = x.shape();
    shape.insert(shape.len().saturating_sub(1), n);
    let own = crate::ops::eq(&unsqueeze(&steps(n)?, 1)?, &steps(n)?)?;
    where_number(&own, 1.0, &expand_as_shape(&unsqueeze(x, -2)?, &shape)?)
}

/// `0, 1, … n - 1` as int64.
pub(crate) fn steps(n: usize) -> Result<Tensor> {
    Tensor::from_slice(&(0..n as i64).collect::<Vec<_>>(), &[n])
}

fn truth(kind: ReduceOp, x: &Tensor, dims: &[i64], keepdim: bool) -> Result<Tensor> {
    let wrapped = wrap_dims(dims, x.ndim())?;
    let out = non_differentiable(finish(reduce_kernel(kind, x, &wrapped, x.dtype())?, &wrapped, keepdim));
    // For uint8 the answer is uint8, a habit from before bool existed.
    if x.dtype() == DType::U8 { cast(&out, DType::U8) } else { Ok(out) }
}
pub fn any(x: &Tensor, dims: &[i64], keepdim: bool) -> Result<Tensor> {
    truth(ReduceOp::Any, x, dims, keepdim)
}
pub fn all(x: &Tensor, dims: &[i64], keepdim: bool) -> Result<Tensor> {
    truth(ReduceOp::All, x, dims, keepdim)
}

pub fn count_nonzero(x: &Tensor, dims: &[i64]) -> Result<Tensor> {
    sum(&ne(x, &number(0)?)?, dims, false, None)
}

/// An extreme needs at least one element.
pub(crate) fn refuse_empty(what: &str, x: &Tensor, dims: &[usize], all: bool) -> Result<()> {
    if x.numel() > 0 {
        return Ok(());
    }
    if all {
        return Err(Error::runtime(format!(
            "{what}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with \
             the 'dim' argument."
        )));
    }
    match dims.iter().find(|&&d| x.size(d) == 0) {
        Some(d) => Err(Error::index(format!("{what}(): Expected reduction dim {d} to have non-zero size."))),
        None => Ok(()),
    }
}

/// Share a gradient evenly among the elements that equal the extreme.
pub(crate) fn share(g: &Tensor, x: &Tensor, y: &Tensor, dims: &[usize]) -> Result<Tensor> {
    let mask = eq(x, y)?;
    let all: Vec<i64> = dims.iter().map(|&d| d as i64).collect();
    let count = if x.ndim() == 0 { cast(&mask, DType::I64)? } else { sum(&mask, &all, true, None)? };
    div(&mul(g, &mask)?, &count)
}

fn extreme(kind: ReduceOp, name: &'static str, what: &str, x: &Tensor, dims: &[i64], keepdim: bool) -> Result<Tensor> {
    let wrapped = wrap_dims(dims, x.ndim())?;
    if let Some(&dim) = dims.iter().find(|&&d| x.numel() == 0 && size_at(x, d).is_ok_and(|n| n == 0)) {
        return Err(Error::index(format!("{what}(): Expected reduction dim {dim} to have non-zero size.")));
    }
    refuse_empty(what, x, &wrapped, dims.is_empty())?;
    let out = finish(reduce_kernel(kind, x, &wrapped, x.dtype())?, &wrapped, keepdim);
    Ok(differentiable(name, &[x], out, &[Save::Input(x), Save::Output(0)], move |ctx| {
        let g = restore(&ctx.grad()?, &wrapped, keepdim)?;
        let y = restore(ctx.saved(1), &wrapped, keepdim)?;
        Ok(vec![Some(share(&g, ctx.saved(0), &y, &wrapped)?)])
    }))
}
pub fn amax(x: &Tensor, dims: &[i64], keepdim: bool) -> Result<Tensor> {
    extreme(ReduceOp::Max, "AmaxBackward0", "amax", x, dims, keepdim)
}
pub fn amin(x: &Tensor, dims: &[i64], keepdim: bool) -> Result<Tensor> {
    extreme(ReduceOp::Min, "AminBackward0", "amin", x, dims, keepdim)
}

/// Both extremes at once.
pub fn aminmax(x: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<(Tensor, Tensor)> {
    let wrapped = wrap_dims(dim.as_slice(), x.ndim())?;
    if x.numel() == 0 && dim.is_none() {
        return Err(Error::runtime(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.",
        ));
    }
    if let Some(d) = wrapped.iter().find(|&&d| x.numel() == 0 && x.size(d) == 0) {
        return Err(Error::index(format!("aminmax: Expected reduction dim {d} to have non-zero size.")));
    }
    let out = |kind| Ok(finish(reduce_kernel(kind, x, &wrapped, x.dtype())?, &wrapped, keepdim));
    let outs: Vec<Raw> = vec![out(ReduceOp::Min)?, out(ReduceOp::Max)?];
    let saved = [Save::Input(x), Save::Output(0), Save::Output(1)];
    let dims = wrapped.clone();
    let mut outs = crate::autograd::differentiable_many("AminmaxBackward0", &[x], outs, &saved, move |ctx| {
        let mut total: Option<Tensor> = None;
        for nr in 0..2 {
            let Some(g) = ctx.opt_grad_of(nr) else { continue };
            let (g, y) = (restore(&g, &dims, keepdim)?, restore(ctx.saved(nr + 1), &dims, keepdim)?);
            let part = share(&g, ctx.saved(0), &y, &dims)?;
            total = Some(match total {
                Some(t) => crate::ops::add(&t, &part)?,
                None => part,
            });
        }
        Ok(vec![total])
    });
    match (outs.pop(), outs.pop()) {
        (Some(max), Some(min)) => Ok((min, max)),
        _ => Err(Error::runtime("aminmax has two results")),
    }
}

/// `max()` and `min()` of everything. A NaN extreme shares its gradient among the NaNs.
fn full_extreme(kind: ReduceOp, name: &'static str, what: &str, x: &Tensor) -> Result<Tensor> {
    refuse_empty(what, x, &[], true)?;
    let dims: Vec<usize> = (0..x.ndim()).collect();
    let out = finish(reduce_kernel(kind, x, &dims, x.dtype())?, &dims, false);
    Ok(differentiable(name, &[x], out, &[Save::Input(x), Save::Output(0)], |ctx| {
        Ok(vec![Some(share_all(&ctx.grad()?, ctx.saved(0), ctx.saved(1))?)])
    }))
}

/// [`share`] over all elements, NaN equal to NaN.
pub(crate) fn share_all(g: &Tensor, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    let mask = if crate::ops::has_nan(y)? { isnan(x)? } else { eq(x, y)? };
    mul(&mask, &div(g, &sum(&mask, &[], false, None)?)?)
}

pub fn max_all(x: &Tensor) -> Result<Tensor> {
    full_extreme(ReduceOp::Max, "MaxBackward1", "max", x)
}
pub fn min_all(x: &Tensor) -> Result<Tensor> {
    full_extreme(ReduceOp::Min, "MinBackward1", "min", x)
}

/// The sum of the main diagonal.
///
/// # Errors
/// Not a matrix.
pub fn trace(x: &Tensor) -> Result<Tensor> {
    if x.ndim() != 2 {
        return Err(Error::runtime(format!("trace: expected a matrix, but got tensor with dim {}", x.ndim())));
    }
    let out = no_grad(|| sum(&crate::ops::mul(x, &identity_mask(&x.shape())?)?, &[], false, None))?;
    let shape = x.shape();
    Ok(differentiable("TraceBackward0", &[x], out.raw(), &[], move |ctx| {
        let g = expand_as_shape(&ctx.grad()?, &shape)?;
        Ok(vec![Some(cut(&g, &logical_not(&identity_mask(&shape)?)?)?)])
    }))
}

/// True on the main diagonal of the last two dims.
pub(crate) fn identity_mask(shape: &[usize]) -> Result<Tensor> {
    let (rows, cols) = match shape {
        [.., r, c] => (*r, *c),
        _ => (1, 1),
    };
    eq(&unsqueeze(&steps(rows)?, 1)?, &steps(cols)?)
}

fn dims_at(a: &Args, i: usize) -> Result<Vec<i64>> {
    Ok(a.opt_ints(i)?.unwrap_or_default())
}
fn run_all_dim(a: &Args) -> Result<Value> {
    Ok(all(a.tensor(0)?, &[a.int(1)?], a.bool(2)?)?.into())
}
fn run_any_dim(a: &Args) -> Result<Value> {
    Ok(any(a.tensor(0)?, &[a.int(1)?], a.bool(2)?)?.into())
}

pub(crate) const TABLE: &[Op] = &[
    op("sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", places::BOTH, |a| {
        Ok(sum(a.tensor(0)?, &[], false, a.opt_dtype(1)?)?.into())
    }),
    op(
        "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
        places::BOTH | places::OUT,
        |a| Ok(sum_named(a.tensor(0)?, &dims_at(a, 1)?, a.bool(2)?, a.opt_dtype(3)?, "SumBackward1")?.into()),
    ),
    op(
        "nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
        places::BOTH | places::OUT,
        |a| Ok(nansum(a.tensor(0)?, &dims_at(a, 1)?, a.bool(2)?, a.opt_dtype(3)?)?.into()),
    ),
    op("mean(Tensor self, *, ScalarType? dtype=None) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(mean(a.tensor(0)?, &[], false, a.opt_dtype(1)?)?.into())
    }),
    op(
        "mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
        places::BOTH | places::OUT,
        |a| Ok(mean_named(a.tensor(0)?, &dims_at(a, 1)?, a.bool(2)?, a.opt_dtype(3)?, "MeanBackward1")?.into()),
    ),
    op(
        "nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
        places::BOTH | places::OUT,
        |a| Ok(nanmean(a.tensor(0)?, &dims_at(a, 1)?, a.bool(2)?, a.opt_dtype(3)?)?.into()),
    ),
    op("prod(Tensor self, *, ScalarType? dtype=None) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(prod(a.tensor(0)?, None, false, a.opt_dtype(1)?)?.into())
    }),
    op(
        "prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
        places::BOTH | places::OUT,
        |a| Ok(prod(a.tensor(0)?, Some(a.int(1)?), a.bool(2)?, a.opt_dtype(3)?)?.into()),
    ),
    op("all(Tensor self) -> Tensor", places::BOTH | places::OUT, |a| Ok(all(a.tensor(0)?, &[], false)?.into())),
    op("all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", places::BOTH | places::OUT, run_all_dim),
    op("all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(all(a.tensor(0)?, &dims_at(a, 1)?, a.bool(2)?)?.into())
    }),
    op("any(Tensor self) -> Tensor", places::BOTH | places::OUT, |a| Ok(any(a.tensor(0)?, &[], false)?.into())),
    op("any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", places::BOTH | places::OUT, run_any_dim),
    op("any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(any(a.tensor(0)?, &dims_at(a, 1)?, a.bool(2)?)?.into())
    }),
    op("count_nonzero(Tensor self, int? dim=None) -> Tensor", places::BOTH, |a| {
        Ok(count_nonzero(a.tensor(0)?, a.opt_int(1)?.as_slice())?.into())
    }),
    op("count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor", places::BOTH, |a| {
        Ok(count_nonzero(a.tensor(0)?, &a.ints(1)?)?.into())
    }),
    op("amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(amax(a.tensor(0)?, &a.ints(1)?, a.bool(2)?)?.into())
    }),
    op("amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(amin(a.tensor(0)?, &a.ints(1)?, a.bool(2)?)?.into())
    }),
    op("aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)", places::BOTH, |a| {
        Ok(aminmax(a.tensor(0)?, a.opt_int(1)?, a.bool(2)?)?.into())
    }),
    op("max(Tensor self) -> Tensor", places::BOTH | places::OUT, |a| Ok(max_all(a.tensor(0)?)?.into())),
    op("min(Tensor self) -> Tensor", places::BOTH | places::OUT, |a| Ok(min_all(a.tensor(0)?)?.into())),
    op("trace(Tensor self) -> Tensor", places::BOTH, |a| Ok(trace(a.tensor(0)?)?.into())),
];
