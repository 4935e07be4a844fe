//! Losses. The common ones are one node each, as in PyTorch; the rest are made of other ops.

use crate::autograd::{Save, named};
use crate::error::{Error, Result, list};
use crate::ops::nn::activation::{gate, log_sigmoid};
use crate::ops::nn::{Reduction, fused};
use crate::ops::{abs, add, clamp_min, div, exp, log, log1p, maximum, mean, mul, neg, number, sign, sub, sum};
use crate::registry::{Args, Op, op, places};
use crate::tensor::Tensor;

/// Reduce a loss over all elements.
pub fn reduced(loss: &Tensor, reduction: Reduction) -> Result<Tensor> {
    match reduction {
        Reduction::None => Ok(loss.clone()),
        Reduction::Mean => mean(loss, &[], false, None),
        Reduction::Sum => sum(loss, &[], false, None),
    }
}

/// The factor by which a mean divides each element's gradient.
fn share(g: &Tensor, numel: usize, reduction: Reduction) -> Result<Tensor> {
    if reduction == Reduction::Mean { div(g, &number(numel as f64)?) } else { Ok(g.clone()) }
}

/// A loss of `x - t` with derivative `slope(d)`, one node.
fn difference_loss(
    name: &'static str,
    x: &Tensor,
    t: &Tensor,
    reduction: Reduction,
    value: impl Fn(&Tensor) -> Result<Tensor>,
    slope: impl Fn(&Tensor) -> Result<Tensor> + 'static,
) -> Result<Tensor> {
    // PyTorch broadcasts here, with a warning from Python.
    let numel = crate::layout::broadcast_shapes(&x.shape(), &t.shape()).map(|s| crate::layout::numel(&s))?;
    let saved = [Save::Input(x), Save::Input(t)];
    fused(
        name,
        &[x, t],
        &saved,
        || reduced(&value(&sub(x, t)?)?, reduction),
        move |ctx| {
            let d = sub(ctx.saved(0), ctx.saved(1))?;
            let g = mul(&share(&ctx.grad()?, numel, reduction)?, &slope(&d)?)?;
            let to_t = ctx.needs(1).then(|| neg(&g)).transpose()?;
            Ok(vec![Some(g), to_t])
        },
    )
}

pub fn mse_loss(x: &Tensor, t: &Tensor, reduction: Reduction) -> Result<Tensor> {
    let both = crate::DType::promote(x.dtype(), t.dtype());
    if both.is_complex() || !both.is_float() {
        return Err(Error::no_kernel("mse_cpu", crate::DType::promote(x.dtype(), t.dtype())));
    }
    difference_loss("MseLossBackward0", x, t, reduction, |d| mul(d, d), |d| mul(d, &number(2)?))
}

/// PyTorch makes this of two nodes, the last of which is the reduction.
pub fn l1_loss(x: &Tensor, t: &Tensor, reduction: Reduction) -> Result<Tensor> {
    reduced(&abs(&sub(x, t)?)?, reduction)
}

/// # Errors
/// A negative `beta`.
pub fn smooth_l1_loss(x: &Tensor, t: &Tensor, reduction: Reduction, beta: f64) -> Result<Tensor> {
    if beta < 0.0 {
        return Err(Error::runtime("smooth_l1_loss does not support negative values for beta."));
    }
    if beta == 0.0 {
        return l1_loss(x, t, reduction);
    }
    let value = move |d: &Tensor| {
        let inner = div(&mul(&mul(d, d)?, &number(0.5)?)?, &number(beta)?)?;
        let outer = sub(&abs(d)?, &number(0.5 * beta)?)?;
        add(&gate(&inner, d, -beta, beta, false)?, &gate(&outer, d, -beta, beta, true)?)
    };
    let slope = move |d: &Tensor| {
        let inner = div(d, &number(beta)?)?;
        add(&gate(&inner, d, -beta, beta, false)?, &gate(&sign(d)?, d, -beta, beta, true)?)
    };
    difference_loss("SmoothL1LossBackward0", x, t, reduction, value, slope)
}

/// # Errors
/// A `delta` that is not positive.
pub fn huber_loss(x: &Tensor, t: &Tensor, reduction: Reduction, delta: f64) -> Result<Tensor> {
    if delta <= 0.0 {
        return Err(Error::runtime("huber_loss does not support non-positive values for delta."));
    }
    let value = move |d: &Tensor| {
        let inner = mul(&mul(d, d)?, &number(0.5)?)?;
        let outer = mul(&sub(&abs(d)?, &number(0.5 * delta)?)?, &number(delta)?)?;
        add(&gate(&inner, d, -delta, delta, false)?, &gate(&outer, d, -delta, delta, true)?)
    };
    let slope = move |d: &Tensor| {
        let outer = mul(&sign(d)?, &number(delta)?)?;
        add(&gate(d, d, -delta, delta, false)?, &gate(&outer, d, -delta, delta, true)?)
    };
    difference_loss("HuberLossBackward0", x, t, reduction, value, slope)
}

