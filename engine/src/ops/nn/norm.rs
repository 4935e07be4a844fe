//! Normalisation over batches, layers, groups and instances.

use crate::autograd::{Save, grad_mode};
use crate::dtype::DType;
use crate::error::{Error, Result, list};
use crate::ops::nn::fused;
use crate::ops::{
    add, cast, contiguous, mean, memory_order, mul, number, reshape, rounded_once, rsqrt, size_at, sub, sum,
};
use crate::registry::{Args, Op, op, places};
use crate::tensor::Tensor;

/// Mean and (biased) variance over `dims`, kept.
fn moments(x: &Tensor, dims: &[i64]) -> Result<(Tensor, Tensor)> {
    let m = mean(x, dims, true, None)?;
    let d = sub(x, &m)?;
    let v = mean(&mul(&d, &d)?, dims, true, None)?;
    Ok((m, v))
}

/// `x` row by row in memory, as results of normalisation lie, however their input does. Images whose channels are the last
/// in memory stay so, but not where layers are normalised.
fn rows(x: &Tensor, name: &str) -> Result<Tensor> {
    let last = x.ndim() >= 4 && name != "NativeLayerNormBackward0" && {
        let order = memory_order(&x.shape(), &[x.strides()]);
        order.first() == Some(&0) && order.last() == Some(&1) && order[1..order.len() - 1].is_sorted()
    };
    if last { Ok(x.clone()) } else { contiguous(x) }
}

/// `(x - mean) / sqrt(var + eps) * weight + bias` with the moments of `x` over `dims`. Weight and bias broadcast.
fn normalised(
    name: &'static str,
    x: &Tensor,
    dims: Vec<i64>,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    eps: f64,
) -> Result<Tensor> {
    let shape: Vec<i64> = x.shape().iter().map(|&s| s as i64).collect();
    normalised_as(name, x, &shape, dims, [weight, bias], eps)
}

/// Half and bfloat16 in float32, in which moments are computed.
fn wide(x: &Tensor) -> Result<Tensor> {
    if x.dtype().is_half() { cast(x, DType::F32) } else { Ok(x.clone()) }
}

/// [`normalised`], where `dims`, weight and bias speak of `x` seen in the shape `view`.
fn normalised_as(
    name: &'static str,
    x: &Tensor,
    view: &[i64],
    dims: Vec<i64>,
    [weight, bias]: [Option<&Tensor>; 2],
    eps: f64,
) -> Result<Tensor> {
    let own: Vec<i64> = x.shape().iter().map(|&s| s as i64).collect();
    let view = view.to_vec();
    let one = Tensor::full(&[], 1.into(), x.dtype())?;
    let zero = Tensor::zeros(&[], x.dtype())?;
    let (weight, bias) = (weight.unwrap_or(&one), bias.unwrap_or(&zero));
    let wide = wide(&x.detach())?;
    let (m, v) = grad_mode::no_grad(|| moments(&reshape(&wide, &view)?, &dims))?;
    let inv = grad_mode::no_grad(|| rsqrt(&add(&v, &number(eps)?)?))?;
    let saved = [Save::Input(x), Save::Input(weight), Save::Input(&m), Save::Input(&inv)];
    let shape = own.clone();
    let seen = reshape(&rows(&wide, name)?, &view)?;
    let forward = || {
        let y = add(&mul(&mul(&sub(&seen, &m)?, &inv)?, weight)?, bias)?;
        reshape(&cast(&y, x.dtype())?, &own)
    };
    fused(name, &[x, weight, bias], &saved, forward, move |ctx| {
        let (g, x, w) = (reshape(&ctx.grad()?, &view)?, &reshape(ctx.saved(0), &view)?, ctx.saved(1));
        // Gradients of gradients go through the moments too.
        let (m, inv) = if grad_mode::is_enabled() {
            let (m, v) = moments(x, &dims)?;
            (m, rsqrt(&add(&v, &number(eps)?)?)?)
        } else {
            (ctx.saved(2).clone(), ctx.saved(3).clone())
        };
        let hat = mul(&sub(x, &m)?, &inv)?;
        let to_x = ctx
            .needs(0)
            .then(|| {
                let gw = mul(&g, w)?;
                let along = mul(&hat, &mean(&mul(&gw, &hat)?, &dims, true, None)?)?;
                let to_x = mul(&sub(&sub(&gw, &mean(&gw, &dims, true, None)?)?, &along)?, &inv)?;
                reshape(&to_x, &shape)
            })
            .transpose()?;
        let to_w = ctx.needs(1).then(|| mul(&g, &hat)).transpose()?;
        Ok(vec![to_x, to_w, Some(g)])
    })
}

