//! Functions of one number, element by element: exponentials, trigonometry, rounding, special functions.

use std::f64::consts::{LN_2, LN_10, PI};

use crate::autograd::{GradCtx, Save, differentiable, non_differentiable};
use crate::backend::{BinaryOp, UnaryOp};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::ops::{
    add, binary_kernel, div, float_unary, isinf, masked_fill_number, mul, neg, number, pow_number, sub, unary_kernel,
    where_number,
};
use crate::registry::{Op, op, places};
use crate::tensor::Tensor;

/// Functions whose derivative is written in terms of the input `x` or the result `y`.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident, $kind:ident, $node:literal, $save:ident, |$g:ident, $v:ident| $rule:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name(x: &Tensor) -> Result<Tensor> {
            float_unary(UnaryOp::$kind, $node, x, &[functions!(@$save x)], |ctx| {
                let ($g, $v) = (ctx.grad()?, ctx.saved(0));
                $rule
            })
        }
    )*};
    (@x $x:ident) => { Save::Input($x) };
    (@y $x:ident) => { Save::Output(0) };
}

/// `c + s * x^2`
fn square_plus(c: f64, s: f64, x: &Tensor) -> Result<Tensor> {
    let squared = mul(x, x)?;
    add(&if s < 0.0 { neg(&squared)? } else { squared }, &number(c)?)
}

