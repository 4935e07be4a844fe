//! Losses. The common ones are one node each, as in PyTorch; the rest are made of other ops.

use crate::autograd::{Save, named};
use crate::dtype::DType;
use crate::error::{Error, Result, list};
use crate::ops::nn::activation::{gate, log_sigmoid};
use crate::ops::nn::{Reduction, fused};
use crate::ops::{
    abs, add, cast, clamp_min, div, div_number, exp, log, log_softmax, log1p, maximum, mean, mul, neg, number,
    put_places, reshape, sign, sub, sum, take_places,
};
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

/// Class indices checked and turned into places of `[n, classes, inner]`, with their weights (0 where ignored).
pub(super) struct Picked {
    pub(super) at: Tensor,
    pub(super) weight: Tensor,
    total: f64,
}

pub(super) fn pick(x: &Tensor, target: &Tensor, weight: Option<&Tensor>, ignore: i64) -> Result<Picked> {
    let shape = x.shape();
    let (classes, inner) = if x.ndim() == 1 { (shape[0], 1) } else { (shape[1], crate::layout::numel(&shape[2..])) };
    let weights = weight.map(|w| w.to_vec::<f64>()).transpose()?;
    let ids = target.to_vec::<i64>()?;
    let (mut at, mut ws) = (Vec::with_capacity(ids.len()), Vec::with_capacity(ids.len()));
    for (i, &c) in ids.iter().enumerate() {
        let (n, l) = (i / inner.max(1), i % inner.max(1));
        let kept = c != ignore;
        if kept && (c < 0 || c as usize >= classes) {
            return Err(Error::index(format!("Target {c} is out of bounds.")));
        }
        let class = if kept { c as usize } else { 0 };
        at.push(((n * classes + class) * inner + l) as i64);
        ws.push(if kept { weights.as_ref().map_or(1.0, |w| w[class]) } else { 0.0 });
    }
    let total = ws.iter().sum();
    Ok(Picked {
        at: Tensor::from_slice(&at, &target.shape())?,
        weight: cast(&Tensor::from_slice(&ws, &target.shape())?, x.dtype())?,
        total,
    })
}

fn check_nll(x: &Tensor, target: &Tensor, weight: Option<&Tensor>) -> Result<()> {
    let (xs, ts) = (x.shape(), target.shape());
    if x.ndim() == 0 {
        return Err(Error::value("Expected 1 or more dimensions (got 0)"));
    }
    if x.ndim() == 1 {
        if !ts.is_empty() && target.numel() != 1 {
            return Err(Error::runtime("0D or 1D target tensor expected, multi-target not supported"));
        }
    } else if ts.first() != xs.first() {
        return Err(Error::value(format!(
            "Expected input batch_size ({}) to match target batch_size ({}).",
            xs[0],
            ts.first().copied().unwrap_or(0)
        )));
    } else if x.ndim() == 2 && ts.len() != 1 {
        return Err(Error::runtime("0D or 1D target tensor expected, multi-target not supported"));
    } else if x.ndim() > 2 && ts[1..] != xs[2..] {
        return Err(Error::runtime(format!(
            "Expected target size {}, got {}",
            list(&[&xs[..1], &xs[2..]].concat()),
            list(&ts)
        )));
    }
    if !matches!(target.dtype(), DType::I64 | DType::U8) {
        return Err(Error::runtime(format!(
            "expected target dtype to be Long or Byte, but got {}",
            target.dtype().scalar_type_name()
        )));
    }
    let classes = if x.ndim() == 1 { xs[0] } else { xs[1] };
    if let Some(w) = weight
        && (w.ndim() != 1 || w.numel() != classes)
    {
        return Err(Error::runtime(if x.ndim() > 2 {
            "weight tensor should be defined either for all or no classes".to_owned()
        } else {
            format!(
                "weight tensor should be defined either for all {classes} classes or no classes but got weight tensor \
                 of shape: {}",
                list(&w.shape())
            )
        }));
    }
    Ok(())
}

fn check_weight_dtype(x: &Tensor, weight: Option<&Tensor>) -> Result<()> {
    match weight {
        Some(w) if w.dtype() != x.dtype() => Err(Error::runtime(format!(
            "expected scalar type {} but found {}",
            x.dtype().scalar_type_name(),
            w.dtype().scalar_type_name()
        ))),
        _ => Ok(()),
    }
}

/// Negative log likelihood of class indices, over `[classes]`, `[n, classes]` or `[n, classes, …]` log-probabilities.
///
/// # Errors
/// PyTorch's on shapes, dtypes and indices out of range.
pub fn nll_loss(
    x: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: Reduction,
    ignore: i64,
) -> Result<Tensor> {
    check_nll(x, target, weight)?;
    check_weight_dtype(x, weight)?;
    let p = pick(x, target, weight, ignore)?;
    let (shape, total) = (x.shape(), p.total);
    let name = if x.ndim() > 2 { "NllLoss2DBackward0" } else { "NllLossBackward0" };
    let saved = [Save::Input(&p.at), Save::Input(&p.weight)];
    let forward = || {
        let each = neg(&mul(&take_places(x, &p.at)?, &p.weight)?)?;
        match reduction {
            Reduction::None => Ok(each),
            Reduction::Sum => sum(&each, &[], false, None),
            Reduction::Mean => div(&sum(&each, &[], false, None)?, &number(total)?),
        }
    };
    fused(name, &[x], &saved, forward, move |ctx| {
        let (at, weight) = (ctx.saved(0), ctx.saved(1));
        let mut scaled = neg(&mul(weight, &ctx.grad()?)?)?;
        if reduction == Reduction::Mean {
            // Where all is ignored the mean is not a number, but its gradient is zero.
            scaled = if total == 0.0 { scaled.zeros_like()? } else { div(&scaled, &number(total)?)? };
        }
        let zeros = Tensor::zeros(&shape, scaled.dtype())?;
        Ok(vec![Some(put_places(&zeros, at, &scaled, true)?)])
    })
}

