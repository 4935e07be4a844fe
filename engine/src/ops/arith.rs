//! Division in its roundings, powers, fused arithmetic, and functions of two numbers.

use crate::autograd::{GradCtx, Save, differentiable, grad_mode::no_grad, non_differentiable};
use crate::backend::{BinaryOp, ReduceOp, UnaryOp, backend};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::ops::{
    abs, add, binary_kernel, cast, eq, exp, exp2, log, masked_fill_number, mul, neg, number, reciprocal, result_type,
    rounded_once, scaled, sub, unary_kernel, underivable, where_number,
};
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

/// An op of two operands whose kernel needs a float or gets one by promotion.
fn pair(
    kind: BinaryOp,
    name: &'static str,
    a: &Tensor,
    b: &Tensor,
    dtype: DType,
    saved: &[Save],
    rule: impl Fn(&GradCtx) -> Result<Vec<Option<Tensor>>> + 'static,
) -> Result<Tensor> {
    let out = binary_kernel(kind, a, b, dtype)?;
    Ok(differentiable(name, &[a, b], out, saved, rule))
}

/// Both operands, for rules of two saved inputs.
fn both<'a>(a: &'a Tensor, b: &'a Tensor) -> [Save<'a>; 2] {
    [Save::Input(a), Save::Input(b)]
}

/// True division: integers give the default float type.
pub fn div(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let saved = [Save::when(b.requires_grad(), a), Save::Input(b)];
    pair(BinaryOp::Div, "DivBackward0", a, b, result_type(&[a, b]).to_float(), &saved, |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let to_a = ctx.needs(0).then(|| div(&g, b)).transpose()?;
        let to_b = ctx.needs(1).then(|| mul(&neg(&g)?, &div(&div(a, b)?, b)?)).transpose()?;
        Ok(vec![to_a, to_b])
    })
}

/// Division by a number where PyTorch's own code divides: the node has another name there.
pub(crate) fn div_number(x: &Tensor, n: f64) -> Result<Tensor> {
    pair(BinaryOp::Div, "DivBackward1", x, &number(n)?, x.dtype().to_float(), &[], move |ctx| {
        Ok(vec![Some(div(&ctx.grad()?, &number(n)?)?), None])
    })
}

/// Integer division by zero is an error, not a number.
fn refuse_zero(b: &Tensor, dtype: DType) -> Result<()> {
    // A GPU is not waited for: there, as with CUDA, the quotient is a number without a meaning.
    if dtype.is_inexact() || b.device().is_gpu() {
        return Ok(());
    }
    let raw = b.raw();
    let dims: Vec<usize> = (0..raw.layout.ndim()).collect();
    if raw.numel() > 0 && !Tensor::from_raw(backend(raw.device()).reduce(ReduceOp::All, &raw, &dims)?).is_true()? {
        return Err(Error::runtime("ZeroDivisionError"));
    }
    Ok(())
}

fn rounded(kind: BinaryOp, kernel: &str, a: &Tensor, b: &Tensor) -> Result<Raw> {
    let dtype = result_type(&[a, b]);
    if dtype == DType::Bool {
        return Err(Error::no_kernel(kernel, dtype));
    }
    refuse_zero(b, dtype)?;
    binary_kernel(kind, a, b, dtype)
}

/// `torch.div(a, b, rounding_mode=mode)`.
pub fn div_mode(a: &Tensor, b: &Tensor, mode: Option<&str>) -> Result<Tensor> {
    let out = match mode {
        None => return div(a, b),
        Some("floor") => rounded(BinaryOp::FloorDiv, "div_floor_cpu", a, b)?,
        // Half and bfloat16 quotients are rounded before they are cut.
        Some("trunc") if result_type(&[a, b]).is_half() => no_grad(|| crate::ops::trunc(&div(a, b)?))?.raw(),
        Some("trunc") => rounded(BinaryOp::TruncDiv, "div_trunc_cpu", a, b)?,
        Some(other) => {
            return Err(Error::runtime(format!(
                "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{other}'"
            )));
        }
    };
    Ok(differentiable("DivBackward2", &[a, b], out, &[], |ctx| {
        let zero = ctx.grad()?.zeros_like()?;
        Ok(vec![Some(zero.clone()), Some(zero)])
    }))
}

/// Python's `//`.
pub fn floor_divide(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let out = rounded(BinaryOp::FloorDiv, "div_floor_cpu", a, b)?;
    Ok(underivable("floor_divide", &[a, b], out))
}

