//! Activations: one kernel forward, the derivative in tensor ops.

use crate::autograd::{Save, differentiable, named, non_differentiable};
use crate::backend::{BinaryOp, UnaryOp, backend};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::ops::nn::fused;
use crate::ops::pointwise::{binary_kernel, unary_kernel};
use crate::ops::{add, erf, exp, mul, narrow, neg, number, reshape, sigmoid, sub, tanh};
use crate::registry::{Args, Op, op, places};
use crate::tensor::Tensor;

/// # Errors
/// Integer inputs, for which PyTorch has no kernel.
fn check_float(x: &Tensor, kernel: &str) -> Result<()> {
    if x.dtype().is_float() { Ok(()) } else { Err(Error::no_kernel(kernel, x.dtype())) }
}

/// `g` where `low < x < high` (or, with `outside`, where not), 0 elsewhere: the gradient of everything that clips.
pub(crate) fn gate(g: &Tensor, x: &Tensor, low: f64, high: f64, outside: bool) -> Result<Tensor> {
    let b = backend(x.device());
    let above = binary_kernel(BinaryOp::Gt, x, &number(low)?, x.dtype())?;
    let inside = if high == f64::INFINITY {
        above
    } else {
        let below = binary_kernel(BinaryOp::Lt, x, &number(high)?, x.dtype())?;
        b.binary(BinaryOp::LogicalAnd, &above, &below)?
    };
    let zero = b.full(&[], Scalar::Int(0), g.dtype())?.broadcast_to(inside.shape())?;
    let value = g.raw().broadcast_to(inside.shape())?;
    let out = if outside { b.select(&inside, &zero, &value)? } else { b.select(&inside, &value, &zero)? };
    // As in PyTorch, it belongs to the graph of `x` too, and changes nowhere with it.
    Ok(differentiable("ThresholdBackwardBackward0", &[g, x], out, &[Save::Input(x)], move |ctx| {
        let (g, x) = (ctx.grad()?, ctx.saved(0));
        let to_x = ctx.needs(1).then(|| x.zeros_like()).transpose()?;
        Ok(vec![Some(gate(&g, x, low, high, outside)?), to_x])
    }))
}

/// 0 where `x <= low` or `x >= high`, `g` elsewhere, so also where `x` is NaN.
fn unless_clipped(g: &Tensor, x: &Tensor, low: f64, high: f64) -> Result<Tensor> {
    let b = backend(x.device());
    let mut clipped = binary_kernel(BinaryOp::Le, x, &number(low)?, x.dtype())?;
    if high != f64::INFINITY {
        let above = binary_kernel(BinaryOp::Ge, x, &number(high)?, x.dtype())?;
        clipped = b.binary(BinaryOp::LogicalOr, &clipped, &above)?;
    }
    let zero = b.full(&[], Scalar::Int(0), g.dtype())?.broadcast_to(clipped.shape())?;
    let out = b.select(&clipped, &zero, &g.raw().broadcast_to(clipped.shape())?)?;
    Ok(differentiable("ThresholdBackwardBackward0", &[g], out, &[Save::Input(x)], move |ctx| {
        Ok(vec![Some(unless_clipped(&ctx.grad()?, ctx.saved(0), low, high)?)])
    }))
}

/// An activation with derivative `slope(g, x)`.
fn activation(
    kind: UnaryOp,
    name: &'static str,
    x: &Tensor,
    slope: impl Fn(&Tensor, &Tensor) -> Result<Tensor> + 'static,
) -> Result<Tensor> {
    let out = unary_kernel(kind, x, x.dtype())?;
    Ok(differentiable(name, &[x], out, &[Save::Input(x)], move |ctx| {
        Ok(vec![Some(slope(&ctx.grad()?, ctx.saved(0))?)])
    }))
}

/// `max(x, 0)`. Saves its result, as PyTorch does: a later in-place write to the input does no harm.
pub fn relu(x: &Tensor) -> Result<Tensor> {
    if x.dtype() == crate::DType::Bool {
        return Err(Error::runtime("Boolean inputs not supported for relu"));
    }
    if x.dtype().is_complex() {
        return Err(Error::not_implemented("clamp is not supported for complex types"));
    }
    let out = binary_kernel(BinaryOp::Max, x, &number(0)?, x.dtype())?;
    Ok(differentiable("ReluBackward0", &[x], out, &[Save::Output(0)], |ctx| {
        Ok(vec![Some(unless_clipped(&ctx.grad()?, ctx.saved(0), 0.0, f64::INFINITY)?)])
    }))
}