/// Cross entropy of unnormalised scores against class indices, or against probabilities of the scores' shape.
///
/// # Errors
/// As [`nll_loss`]; label smoothing outside `[0, 1]`.
pub fn cross_entropy_loss(
    x: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: Reduction,
    ignore: i64,
    smoothing: f64,
) -> Result<Tensor> {
    if !(0.0..=1.0).contains(&smoothing) {
        return Err(Error::runtime(format!("label_smoothing must be between 0.0 and 1.0. Got: {smoothing}")));
    }
    let class_dim = if x.ndim() == 1 { 0 } else { 1 };
    if x.ndim() == 0 {
        return Err(match (target.ndim(), target.dtype().is_float()) {
            (0, true) => Error::index("Dimension specified as 1 but tensor has no dimensions"),
            (0, false) => Error::runtime(format!(
                "Expected floating point type for target with class probabilities, got {}",
                target.dtype().scalar_type_name()
            )),
            _ => Error::DimRange { dim: 1, ndim: 0 },
        });
    }
    let classes = x.size(class_dim);
    let by_class = |w: &Tensor| {
        let mut shape = vec![1i64; x.ndim()];
        shape[class_dim] = classes as i64;
        reshape(w, &shape)
    };
    check_weight_dtype(x, weight)?;
    if x.shape() == target.shape() {
        if !target.dtype().is_float() {
            return Err(Error::runtime(format!(
                "Expected floating point type for target with class probabilities, got {}",
                target.dtype().scalar_type_name()
            )));
        }
        if ignore >= 0 {
            return Err(Error::runtime("ignore_index is not supported for floating point target"));
        }
        let target = if smoothing > 0.0 {
            add(&mul(target, &number(1.0 - smoothing)?)?, &number(smoothing / classes as f64)?)?
        } else {
            target.clone()
        };
        let logp = log_softmax(x, class_dim as i64, None)?;
        let mut each = mul(&logp, &target)?;
        if let Some(w) = weight {
            each = mul(&each, &by_class(w)?)?;
        }
        let each = neg(&sum(&each, &[class_dim as i64], false, None)?)?;
        return match reduction {
            Reduction::None => Ok(each),
            Reduction::Sum => sum(&each, &[], false, None),
            Reduction::Mean => {
                // The mean of nothing is not a number.
                let n = x.numel() / classes.max(1);
                div_number(&sum(&each, &[], false, None)?, n as f64)
            }
        };
    }
    if target.dtype().is_float() && x.ndim() == target.ndim() {
        return Err(Error::runtime(format!(
            "Expected floating point type for target with class probabilities, got {}",
            target.dtype().scalar_type_name()
        )));
    }
    let logp = log_softmax(x, class_dim as i64, None)?;
    let hard = nll_loss(&logp, target, weight, reduction, ignore)?;
    if smoothing == 0.0 {
        return Ok(hard);
    }
    let spread = match weight {
        Some(w) => mul(&logp, &by_class(w)?)?,
        None => logp.clone(),
    };
    let p = pick(x, target, weight, ignore)?;
    let kept = pick(x, target, None, ignore)?.weight;
    let smooth = mul(&neg(&sum(&spread, &[class_dim as i64], false, None)?)?, &kept)?;
    let smooth = match reduction {
        Reduction::None => smooth,
        Reduction::Sum => sum(&smooth, &[], false, None)?,
        Reduction::Mean => div(&sum(&smooth, &[], false, None)?, &number(p.total)?)?,
    };
    add(&mul(&hard, &number(1.0 - smoothing)?)?, &mul(&smooth, &number(smoothing / classes as f64)?)?)
}

/// # Errors
/// Values outside `[0, 1]`.
fn check_unit(x: &Tensor, what: &str) -> Result<()> {
    if x.to_vec::<f64>()?.iter().any(|v| !(0.0..=1.0).contains(v)) {
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
        "nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100) -> Tensor",
        places::NN,
        |a| Ok(nll_loss(a.tensor(0)?, a.tensor(1)?, a.opt_tensor(2)?.as_ref(), red(a, 3)?, a.int(4)?)?.into()),
    ),
    op(
        "cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100, \
         float label_smoothing=0.0) -> Tensor",
        places::NN,
        |a| {
            let weight = a.opt_tensor(2)?;
            let (x, t) = (a.tensor(0)?, a.tensor(1)?);
            Ok(cross_entropy_loss(x, t, weight.as_ref(), red(a, 3)?, a.int(4)?, a.float(5)?)?.into())
        },
    ),
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