functions! {
    exp, Exp, "ExpBackward0", y, |g, y| mul(&g, y);
    exp2, Exp2, "Exp2Backward0", y, |g, y| mul(&mul(&g, y)?, &number(LN_2)?);
    expm1, Expm1, "Expm1Backward0", y, |g, y| mul(&g, &add(y, &number(1)?)?);
    log, Log, "LogBackward0", x, |g, x| div(&g, x);
    log2, Log2, "Log2Backward0", x, |g, x| div(&g, &mul(x, &number(LN_2)?)?);
    log10, Log10, "Log10Backward0", x, |g, x| div(&g, &mul(x, &number(LN_10)?)?);
    log1p, Log1p, "Log1PBackward0", x, |g, x| div(&g, &add(x, &number(1)?)?);
    sqrt, Sqrt, "SqrtBackward0", y, |g, y| div(&g, &mul(y, &number(2)?)?);
    rsqrt, Rsqrt, "RsqrtBackward0", y, |g, y| mul(&mul(&g, &number(-0.5)?)?, &pow_number(y, 3.into())?);
    reciprocal, Reciprocal, "ReciprocalBackward0", y, |g, y| mul(&neg(&g)?, &mul(y, y)?);
    sin, Sin, "SinBackward0", x, |g, x| mul(&g, &cos(x)?);
    cos, Cos, "CosBackward0", x, |g, x| mul(&g, &neg(&sin(x)?)?);
    tan, Tan, "TanBackward0", y, |g, y| mul(&g, &square_plus(1.0, 1.0, y)?);
    asin, Asin, "AsinBackward0", x, |g, x| mul(&g, &rsqrt(&square_plus(1.0, -1.0, x)?)?);
    acos, Acos, "AcosBackward0", x, |g, x| mul(&g, &neg(&rsqrt(&square_plus(1.0, -1.0, x)?)?)?);
    atan, Atan, "AtanBackward0", x, |g, x| div(&g, &square_plus(1.0, 1.0, x)?);
    sinh, Sinh, "SinhBackward0", x, |g, x| mul(&g, &cosh(x)?);
    cosh, Cosh, "CoshBackward0", x, |g, x| mul(&g, &sinh(x)?);
    tanh, Tanh, "TanhBackward0", y, |g, y| mul(&g, &sub(&number(1)?, &mul(y, y)?)?);
    asinh, Asinh, "AsinhBackward0", x, |g, x| mul(&g, &rsqrt(&square_plus(1.0, 1.0, x)?)?);
    acosh, Acosh, "AcoshBackward0", x, |g, x| {
        if x.dtype().is_complex() {
            // Two roots: that of the product lies on another branch.
            return mul(&g, &mul(&rsqrt(&sub(x, &number(1)?)?)?, &rsqrt(&add(x, &number(1)?)?)?)?);
        }
        mul(&g, &rsqrt(&square_plus(-1.0, 1.0, x)?)?)
    };
    atanh, Atanh, "AtanhBackward0", x, |g, x| div(&g, &square_plus(1.0, -1.0, x)?);
    sigmoid, Sigmoid, "SigmoidBackward0", y, |g, y| mul(&mul(&g, &sub(&number(1)?, y)?)?, y);
    erf, Erf, "ErfBackward0", x, |g, x| mul(&gauss(x, 2.0 / PI.sqrt())?, &g);
    erfc, Erfc, "ErfcBackward0", x, |g, x| mul(&gauss(x, -2.0 / PI.sqrt())?, &g);
    erfinv, ErfInv, "ErfinvBackward0", y,
        |g, y| mul(&mul(&exp(&mul(y, y)?)?, &number(0.5 * PI.sqrt())?)?, &g);
    lgamma, Lgamma, "LgammaBackward0", x, |g, x| mul(&g, &digamma(x)?);
    digamma, Digamma, "DigammaBackward0", x, |g, x| mul(&g, &polygamma(1, x)?);
    i0, I0, "I0Backward0", x, |g, x| mul(&g, &i1(x)?);
    i0e, I0e, "SpecialI0EBackward0", x,
        |g, x| mul(&g, &sub(&i1e(x)?, &mul(&sign(x)?, &i0e(x)?)?)?);
    i1, I1, "SpecialI1Backward0", x, |g, x| {
        let near = where_number(&crate::ops::eq(x, &number(0)?)?, 0.5, &div(&i1(x)?, x)?)?;
        mul(&g, &sub(&i0(x)?, &near)?)
    };
    i1e, I1e, "SpecialI1EBackward0", x, |g, x| {
        let near = where_number(&crate::ops::eq(x, &number(0)?)?, 0.5, &div(&i1e(x)?, x)?)?;
        mul(&g, &sub(&sub(&i0e(x)?, &mul(&sign(x)?, &i1e(x)?)?)?, &near)?)
    };
    /// `sin(pi x) / (pi x)`, 1 at 0.
    sinc, Sinc, "SincBackward0", x, |g, x| {
        let px = mul(x, &number(PI)?)?;
        let slope = div(&sub(&mul(&px, &cos(&px)?)?, &sin(&px)?)?, &mul(&px, x)?)?;
        mul(&g, &masked_fill_number(&slope, &crate::ops::eq(x, &number(0)?)?, 0.into())?)
    };
    /// Inverse of the normal distribution function.
    ndtri, Ndtri, "SpecialNdtriBackward0", y,
        |g, y| mul(&mul(&exp(&mul(&mul(y, y)?, &number(0.5)?)?)?, &number((2.0 * PI).sqrt())?)?, &g);
    /// `exp(x^2) erfc(x)`
    erfcx, Erfcx, "SpecialErfcxBackward0", x, |g, x| {
        mul(&g, &sub(&mul(&mul(x, &number(2)?)?, &erfcx(x)?)?, &number(2.0 / PI.sqrt())?)?)
    };
    /// Log of the normal distribution function.
    log_ndtr, LogNdtr, "SpecialLogNdtrBackward0", x, |g, x| {
        let t = div(&erfcx(&mul(x, &number(-std::f64::consts::FRAC_1_SQRT_2)?)?)?, &number((2.0 / PI).sqrt())?)?;
        div(&g, &t)
    };
    /// `-x log x`, 0 at 0, minus infinity below.
    entr, Entr, "SpecialEntrBackward0", x, |g, x| mul(&g, &neg(&add(&log(x)?, &number(1)?)?)?);
}

/// `scale * exp(-x^2)`
fn gauss(x: &Tensor, scale: f64) -> Result<Tensor> {
    mul(&exp(&neg(&mul(x, x)?)?)?, &number(scale)?)
}

/// The normal distribution function.
pub fn ndtr(x: &Tensor) -> Result<Tensor> {
    let e = erfc(&mul(x, &number(-std::f64::consts::FRAC_1_SQRT_2)?)?)?;
    mul(&e, &number(0.5)?)
}