pub fn leaky_relu(x: &Tensor, slope: f64) -> Result<Tensor> {
    check_float(x, "leaky_relu_cpu")?;
    activation(UnaryOp::LeakyRelu(slope), "LeakyReluBackward0", x, move |g, x| {
        let step = unary_kernel(UnaryOp::Step { at: 0.0, below: slope, above: 1.0 }, x, x.dtype())?;
        mul(g, &non_differentiable(step))
    })
}

pub fn elu(x: &Tensor, alpha: f64, scale: f64, inner: f64) -> Result<Tensor> {
    check_float(x, "elu_cpu")?;
    activation(UnaryOp::Elu { alpha, scale, inner }, "EluBackward0", x, move |g, x| {
        let right = mul(g, &number(scale)?)?;
        let left = mul(&mul(g, &number(scale * alpha * inner)?)?, &exp(&mul(x, &number(inner)?)?)?)?;
        add(&gate(&right, x, 0.0, f64::INFINITY, false)?, &gate(&left, x, 0.0, f64::INFINITY, true)?)
    })
}

/// `approximate` is `none` or `tanh`.
///
/// # Errors
/// Another word.
pub fn gelu(x: &Tensor, approximate: &str) -> Result<Tensor> {
    check_float(x, "GeluKernelImpl")?;
    match approximate {
        "none" => activation(UnaryOp::Gelu, "GeluBackward0", x, |g, x| {
            let cdf =
                mul(&add(&erf(&mul(x, &number(std::f64::consts::FRAC_1_SQRT_2)?)?)?, &number(1)?)?, &number(0.5)?)?;
            let pdf = mul(
                &exp(&mul(&mul(x, x)?, &number(-0.5)?)?)?,
                &number(std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2 * 0.5)?,
            )?;
            mul(g, &add(&cdf, &mul(x, &pdf)?)?)
        }),
        "tanh" => activation(UnaryOp::GeluTanh, "GeluBackward0", x, |g, x| {
            let root = (2.0 / std::f64::consts::PI).sqrt();
            let x2 = mul(x, x)?;
            let inner = mul(&add(x, &mul(&mul(&x2, x)?, &number(0.044715)?)?)?, &number(root)?)?;
            let t = tanh(&inner)?;
            let inner_slope = mul(&add(&mul(&x2, &number(3.0 * 0.044715)?)?, &number(1)?)?, &number(root)?)?;
            let left = mul(&add(&t, &number(1)?)?, &number(0.5)?)?;
            let right = mul(&mul(&mul(x, &number(0.5)?)?, &sub(&number(1)?, &mul(&t, &t)?)?)?, &inner_slope)?;
            mul(g, &add(&left, &right)?)
        }),
        _ => Err(Error::runtime("approximate argument must be either none or tanh.")),
    }
}

pub fn silu(x: &Tensor) -> Result<Tensor> {
    check_float(x, "silu_cpu")?;
    activation(UnaryOp::Silu, "SiluBackward0", x, |g, x| {
        let s = sigmoid(x)?;
        let slope = mul(&s, &add(&mul(x, &sub(&number(1)?, &s)?)?, &number(1)?)?)?;
        mul(g, &slope)
    })
}

pub fn mish(x: &Tensor) -> Result<Tensor> {
    check_float(x, "mish_cpu")?;
    activation(UnaryOp::Mish, "MishBackward0", x, |g, x| {
        let t = tanh(&softplus(x, 1.0, 20.0)?)?;
        let slope = add(&t, &mul(&mul(x, &sigmoid(x)?)?, &sub(&number(1)?, &mul(&t, &t)?)?)?)?;
        mul(g, &slope)
    })
}

pub fn softplus(x: &Tensor, beta: f64, threshold: f64) -> Result<Tensor> {
    check_float(x, "softplus_cpu")?;
    activation(UnaryOp::Softplus { beta, threshold }, "SoftplusBackward0", x, move |g, x| {
        let edge = threshold / beta;
        let smooth = mul(g, &sigmoid(&mul(x, &number(beta)?)?)?)?;
        add(&gate(g, x, edge, f64::INFINITY, false)?, &gate(&smooth, x, edge, f64::INFINITY, true)?)
    })
}

pub fn log_sigmoid(x: &Tensor) -> Result<Tensor> {
    check_float(x, "log_sigmoid_cpu")?;
    activation(UnaryOp::LogSigmoid, "LogSigmoidBackward0", x, |g, x| mul(g, &sigmoid(&neg(x)?)?))
}

/// # Errors
/// `low` over `high`.
pub fn hardtanh(x: &Tensor, low: f64, high: f64) -> Result<Tensor> {
    if low > high {
        return Err(Error::runtime("min_val cannot be greater than max_val"));
    }
    if x.dtype().is_int() {
        return crate::ops::clamp(x, Some(&number(low as i64)?), Some(&number(high as i64)?));
    }
    activation(UnaryOp::Hardtanh { low, high }, "HardtanhBackward0", x, move |g, x| unless_clipped(g, x, low, high))
}

