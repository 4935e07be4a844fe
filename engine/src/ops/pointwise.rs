//! Arithmetic and functions, element by element, with broadcasting and promotion.

use crate::autograd::{GradCtx, Save, differentiable};
use crate::backend::{BinaryOp, UnaryOp, backend};
use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::ops::{keep_order, keep_order2, operands, result_type};
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

/// Where two operands are computed with: a number of the host goes along with a tensor of the GPU.
fn either(x: &Raw, y: &Raw) -> Device {
    if y.device().is_gpu() { y.device() } else { x.device() }
}

/// A kernel over two operands of `dtype`, broadcast.
pub(crate) fn binary_kernel(kind: BinaryOp, a: &Tensor, b: &Tensor, dtype: DType) -> Result<Raw> {
    {
        // Nothing to cast, broadcast or reorder: the usual case, without a copy of what the operands are.
        let (x, y) = (a.0.raw.borrow(), b.0.raw.borrow());
        let plain = |r: &Raw| r.dtype == dtype && r.layout.is_contiguous();
        if plain(&x) && plain(&y) && x.layout.shape == y.layout.shape && !dtype.is_half() {
            return backend(either(&x, &y)).binary(kind, &x, &y);
        }
    }
    let v = operands(&[a, b], dtype)?;
    keep_order2(&v[0], &v[1], |x, y| backend(either(x, y)).binary(kind, x, y))
}

/// A kernel over one operand, computed in `dtype`.
pub(crate) fn unary_kernel(kind: UnaryOp, x: &Tensor, dtype: DType) -> Result<Raw> {
    {
        let raw = x.0.raw.borrow();
        if raw.dtype == dtype && raw.layout.is_contiguous() {
            return backend(raw.device()).unary(kind, &raw);
        }
    }
    let raw = x.raw();
    let b = backend(raw.device());
    let raw = if raw.dtype == dtype { raw } else { b.copy(&raw, dtype)? };
    keep_order(&raw, |r| b.unary(kind, r))
}

/// A number as an operand.
pub fn number(value: impl Into<Scalar>) -> Result<Tensor> {
    Tensor::from_number(value.into())
}

pub(crate) fn scaled(b: &Tensor, alpha: Scalar) -> Result<Tensor> {
    if alpha.is_one() { Ok(b.clone()) } else { mul(b, &number(alpha)?) }
}

pub fn add(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let out = binary_kernel(BinaryOp::Add, a, b, result_type(&[a, b]))?;
    Ok(differentiable("AddBackward0", &[a, b], out, &[], |ctx| {
        let g = ctx.grad()?;
        Ok(vec![Some(g.clone()), Some(g)])
    }))
}

/// `torch.add(a, b, alpha=alpha)`: one node, like PyTorch's.
pub fn add_alpha(a: &Tensor, b: &Tensor, alpha: Scalar) -> Result<Tensor> {
    check_alpha(alpha, result_type(&[a, b]))?;
    if alpha.is_one() {
        return add(a, b);
    }
    let b_scaled = crate::autograd::grad_mode::no_grad(|| scaled(b, alpha))?;
    let out = binary_kernel(BinaryOp::Add, a, &b_scaled, result_type(&[a, b]))?;
    Ok(differentiable("AddBackward0", &[a, b], out, &[], move |ctx| {
        let g = ctx.grad()?;
        Ok(vec![Some(g.clone()), Some(scaled(&g, alpha)?)])
    }))
}

fn check_alpha(alpha: Scalar, dtype: DType) -> Result<()> {
    match alpha {
        Scalar::Bool(_) if dtype != DType::Bool => {
            Err(Error::runtime("Boolean alpha only supported for Boolean results."))
        }
        Scalar::Float(_) if !dtype.is_inexact() => {
            Err(Error::runtime("For integral input tensors, argument alpha must not be a floating point number."))
        }
        Scalar::Complex(..) if !dtype.is_complex() => {
            Err(Error::runtime("For non-complex input tensors, argument alpha must not be a complex number."))
        }
        _ => Ok(()),
    }
}

pub fn sub(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    sub_alpha(a, b, Scalar::Int(1))
}