fn modulo(kind: BinaryOp, names: [&'static str; 2], kernel: &str, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let out = rounded(kind, kernel, a, b)?;
    let name = names[!b.is_wrapped_number() as usize];
    let mode = if kind == BinaryOp::Fmod { "trunc" } else { "floor" };
    let saved = if b.requires_grad() { both(a, b) } else { [Save::Nothing, Save::Nothing] };
    Ok(differentiable(name, &[a, b], out, &saved, move |ctx| {
        let g = ctx.grad()?;
        let to_b = match ctx.needs(1) {
            true => Some(mul(&neg(&g)?, &div_mode(ctx.saved(0), ctx.saved(1), Some(mode))?)?),
            false => None,
        };
        Ok(vec![Some(g), to_b])
    }))
}
/// Python's `%`.
pub fn remainder(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    modulo(BinaryOp::Remainder, ["RemainderBackward0", "RemainderBackward1"], "remainder_cpu", a, b)
}
/// C's `fmod`.
pub fn fmod(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    modulo(BinaryOp::Fmod, ["FmodBackward0", "FmodBackward1"], "fmod_cpu", a, b)
}

/// The exponents that have an exact cheap form, in the order of roundings PyTorch has; else the general kernel.
fn pow_kernel(x: &Tensor, exponent: Scalar, dtype: DType) -> Result<Raw> {
    let general = || binary_kernel(BinaryOp::Pow, x, &number(exponent)?, dtype);
    let e = exponent.to_f64();
    if !dtype.is_inexact() || exponent.imag() != 0.0 || ![2.0, 3.0, 0.5, -0.5, -1.0, -2.0].contains(&e) {
        return general();
    }
    let squared = || binary_kernel(BinaryOp::Mul, x, x, dtype);
    let half = |raw: Raw, kind| unary_kernel(kind, &non_differentiable(raw), dtype);
    match e {
        2.0 => squared(),
        3.0 => binary_kernel(BinaryOp::Mul, &non_differentiable(squared()?), x, dtype),
        -2.0 => half(squared()?, UnaryOp::Reciprocal),
        0.5 => unary_kernel(UnaryOp::Sqrt, x, dtype),
        -0.5 => unary_kernel(UnaryOp::Rsqrt, x, dtype),
        _ => unary_kernel(UnaryOp::Reciprocal, x, dtype),
    }
}

/// `x ** exponent`.
///
/// # Errors
/// Integers to a negative integer power.
pub fn pow_number(x: &Tensor, exponent: Scalar) -> Result<Tensor> {
    let dtype = result_type(&[x, &number(exponent)?]);
    if dtype == DType::Bool {
        return Err(Error::no_kernel("pow", dtype));
    }
    if !dtype.is_inexact() && matches!(exponent, Scalar::Int(i) if i < 0) {
        return Err(Error::runtime("Integers to negative integer powers are not allowed."));
    }
    let out = pow_kernel(x, exponent, dtype)?;
    Ok(differentiable("PowBackward0", &[x], out, &[Save::Input(x)], move |ctx| {
        let (g, x) = (ctx.grad()?, ctx.saved(0));
        if exponent.is_zero() {
            return Ok(vec![Some(g.zeros_like()?)]);
        }
        let less = match exponent {
            Scalar::Float(f) => Scalar::Float(f - 1.0),
            Scalar::Complex(re, im) => Scalar::Complex(re - 1.0, im),
            other => Scalar::Int(other.to_i64().saturating_sub(1)),
        };
        Ok(vec![Some(mul(&g, &mul(&pow_number(x, less)?, &number(exponent)?)?)?)])
    }))
}

/// `d/db of a^b`: `result * log a`, 0 where `a` is 0 and `b` is not negative.
fn pow_exponent_slope(g: &Tensor, a: &Tensor, b: &Tensor, result: &Tensor) -> Result<Tensor> {
    let zero = crate::ops::logical_and(&eq(a, &number(0)?)?, &crate::ops::ge(&crate::ops::real(b)?, &number(0)?)?)?;
    let slope = masked_fill_number(&mul(result, &log(a)?)?, &zero, 0.into())?;
    mul(g, &slope)
}

/// `a ** b` of two tensors (or numbers).
pub fn pow(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if b.is_wrapped_number() && !a.is_wrapped_number() {
        return pow_number(a, b.item()?);
    }
    let dtype = result_type(&[a, b]);
    if dtype == DType::Bool {
        return Err(Error::no_kernel("pow", dtype));
    }
    let saved = [Save::Input(a), Save::Input(b), Save::Output(0)];
    if a.is_wrapped_number() {
        return pair(BinaryOp::Pow, "PowBackward2", a, b, dtype, &saved, |ctx| {
            let to_b = pow_exponent_slope(&ctx.grad()?, ctx.saved(0), ctx.saved(1), ctx.saved(2))?;
            Ok(vec![None, Some(to_b)])
        });
    }
    pair(BinaryOp::Pow, "PowBackward1", a, b, dtype, &saved, |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let to_a = ctx.needs(0).then(|| {
            let slope = mul(b, &pow(a, &sub(b, &number(1)?)?)?)?;
            mul(&g, &masked_fill_number(&slope, &eq(b, &number(0)?)?, 0.into())?)
        });
        let to_b = ctx.needs(1).then(|| pow_exponent_slope(&g, a, b, ctx.saved(2)));
        Ok(vec![to_a.transpose()?, to_b.transpose()?])
    })
}

