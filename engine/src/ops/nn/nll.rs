//! Negative log likelihood and cross entropy of class indices. The host looks at the indices; on a GPU the same is said in
//! ops, which become part of the kernels around them.

use crate::autograd::{Save, grad_mode::no_grad};
use crate::backend::Fault;
use crate::device;
use crate::dtype::DType;
use crate::error::{Error, Result, list};
use crate::layout::Layout;
use crate::ops::nn::loss::red;
use crate::ops::nn::{Reduction, fused};
use crate::ops::{
    add, cast, checked, div, div_number, eq, grid, log_softmax, mul, ne, neg, number, put_places, reshape, sum,
    take_places, where_,
};
use crate::registry::{Op, op, places};
use crate::tensor::Tensor;

/// Class indices checked and turned into places of `[n, classes, inner]`, with their weights (0 where ignored).
pub(super) struct Picked {
    pub(super) at: Tensor,
    pub(super) weight: Tensor,
    /// What a mean divides by: the weights' sum, a number where the host knows it.
    total: Tensor,
}

/// `[n, classes, inner]`.
fn extent(x: &Tensor) -> (usize, usize, usize) {
    let shape = x.shape();
    match shape.len() {
        1 => (1, shape[0], 1),
        _ => (shape[0], shape[1], crate::layout::numel(&shape[2..])),
    }
}

pub(super) fn pick(x: &Tensor, target: &Tensor, weight: Option<&Tensor>, ignore: i64) -> Result<Picked> {
    if x.device().is_gpu() {
        return no_grad(|| pick_in_ops(x, target, weight, ignore));
    }
    let (_, classes, inner) = extent(x);
    let weights = weight.map(|w| w.to_vec::<f64>()).transpose()?;
    let ids = target.to_vec::<i64>()?;
    let (mut at, mut ws) = (Vec::with_capacity(ids.len()), Vec::with_capacity(ids.len()));
    for (i, &c) in ids.iter().enumerate() {
        let (n, l) = (i / inner.max(1), i % inner.max(1));
        let kept = c != ignore;
        if kept && (c < 0 || c as usize >= classes) {
            return Err(Fault::Target.error(c));
        }
        let class = if kept { c as usize } else { 0 };
        at.push(((n * classes + class) * inner + l) as i64);
        ws.push(if kept { weights.as_ref().map_or(1.0, |w| w[class]) } else { 0.0 });
    }
    Ok(Picked {
        at: Tensor::from_slice(&at, &target.shape())?,
        weight: cast(&Tensor::from_slice(&ws, &target.shape())?, x.dtype())?,
        total: number(ws.iter().sum::<f64>())?,
    })
}

fn pick_in_ops(x: &Tensor, target: &Tensor, weight: Option<&Tensor>, ignore: i64) -> Result<Picked> {
    let (n, classes, inner) = extent(x);
    let target = cast(&target.detach(), DType::I64)?;
    let kept = ne(&target, &number(ignore)?)?;
    let ids = checked(&where_(&kept, &target, &number(0)?)?, classes, Fault::Target)?;
    let walk = Layout { shape: vec![n, inner], strides: vec![classes * inner, 1], offset: 0 };
    let shape: Vec<i64> = target.shape().iter().map(|&s| s as i64).collect();
    let base = reshape(&grid(x.device(), walk)?, &shape)?;
    let at = add(&base, &mul(&ids, &number(inner as i64)?)?)?;
    let mut each = cast(&kept, x.dtype())?;
    if let Some(w) = weight {
        each = mul(&each, &take_places(&w.detach(), &ids)?)?;
    }
    let total = sum(&each, &[], false, None)?;
    Ok(Picked { at, weight: each, total })
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
    let (shape, (n, classes, inner)) = (x.shape(), extent(x));
    let name = if x.ndim() > 2 { "NllLoss2DBackward0" } else { "NllLossBackward0" };
    let saved = [Save::Input(&p.at), Save::Input(&p.weight), Save::Input(&p.total)];
    let forward = || {
        let each = neg(&mul(&take_places(x, &p.at)?, &p.weight)?)?;
        match reduction {
            Reduction::None => Ok(each),
            Reduction::Sum => sum(&each, &[], false, None),
            Reduction::Mean => div(&sum(&each, &[], false, None)?, &p.total),
        }
    };
    fused(name, &[x], &saved, forward, move |ctx| {
        let (at, weight, total) = (ctx.saved(0), ctx.saved(1), ctx.saved(2));
        let mut scaled = neg(&mul(weight, &ctx.grad()?)?)?;
        if reduction == Reduction::Mean {
            // Where all is ignored the mean is not a number, but its gradient is zero.
            scaled = div(&scaled, &where_(&eq(total, &number(0)?)?, &number(1.0)?, total)?)?;
        }
        let zeros = || device::within(scaled.device(), || Tensor::zeros(&shape, scaled.dtype()));
        if !scaled.device().is_gpu() {
            return Ok(vec![Some(put_places(&zeros()?, at, &scaled, true)?)]);
        }
        // Each class asks whether it is the one: no kernel of its own, where writing to places would be one.
        let all = grid(scaled.device(), Layout::contiguous(&[n, classes, inner]))?;
        let one = |t: &Tensor| reshape(t, &[n as i64, 1, inner as i64]);
        let g = where_(&eq(&all, &one(at)?)?, &one(&scaled)?, &number(0)?)?;
        let shape: Vec<i64> = shape.iter().map(|&s| s as i64).collect();
        Ok(vec![Some(reshape(&g, &shape)?)])
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
        Reduction::Mean => div(&sum(&smooth, &[], false, None)?, &p.total)?,
    };
    add(&mul(&hard, &number(1.0 - smoothing)?)?, &mul(&smooth, &number(smoothing / classes as f64)?)?)
}

pub(crate) const TABLE: &[Op] = &[
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
];