fn refuse_bool_sub(a: &Tensor, b: &Tensor) -> Result<()> {
    if a.dtype() == DType::Bool && b.dtype() == DType::Bool {
        return Err(Error::not_implemented(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` \
             operator instead.",
        ));
    }
    if a.dtype() == DType::Bool || b.dtype() == DType::Bool {
        return Err(Error::not_implemented(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, \
             use the `~` or `logical_not()` operator instead.",
        ));
    }
    Ok(())
}

/// `torch.sub(a, b, alpha=alpha)`.
///
/// # Errors
/// Bool operands, as in PyTorch.
pub fn sub_alpha(a: &Tensor, b: &Tensor, alpha: Scalar) -> Result<Tensor> {
    refuse_bool_sub(a, b)?;
    check_alpha(alpha, result_type(&[a, b]))?;
    let b_scaled = crate::autograd::grad_mode::no_grad(|| scaled(b, alpha))?;
    let out = binary_kernel(BinaryOp::Sub, a, &b_scaled, result_type(&[a, b]))?;
    Ok(differentiable("SubBackward0", &[a, b], out, &[], move |ctx| {
        let g = ctx.grad()?;
        let to_b = if ctx.needs(1) { Some(neg(&scaled(&g, alpha)?)?) } else { None };
        Ok(vec![Some(g), to_b])
    }))
}

/// `other - alpha * self`.
pub fn rsub(x: &Tensor, other: &Tensor, alpha: Scalar) -> Result<Tensor> {
    refuse_bool_sub(other, x)?;
    check_alpha(alpha, result_type(&[other, x]))?;
    let scaled_x = crate::autograd::grad_mode::no_grad(|| scaled(x, alpha))?;
    let out = binary_kernel(BinaryOp::Sub, other, &scaled_x, result_type(&[other, x]))?;
    let name = if other.is_wrapped_number() { "RsubBackward1" } else { "RsubBackward0" };
    Ok(differentiable(name, &[x, other], out, &[], move |ctx| {
        let g = ctx.grad()?;
        Ok(vec![Some(neg(&scaled(&g, alpha)?)?), Some(g)])
    }))
}

pub fn mul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let out = binary_kernel(BinaryOp::Mul, a, b, result_type(&[a, b]))?;
    let saved = [Save::when(b.requires_grad(), a), Save::when(a.requires_grad(), b)];
    Ok(differentiable("MulBackward0", &[a, b], out, &saved, |ctx| {
        let g = ctx.grad()?;
        let to = |i: usize, other: usize| ctx.needs(i).then(|| mul(&g, ctx.saved(other))).transpose();
        Ok(vec![to(0, 1)?, to(1, 0)?])
    }))
}

/// One operand, computed in its own dtype or, for integers, the default float type.
pub(crate) fn float_unary(
    kind: UnaryOp,
    name: &'static str,
    x: &Tensor,
    saved: &[Save],
    rule: impl Fn(&GradCtx) -> Result<Tensor> + 'static,
) -> Result<Tensor> {
    let out = unary_kernel(kind, x, x.dtype().to_float())?;
    Ok(differentiable(name, &[x], out, saved, move |ctx| Ok(vec![Some(rule(ctx)?)])))
}

/// # Errors
/// Bool operands, as in PyTorch.
pub fn neg(x: &Tensor) -> Result<Tensor> {
    if x.dtype() == DType::Bool {
        return Err(Error::not_implemented(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use \
             the `~` or `logical_not()` operator instead.",
        ));
    }
    let out = unary_kernel(UnaryOp::Neg, x, x.dtype())?;
    Ok(differentiable("NegBackward0", &[x], out, &[], |ctx| Ok(vec![Some(neg(&ctx.grad()?)?)])))
}

impl From<i32> for Scalar {
    fn from(i: i32) -> Self {
        Scalar::Int(i as i64)
    }
}

pub(crate) const TABLE: &[Op] = &[
    op("add.Tensor(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor", places::ALL, |a| {
        Ok(add_alpha(a.tensor(0)?, a.tensor(1)?, a.scalar(2)?)?.into())
    }),
    op("sub.Tensor(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor", places::ALL, |a| {
        Ok(sub_alpha(a.tensor(0)?, a.tensor(1)?, a.scalar(2)?)?.into())
    }),
    op("mul.Tensor(Tensor self, Tensor|Scalar other) -> Tensor", places::ALL, |a| {
        Ok(mul(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("rsub.Tensor(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor", places::FUNCTION, |a| {
        Ok(rsub(a.tensor(0)?, a.tensor(1)?, a.scalar(2)?)?.into())
    }),
    op("negative(Tensor self) -> Tensor", places::ALL, |a| Ok(neg(a.tensor(0)?)?.into())),
    op("subtract.Tensor(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor", places::ALL, |a| {
        Ok(sub_alpha(a.tensor(0)?, a.tensor(1)?, a.scalar(2)?)?.into())
    }),
    op("multiply.Tensor(Tensor self, Tensor|Scalar other) -> Tensor", places::ALL, |a| {
        Ok(mul(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("neg(Tensor self) -> Tensor", places::ALL, |a| Ok(neg(a.tensor(0)?)?.into())),
];