/// The n-th derivative of `digamma`.
///
/// # Errors
/// `n` negative.
pub fn polygamma(n: i64, x: &Tensor) -> Result<Tensor> {
    if n < 0 {
        return Err(Error::runtime("polygamma(n, x) does not support negative n."));
    }
    if n == 0 {
        return digamma(x);
    }
    // (-1)^(n+1) n! zeta(n + 1, x)
    let factorial: f64 = (1..=n.min(171)).map(|k| k as f64).product();
    let scale = if n % 2 == 1 { factorial } else { -factorial };
    let dtype = x.dtype().to_float();
    let z = crate::autograd::grad_mode::no_grad(|| {
        let order = number(n.saturating_add(1) as f64)?;
        let z = crate::autograd::non_differentiable(binary_kernel(BinaryOp::Zeta, &order, x, dtype)?);
        mul(&z, &number(scale)?)
    })?;
    Ok(differentiable("PolygammaBackward0", &[x], z.raw(), &[Save::Input(x)], move |ctx| {
        Ok(vec![Some(mul(&ctx.grad()?, &polygamma(n.saturating_add(1), ctx.saved(0))?)?)])
    }))
}

/// `log det` of multivariate statistics.
pub fn mvlgamma(x: &Tensor, p: i64) -> Result<Tensor> {
    if p < 1 {
        return Err(Error::runtime(format!("p has to be greater than or equal to 1, but got {p}")));
    }
    // PyTorch makes a tensor with `p` for each element.
    crate::storage::room(x.numel().max(1).saturating_mul(p as usize).saturating_mul(64), 8)?;
    let halves = move |x: &Tensor, f: fn(&Tensor) -> Result<Tensor>| -> Result<Tensor> {
        let mut total = f(x)?;
        for j in 1..p {
            total = add(&total, &f(&sub(x, &number(j as f64 / 2.0)?)?)?)?;
        }
        Ok(total)
    };
    let constant = number(p as f64 * (p - 1) as f64 * PI.ln() / 4.0)?;
    let out = crate::autograd::grad_mode::no_grad(|| add(&halves(x, lgamma)?, &constant))?;
    Ok(differentiable("MvlgammaBackward0", &[x], out.raw(), &[Save::Input(x)], move |ctx| {
        Ok(vec![Some(mul(&ctx.grad()?, &halves(ctx.saved(0), digamma)?)?)])
    }))
}

/// The inverse of `sigmoid`; `eps` clamps the input to `[eps, 1 - eps]`.
pub fn logit(x: &Tensor, eps: Option<f64>) -> Result<Tensor> {
    let dtype = x.dtype().to_float();
    let out = crate::autograd::grad_mode::no_grad(|| {
        let x = crate::ops::cast(x, dtype)?;
        let z = match eps {
            // The lower bound wins where the two cross.
            Some(e) => {
                let low = number(e)?;
                let high = crate::ops::clamp(&x, None, Some(&number(1.0 - e)?))?;
                crate::ops::where_(&crate::ops::lt(&x, &low)?, &crate::ops::cast(&low, dtype)?, &high)?
            }
            None => x,
        };
        log(&div(&z, &sub(&number(1)?, &z)?)?)
    })?;
    Ok(differentiable("LogitBackward0", &[x], out.raw(), &[Save::Input(x)], move |ctx| {
        let (g, x) = (ctx.grad()?, ctx.saved(0));
        let slope = div(&g, &mul(x, &sub(&number(1)?, x)?)?)?;
        let (low, high) = (eps.unwrap_or(0.0), 1.0 - eps.unwrap_or(0.0));
        let outside = crate::ops::logical_or(&crate::ops::lt(x, &number(low)?)?, &crate::ops::gt(x, &number(high)?)?)?;
        let there = if eps.is_some() { 0.0 } else { f64::NAN };
        Ok(vec![Some(masked_fill_number(&slope, &outside, there.into())?)])
    }))
}

fn zero_rule(ctx: &GradCtx) -> Result<Vec<Option<Tensor>>> {
    Ok(vec![Some(ctx.grad()?.zeros_like()?)])
}

