//! Complex tensors: their parts, their views as pairs of reals, and what makes them.
//!
//! `conj` computes at once; PyTorch's is a view that remembers to. Values, printing and gradients are the same, only
//! `is_conj()` is never true and writing to the result does not reach the original.

use crate::autograd::{Save, grad_mode::no_grad, real_view, wirtinger};
use crate::backend::UnaryOp;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::layout::{Layout, broadcast_shapes};
use crate::ops::{
    abs, atan2, cast, cos, div, dot_named, eq, lt, masked_fill_number, matrix_transpose, mul, number, select, sin, sub,
    unary_kernel, where_number,
};
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

/// `torch.view_as_real(z)`: `[..., 2]`, the same memory.
///
/// # Errors
/// Not complex.
pub fn view_as_real(z: &Tensor) -> Result<Tensor> {
    if !z.dtype().is_complex() {
        return Err(Error::type_error("view_as_real is only supported for complex tensors"));
    }
    let raw = z.raw();
    let Layout { mut shape, mut strides, offset } = raw.layout;
    strides.iter_mut().for_each(|s| *s *= 2);
    shape.push(2);
    strides.push(1);
    let layout = Layout { shape, strides, offset: offset * 2 };
    let raw = Raw { storage: raw.storage, layout, dtype: raw.dtype.to_real() };
    Ok(real_view("ViewAsRealBackward0", z, raw, |ctx| Ok(vec![Some(from_pairs(&ctx.grad()?)?)])))
}

/// Pairs in any layout as complex numbers.
fn from_pairs(pairs: &Tensor) -> Result<Tensor> {
    view_as_complex(&crate::ops::contiguous(pairs)?)
}

/// `torch.view_as_complex(x)` of `[..., 2]`.
///
/// # Errors
/// PyTorch's: other dtypes, sizes, strides.
pub fn view_as_complex(x: &Tensor) -> Result<Tensor> {
    let raw = x.raw();
    if !matches!(raw.dtype, DType::F32 | DType::F64) {
        return Err(Error::not_implemented(format!(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: {}",
            raw.dtype.scalar_type_name()
        )));
    }
    let Layout { mut shape, mut strides, offset } = raw.layout;
    if shape.is_empty() {
        return Err(Error::runtime("Input tensor must have one or more dimensions"));
    }
    if shape.pop() != Some(2) {
        return Err(Error::runtime("Tensor must have a last dimension of size 2"));
    }
    if strides.pop() != Some(1) {
        return Err(Error::runtime("Tensor must have a last dimension with stride 1"));
    }
    if strides.iter().zip(&shape).any(|(s, &n)| s % 2 != 0 && n > 1) {
        return Err(Error::runtime("Tensor must have a stride divisible by 2 for all but last dimension"));
    }
    if offset % 2 != 0 {
        return Err(Error::runtime("Tensor must have a storage_offset divisible by 2"));
    }
    strides.iter_mut().for_each(|s| *s /= 2);
    let layout = Layout { shape, strides, offset: offset / 2 };
    let raw = Raw { storage: raw.storage, layout, dtype: raw.dtype.to_complex() };
    Ok(real_view("ViewAsComplexBackward0", x, raw, |ctx| {
        let g = ctx.grad()?;
        Ok(vec![Some(view_as_real(&cast(&g, g.dtype().to_complex())?)?)])
    }))
}

/// `z.real`: a view; a real tensor is its own real part.
pub fn real(z: &Tensor) -> Result<Tensor> {
    if z.dtype().is_complex() { select(&view_as_real(z)?, -1, 0) } else { Ok(z.clone()) }
}

/// `z.imag`: a view.
///
/// # Errors
/// Not complex.
pub fn imag(z: &Tensor) -> Result<Tensor> {
    if !z.dtype().is_complex() {
        return Err(Error::type_error("imag is not implemented for tensors with non-complex dtypes."));
    }
    select(&view_as_real(z)?, -1, 1)
}

/// The complex conjugate; a real tensor is its own.
pub fn conj(z: &Tensor) -> Result<Tensor> {
    if z.dtype().is_complex() { conj_named("ConjBackward0", z) } else { Ok(z.clone()) }
}