fn by_channel(p: Option<&Tensor>, ndim: usize) -> Result<Option<Tensor>> {
    let Some(p) = p else { return Ok(None) };
    let mut shape = vec![1i64; ndim];
    shape[1] = p.numel() as i64;
    reshape(p, &shape).map(Some)
}

fn check_channels(p: Option<&Tensor>, what: &str, channels: usize) -> Result<()> {
    match p {
        Some(p) if p.numel() != channels => {
            Err(Error::runtime(format!("{what} should contain {channels} elements not {}", p.numel())))
        }
        _ => Ok(()),
    }
}

/// Parameters of the input's dtype; float32 ones also do for a 16-bit input.
fn same_dtypes(x: &Tensor, parameters: &[Option<&Tensor>]) -> Result<()> {
    let dtypes = || parameters.iter().flatten().map(|p| p.dtype());
    let low = x.dtype().is_half();
    if dtypes().all(|d| d == x.dtype()) || low && dtypes().all(|d| d == DType::F32) {
        return Ok(());
    }
    // PyTorch looks at the first parameter: is it wider than the input, or not?
    Err(Error::runtime(if x.dtype() == DType::F32 || low {
        "mixed dtype (CPU): expect parameter to have scalar type of Float"
    } else {
        "mixed dtype (CPU): all inputs must share same datatype."
    }))
}

/// Batch normalisation of `[n, c, …]`. In training the running moments move by `momentum` towards the batch's.
///
/// # Errors
/// Fewer than two dimensions; parameters of another size; a single value per channel in training (raised by Python).
pub fn batch_norm(
    x: &Tensor,
    [weight, bias, mean_, var]: [Option<&Tensor>; 4],
    training: bool,
    momentum: f64,
    eps: f64,
) -> Result<Tensor> {
    let channels = x.shape().get(1).copied().unwrap_or(0);
    if !training {
        for (moment, what) in [(mean_, "running_mean"), (var, "running_var")] {
            if moment.is_none() {
                return Err(Error::runtime(format!("{what} must be defined in evaluation mode")));
            }
        }
    }
    check_channels(mean_, "running_mean", channels)?;
    check_channels(var, "running_var", channels)?;
    check_channels(weight, "weight", channels)?;
    check_channels(bias, "bias", channels)?;
    size_at(x, 1)?;
    if channels == 0 && x.ndim() == 2 {
        return Err(Error::index("select(): index 0 out of range for tensor of size [0] at dimension 0"));
    }
    if !x.dtype().is_float() {
        return Err(Error::no_kernel("batch_norm", x.dtype()));
    }
    same_dtypes(x, &[weight, bias, mean_, var])?;
    let (w, b) = (by_channel(weight, x.ndim())?, by_channel(bias, x.ndim())?);
    let dims: Vec<i64> = (0..x.ndim() as i64).filter(|&d| d != 1).collect();
    if !training {
        let (Some(m), Some(v)) = (mean_, var) else {
            return Err(Error::runtime("Expected running_mean and running_var to be defined when training=False"));
        };
        let m = by_channel(Some(&wide(&m.detach())?), x.ndim())?.unwrap_or_else(|| m.clone());
        let v = by_channel(Some(&wide(&v.detach())?), x.ndim())?.unwrap_or_else(|| v.clone());
        let inv = rsqrt(&add(&v, &number(eps)?)?)?;
        let one = Tensor::full(&[], 1.into(), x.dtype())?;
        let zero = Tensor::zeros(&[], x.dtype())?;
        let (w, b) = (w.unwrap_or(one), b.unwrap_or(zero));
        let saved = [Save::Input(x), Save::Input(&w), Save::Input(&m), Save::Input(&inv)];
        let name = "NativeBatchNormBackward0";
        let seen = rows(&x.detach(), name)?;
        let forward = || cast(&add(&mul(&mul(&sub(&seen, &m)?, &inv)?, &w)?, &b)?, x.dtype());
        return fused(name, &[x, &w, &b], &saved, forward, |ctx| {
            let (g, x, w, m, inv) = (ctx.grad()?, ctx.saved(0), ctx.saved(1), ctx.saved(2), ctx.saved(3));
            let to_x = mul(&mul(&g, w)?, inv)?;
            let to_w = ctx.needs(1).then(|| mul(&g, &mul(&sub(x, m)?, inv)?)).transpose()?;
            Ok(vec![Some(to_x), to_w, Some(g)])
        });
    }
    let out = normalised("NativeBatchNormBackward0", x, dims.clone(), w.as_ref(), b.as_ref(), eps)?;
    if (mean_.is_some() || var.is_some()) && x.numel() > 0 {
        grad_mode::no_grad(|| -> Result<()> {
            let (m, v) = moments(&x.detach(), &dims)?;
            let n = (x.numel() / channels.max(1)) as f64;
            let unbiased = mul(&v, &number(n / (n - 1.0))?)?;
            for (running, new) in [(mean_, m), (var, unbiased)] {
                if let Some(r) = running {
                    let new = cast(&reshape(&new, &[-1])?, r.dtype())?;
                    let next = rounded_once([r, &new], |[r, new]| {
                        add(&mul(r, &number(1.0 - momentum)?)?, &mul(new, &number(momentum)?)?)
                    })?;
                    crate::autograd::inplace(r, || Ok(next))?;
                }
            }
            Ok(())
        })?;
    }
    Ok(out)
}