/// `pow` in float64.
pub fn float_power(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let complex = result_type(&[a, b]).is_complex();
    let wide = if complex { DType::C128 } else { DType::F64 };
    let double = |t: &Tensor| if t.is_wrapped_number() && !complex { Ok(t.clone()) } else { cast(t, wide) };
    let (a, b) = (double(a)?, double(b)?);
    match (a.is_wrapped_number(), b.is_wrapped_number()) {
        (_, true) => pow_number(&a, Scalar::Float(b.item()?.to_f64())),
        (true, _) => pow(&number(a.item()?.to_f64())?, &b),
        _ => pow(&a, &b),
    }
}

pub fn square(x: &Tensor) -> Result<Tensor> {
    pow_number(x, 2.into())
}

/// `x + value * a * b`
pub fn addcmul(x: &Tensor, a: &Tensor, b: &Tensor, value: Scalar) -> Result<Tensor> {
    let out = rounded_once([x, a, b], |[x, a, b]| add(x, &mul(&scaled(a, value)?, b)?))?;
    Ok(differentiable("AddcmulBackward0", &[x, a, b], out.raw(), &both(a, b), move |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let to_a = ctx.needs(1).then(|| mul(&g, &scaled(b, value)?)).transpose()?;
        let to_b = ctx.needs(2).then(|| mul(&g, &scaled(a, value)?)).transpose()?;
        Ok(vec![Some(g), to_a, to_b])
    }))
}

/// `x + value * a / b`
///
/// # Errors
/// Integers in numerator and denominator.
pub fn addcdiv(x: &Tensor, a: &Tensor, b: &Tensor, value: Scalar) -> Result<Tensor> {
    if !a.dtype().is_inexact() && !b.dtype().is_inexact() {
        return Err(Error::runtime(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true \
             division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * \
             torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / \
             tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * \
             tensor1 / tensor2), for all dtypes.",
        ));
    }
    let out = rounded_once([x, a, b], |[x, a, b]| add(x, &div(&scaled(a, value)?, b)?))?;
    Ok(differentiable("AddcdivBackward0", &[x, a, b], out.raw(), &both(a, b), move |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let value = number(value)?;
        let to_a = ctx.needs(1).then(|| mul(&g, &div(&value, b)?)).transpose()?;
        let to_b = ctx.needs(2).then(|| mul(&neg(&g)?, &div(&mul(a, &value)?, &mul(b, b)?)?)).transpose()?;
        Ok(vec![Some(g), to_a, to_b])
    }))
}

/// `1 - weight`; a Python number stays one.
fn rest_of(weight: &Tensor) -> Result<Tensor> {
    if weight.is_wrapped_number() && !weight.dtype().is_complex() {
        return number(1.0 - weight.item()?.to_f64());
    }
    sub(&number(1)?, weight)
}

