//! Choosing between elements: `where`, `masked_fill`, bounds, the larger or smaller of two.

use crate::autograd::{Save, differentiable, non_differentiable};
use crate::backend::{BinaryOp, backend};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::layout::broadcast_shapes;
use crate::ops::{
    add, binary_kernel, cut, eq, ge, gt, in_order, isnan, le, logical_and, logical_not, logical_or, long_name, lt,
    memory_order, mul, number, operands, result_type, sum,
};
use crate::registry::{Op, Value, op, places};
use crate::tensor::{Raw, Tensor};

/// The kernel on operands of any dtype and shape; `cond` is bool.
fn select(cond: &Tensor, a: &Tensor, b: &Tensor, dtype: DType) -> Result<Raw> {
    // The condition comes first in messages about shapes.
    broadcast_shapes(&broadcast_shapes(&cond.shape(), &a.shape())?, &b.shape())?;
    let v = operands(&[a, b], dtype)?;
    let shape = broadcast_shapes(v[0].shape(), &cond.shape())?;
    let (c, x, y) = (cond.raw().broadcast_to(&shape)?, v[0].broadcast_to(&shape)?, v[1].broadcast_to(&shape)?);
    let order = memory_order(&shape, &[&c, &x, &y].map(|raw| raw.layout.strides.clone()));
    in_order(backend(c.device()).select(&c, &x, &y)?, &order)
}

/// `torch.where(cond, a, b)`.
///
/// # Errors
/// A condition that is not bool.
pub fn where_(cond: &Tensor, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if cond.dtype() == DType::U8 {
        // An old habit that PyTorch still takes.
        return where_(&crate::ops::cast(cond, DType::Bool)?, a, b);
    }
    if cond.dtype() != DType::Bool {
        return Err(Error::runtime(format!(
            "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
            cond.dtype().scalar_type_name()
        )));
    }
    let raw = select(cond, a, b, result_type(&[a, b]))?;
    Ok(differentiable("WhereBackward0", &[a, b], raw, &[Save::Input(cond)], |ctx| {
        let (g, cond) = (ctx.grad()?, ctx.saved(0));
        let zero = number(0)?;
        let to_a = ctx.needs(0).then(|| where_(cond, &g, &zero)).transpose()?;
        let to_b = ctx.needs(1).then(|| where_(cond, &zero, &g)).transpose()?;
        Ok(vec![to_a, to_b])
    }))
}

/// `value` where the mask is true, else `x`.
pub fn where_number(mask: &Tensor, value: f64, x: &Tensor) -> Result<Tensor> {
    where_(mask, &number(value)?, x)
}

/// `torch.where(cond)`: an index tensor per dimension.
pub fn nonzero_as_tuple(cond: &Tensor) -> Result<Vec<Tensor>> {
    let raw = cond.raw();
    let b = backend(raw.device());
    let mask = if raw.dtype == DType::Bool { raw } else { b.copy(&raw, DType::Bool)? };
    let shape = cond.shape();
    let flat = non_differentiable(b.nonzero(&mask)?);
    if cond.device().is_gpu() && !shape.is_empty() {
        let steps = crate::layout::contiguous_strides(&shape);
        let column = |d: usize| {
            let along = crate::ops::floor_divide(&flat, &number(steps[d] as i64)?)?;
            crate::ops::remainder(&along, &number((shape[d] as i64).max(1))?)
        };
        return (0..shape.len()).map(column).collect();
    }
    let flat = flat.to_vec::<i64>()?;
    if shape.is_empty() {
        return Ok(vec![Tensor::from_slice(&flat, &[flat.len()])?]);
    }
    let mut step = 1i64;
    let mut out = Vec::with_capacity(shape.len());
    for &size in shape.iter().rev() {
        let column: Vec<i64> = flat.iter().map(|p| p / step % (size as i64).max(1)).collect();
        out.push(Tensor::from_slice(&column, &[column.len()])?);
        step *= (size as i64).max(1);
    }
    out.reverse();
    Ok(out)
}