/// # Errors
/// Values outside `[0, 1]`.
fn check_unit(x: &Tensor, what: &str) -> Result<()> {
    let inside = crate::ops::logical_and(&crate::ops::ge(x, &number(0)?)?, &crate::ops::le(x, &number(1)?)?)?;
    if !crate::ops::all(&inside, &[], false)?.is_true()? {
        return Err(Error::runtime(format!("all elements of {what} should be between 0 and 1")));
    }
    Ok(())
}

fn weighted(loss: Tensor, weight: Option<&Tensor>) -> Result<Tensor> {
    match weight {
        Some(w) => mul(&loss, w),
        None => Ok(loss),
    }
}

/// Binary cross entropy of probabilities; logarithms are held above -100, as in PyTorch.
///
/// # Errors
/// Values outside `[0, 1]`.
pub fn binary_cross_entropy(x: &Tensor, t: &Tensor, weight: Option<&Tensor>, reduction: Reduction) -> Result<Tensor> {
    for other in [Some(t), weight].into_iter().flatten() {
        if other.dtype() != x.dtype() {
            return Err(Error::runtime(format!(
                "Found dtype {} but expected {}",
                other.dtype().scalar_type_name(),
                x.dtype().scalar_type_name()
            )));
        }
    }
    check_unit(x, "input")?;
    check_unit(t, "target")?;
    let numel = x.numel();
    let ones = Tensor::full(&[], 1.into(), x.dtype())?;
    let weight = weight.cloned().unwrap_or(ones);
    let saved = [Save::Input(x), Save::Input(t), Save::Input(&weight)];
    let forward = || {
        let one = number(1)?;
        let yes = mul(t, &clamp_min(&log(x)?, &number(-100.0)?)?)?;
        let no = mul(&sub(&one, t)?, &clamp_min(&log1p(&neg(x)?)?, &number(-100.0)?)?)?;
        reduced(&mul(&neg(&add(&yes, &no)?)?, &weight)?, reduction)
    };
    fused("BinaryCrossEntropyBackward0", &[x, t], &saved, forward, move |ctx| {
        let (x, t, w) = (ctx.saved(0), ctx.saved(1), ctx.saved(2));
        let one = number(1)?;
        let g = mul(&share(&ctx.grad()?, numel, reduction)?, w)?;
        let spread = clamp_min(&mul(&sub(&one, x)?, x)?, &number(1e-12)?)?;
        let to_x = mul(&g, &div(&sub(x, t)?, &spread)?)?;
        let to_t = ctx
            .needs(1)
            .then(|| {
                let low = number(-100)?;
                let (yes, no) = (maximum(&log(x)?, &low)?, maximum(&log1p(&neg(x)?)?, &low)?);
                mul(&g, &sub(&no, &yes)?)
            })
            .transpose()?;
        Ok(vec![Some(to_x), to_t])
    })
}

/// Binary cross entropy of scores, without overflow.
pub fn binary_cross_entropy_with_logits(
    x: &Tensor,
    t: &Tensor,
    weight: Option<&Tensor>,
    pos_weight: Option<&Tensor>,
    reduction: Reduction,
) -> Result<Tensor> {
    if x.shape() != t.shape() {
        return Err(Error::value(format!(
            "Target size (torch.Size({})) must be the same as input size (torch.Size({}))",
            list(&t.shape()),
            list(&x.shape())
        )));
    }
    if x.dtype().is_float() && !t.dtype().is_float() {
        return Err(Error::runtime(format!(
            "result type {} can't be cast to the desired output type {}",
            x.dtype().scalar_type_name(),
            t.dtype().scalar_type_name()
        )));
    }
    let mut inputs = vec![x, t];
    inputs.extend(weight);
    inputs.extend(pos_weight);
    let formula = move |x: &Tensor, t: &Tensor, w: Option<&Tensor>, p: Option<&Tensor>| {
        let rest = mul(&sub(&number(1)?, t)?, x)?;
        let log = log_sigmoid(x)?;
        let loss = match p {
            Some(p) => sub(&rest, &mul(&add(&mul(&sub(p, &number(1)?)?, t)?, &number(1)?)?, &log)?)?,
            None => sub(&rest, &log)?,
        };
        weighted(loss, w)
    };
    let numel = x.numel();
    let one = Tensor::full(&[], 1.into(), x.dtype())?;
    let (w, p) = (weight.unwrap_or(&one), pos_weight.unwrap_or(&one));
    let saved = [Save::Input(x), Save::Input(t), Save::Input(w), Save::Input(p)];
    let forward = || reduced(&formula(x, t, weight, pos_weight)?, reduction);
    fused("BinaryCrossEntropyWithLogitsBackward0", &[x, t], &saved, forward, move |ctx| {
        let (x, t, w, p) = (ctx.saved(0), ctx.saved(1), ctx.saved(2), ctx.saved(3));
        let one = number(1)?;
        let g = mul(&share(&ctx.grad()?, numel, reduction)?, w)?;
        // d/dx: (1 - t) - (1 + (p - 1) t) (1 - sigmoid(x))
        let lead = add(&mul(&sub(p, &one)?, t)?, &one)?;
        let falls = sub(&one, &crate::ops::sigmoid(x)?)?;
        let to_x = mul(&g, &sub(&sub(&one, t)?, &mul(&lead, &falls)?)?)?;
        let to_t =
            ctx.needs(1).then(|| mul(&g, &neg(&add(x, &mul(&sub(p, &one)?, &log_sigmoid(x)?)?)?)?)).transpose()?;
        Ok(vec![Some(to_x), to_t])
    })
}

