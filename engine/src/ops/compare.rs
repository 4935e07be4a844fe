//! Comparisons, logic and bits.

use crate::autograd::non_differentiable;
use crate::backend::{BinaryOp, ReduceOp, UnaryOp, backend};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::ops::{add, binary_kernel, cast, mul, number, result_type, sub, unary_kernel};
use crate::registry::{Op, op, places};
use crate::tensor::Tensor;

macro_rules! binary_to_bool {
    ($($name:ident: $kind:ident),*) => {$(
        #[doc = concat!("`torch.", stringify!($name), "(a, b)`, element by element.")]
        pub fn $name(a: &Tensor, b: &Tensor) -> Result<Tensor> {
            Ok(non_differentiable(binary_kernel(BinaryOp::$kind, a, b, result_type(&[a, b]))?))
        }
    )*};
}
binary_to_bool!(eq: Eq, ne: Ne, lt: Lt, le: Le, gt: Gt, ge: Ge);

macro_rules! logical {
    ($($name:ident: $kind:ident),*) => {$(
        #[doc = concat!("`torch.", stringify!($name), "(a, b)`: what is not zero is true.")]
        pub fn $name(a: &Tensor, b: &Tensor) -> Result<Tensor> {
            Ok(non_differentiable(binary_kernel(BinaryOp::$kind, a, b, DType::promote(a.dtype(), b.dtype()))?))
        }
    )*};
}
logical!(logical_and: LogicalAnd, logical_or: LogicalOr, logical_xor: LogicalXor);

macro_rules! tests {
    ($($name:ident: $kind:ident),*) => {$(
        #[doc = concat!("`torch.", stringify!($name), "(x)`, element by element.")]
        pub fn $name(x: &Tensor) -> Result<Tensor> {
            Ok(non_differentiable(unary_kernel(UnaryOp::$kind, x, x.dtype())?))
        }
    )*};
}
tests!(logical_not: LogicalNot, isnan: IsNan, isinf: IsInf, isfinite: IsFinite);

pub fn isposinf(x: &Tensor) -> Result<Tensor> {
    eq(x, &number(f64::INFINITY)?)
}
pub fn isneginf(x: &Tensor) -> Result<Tensor> {
    eq(x, &number(f64::NEG_INFINITY)?)
}
pub fn signbit(x: &Tensor) -> Result<Tensor> {
    if x.dtype() == DType::Bool || !x.dtype().is_float() {
        return lt(x, &number(0)?);
    }
    let one = Tensor::full(&[], 1.into(), x.dtype())?;
    lt(&non_differentiable(binary_kernel(BinaryOp::CopySign, &one, x, x.dtype())?), &number(0)?)
}

/// `|a - b| <= atol + rtol * |b|`.
///
/// # Errors
/// Different dtypes; negative tolerances.
pub fn isclose(a: &Tensor, b: &Tensor, rtol: f64, atol: f64, equal_nan: bool) -> Result<Tensor> {
    if a.dtype() != b.dtype() {
        let (x, y) = (a.dtype().scalar_type_name(), b.dtype().scalar_type_name());
        return Err(Error::runtime(format!("{x} did not match {y}")));
    }
    for (name, v) in [("rtol", rtol), ("atol", atol)] {
        if v.is_nan() || v < 0.0 {
            return Err(Error::runtime(format!("{name} must be greater than or equal to zero, but got {v}")));
        }
    }
    crate::autograd::grad_mode::no_grad(|| {
        let mut close = eq(a, b)?;
        if equal_nan && a.dtype().is_inexact() {
            close = logical_or(&close, &logical_and(&isnan(a)?, &isnan(b)?)?)?;
        }
        if rtol == 0.0 && atol == 0.0 {
            return Ok(close);
        }
        let (x, y) = (cast(a, a.dtype().to_float())?, cast(b, b.dtype().to_float())?);
        let allowed = add(&crate::ops::abs(&mul(&y, &number(rtol)?)?)?, &number(atol)?)?;
        let actual = crate::ops::abs(&sub(&x, &y)?)?;
        logical_or(&close, &logical_and(&isfinite(&actual)?, &le(&actual, &allowed)?)?)
    })
}

fn all_true(mask: &Tensor) -> Result<bool> {
    let raw = mask.raw();
    let dims: Vec<usize> = (0..raw.layout.ndim()).collect();
    Tensor::from_raw(backend(raw.device()).reduce(ReduceOp::All, &raw, &dims)?).is_true()
}

pub fn allclose(a: &Tensor, b: &Tensor, rtol: f64, atol: f64, equal_nan: bool) -> Result<bool> {
    all_true(&isclose(a, b, rtol, atol, equal_nan)?)
}

/// Same shape and same elements.
pub fn equal(a: &Tensor, b: &Tensor) -> Result<bool> {
    if a.shape() != b.shape() {
        return Ok(false);
    }
    all_true(&eq(a, b)?)
}