/// `a + weight * (b - a)`; the weight a number (as a wrapped tensor) or a tensor.
///
/// # Errors
/// Dtypes that differ; integers.
pub fn lerp(a: &Tensor, b: &Tensor, weight: &Tensor) -> Result<Tensor> {
    let scalar = weight.is_wrapped_number();
    for (other, name) in [(b, "`end`"), (weight, "`weight`")] {
        if other.dtype() != a.dtype() && !other.is_wrapped_number() {
            return Err(Error::runtime(format!(
                "expected dtype {} for {name} but got dtype {}",
                long_name(a.dtype()),
                long_name(other.dtype())
            )));
        }
    }
    if !a.dtype().is_inexact() {
        return Err(Error::no_kernel(if scalar { "lerp_kernel_scalar" } else { "lerp_kernel_tensor" }, a.dtype()));
    }
    let out = rounded_once([a, b, weight], |[a, b, weight]| {
        let span = sub(b, a)?;
        let from_a = || add(a, &mul(&span, weight)?);
        let from_b = || sub(b, &mul(&span, &rest_of(weight)?)?);
        if scalar {
            return if abs(weight)?.item()?.to_f64() < 0.5 { from_a() } else { from_b() };
        }
        let near = crate::ops::lt(&abs(weight)?, &number(0.5)?)?;
        crate::ops::where_(&near, &from_a()?, &from_b()?)
    })?;
    let name = if scalar { "LerpBackward0" } else { "LerpBackward1" };
    let saved = [Save::Input(a), Save::Input(b), Save::Input(weight)];
    Ok(differentiable(name, &[a, b, weight], out.raw(), &saved, |ctx| {
        let (g, a, b, weight) = (ctx.grad()?, ctx.saved(0), ctx.saved(1), ctx.saved(2));
        let to_a = ctx.needs(0).then(|| mul(&g, &rest_of(weight)?)).transpose()?;
        let to_b = ctx.needs(1).then(|| mul(&g, weight)).transpose()?;
        let to_weight = ctx.needs(2).then(|| mul(&g, &sub(b, a)?)).transpose()?;
        Ok(vec![to_a, to_b, to_weight])
    }))
}

/// A dtype as C++ spells it out, as some messages do.
pub(crate) fn long_name(dtype: DType) -> &'static str {
    match dtype {
        DType::I64 => "long int",
        other => other.c_name(),
    }
}

fn float_pair(kernel: &str, a: &Tensor, b: &Tensor) -> Result<DType> {
    let dtype = result_type(&[a, b]);
    if dtype.is_float() { Ok(dtype) } else { Err(Error::no_kernel(kernel, dtype)) }
}

pub fn hypot(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let dtype = float_pair("hypot_cpu", a, b)?;
    let saved = [Save::Input(a), Save::Input(b), Save::Output(0)];
    pair(BinaryOp::Hypot, "HypotBackward0", a, b, dtype, &saved, |ctx| {
        let (g, y) = (ctx.grad()?, ctx.saved(2));
        Ok(vec![Some(mul(&g, &div(ctx.saved(0), y)?)?), Some(mul(&g, &div(ctx.saved(1), y)?)?)])
    })
}

pub fn atan2(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    pair(BinaryOp::Atan2, "Atan2Backward0", a, b, result_type(&[a, b]).to_float(), &both(a, b), |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let r = reciprocal(&add(&mul(a, a)?, &mul(b, b)?)?)?;
        Ok(vec![Some(mul(&g, &mul(b, &r)?)?), Some(mul(&g, &mul(&neg(a)?, &r)?)?)])
    })
}

pub fn copysign(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let name = if b.is_wrapped_number() { "CopysignBackward1" } else { "CopysignBackward0" };
    let saved = [Save::Input(a), Save::Output(0)];
    pair(BinaryOp::CopySign, name, a, b, result_type(&[a, b]).to_float(), &saved, |ctx| {
        let (g, a, y) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let ratio = masked_fill_number(&div(y, a)?, &eq(a, &number(0)?)?, 0.into())?;
        Ok(vec![Some(mul(&g, &ratio)?), Some(g.zeros_like()?)])
    })
}

pub fn nextafter(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let dtype = float_pair("nextafter_cpu", a, b)?;
    pair(BinaryOp::NextAfter, "NextafterBackward0", a, b, dtype, &[], |ctx| {
        let g = ctx.grad()?;
        let zero = g.zeros_like()?;
        Ok(vec![Some(g), Some(zero)])
    })
}

/// # Errors
/// Different dtypes.
pub fn heaviside(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.dtype() != b.dtype() {
        return Err(Error::runtime("heaviside is not yet implemented for tensors with different dtypes."));
    }
    pair(BinaryOp::Heaviside, "torch::autograd::NotImplemented", a, b, a.dtype(), &[], |_| {
        Err(Error::runtime("derivative for aten::heaviside is not implemented"))
    })
}