pub fn hardsigmoid(x: &Tensor) -> Result<Tensor> {
    check_float(x, "hardsigmoid_cpu")?;
    activation(UnaryOp::Hardsigmoid, "HardsigmoidBackward0", x, |g, x| {
        gate(&mul(g, &number(1.0 / 6.0)?)?, x, -3.0, 3.0, false)
    })
}

pub fn hardswish(x: &Tensor) -> Result<Tensor> {
    check_float(x, "hardswish_cpu")?;
    activation(UnaryOp::Hardswish, "HardswishBackward0", x, |g, x| {
        let middle = mul(g, &add(&mul(x, &number(1.0 / 3.0)?)?, &number(0.5)?)?)?;
        add(&gate(&middle, x, -3.0, 3.0, false)?, &gate(g, x, 3.0, f64::INFINITY, false)?)
    })
}

/// # Errors
/// A negative `lambda`.
pub fn softshrink(x: &Tensor, lambda: f64) -> Result<Tensor> {
    check_float(x, "softshrink_cpu")?;
    if lambda < 0.0 {
        let most = match x.dtype() {
            crate::DType::F16 => "65504",
            crate::DType::BF16 => "3.38953e+38",
            crate::DType::F32 => "3.40282e+38",
            _ => "1.79769e+308",
        };
        return Err(Error::runtime(format!(
            "lambda must be in range [0, {most}] for input dtype {}, but found {lambda}",
            x.dtype().scalar_type_name()
        )));
    }
    activation(UnaryOp::Softshrink(lambda), "SoftshrinkBackward0", x, move |g, x| shrink_gate(g, x, lambda))
}

pub fn hardshrink(x: &Tensor, lambda: f64) -> Result<Tensor> {
    check_float(x, "hardshrink_cpu")?;
    activation(UnaryOp::Hardshrink(lambda), "HardshrinkBackward0", x, move |g, x| shrink_gate(g, x, lambda))
}

/// `g` where `|x| > lambda`.
fn shrink_gate(g: &Tensor, x: &Tensor, lambda: f64) -> Result<Tensor> {
    let right = gate(g, x, lambda, f64::INFINITY, false)?;
    let left = gate(g, x, f64::NEG_INFINITY, -lambda, false)?;
    add(&right, &left)
}

pub fn threshold(x: &Tensor, at: f64, value: f64) -> Result<Tensor> {
    if x.dtype().is_int() {
        let low = crate::ops::le(x, &number(at as i64)?)?;
        return crate::ops::masked_fill_number(x, &low, Scalar::Int(value as i64));
    }
    activation(UnaryOp::Threshold { at, value }, "ThresholdBackward0", x, move |g, x| {
        unless_clipped(g, x, at, f64::INFINITY)
    })
}

/// A learnt slope for negative inputs: one, or one for each channel (dimension 1).
///
/// # Errors
/// Another number of slopes.
pub fn prelu(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    check_float(x, "prelu_cpu")?;
    if weight.numel() != 1 && x.ndim() == 0 {
        return Err(Error::runtime("Not allow zero-dim input tensor."));
    }
    let channels = if x.ndim() >= 2 { x.size(1) } else { 1 };
    if weight.numel() != 1 && weight.numel() != channels {
        return Err(Error::runtime(format!(
            "Mismatch of parameter numbers and input channel size. Found parameter numbers = {} and channel size = \
             {channels}.",
            weight.numel()
        )));
    }
    if weight.ndim() > 1 {
        return Err(Error::runtime(format!(
            "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {}",
            weight.ndim()
        )));
    }
    let mut shape = vec![1i64; x.ndim()];
    if let Some(s) = shape.get_mut(1) {
        *s = weight.numel() as i64;
    }
    let weight = reshape(weight, &shape)?;
    let saved = [Save::Input(x), Save::Input(&weight)];
    fused(
        "PreluKernelBackward0",
        &[x, &weight],
        &saved,
        || {
            let left = mul(x, &weight)?;
            add(&gate(x, x, 0.0, f64::INFINITY, false)?, &gate(&left, x, 0.0, f64::INFINITY, true)?)
        },
        |ctx| {
            let (g, x, w) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
            let right = gate(&g, x, 0.0, f64::INFINITY, false)?;
            let to_x = add(&right, &gate(&mul(&g, w)?, x, 0.0, f64::INFINITY, true)?)?;
            let to_w = gate(&mul(&g, x)?, x, 0.0, f64::INFINITY, true)?;
            Ok(vec![Some(to_x), Some(to_w)])
        },
    )
}