/// `target * (log target - input)`; with `log_target` the target is a logarithm too.
pub fn kl_div(x: &Tensor, t: &Tensor, reduction: Reduction, log_target: bool) -> Result<Tensor> {
    let each = if log_target {
        mul(&exp(t)?, &sub(t, x)?)?
    } else {
        let entropy = crate::ops::xlogy(t, t)?;
        sub(&entropy, &mul(t, x)?)?
    };
    reduced(&each, reduction)
}

fn poisson_nll(a: &Args) -> Result<Tensor> {
    let (x, t) = (a.tensor(0)?, a.tensor(1)?);
    let (log_input, full, eps) = (a.bool(2)?, a.bool(3)?, a.float(4)?);
    let mut loss =
        if log_input { sub(&exp(x)?, &mul(t, x)?)? } else { sub(x, &mul(t, &log(&add(x, &number(eps)?)?)?)?)? };
    if full {
        let tail = mul(&log(&mul(t, &number(2.0 * std::f64::consts::PI)?)?)?, &number(0.5)?)?;
        let stirling = add(&sub(&mul(t, &log(t)?)?, t)?, &tail)?;
        let large = crate::ops::gt(t, &number(1)?)?;
        loss = add(&loss, &crate::ops::where_(&large, &stirling, &Tensor::zeros(&[], x.dtype())?)?)?;
    }
    reduced(&loss, Reduction::from_int(a.int(5)?))
}

pub(super) fn red(a: &Args, i: usize) -> Result<Reduction> {
    Ok(Reduction::from_int(a.int(i)?))
}

pub(crate) const TABLE: &[Op] = &[
    op("mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", places::NN, |a| {
        Ok(mse_loss(a.tensor(0)?, a.tensor(1)?, red(a, 2)?)?.into())
    }),
    op("l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", places::NN, |a| {
        Ok(l1_loss(a.tensor(0)?, a.tensor(1)?, red(a, 2)?)?.into())
    }),
    op("smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.0) -> Tensor", places::NN, |a| {
        Ok(smooth_l1_loss(a.tensor(0)?, a.tensor(1)?, red(a, 2)?, a.float(3)?)?.into())
    }),
    op("huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.0) -> Tensor", places::NN, |a| {
        Ok(huber_loss(a.tensor(0)?, a.tensor(1)?, red(a, 2)?, a.float(3)?)?.into())
    }),
    op(
        "binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor",
        places::NN,
        |a| Ok(binary_cross_entropy(a.tensor(0)?, a.tensor(1)?, a.opt_tensor(2)?.as_ref(), red(a, 3)?)?.into()),
    ),
    op(
        "binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, \
         int reduction=1) -> Tensor",
        places::FUNCTION,
        |a| {
            let (w, p) = (a.opt_tensor(2)?, a.opt_tensor(3)?);
            let (x, t) = (a.tensor(0)?, a.tensor(1)?);
            Ok(binary_cross_entropy_with_logits(x, t, w.as_ref(), p.as_ref(), red(a, 4)?)?.into())
        },
    ),
    op(
        "kl_div(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor",
        places::FUNCTION,
        |a| Ok(kl_div(a.tensor(0)?, a.tensor(1)?, red(a, 2)?, a.bool(3)?)?.into()),
    ),
    op("soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", places::NN, |a| {
        let (x, t) = (a.tensor(0)?, a.tensor(1)?);
        let both = crate::layout::broadcast_shapes(&x.shape(), &t.shape())?;
        if both != x.shape() {
            return Err(Error::runtime(format!(
                "output with shape {} doesn't match the broadcast shape {}",
                list(&x.shape()),
                list(&both)
            )));
        }
        let inner = log1p(&exp(&neg(&mul(x, t)?)?)?)?;
        Ok(named(reduced(&inner, red(a, 2)?)?, "SoftMarginLossBackward0").into())
    }),
    op(
        "poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor",
        places::FUNCTION,
        |a| Ok(poisson_nll(a)?.into()),
    ),
];