/// Which of the tensor/number variants of an op it is, numbered as PyTorch does.
fn variant(a: &Tensor, b: &Tensor, names: [&'static str; 3]) -> &'static str {
    names[if a.is_wrapped_number() { 1 } else { 2 * b.is_wrapped_number() as usize }]
}

/// `a * log b`, 0 where `a` is 0.
pub fn xlogy(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let name = variant(a, b, ["XlogyBackward0", "XlogyBackward1", "XlogyBackward2"]);
    pair(BinaryOp::Xlogy, name, a, b, result_type(&[a, b]).to_float(), &both(a, b), |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let to_a = ctx.needs(0).then(|| mul(&g, &xlogy(&crate::ops::ne(a, &number(0)?)?, b)?)).transpose()?;
        let to_b = ctx.needs(1).then(|| div(&mul(&g, a)?, b)).transpose()?;
        Ok(vec![to_a, to_b])
    })
}

/// `a * log1p(b)`, 0 where `a` is 0.
pub fn xlog1py(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let names = ["SpecialXlog1PyBackward0", "SpecialXlog1PyBackward1", "SpecialXlog1PyBackward2"];
    let name = variant(a, b, names);
    pair(BinaryOp::Xlog1py, name, a, b, result_type(&[a, b]).to_float(), &both(a, b), |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let to_a = ctx.needs(0).then(|| mul(&g, &xlog1py(&crate::ops::ne(a, &number(0)?)?, b)?)).transpose()?;
        let to_b = ctx.needs(1).then(|| div(&mul(&g, a)?, &add(b, &number(1)?)?)).transpose()?;
        Ok(vec![to_a, to_b])
    })
}

/// The Hurwitz zeta function.
pub fn zeta(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let names = ["SpecialZetaBackward0", "SpecialZetaBackward1", "SpecialZetaBackward2"];
    let name = variant(a, b, names);
    pair(BinaryOp::Zeta, name, a, b, result_type(&[a, b]).to_float(), &both(a, b), |ctx| {
        if ctx.needs(0) {
            return Err(Error::not_implemented("the derivative for 'zeta' is not implemented."));
        }
        let (a, b) = (ctx.saved(0), ctx.saved(1));
        Ok(vec![None, Some(mul(&mul(&ctx.grad()?, &neg(a)?)?, &zeta(&add(a, &number(1)?)?, b)?)?)])
    })
}

pub fn logaddexp(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let dtype = float_pair("logaddexp_cpu", a, b)?;
    pair(BinaryOp::LogAddExp, "LogaddexpBackward0", a, b, dtype, &both(a, b), |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let share = |x: &Tensor, y: &Tensor| div(&g, &add(&exp(&sub(y, x)?)?, &number(1)?)?);
        Ok(vec![Some(share(a, b)?), Some(share(b, a)?)])
    })
}

pub fn logaddexp2(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let dtype = float_pair("logaddexp2_cpu", a, b)?;
    pair(BinaryOp::LogAddExp2, "Logaddexp2Backward0", a, b, dtype, &both(a, b), |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let share = |x: &Tensor, y: &Tensor| div(&g, &add(&exp2(&sub(y, x)?)?, &number(1)?)?);
        Ok(vec![Some(share(a, b)?), Some(share(b, a)?)])
    })
}

/// `a * 2^b`
pub fn ldexp(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let out = no_grad(|| mul(a, &exp2(b)?))?;
    let saved = [Save::Input(b), Save::Output(0)];
    Ok(differentiable("LdexpBackward0", &[a, b], out.raw(), &saved, |ctx| {
        let g = ctx.grad()?;
        let to_a = ctx.needs(0).then(|| mul(&g, &exp2(ctx.saved(0))?)).transpose()?;
        let to_b = ctx.needs(1).then(|| mul(&mul(&g, ctx.saved(1))?, &number(std::f64::consts::LN_2)?)).transpose()?;
        Ok(vec![to_a, to_b])
    }))
}

/// 0 where the mask is true, else `g`.
pub(crate) fn cut(g: &Tensor, mask: &Tensor) -> Result<Tensor> {
    where_number(mask, 0.0, g)
}