fn conj_named(name: &'static str, z: &Tensor) -> Result<Tensor> {
    let out = no_grad(|| {
        let parts = view_as_real(z)?;
        from_pairs(&mul(&parts, &Tensor::from_slice(&[1i8, -1], &[2])?)?)
    })?;
    Ok(wirtinger(name, &[z], out.raw(), &[], move |ctx| Ok(vec![Some(conj_named(name, &ctx.grad()?)?)])))
}

/// The conjugate transpose of the last two dimensions.
pub fn adjoint(x: &Tensor) -> Result<Tensor> {
    conj(&matrix_transpose(x, "adjoint()")?)
}

fn two_parts(a: &Tensor, b: &Tensor) -> Result<()> {
    let float = |t: &Tensor| matches!(t.dtype(), DType::F16 | DType::F32 | DType::F64);
    let (p, q) = (a.dtype().scalar_type_name(), b.dtype().scalar_type_name());
    if !float(a) || !float(b) {
        let text = format!("Expected both inputs to be Half, Float or Double tensors but got {p} and {q}");
        return Err(Error::not_implemented(text));
    }
    if a.dtype() != b.dtype() {
        let text = format!("Expected object of scalar type {p} but got scalar type {q} for second argument");
        return Err(Error::runtime(text));
    }
    if a.dtype() == DType::F16 {
        return Err(Error::not_implemented("tensors of dtype torch.complex32 are not available here"));
    }
    Ok(())
}

/// Both parts in one memory, without history.
fn joined(re: &Tensor, im: &Tensor) -> Result<Raw> {
    let shape = broadcast_shapes(&re.shape(), &im.shape())?;
    let parts = Tensor::zeros(&[&shape[..], &[2]].concat(), re.dtype())?;
    let b = crate::backend::backend(re.device());
    for (i, x) in [re, im].into_iter().enumerate() {
        let place = parts.layout().select(shape.len(), i);
        b.write(&parts.raw().with_layout(place), &x.raw().broadcast_to(&shape)?)?;
    }
    Ok(view_as_complex(&parts)?.raw())
}

/// `torch.complex(real, imag)`.
///
/// # Errors
/// Other than two float tensors of one dtype.
pub fn complex(re: &Tensor, im: &Tensor) -> Result<Tensor> {
    two_parts(re, im)?;
    Ok(wirtinger("ComplexBackward0", &[re, im], joined(re, im)?, &[], |ctx| {
        let g = ctx.grad()?;
        Ok(vec![Some(real(&g)?), Some(imag(&g)?)])
    }))
}

/// `torch.polar(abs, angle)`.
///
/// # Errors
/// As [`complex`].
pub fn polar(length: &Tensor, angle: &Tensor) -> Result<Tensor> {
    two_parts(length, angle)?;
    let out = no_grad(|| joined(&mul(length, &cos(angle)?)?, &mul(length, &sin(angle)?)?))?;
    Ok(wirtinger("PolarBackward0", &[length, angle], out, &[Save::Output(0)], |ctx| {
        let (g, z) = (conj(&ctx.grad()?)?, ctx.saved(0));
        let turned = mul(z, &number(Scalar::Complex(0.0, 1.0))?)?;
        Ok(vec![Some(real(&mul(&g, &sgn_complex(z)?)?)?), Some(real(&mul(&g, &turned)?)?)])
    }))
}

/// The angle to the real axis: of real numbers 0 or pi, NaN of NaN.
pub fn angle(x: &Tensor) -> Result<Tensor> {
    if !x.dtype().is_complex() {
        let x = cast(x, x.dtype().to_float())?;
        let half_turn = where_number(&lt(&x, &number(0)?)?, std::f64::consts::PI, &x.zeros_like()?)?;
        let out = crate::ops::where_(&crate::ops::isnan(&x)?, &x.detach(), &cast(&half_turn, x.dtype())?)?;
        return Ok(wirtinger("AngleBackward0", &[&x], out.raw(), &[], |ctx| Ok(vec![Some(ctx.grad()?.zeros_like()?)])));
    }
    let out = no_grad(|| atan2(&imag(x)?, &real(x)?))?;
    Ok(wirtinger("AngleBackward0", &[x], out.raw(), &[Save::Input(x)], |ctx| {
        let (g, z) = (ctx.grad()?, ctx.saved(0));
        let length = abs(z)?;
        let slope = div(&mul(z, &number(Scalar::Complex(0.0, 1.0))?)?, &mul(&length, &length)?)?;
        Ok(vec![Some(mul(&g, &masked_fill_number(&slope, &eq(z, &number(0)?)?, 0.into())?)?)])
    }))
}