/// Normalisation over the last dimensions, of sizes `shape`.
///
/// # Errors
/// The input does not end in `shape`; parameters of another shape.
pub fn layer_norm(
    x: &Tensor,
    shape: &[i64],
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    eps: f64,
) -> Result<Tensor> {
    let xs = x.shape();
    let want: Vec<usize> = shape.iter().map(|&s| s.max(0) as usize).collect();
    if want.is_empty() {
        return Err(Error::runtime(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got \
             normalized_shape = []",
        ));
    }
    for (p, what) in [(weight, "weight"), (bias, "bias")] {
        if let Some(p) = p
            && p.shape() != want
        {
            return Err(Error::runtime(format!(
                "Expected {what} to be of same shape as normalized_shape, but got {what} of shape {} and \
                 normalized_shape = {}",
                list(&p.shape()),
                list(shape)
            )));
        }
    }
    if !xs.ends_with(&want) {
        let inner: String = shape.iter().map(|s| format!(", {s}")).collect();
        return Err(Error::runtime(format!(
            "Given normalized_shape={}, expected input with shape [*{inner}], but got input of size{}",
            list(shape),
            list(&xs)
        )));
    }
    same_dtypes(x, &[weight, bias])?;
    let dims = (xs.len() - want.len()..xs.len()).map(|d| d as i64).collect();
    normalised("NativeLayerNormBackward0", x, dims, weight, bias, eps)
}