fn bits(kind: BinaryOp, kernel: &str, a: &Tensor, b: &Tensor, bool_too: bool) -> Result<Tensor> {
    let dtype = result_type(&[a, b]);
    if dtype.is_inexact() || (dtype == DType::Bool && !bool_too) {
        return Err(Error::no_kernel(kernel, dtype));
    }
    Ok(non_differentiable(binary_kernel(kind, a, b, dtype)?))
}
/// # Errors
/// Floats, here and below.
pub fn bitwise_and(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    bits(BinaryOp::BitAnd, "bitwise_and_cpu", a, b, true)
}
pub fn bitwise_or(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    bits(BinaryOp::BitOr, "bitwise_or_cpu", a, b, true)
}
pub fn bitwise_xor(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    bits(BinaryOp::BitXor, "bitwise_xor_cpu", a, b, true)
}
pub fn left_shift(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    bits(BinaryOp::Shl, "lshift_cpu", a, b, false)
}
pub fn right_shift(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    bits(BinaryOp::Shr, "rshift_cpu", a, b, false)
}
pub fn bitwise_not(x: &Tensor) -> Result<Tensor> {
    if x.dtype().is_inexact() {
        return Err(Error::no_kernel("bitwise_not_cpu", x.dtype()));
    }
    Ok(non_differentiable(unary_kernel(UnaryOp::BitNot, x, x.dtype())?))
}
pub fn gcd(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    bits(BinaryOp::Gcd, "gcd_cpu", a, b, false)
}
pub fn lcm(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    bits(BinaryOp::Lcm, "lcm_cpu", a, b, false)
}

macro_rules! binary_table {
    ($places:expr; $($name:literal => $f:path),* $(,)?) => {
        &[$(op(concat!($name, "(Tensor self, Tensor|Scalar other) -> Tensor"), $places,
            |a| Ok($f(a.tensor(0)?, a.tensor(1)?)?.into()))),*]
    };
}
pub(crate) const BINARY: &[Op] = binary_table! { places::ALL;
    "eq.Tensor" => eq, "ne.Tensor" => ne, "not_equal.Tensor" => ne, "lt.Tensor" => lt, "less.Tensor" => lt,
    "le.Tensor" => le, "less_equal.Tensor" => le, "gt.Tensor" => gt, "greater.Tensor" => gt, "ge.Tensor" => ge,
    "greater_equal.Tensor" => ge, "bitwise_and.Tensor" => bitwise_and, "bitwise_or.Tensor" => bitwise_or,
    "bitwise_xor.Tensor" => bitwise_xor, "bitwise_left_shift.Tensor" => left_shift,
    "bitwise_right_shift.Tensor" => right_shift,
};
pub(crate) const DUNDER: &[Op] = binary_table! { places::METHOD;
    "__and__.Tensor" => bitwise_and, "__or__.Tensor" => bitwise_or, "__xor__.Tensor" => bitwise_xor,
    "__lshift__.Tensor" => left_shift, "__rshift__.Tensor" => right_shift,
};

macro_rules! tensor_table {
    ($($name:literal => $f:path),* $(,)?) => {
        &[$(op(concat!($name, "(Tensor self, Tensor other) -> Tensor"), places::ALL,
            |a| Ok($f(a.tensor(0)?, a.tensor(1)?)?.into()))),*]
    };
}
pub(crate) const TENSORS: &[Op] = tensor_table! {
    "logical_and" => logical_and, "logical_or" => logical_or, "logical_xor" => logical_xor, "gcd" => gcd, "lcm" => lcm,
};

pub(crate) const TABLE: &[Op] = &[
    op("logical_not(Tensor self) -> Tensor", places::ALL, |a| Ok(logical_not(a.tensor(0)?)?.into())),
    op("bitwise_not(Tensor self) -> Tensor", places::ALL, |a| Ok(bitwise_not(a.tensor(0)?)?.into())),
    op("isnan(Tensor self) -> Tensor", places::BOTH, |a| Ok(isnan(a.tensor(0)?)?.into())),
    op("isinf(Tensor self) -> Tensor", places::BOTH, |a| Ok(isinf(a.tensor(0)?)?.into())),
    op("isfinite(Tensor self) -> Tensor", places::BOTH, |a| Ok(isfinite(a.tensor(0)?)?.into())),
    op("isposinf(Tensor self) -> Tensor", places::BOTH | places::OUT, |a| Ok(isposinf(a.tensor(0)?)?.into())),
    op("isneginf(Tensor self) -> Tensor", places::BOTH | places::OUT, |a| Ok(isneginf(a.tensor(0)?)?.into())),
    op("signbit(Tensor self) -> Tensor", places::BOTH | places::OUT, |a| Ok(signbit(a.tensor(0)?)?.into())),
    op(
        "isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor",
        places::BOTH,
        |a| Ok(isclose(a.tensor(0)?, a.tensor(1)?, a.float(2)?, a.float(3)?, a.bool(4)?)?.into()),
    ),
    op(
        "allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool",
        places::BOTH,
        |a| Ok(allclose(a.tensor(0)?, a.tensor(1)?, a.float(2)?, a.float(3)?, a.bool(4)?)?.into()),
    ),
    op("equal(Tensor self, Tensor other) -> bool", places::BOTH, |a| Ok(equal(a.tensor(0)?, a.tensor(1)?)?.into())),
];