/// Ops whose derivative is zero wherever it exists; integers pass unchanged.
fn stepwise(kind: UnaryOp, node: &'static str, kernel: &str, x: &Tensor) -> Result<Tensor> {
    if x.dtype() == DType::Bool && kind != UnaryOp::Sign {
        return Err(Error::no_kernel(kernel, x.dtype()));
    }
    if x.dtype().is_complex() && matches!(kind, UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc) {
        let name = kernel.split('_').next().unwrap_or(kernel);
        return Err(Error::not_implemented(format!("{name} is not supported for complex inputs")));
    }
    let out = unary_kernel(kind, x, x.dtype())?;
    Ok(differentiable(node, &[x], out, &[], zero_rule))
}

pub fn floor(x: &Tensor) -> Result<Tensor> {
    stepwise(UnaryOp::Floor, "FloorBackward0", "floor_vml_cpu", x)
}
pub fn ceil(x: &Tensor) -> Result<Tensor> {
    stepwise(UnaryOp::Ceil, "CeilBackward0", "ceil_vml_cpu", x)
}
pub fn trunc(x: &Tensor) -> Result<Tensor> {
    stepwise(UnaryOp::Trunc, "TruncBackward0", "trunc_vml_cpu", x)
}
pub fn sign(x: &Tensor) -> Result<Tensor> {
    if x.dtype().is_complex() {
        return Err(Error::not_implemented(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.",
        ));
    }
    stepwise(UnaryOp::Sign, "SignBackward0", "sign_cpu", x)
}
pub fn sgn(x: &Tensor) -> Result<Tensor> {
    if x.dtype().is_complex() {
        return crate::ops::sgn_complex(x);
    }
    stepwise(UnaryOp::Sign, "SgnBackward0", "sgn_cpu", x)
}

/// Half to even.
pub fn round(x: &Tensor) -> Result<Tensor> {
    stepwise(UnaryOp::Round, "RoundBackward0", "round_vml_cpu", x)
}

/// To `decimals` places.
///
/// # Errors
/// Integers.
pub fn round_decimals(x: &Tensor, decimals: i64) -> Result<Tensor> {
    if !x.dtype().is_float() {
        return Err(Error::no_kernel("round_cpu", x.dtype()));
    }
    let out = crate::autograd::grad_mode::no_grad(|| {
        let scale = number(10f64.powi(decimals.unsigned_abs().min(400) as i32))?;
        if decimals > 0 { div(&round(&mul(x, &scale)?)?, &scale) } else { mul(&round(&div(x, &scale)?)?, &scale) }
    })?;
    Ok(differentiable("RoundBackward1", &[x], out.raw(), &[], zero_rule))
}

pub fn frac(x: &Tensor) -> Result<Tensor> {
    if !x.dtype().is_float() {
        return Err(Error::no_kernel("frac_cpu", x.dtype()));
    }
    let out = unary_kernel(UnaryOp::Frac, x, x.dtype())?;
    Ok(differentiable("FracBackward0", &[x], out, &[], |ctx| Ok(vec![Some(ctx.grad()?)])))
}

/// # Errors
/// Bool.
pub fn abs(x: &Tensor) -> Result<Tensor> {
    if x.dtype() == DType::Bool {
        return Err(Error::no_kernel("abs_cpu", x.dtype()));
    }
    if x.dtype().is_complex() {
        return crate::ops::abs_complex(x);
    }
    let out = unary_kernel(UnaryOp::Abs, x, x.dtype())?;
    Ok(differentiable("AbsBackward0", &[x], out, &[Save::Input(x)], |ctx| {
        Ok(vec![Some(mul(&ctx.grad()?, &sgn(ctx.saved(0))?)?)])
    }))
}

fn scaled_angle(x: &Tensor, factor: f64, node: &'static str) -> Result<Tensor> {
    let out = binary_kernel(BinaryOp::Mul, x, &number(factor)?, x.dtype().to_float())?;
    Ok(differentiable(node, &[x], out, &[], move |ctx| Ok(vec![Some(mul(&ctx.grad()?, &number(factor)?)?)])))
}
pub fn deg2rad(x: &Tensor) -> Result<Tensor> {
    scaled_angle(x, PI / 180.0, "Deg2RadBackward0")
}
pub fn rad2deg(x: &Tensor) -> Result<Tensor> {
    scaled_angle(x, 180.0 / PI, "Rad2DegBackward0")
}