/// Normalisation of `[n, c, …]` over groups of channels.
///
/// # Errors
/// Channels that the groups don't divide.
pub fn group_norm(x: &Tensor, groups: i64, weight: Option<&Tensor>, bias: Option<&Tensor>, eps: f64) -> Result<Tensor> {
    if x.ndim() < 2 {
        return Err(Error::runtime(format!(
            "Expected at least 2 dimensions for input tensor but received {}",
            x.ndim()
        )));
    }
    let channels = x.size(1);
    if groups <= 0 || !channels.is_multiple_of(groups as usize) {
        return Err(Error::runtime(format!(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape {} and \
             num_groups={groups}",
            list(&x.shape())
        )));
    }
    for (p, what) in [(weight, "weight"), (bias, "bias")] {
        if let Some(p) = p
            && p.shape() != [channels]
        {
            return Err(Error::runtime(format!(
                "Expected {what} to be a vector of size equal to the number of channels in input, but got {what} of shape \
                 {} and input of shape {}",
                list(&p.shape()),
                list(&x.shape())
            )));
        }
    }
    same_dtypes(x, &[weight, bias])?;
    let each = channels as i64 / groups;
    let by_group = |p: Option<&Tensor>| p.map(|p| reshape(p, &[1, groups, each, 1])).transpose();
    let (w, b) = (by_group(weight)?, by_group(bias)?);
    let pixels = crate::layout::numel(&x.shape()[2..]) as i64;
    let view = [x.size(0) as i64, groups, each, pixels];
    normalised_as("NativeGroupNormBackward0", x, &view, vec![2, 3], [w.as_ref(), b.as_ref()], eps)
}

/// Each sample and channel by itself, or, outside training, by the running moments.
fn instance_norm(a: &Args) -> Result<Tensor> {
    let x = a.tensor(0)?;
    let (w, b, m, v) = (a.opt_tensor(1)?, a.opt_tensor(2)?, a.opt_tensor(3)?, a.opt_tensor(4)?);
    let (use_input, momentum, eps) = (a.bool(5)?, a.float(6)?, a.float(7)?);
    if !use_input {
        if m.is_none() || v.is_none() {
            return Err(Error::runtime(
                "Expected running_mean and running_var to be defined when use_input_stats is false",
            ));
        }
        return batch_norm(x, [w.as_ref(), b.as_ref(), m.as_ref(), v.as_ref()], false, momentum, eps);
    }
    let dims: Vec<i64> = (2..x.ndim() as i64).collect();
    if x.ndim() < 2 {
        return Err(Error::runtime(format!("instance_norm expects at least two dimensions, got {}", list(&x.shape()))));
    }
    for (p, what) in [(&w, "weight"), (&b, "bias"), (&m, "running_mean"), (&v, "running_var")] {
        check_channels(p.as_ref(), what, x.size(1))?;
    }
    same_dtypes(x, &[w.as_ref(), b.as_ref(), m.as_ref(), v.as_ref()])?;
    // As in PyTorch: a batch norm in which each channel of each example is a channel, and a view of that.
    let (n, c) = (x.size(0) as i64, x.size(1) as i64);
    let shape: Vec<i64> = x.shape().iter().map(|&s| s as i64).collect();
    let flat: Vec<i64> = [1, n * c].into_iter().chain(shape[2..].iter().copied()).collect();
    let mut one_each = vec![1i64; x.ndim()];
    one_each[1] = n * c;
    let repeated = |p: &Option<Tensor>| -> Result<Option<Tensor>> {
        let Some(p) = p else { return Ok(None) };
        reshape(&crate::ops::expand(p, &[n, c])?, &one_each).map(Some)
    };
    let (wc, bc) = (repeated(&w)?, repeated(&b)?);
    let seen = reshape(x, &flat)?;
    let out = normalised("NativeBatchNormBackward0", &seen, dims.clone(), wc.as_ref(), bc.as_ref(), eps)?;
    let out = reshape(&out, &shape)?;
    if m.is_some() || v.is_some() {
        grad_mode::no_grad(|| -> Result<()> {
            let (mean_x, var_x) = moments(&x.detach(), &dims)?;
            let n = crate::layout::numel(&x.shape()[2..]) as f64;
            let unbiased = mul(&var_x, &number(n / (n - 1.0))?)?;
            for (running, new) in [(&m, mean_x), (&v, unbiased)] {
                if let Some(r) = running {
                    let new = mean(&reshape(&new, &[x.size(0) as i64, -1])?, &[0], false, None)?;
                    let next = add(&mul(r, &number(1.0 - momentum)?)?, &mul(&new, &number(momentum)?)?)?;
                    crate::autograd::inplace(r, || cast(&next, r.dtype()))?;
                }
            }
            Ok(())
        })?;
    }
    Ok(out)
}