/// `x.masked_fill(mask, value)` with a number or a 0-d tensor.
///
/// # Errors
/// A mask that is not bool; a value with dimensions.
pub fn masked_fill(x: &Tensor, mask: &Tensor, value: &Tensor) -> Result<Tensor> {
    if mask.dtype() != DType::Bool {
        return Err(Error::runtime(format!(
            "masked_fill_ only supports boolean masks, but got mask with dtype {}",
            long_name(mask.dtype())
        )));
    }
    if value.ndim() > 0 {
        return Err(Error::runtime(format!(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
            value.ndim()
        )));
    }
    if value.is_wrapped_number() {
        crate::ops::check_fits(value.item()?, x.dtype())?;
    }
    let out = select(mask, value, x, x.dtype())?;
    let name = if value.is_wrapped_number() { "MaskedFillBackward0" } else { "MaskedFillBackward1" };
    Ok(differentiable(name, &[x, value], out, &[Save::Input(mask)], |ctx| {
        let (g, mask) = (ctx.grad()?, ctx.saved(0));
        let to_x = ctx.needs(0).then(|| masked_fill_number(&g, mask, 0.into())).transpose()?;
        let to_value = ctx.needs(1).then(|| sum(&where_(mask, &g, &number(0)?)?, &[], false, None)).transpose()?;
        Ok(vec![to_x, to_value])
    }))
}

pub fn masked_fill_number(x: &Tensor, mask: &Tensor, value: Scalar) -> Result<Tensor> {
    masked_fill(x, mask, &number(value)?)
}

/// The kernels of two operands of any dtypes, NaN winning.
fn extreme_of_two(kind: BinaryOp, name: &'static str, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if result_type(&[a, b]).is_complex() {
        let name = if kind == BinaryOp::Max { "maximum" } else { "minimum" };
        return Err(Error::type_error(format!("{name} not implemented for complex tensors.")));
    }
    let out = binary_kernel(kind, a, b, result_type(&[a, b]))?;
    let max = kind == BinaryOp::Max;
    Ok(differentiable(name, &[a, b], out, &[Save::Input(a), Save::Input(b)], move |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        // A tie shares the gradient.
        let shared = where_(&crate::ops::eq(a, b)?, &mul(&g, &number(0.5)?)?, &g)?;
        let (a_loses, b_loses) = if max { (lt(a, b)?, gt(a, b)?) } else { (gt(a, b)?, lt(a, b)?) };
        let to_a = ctx.needs(0).then(|| cut(&shared, &a_loses)).transpose()?;
        let to_b = ctx.needs(1).then(|| cut(&shared, &b_loses)).transpose()?;
        Ok(vec![to_a, to_b])
    }))
}
pub fn maximum(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    extreme_of_two(BinaryOp::Max, "MaximumBackward0", a, b)
}
pub fn minimum(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    extreme_of_two(BinaryOp::Min, "MinimumBackward0", a, b)
}

fn number_wins(kind: BinaryOp, name: &'static str, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let out = binary_kernel(kind, a, b, result_type(&[a, b]))?;
    let max = kind == BinaryOp::Fmax;
    Ok(differentiable(name, &[a, b], out, &[Save::Input(a), Save::Input(b)], move |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let a_wins = logical_or(&if max { ge(a, b)? } else { le(a, b)? }, &isnan(b)?)?;
        Ok(vec![Some(cut(&g, &logical_not(&a_wins)?)?), Some(cut(&g, &a_wins)?)])
    }))
}
pub fn fmax(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    number_wins(BinaryOp::Fmax, "FmaxBackward0", a, b)
}
pub fn fmin(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    number_wins(BinaryOp::Fmin, "FminBackward0", a, b)
}