/// The tensor itself (`+x`).
///
/// # Errors
/// Bool.
pub fn positive(x: &Tensor) -> Result<Tensor> {
    if x.dtype() == DType::Bool {
        return Err(Error::not_implemented("The `+` operator, on a bool tensor is not supported."));
    }
    Ok(x.clone())
}

/// Mantissa in `[0.5, 1)` and int32 exponent.
///
/// # Errors
/// Not a float.
pub fn frexp(x: &Tensor) -> Result<(Tensor, Tensor)> {
    if !x.dtype().is_float() {
        return Err(Error::runtime("torch.frexp() only supports floating-point dtypes"));
    }
    let split = |v: f64| {
        if v == 0.0 || !v.is_finite() {
            return (v, 0i32);
        }
        // Exact: a power of two times the value, then at most one correction for rounding of the logarithm.
        let mut e = v.abs().log2().floor() as i32 + 1;
        let mut m = v / 2f64.powi(e - 1) / 2.0;
        if m.abs() >= 1.0 {
            (m, e) = (m / 2.0, e + 1);
        } else if m.abs() < 0.5 {
            (m, e) = (m * 2.0, e - 1);
        }
        (m, e)
    };
    let parts: Vec<(f64, i32)> = x.to_vec::<f64>()?.into_iter().map(split).collect();
    let mantissa = Tensor::from_slice(&parts.iter().map(|p| p.0).collect::<Vec<f64>>(), &x.shape())?;
    let exponent = Tensor::from_slice(&parts.iter().map(|p| p.1).collect::<Vec<i32>>(), &x.shape())?;
    let mantissa = crate::ops::cast(&mantissa, x.dtype())?.raw();
    let outs = crate::autograd::differentiable_many(
        "FrexpBackward0",
        &[x],
        vec![mantissa, exponent.raw()],
        &[Save::Output(1)],
        |ctx| Ok(vec![Some(div(&ctx.grad_of(0)?, &exp2(ctx.saved(0))?)?)]),
    );
    match <[Tensor; 2]>::try_from(outs) {
        Ok([m, e]) => Ok((m, e)),
        Err(_) => Err(Error::runtime("frexp has two results")),
    }
}

/// NaN and infinities replaced by numbers (0 and the dtype's extremes).
pub fn nan_to_num(x: &Tensor, nan: Option<f64>, posinf: Option<f64>, neginf: Option<f64>) -> Result<Tensor> {
    if !x.dtype().is_float() {
        return crate::ops::clone(x);
    }
    let largest = match x.dtype() {
        DType::F16 => 65504.0,
        DType::BF16 => 3.3895313892515355e38,
        DType::F32 => f32::MAX as f64,
        _ => f64::MAX,
    };
    let out = crate::autograd::grad_mode::no_grad(|| {
        let inf = isinf(x)?;
        let positive = crate::ops::gt(x, &number(0)?)?;
        let t = where_number(&crate::ops::isnan(x)?, nan.unwrap_or(0.0), x)?;
        let up = crate::ops::logical_and(&inf, &positive)?;
        let t = where_number(&up, posinf.unwrap_or(largest), &t)?;
        let down = crate::ops::logical_and(&inf, &crate::ops::logical_not(&positive)?)?;
        where_number(&down, neginf.unwrap_or(-largest), &t)
    })?;
    Ok(differentiable("NanToNumBackward0", &[x], out.raw(), &[Save::Input(x)], |ctx| {
        Ok(vec![Some(mul(&ctx.grad()?, &crate::ops::isfinite(ctx.saved(0))?)?)])
    }))
}