/// The first half times the sigmoid of the second.
///
/// # Errors
/// An odd size.
pub fn glu(x: &Tensor, dim: i64) -> Result<Tensor> {
    if x.ndim() == 0 {
        return Err(Error::runtime("glu does not support 0-dimensional tensors"));
    }
    let d = crate::layout::wrap_dim(dim, x.ndim())?;
    let size = x.size(d);
    if !size.is_multiple_of(2) {
        return Err(Error::runtime(format!("Halving dimension must be even, but dimension {d} is size {size}")));
    }
    let half = (size / 2) as i64;
    let d = d as i64;
    Ok(named(mul(&narrow(x, d, 0, half)?, &sigmoid(&narrow(x, d, half, half)?)?)?, "GluBackward0"))
}

fn one(a: &Args, f: impl Fn(&Tensor, f64) -> Result<Tensor>) -> Result<crate::registry::Value> {
    Ok(f(a.tensor(0)?, a.float(1)?)?.into())
}

const NN_INPLACE: u16 = places::NN | places::INPLACE_FUNCTION;

pub(crate) const TABLE: &[Op] = &[
    op("relu(Tensor self) -> Tensor", places::BOTH | places::INPLACE | places::INPLACE_FUNCTION, |a| {
        Ok(relu(a.tensor(0)?)?.into())
    }),
    op("relu6(Tensor self) -> Tensor", NN_INPLACE, |a| Ok(hardtanh(a.tensor(0)?, 0.0, 6.0)?.into())),
    op("leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor", NN_INPLACE, |a| one(a, leaky_relu)),
    op("elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor", NN_INPLACE, |a| {
        Ok(elu(a.tensor(0)?, a.float(1)?, a.float(2)?, a.float(3)?)?.into())
    }),
    op("selu(Tensor self) -> Tensor", places::FUNCTION | places::INPLACE_FUNCTION, |a| {
        Ok(elu(a.tensor(0)?, 1.6732632423543772, 1.0507009873554805, 1.0)?.into())
    }),
    op("celu(Tensor self, Scalar alpha=1.0) -> Tensor", places::FUNCTION | places::INPLACE_FUNCTION, |a| {
        let alpha = a.float(1)?;
        if alpha == 0.0 {
            return Err(Error::runtime("ZeroDivisionError: alpha cannot be 0 for CELU"));
        }
        Ok(named(elu(a.tensor(0)?, alpha, 1.0, 1.0 / alpha)?, "CeluBackward0").into())
    }),
    op("gelu(Tensor self, *, str approximate=\"none\") -> Tensor", NN_INPLACE, |a| {
        Ok(gelu(a.tensor(0)?, &a.str(1)?)?.into())
    }),
    op("silu(Tensor self) -> Tensor", NN_INPLACE, |a| Ok(silu(a.tensor(0)?)?.into())),
    op("mish(Tensor self) -> Tensor", NN_INPLACE, |a| Ok(mish(a.tensor(0)?)?.into())),
    op("softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", places::NN, |a| {
        Ok(softplus(a.tensor(0)?, a.float(1)?, a.float(2)?)?.into())
    }),
    op("log_sigmoid(Tensor self) -> Tensor", places::NN, |a| Ok(log_sigmoid(a.tensor(0)?)?.into())),
    op("hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor", NN_INPLACE, |a| {
        Ok(hardtanh(a.tensor(0)?, a.float(1)?, a.float(2)?)?.into())
    }),
    op("hardsigmoid(Tensor self) -> Tensor", NN_INPLACE, |a| Ok(hardsigmoid(a.tensor(0)?)?.into())),
    op("hardswish(Tensor self) -> Tensor", NN_INPLACE, |a| Ok(hardswish(a.tensor(0)?)?.into())),
    op("softshrink(Tensor self, Scalar lambd=0.5) -> Tensor", places::NN, |a| one(a, softshrink)),
    op("hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor", places::BOTH, |a| one(a, hardshrink)),
    op(
        "threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor",
        places::FUNCTION | places::INPLACE_FUNCTION,
        |a| Ok(threshold(a.tensor(0)?, a.float(1)?, a.float(2)?)?.into()),
    ),
    op("prelu(Tensor self, Tensor weight) -> Tensor", places::BOTH, |a| Ok(prelu(a.tensor(0)?, a.tensor(1)?)?.into())),
    op("glu(Tensor self, int dim=-1) -> Tensor", places::NN, |a| Ok(glu(a.tensor(0)?, a.int(1)?)?.into())),
];
