//! Dropout: each element (or channel) is kept with probability `1 - p` and scaled by `1 / (1 - p)`.

use crate::autograd::non_differentiable;
use crate::autograd::{Save, grad_mode::no_grad};
use crate::error::{Error, Result};
use crate::ops::nn::fused;
use crate::ops::{add, bernoulli_raw, mul, number, shaped_like};
use crate::registry::{Op, op, places};
use crate::tensor::Tensor;

/// # Errors
/// A probability outside `[0, 1]`.
fn check(p: f64) -> Result<()> {
    if (0.0..=1.0).contains(&p) {
        return Ok(());
    }
    Err(Error::runtime(format!("dropout probability has to be between 0 and 1, but got {p}")))
}

/// Draws for each element of `like`, in the order in which its elements lie in memory.
fn draws(like: &Tensor, p: f64) -> Result<Tensor> {
    Ok(non_differentiable(shaped_like(like, |shape| bernoulli_raw(shape, 1.0 - p, like.dtype(), &None))?))
}

/// The mask with its scale, drawn from the default generator.
fn mask(like: &Tensor, p: f64) -> Result<Tensor> {
    if p == 1.0 {
        return Tensor::zeros(&like.shape(), like.dtype());
    }
    let kept = draws(like, p)?;
    no_grad(|| mul(&kept, &number(1.0 / (1.0 - p))?))
}

fn apply(x: &Tensor, mask: &Tensor) -> Result<Tensor> {
    fused(
        "MulBackward0",
        &[x],
        &[Save::Input(mask)],
        || mul(x, mask),
        |ctx| Ok(vec![Some(mul(&ctx.grad()?, ctx.saved(0))?)]),
    )
}

/// # Errors
/// A probability outside `[0, 1]`.
pub fn dropout(x: &Tensor, p: f64, train: bool) -> Result<Tensor> {
    check(p)?;
    if !train || p == 0.0 || x.numel() == 0 {
        return Ok(x.clone());
    }
    apply(x, &mask(x, p)?)
}

/// Whole channels (`Dropout2d`): one draw for each sample and channel.
fn feature_dropout(x: &Tensor, p: f64, train: bool) -> Result<Tensor> {
    check(p)?;
    if x.ndim() < 2 {
        return Err(Error::runtime("Feature dropout requires at least 2 dimensions in the input"));
    }
    if !train || p == 0.0 || x.numel() == 0 {
        return Ok(x.clone());
    }
    let mut shape = vec![1; x.ndim()];
    shape[..2].copy_from_slice(&x.shape()[..2]);
    apply(x, &mask(&Tensor::zeros(&shape, x.dtype())?, p)?)
}

/// Dropout that keeps mean and variance of SELU activations.
fn alpha_dropout(x: &Tensor, p: f64, train: bool) -> Result<Tensor> {
    check(p)?;
    if !train || p == 0.0 || x.numel() == 0 {
        return Ok(x.clone());
    }
    if p == 1.0 {
        return mul(x, &Tensor::zeros(&[], x.dtype())?);
    }
    let alpha = 1.7580993408473766;
    let a = 1.0 / ((alpha * alpha * p + 1.0) * (1.0 - p)).sqrt();
    let kept = draws(x, p)?;
    let shift = no_grad(|| {
        let b = mul(&add(&kept, &number(-1)?)?, &number(alpha * a)?)?;
        add(&b, &number(alpha * a * p)?)
    })?;
    let scale = no_grad(|| mul(&kept, &number(a)?))?;
    add(&mul(x, &scale)?, &shift)
}

const PLACES: u16 = places::FUNCTION | places::INPLACE_FUNCTION;

pub(crate) const TABLE: &[Op] = &[
    op("dropout(Tensor input, float p, bool train) -> Tensor", PLACES, |a| {
        Ok(dropout(a.tensor(0)?, a.float(1)?, a.bool(2)?)?.into())
    }),
    op("feature_dropout(Tensor input, float p, bool train) -> Tensor", PLACES, |a| {
        Ok(feature_dropout(a.tensor(0)?, a.float(1)?, a.bool(2)?)?.into())
    }),
    op("alpha_dropout(Tensor input, float p, bool train) -> Tensor", PLACES, |a| {
        Ok(alpha_dropout(a.tensor(0)?, a.float(1)?, a.bool(2)?)?.into())
    }),
];