macro_rules! unary_table {
    ($($name:literal => $f:path),* $(,)?) => {
        &[$(op(concat!($name, "(Tensor self) -> Tensor"), places::ALL, |a| Ok($f(a.tensor(0)?)?.into()))),*]
    };
}
pub(crate) const UNARY: &[Op] = unary_table! {
    "exp" => exp, "exp2" => exp2, "expm1" => expm1, "log" => log, "log2" => log2, "log10" => log10, "log1p" => log1p,
    "sqrt" => sqrt, "rsqrt" => rsqrt, "reciprocal" => reciprocal, "sin" => sin, "cos" => cos, "tan" => tan,
    "asin" => asin, "arcsin" => asin, "acos" => acos, "arccos" => acos, "atan" => atan, "arctan" => atan,
    "sinh" => sinh, "cosh" => cosh, "tanh" => tanh, "asinh" => asinh, "arcsinh" => asinh, "acosh" => acosh,
    "arccosh" => acosh, "atanh" => atanh, "arctanh" => atanh, "sigmoid" => sigmoid, "erf" => erf, "erfc" => erfc,
    "erfinv" => erfinv, "lgamma" => lgamma, "digamma" => digamma, "i0" => i0, "sinc" => sinc, "floor" => floor,
    "ceil" => ceil, "trunc" => trunc, "fix" => trunc, "sign" => sign, "sgn" => sgn, "frac" => frac, "abs" => abs,
    "absolute" => abs, "deg2rad" => deg2rad, "rad2deg" => rad2deg,
};

macro_rules! special_table {
    ($($name:literal => $f:path),* $(,)?) => {
        &[$(op(concat!("special_", $name, "(Tensor self) -> Tensor"), places::SPECIAL | places::OUT,
            |a| Ok($f(a.tensor(0)?)?.into()))),*]
    };
}
pub(crate) const SPECIAL: &[Op] = special_table! {
    "exp2" => exp2, "expm1" => expm1, "log1p" => log1p, "expit" => sigmoid, "erf" => erf, "erfc" => erfc,
    "erfinv" => erfinv, "erfcx" => erfcx, "gammaln" => lgamma, "digamma" => digamma, "psi" => digamma, "i0" => i0,
    "i0e" => i0e, "i1" => i1, "i1e" => i1e, "sinc" => sinc, "ndtr" => ndtr, "ndtri" => ndtri, "log_ndtr" => log_ndtr,
    "entr" => entr,
};

/// A Bessel function; those of orders 0 and 1 are each other's derivatives, but for signs and a quotient. PyTorch has no
/// derivative of the others.
fn bessel(kind: UnaryOp, x: &Tensor) -> Result<Tensor> {
    let out = unary_kernel(kind, x, x.dtype().to_float())?;
    let node = match kind {
        UnaryOp::BesselJ0 => "SpecialBesselJ0Backward0",
        UnaryOp::BesselJ1 => "SpecialBesselJ1Backward0",
        UnaryOp::BesselY0 => "SpecialBesselY0Backward0",
        UnaryOp::BesselY1 => "SpecialBesselY1Backward0",
        UnaryOp::I0 => "SpecialModifiedBesselI0Backward0",
        UnaryOp::I1 => "SpecialModifiedBesselI1Backward0",
        UnaryOp::K0 => "SpecialModifiedBesselK0Backward0",
        UnaryOp::K1 => "SpecialModifiedBesselK1Backward0",
        _ => return Ok(non_differentiable(out)),
    };
    Ok(differentiable(node, &[x], out, &[Save::Input(x), Save::Output(0)], move |ctx| {
        let (g, x, y) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let other = |kind| bessel(kind, x);
        // y / x, and its limit 1/2 at 0 where the function is 0 there.
        let share = || -> Result<Tensor> {
            let at_zero = crate::ops::eq(x, &number(0)?)?;
            where_number(&at_zero, 0.5, &div(y, &where_number(&at_zero, 1.0, x)?)?)
        };
        let slope = match kind {
            UnaryOp::BesselJ0 => neg(&other(UnaryOp::BesselJ1)?)?,
            UnaryOp::BesselJ1 => sub(&other(UnaryOp::BesselJ0)?, &share()?)?,
            UnaryOp::BesselY0 => neg(&other(UnaryOp::BesselY1)?)?,
            UnaryOp::BesselY1 => sub(&other(UnaryOp::BesselY0)?, &div(y, x)?)?,
            UnaryOp::I0 => other(UnaryOp::I1)?,
            UnaryOp::I1 => sub(&other(UnaryOp::I0)?, &share()?)?,
            UnaryOp::K0 => neg(&other(UnaryOp::K1)?)?,
            UnaryOp::K1 => neg(&add(&other(UnaryOp::K0)?, &div(y, x)?)?)?,
            _ => return Err(Error::runtime(format!("{node} is not a function with a derivative"))),
        };
        Ok(vec![Some(mul(&g, &slope)?)])
    }))
}
macro_rules! bessel_table {
    ($($name:literal => $kind:ident),* $(,)?) => {
        &[$(op(concat!("special_", $name, "(Tensor self) -> Tensor"), places::SPECIAL | places::OUT,
            |a| Ok(bessel(UnaryOp::$kind, a.tensor(0)?)?.into()))),*]
    };
}
pub(crate) const BESSEL: &[Op] = bessel_table! {
    "bessel_j0" => BesselJ0, "bessel_j1" => BesselJ1, "bessel_y0" => BesselY0, "bessel_y1" => BesselY1,
    "modified_bessel_i0" => I0, "modified_bessel_i1" => I1, "modified_bessel_k0" => K0, "modified_bessel_k1" => K1,
    "scaled_modified_bessel_k0" => K0e, "scaled_modified_bessel_k1" => K1e, "spherical_bessel_j0" => SphericalJ0,
};