macro_rules! pairs_table {
    ($places:expr; $($name:literal => $f:path),* $(,)?) => {
        &[$(op(concat!($name, "(Tensor self, Tensor|Scalar other) -> Tensor"), $places,
            |a| Ok($f(a.tensor(0)?, a.tensor(1)?)?.into()))),*]
    };
}
pub(crate) const NUMBERS: &[Op] = pairs_table! { places::ALL;
    "div.Tensor" => div, "divide.Tensor" => div, "true_divide.Tensor" => div, "floor_divide" => floor_divide,
    "remainder.Tensor" => remainder, "fmod.Tensor" => fmod, "copysign.Tensor" => copysign, "xlogy.Tensor" => xlogy,
};
pub(crate) const SPECIAL_PAIRS: &[Op] = pairs_table! { places::SPECIAL | places::OUT;
    "special_xlogy" => xlogy, "special_xlog1py" => xlog1py, "special_zeta" => zeta,
};

macro_rules! tensors_table {
    ($($name:literal => $f:path),* $(,)?) => {
        &[$(op(concat!($name, "(Tensor self, Tensor other) -> Tensor"), places::ALL,
            |a| Ok($f(a.tensor(0)?, a.tensor(1)?)?.into()))),*]
    };
}
pub(crate) const PAIRS: &[Op] = tensors_table! {
    "hypot" => hypot, "atan2" => atan2, "arctan2" => atan2, "nextafter" => nextafter, "logaddexp" => logaddexp,
    "logaddexp2" => logaddexp2, "ldexp.Tensor" => ldexp,
};

fn run_div_mode(a: &crate::registry::Args) -> Result<crate::registry::Value> {
    Ok(div_mode(a.tensor(0)?, a.tensor(1)?, a.opt_str(2)?.as_deref())?.into())
}

pub(crate) const TABLE: &[Op] = &[
    op("div.Tensor_mode(Tensor self, Tensor|Scalar other, *, str? rounding_mode) -> Tensor", places::ALL, run_div_mode),
    op(
        "divide.Tensor_mode(Tensor self, Tensor|Scalar other, *, str? rounding_mode) -> Tensor",
        places::ALL,
        run_div_mode,
    ),
    op("remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", places::FUNCTION, |a| {
        Ok(remainder(&number(a.scalar(0)?)?, a.tensor(1)?)?.into())
    }),
    op("xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor", places::FUNCTION, |a| {
        Ok(xlogy(&number(a.scalar(0)?)?, a.tensor(1)?)?.into())
    }),
    op("special_xlogy.self_scalar(Scalar self, Tensor other) -> Tensor", places::SPECIAL, |a| {
        Ok(xlogy(&number(a.scalar(0)?)?, a.tensor(1)?)?.into())
    }),
    op("special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor", places::SPECIAL, |a| {
        Ok(xlog1py(&number(a.scalar(0)?)?, a.tensor(1)?)?.into())
    }),
    op("special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor", places::SPECIAL, |a| {
        Ok(zeta(&number(a.scalar(0)?)?, a.tensor(1)?)?.into())
    }),
    op("pow.Tensor_Tensor(Tensor self, Tensor|Scalar exponent) -> Tensor", places::ALL, |a| {
        Ok(pow(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("pow.Scalar(Scalar self, Tensor exponent) -> Tensor", places::FUNCTION | places::OUT, |a| {
        Ok(pow(&number(a.scalar(0)?)?, a.tensor(1)?)?.into())
    }),
    op("float_power.Tensor_Tensor(Tensor self, Tensor|Scalar exponent) -> Tensor", places::ALL, |a| {
        Ok(float_power(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("float_power.Scalar(Scalar self, Tensor exponent) -> Tensor", places::FUNCTION | places::OUT, |a| {
        Ok(float_power(&number(a.scalar(0)?)?, a.tensor(1)?)?.into())
    }),
    op("square(Tensor self) -> Tensor", places::ALL, |a| Ok(square(a.tensor(0)?)?.into())),
    op("heaviside(Tensor self, Tensor values) -> Tensor", places::ALL, |a| {
        Ok(heaviside(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", places::ALL, |a| {
        Ok(addcmul(a.tensor(0)?, a.tensor(1)?, a.tensor(2)?, a.scalar(3)?)?.into())
    }),
    op("addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", places::ALL, |a| {
        Ok(addcdiv(a.tensor(0)?, a.tensor(1)?, a.tensor(2)?, a.scalar(3)?)?.into())
    }),
    op("lerp.Tensor(Tensor self, Tensor end, Tensor|Scalar weight) -> Tensor", places::ALL, |a| {
        Ok(lerp(a.tensor(0)?, a.tensor(1)?, a.tensor(2)?)?.into())
    }),
];