/// `x / sqrt(mean(x^2) + eps) * weight` over the last dimensions.
fn rms_norm(a: &Args) -> Result<Tensor> {
    let (x, shape, weight) = (a.tensor(0)?, a.ints(1)?, a.opt_tensor(2)?);
    let eps = a.opt_float(3)?.unwrap_or(match x.dtype() {
        crate::DType::F64 => f64::EPSILON,
        _ => f32::EPSILON as f64,
    });
    let want: Vec<usize> = shape.iter().map(|&s| s.max(0) as usize).collect();
    if want.is_empty() {
        return Err(Error::runtime(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got \
             normalized_shape = []",
        ));
    }
    if let Some(w) = &weight
        && w.shape() != want
    {
        return Err(Error::runtime(format!(
            "Expected weight to be of same shape as normalized_shape, but got weight of shape {} and normalized_shape = {}",
            list(&w.shape()),
            list(&shape)
        )));
    }
    if x.ndim() < want.len() {
        return Err(Error::value(format!(
            "Input tensor must have at least {} dimensions, but got {}",
            want.len(),
            x.ndim()
        )));
    }
    if !x.shape().ends_with(&want) {
        let inner = shape.iter().map(|s| s.to_string()).collect::<Vec<_>>().join(", ");
        return Err(Error::runtime(format!(
            "Given normalized_shape={}, expected input with shape [*{inner}], but got input of size{}",
            list(&shape),
            list(&x.shape())
        )));
    }
    let dims: Vec<i64> = (1..=shape.len() as i64).map(|d| -d).collect();
    let x = &contiguous(x)?;
    let square = mean(&mul(x, x)?, &dims, true, None)?;
    let y = mul(x, &rsqrt(&add(&square, &number(eps)?)?)?)?;
    match weight {
        Some(w) => mul(&y, &w),
        None => Ok(y),
    }
}

/// The norm of a weight over all dimensions but one, kept (`weight_norm`).
fn norm_except_dim(a: &Args) -> Result<Tensor> {
    let (v, dim) = (a.tensor(0)?, a.int(2)?);
    reshape(v, &[size_at(v, dim)? as i64, -1])?;
    let dims: Vec<i64> = (0..v.ndim() as i64).filter(|&d| d != dim).collect();
    crate::ops::sqrt(&sum(&mul(v, v)?, &dims, true, None)?)
}

pub(crate) const TABLE: &[Op] = &[
    op(
        "batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, \
         float momentum, float eps, bool cudnn_enabled) -> Tensor",
        places::FUNCTION,
        |a| {
            let p = [a.opt_tensor(1)?, a.opt_tensor(2)?, a.opt_tensor(3)?, a.opt_tensor(4)?];
            let p = [p[0].as_ref(), p[1].as_ref(), p[2].as_ref(), p[3].as_ref()];
            Ok(batch_norm(a.tensor(0)?, p, a.bool(5)?, a.float(6)?, a.float(7)?)?.into())
        },
    ),
    op(
        "layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, \
         bool cudnn_enable=True) -> Tensor",
        places::FUNCTION,
        |a| {
            let (w, b) = (a.opt_tensor(2)?, a.opt_tensor(3)?);
            Ok(layer_norm(a.tensor(0)?, &a.ints(1)?, w.as_ref(), b.as_ref(), a.float(4)?)?.into())
        },
    ),
    op(
        "group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, \
         bool cudnn_enabled=True) -> Tensor",
        places::FUNCTION,
        |a| {
            let (w, b) = (a.opt_tensor(2)?, a.opt_tensor(3)?);
            Ok(group_norm(a.tensor(0)?, a.int(1)?, w.as_ref(), b.as_ref(), a.float(4)?)?.into())
        },
    ),
    op(
        "instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, \
         bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor",
        places::FUNCTION,
        |a| Ok(instance_norm(a)?.into()),
    ),
    op(
        "rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
        places::FUNCTION,
        |a| Ok(rms_norm(a)?.into()),
    ),
    op("norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor", places::FUNCTION, |a| {
        Ok(norm_except_dim(a)?.into())
    }),
];