/// Where `x` lies strictly between the bounds.
fn inside(x: &Tensor, low: Option<&Tensor>, high: Option<&Tensor>) -> Result<Tensor> {
    match (low, high) {
        (Some(l), Some(h)) => logical_and(&gt(x, l)?, &lt(x, h)?),
        (Some(l), None) => gt(x, l),
        (None, Some(h)) => lt(x, h),
        (None, None) => Tensor::full(&x.shape(), true.into(), DType::Bool),
    }
}

fn clamp_kernel(x: &Tensor, low: Option<&Tensor>, high: Option<&Tensor>) -> Result<Raw> {
    let all: Vec<&Tensor> = [Some(x), low, high].into_iter().flatten().collect();
    let dtype = result_type(&all);
    match (low, high) {
        (Some(l), Some(h)) => {
            let raised = non_differentiable(binary_kernel(BinaryOp::Max, x, l, dtype)?);
            binary_kernel(BinaryOp::Min, &raised, h, dtype)
        }
        (Some(l), None) => binary_kernel(BinaryOp::Max, x, l, dtype),
        (None, Some(h)) => binary_kernel(BinaryOp::Min, x, h, dtype),
        (None, None) => Err(Error::runtime("torch.clamp: At least one of 'min' or 'max' must not be None")),
    }
}

/// `x.clamp(min, max)`; bounds are numbers (wrapped tensors) or tensors.
///
/// # Errors
/// No bound at all.
pub fn clamp(x: &Tensor, low: Option<&Tensor>, high: Option<&Tensor>) -> Result<Tensor> {
    let numbers = [low, high].into_iter().flatten().all(|t| t.is_wrapped_number());
    clamp_named(x, low, high, if numbers { "ClampBackward1" } else { "ClampBackward0" })
}

fn clamp_named(x: &Tensor, low: Option<&Tensor>, high: Option<&Tensor>, name: &'static str) -> Result<Tensor> {
    if [Some(x), low, high].into_iter().flatten().any(|t| t.dtype().is_complex()) {
        return Err(Error::not_implemented("clamp is not supported for complex types"));
    }
    let out = clamp_kernel(x, low, high)?;
    let nothing = number(0)?;
    let (l, h) = (low.unwrap_or(&nothing), high.unwrap_or(&nothing));
    let (has_low, has_high) = (low.is_some(), high.is_some());
    // At a bound a number lets nothing through; a tensor shares the gradient with `x`.
    let numbers = [low, high].into_iter().flatten().all(|t| t.is_wrapped_number());
    let saved = [Save::Input(x), Save::Input(l), Save::Input(h)];
    Ok(differentiable(name, &[x, l, h], out, &saved, move |ctx| {
        let (g, x) = (ctx.grad()?, ctx.saved(0));
        let (low, high) = (has_low.then(|| ctx.saved(1)), has_high.then(|| ctx.saved(2)));
        let keep = |mask: &Tensor, g: &Tensor| where_(mask, g, &number(0)?);
        let half = mul(&g, &number(0.5)?)?;
        // The bounds are apart, where there are two.
        let apart = |mask: Tensor| match (low, high) {
            (Some(l), Some(h)) => logical_and(&mask, &lt(l, h)?),
            _ => Ok(mask),
        };
        let mut to_x = keep(&inside(x, low, high)?, &g)?;
        if !numbers {
            for bound in [low, high].into_iter().flatten() {
                to_x = add(&to_x, &keep(&eq(x, bound)?, &half)?)?;
            }
        }
        let to_low = match low {
            Some(l) if ctx.needs(1) => Some(add(&keep(&apart(lt(x, l)?)?, &g)?, &keep(&apart(eq(x, l)?)?, &half)?)?),
            _ => None,
        };
        let to_high = match (low, high) {
            (low, Some(h)) if ctx.needs(2) => {
                let mut past = gt(x, h)?;
                if let Some(l) = low {
                    past = logical_or(&past, &lt(h, l)?)?;
                }
                Some(add(&keep(&past, &g)?, &keep(&apart(eq(x, h)?)?, &half)?)?)
            }
            _ => None,
        };
        Ok(vec![Some(to_x), to_low, to_high])
    }))
}