/// `z / |z|`, 0 of 0.
pub(crate) fn sgn_complex(z: &Tensor) -> Result<Tensor> {
    let out = unary_kernel(UnaryOp::Sign, z, z.dtype())?;
    Ok(wirtinger("SgnBackward0", &[z], out, &[Save::Input(z), Save::Output(0)], |ctx| {
        let (g, z, s) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let along = mul(&real(&mul(&conj(s)?, &g)?)?, s)?;
        let slope = div(&sub(&g, &along)?, &abs(z)?)?;
        Ok(vec![Some(masked_fill_number(&slope, &eq(z, &number(0)?)?, 0.into())?)])
    }))
}

/// The length of complex numbers, a real tensor.
pub(crate) fn abs_complex(z: &Tensor) -> Result<Tensor> {
    let out = unary_kernel(UnaryOp::Abs, z, z.dtype())?;
    Ok(wirtinger("AbsBackward0", &[z], out, &[Save::Input(z)], |ctx| {
        Ok(vec![Some(mul(&ctx.grad()?, &sgn_complex(ctx.saved(0))?)?)])
    }))
}

/// Where the imaginary part is 0.
pub fn isreal(x: &Tensor) -> Result<Tensor> {
    if x.dtype().is_complex() { eq(&imag(x)?, &number(0)?) } else { Tensor::full(&x.shape(), true.into(), DType::Bool) }
}

/// `torch.vdot`: the first operand conjugated.
pub fn vdot(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let a = if a.dtype().is_complex() { &conj(a)? } else { a };
    dot_named("VdotBackward0", a, b)
}

/// `re + i im` of two real tensors drawn or computed apart, without history.
pub(crate) fn parts_to_complex(re: &Tensor, im: &Tensor) -> Result<Tensor> {
    Ok(Tensor::from_raw(joined(re, im)?))
}

/// A kernel over complex operands is asked for with a number whose complex dtype does not exist here.
pub(crate) fn refuse_half(operands: &[&Tensor]) -> Result<()> {
    let half = |t: &&Tensor| t.dtype().is_half() && !t.is_wrapped_number();
    let number = |t: &&Tensor| t.is_wrapped_number() && t.dtype().is_complex();
    if operands.iter().any(half) && operands.iter().any(number) {
        return Err(Error::not_implemented("tensors of dtype torch.complex32 are not available here"));
    }
    Ok(())
}

pub(crate) const TABLE: &[Op] = &[
    op("view_as_real(Tensor self) -> Tensor", places::FUNCTION, |a| Ok(view_as_real(a.tensor(0)?)?.into())),
    op("view_as_complex(Tensor self) -> Tensor", places::FUNCTION, |a| Ok(view_as_complex(a.tensor(0)?)?.into())),
    op("real(Tensor self) -> Tensor", places::FUNCTION, |a| Ok(real(a.tensor(0)?)?.into())),
    op("imag(Tensor self) -> Tensor", places::FUNCTION, |a| Ok(imag(a.tensor(0)?)?.into())),
    op("conj(Tensor self) -> Tensor", places::BOTH, |a| Ok(conj(a.tensor(0)?)?.into())),
    op("conj_physical(Tensor self) -> Tensor", places::ALL, |a| Ok(conj(a.tensor(0)?)?.into())),
    op("resolve_conj(Tensor self) -> Tensor", places::BOTH, |a| Ok(a.tensor(0)?.clone().into())),
    op("resolve_neg(Tensor self) -> Tensor", places::BOTH, |a| Ok(a.tensor(0)?.clone().into())),
    op("adjoint(Tensor self) -> Tensor", places::BOTH, |a| Ok(adjoint(a.tensor(0)?)?.into())),
    op("complex(Tensor real, Tensor imag) -> Tensor", places::FUNCTION | places::OUT, |a| {
        Ok(complex(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("polar(Tensor abs, Tensor angle) -> Tensor", places::FUNCTION | places::OUT, |a| {
        Ok(polar(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("angle(Tensor self) -> Tensor", places::BOTH | places::OUT, |a| Ok(angle(a.tensor(0)?)?.into())),
    op("isreal(Tensor self) -> Tensor", places::BOTH, |a| Ok(isreal(a.tensor(0)?)?.into())),
    op("vdot(Tensor self, Tensor other) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(vdot(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
];