pub(crate) const TABLE: &[Op] = &[
    op("round(Tensor self) -> Tensor", places::ALL, |a| Ok(round(a.tensor(0)?)?.into())),
    op("round.decimals(Tensor self, *, int decimals) -> Tensor", places::ALL, |a| {
        Ok(round_decimals(a.tensor(0)?, a.int(1)?)?.into())
    }),
    op("special_round(Tensor self, *, int decimals=0) -> Tensor", places::SPECIAL | places::OUT, |a| {
        let (x, decimals) = (a.tensor(0)?, a.int(1)?);
        Ok(if decimals == 0 { round(x)? } else { round_decimals(x, decimals)? }.into())
    }),
    op("logit(Tensor self, float? eps=None) -> Tensor", places::ALL, |a| {
        Ok(logit(a.tensor(0)?, a.opt_float(1)?)?.into())
    }),
    op("special_logit(Tensor self, float? eps=None) -> Tensor", places::SPECIAL | places::OUT, |a| {
        Ok(logit(a.tensor(0)?, a.opt_float(1)?)?.into())
    }),
    op("polygamma(int n, Tensor self) -> Tensor", places::FUNCTION | places::OUT, |a| {
        Ok(polygamma(a.int(0)?, a.tensor(1)?)?.into())
    }),
    op("polygamma.method(Tensor self, int n) -> Tensor", places::METHOD | places::INPLACE, |a| {
        Ok(polygamma(a.int(1)?, a.tensor(0)?)?.into())
    }),
    op("special_polygamma(int n, Tensor self) -> Tensor", places::SPECIAL | places::OUT, |a| {
        Ok(polygamma(a.int(0)?, a.tensor(1)?)?.into())
    }),
    op("mvlgamma(Tensor self, int p) -> Tensor", places::ALL, |a| Ok(mvlgamma(a.tensor(0)?, a.int(1)?)?.into())),
    op("special_multigammaln(Tensor self, int p) -> Tensor", places::SPECIAL | places::OUT, |a| {
        Ok(mvlgamma(a.tensor(0)?, a.int(1)?)?.into())
    }),
    op("positive(Tensor self) -> Tensor", places::BOTH, |a| Ok(positive(a.tensor(0)?)?.into())),
    op("frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)", places::BOTH, |a| {
        Ok(frexp(a.tensor(0)?)?.into())
    }),
    op(
        "nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
        places::ALL,
        |a| Ok(nan_to_num(a.tensor(0)?, a.opt_float(1)?, a.opt_float(2)?, a.opt_float(3)?)?.into()),
    ),
];