pub fn clamp_min(x: &Tensor, low: &Tensor) -> Result<Tensor> {
    clamp_named(x, Some(low), None, if low.is_wrapped_number() { "ClampMinBackward0" } else { "ClampMinBackward1" })
}
pub fn clamp_max(x: &Tensor, high: &Tensor) -> Result<Tensor> {
    clamp_named(x, None, Some(high), if high.is_wrapped_number() { "ClampMaxBackward0" } else { "ClampMaxBackward1" })
}

fn run_clamp_numbers(a: &crate::registry::Args) -> Result<Value> {
    let bound = |i: usize| a.opt_scalar(i)?.map(number).transpose();
    Ok(clamp(a.tensor(0)?, bound(1)?.as_ref(), bound(2)?.as_ref())?.into())
}
fn run_clamp_tensors(a: &crate::registry::Args) -> Result<Value> {
    Ok(clamp(a.tensor(0)?, a.opt_tensor(1)?.as_ref(), a.opt_tensor(2)?.as_ref())?.into())
}

macro_rules! tensors_table {
    ($($name:literal => $f:path),* $(,)?) => {
        &[$(op(concat!($name, "(Tensor self, Tensor other) -> Tensor"), places::BOTH | places::OUT,
            |a| Ok($f(a.tensor(0)?, a.tensor(1)?)?.into()))),*]
    };
}
pub(crate) const PAIRS: &[Op] = tensors_table! {
    "maximum" => maximum, "minimum" => minimum, "fmax" => fmax, "fmin" => fmin, "max.other" => maximum,
    "min.other" => minimum,
};

pub(crate) const TABLE: &[Op] = &[
    op("where.self(Tensor condition, Tensor self, Tensor other) -> Tensor", places::FUNCTION | places::OUT, |a| {
        Ok(where_(a.tensor(0)?, a.tensor(1)?, a.tensor(2)?)?.into())
    }),
    op("where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor", places::FUNCTION, |a| {
        Ok(where_(a.tensor(0)?, &number(a.scalar(1)?)?, a.tensor(2)?)?.into())
    }),
    op("where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor", places::FUNCTION, |a| {
        Ok(where_(a.tensor(0)?, a.tensor(1)?, &number(a.scalar(2)?)?)?.into())
    }),
    op("where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor", places::FUNCTION, |a| {
        Ok(where_(a.tensor(0)?, &number(a.scalar(1)?)?, &number(a.scalar(2)?)?)?.into())
    }),
    op("where(Tensor condition) -> Tensor[]", places::FUNCTION, |a| Ok(nonzero_as_tuple(a.tensor(0)?)?.into())),
    op("where.method(Tensor self, Tensor condition, Tensor|Scalar other) -> Tensor", places::METHOD, |a| {
        Ok(where_(a.tensor(1)?, a.tensor(0)?, a.tensor(2)?)?.into())
    }),
    op(
        "masked_fill.Tensor(Tensor self, Tensor mask, Tensor|Scalar value) -> Tensor",
        places::BOTH | places::INPLACE,
        |a| Ok(masked_fill(a.tensor(0)?, a.tensor(1)?, a.tensor(2)?)?.into()),
    ),
    op("clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", places::ALL, run_clamp_numbers),
    op("clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", places::ALL, run_clamp_tensors),
    op("clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", places::ALL, run_clamp_numbers),
    op("clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", places::ALL, run_clamp_tensors),
    op("clamp_min(Tensor self, Tensor|Scalar min) -> Tensor", places::ALL, |a| {
        Ok(clamp_min(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("clamp_max(Tensor self, Tensor|Scalar max) -> Tensor", places::ALL, |a| {
        Ok(clamp_max(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
];
