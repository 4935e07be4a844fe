//! Distances, and losses that ask for a margin between scores or distances.

use crate::autograd::named;
use crate::error::{Error, Result, list};
use crate::ops::nn::Reduction;
use crate::ops::nn::loss::{red, reduced};
use crate::ops::nn::nll::pick;
use crate::ops::{
    abs, add, cast, clamp_min, dims_of, div, expand, mul, neg, number, pow_number, put_places, reshape, sqrt, sub, sum,
    take_places, unsqueeze,
};
use crate::registry::{Args, Op, op, places};
use crate::tensor::Tensor;

fn hinge_embedding(x: &Tensor, t: &Tensor, margin: f64, reduction: Reduction) -> Result<Tensor> {
    let far = clamp_min(&sub(&number(margin)?, x)?, &number(0)?)?;
    let zero = Tensor::zeros(&[], x.dtype())?;
    let (is_far, is_near) = (crate::ops::eq(t, &number(1)?)?, crate::ops::eq(t, &number(-1)?)?);
    let left = crate::ops::where_(&is_far, &zero, &far)?;
    let right = crate::ops::where_(&is_near, &zero, x)?;
    reduced(&add(&left, &right)?, reduction)
}

fn norm2(x: &Tensor, y: &Tensor, p: f64, eps: f64) -> Result<Tensor> {
    let d = abs(&add(&sub(x, y)?, &number(eps)?)?)?;
    let last = [-1i64];
    if p == 2.0 {
        return sqrt(&sum(&mul(&d, &d)?, &last, false, None)?);
    }
    pow_number(&sum(&pow_number(&d, p.into())?, &last, false, None)?, (1.0 / p).into())
}

fn triplet(a: &Args) -> Result<Tensor> {
    let (anchor, positive, negative) = (a.tensor(0)?, a.tensor(1)?, a.tensor(2)?);
    let (margin, p, eps, swap) = (a.float(3)?, a.float(4)?, a.float(5)?, a.bool(6)?);
    if [positive, negative].iter().any(|v| v.ndim() != anchor.ndim()) {
        return Err(Error::runtime(format!(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: \
             anchor {}D, positive {}D, and negative {}D inputs",
            anchor.ndim(),
            positive.ndim(),
            negative.ndim()
        )));
    }
    let near = norm2(anchor, positive, p, eps)?;
    let mut far = norm2(anchor, negative, p, eps)?;
    if swap {
        far = crate::ops::minimum(&far, &norm2(positive, negative, p, eps)?)?;
    }
    let loss = clamp_min(&add(&sub(&near, &far)?, &number(margin)?)?, &number(0)?)?;
    reduced(&loss, Reduction::from_int(a.int(7)?))
}

fn cosine_embedding(a: &Args) -> Result<Tensor> {
    let (x, y, t) = (a.tensor(0)?, a.tensor(1)?, a.tensor(2)?);
    if t.ndim() > 1 {
        return Err(Error::runtime("0D or 1D target tensor expected, multi-target not supported"));
    }
    if x.ndim() != t.ndim() + 1 || y.ndim() != t.ndim() + 1 {
        return Err(Error::runtime(format!(
            "{}D target tensor expects {}D input tensors, but found inputs with sizes {} and {}.",
            t.ndim(),
            t.ndim() + 1,
            list(&x.shape()),
            list(&y.shape())
        )));
    }
    let dim = [if t.ndim() == 1 { 1i64 } else { 0 }];
    let eps = number(1e-12)?;
    let dot = sum(&mul(x, y)?, &dim, false, None)?;
    let mag = |v: &Tensor| add(&sum(&mul(v, v)?, &dim, false, None)?, &eps);
    let cos = div(&dot, &sqrt(&mul(&mag(x)?, &mag(y)?)?)?)?;
    let zero = Tensor::zeros(&[], x.dtype())?;
    let same = crate::ops::where_(&crate::ops::eq(t, &number(1)?)?, &sub(&number(1)?, &cos)?, &zero)?;
    let apart = clamp_min(&sub(&cos, &number(a.float(3)?)?)?, &number(0)?)?;
    let apart = crate::ops::where_(&crate::ops::eq(t, &number(-1)?)?, &apart, &zero)?;
    reduced(&add(&same, &apart)?, Reduction::from_int(a.int(4)?))
}

fn check_matrix(x: &Tensor) -> Result<()> {
    if x.ndim() > 2 || x.shape().last() == Some(&0) {
        return Err(Error::runtime(format!(
            "Expected non-empty vector or matrix with optional 0-dim batch size, but got: {}",
            list(&x.shape())
        )));
    }
    Ok(())
}

fn multi_margin(a: &Args) -> Result<Tensor> {
    let (x, t, p, margin) = (a.tensor(0)?, a.tensor(1)?, a.float(2)?, a.float(3)?);
    let weight = a.opt_tensor(4)?;
    if !x.dtype().is_float() {
        return Err(Error::no_kernel("multi_margin_loss", x.dtype()));
    }
    let x2 = if x.ndim() <= 1 { reshape(x, &[1, -1])? } else { x.clone() };
    let t1 = if t.ndim() == 0 { unsqueeze(t, 0)? } else { t.clone() };
    check_matrix(x)?;
    if t1.shape() != x2.shape()[..1] {
        return Err(Error::runtime(format!(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). \
             Expected target size [{}], but got {}. Input has shape {}.",
            x2.size(0),
            list(&t.shape()),
            list(&x.shape())
        )));
    }
    if let Some(w) = &weight
        && w.shape() != x2.shape()[1..]
    {
        return Err(Error::runtime(format!(
            "inconsistent weight size, expected {} but got {}",
            x2.size(1),
            list(&w.shape())
        )));
    }
    if t1.to_vec::<i64>()?.iter().any(|&c| c < 0 || c as usize >= x2.size(1)) {
        return Err(Error::runtime("target out of range"));
    }
    let picked = pick(&x2, &t1, weight.as_ref(), i64::MIN)?;
    let right = reshape(&take_places(&x2, &picked.at)?, &[-1, 1])?;
    let short = clamp_min(&add(&sub(&x2, &right)?, &number(margin)?)?, &number(0)?)?;
    let powered = if p == 1.0 { short } else { mul(&short, &short)? };
    // The right class itself does not count.
    let none = Tensor::zeros(&t1.shape(), x.dtype())?;
    let others = put_places(&powered, &picked.at, &none, false)?;
    let each = div(&sum(&others, &[1], false, None)?, &number(x2.size(1) as f64)?)?;
    let each = mul(&each, &picked.weight)?;
    let each = if x.ndim() == 1 { reshape(&each, &[])? } else { each };
    reduced(&each, Reduction::from_int(a.int(5)?))
}

fn multilabel_margin(a: &Args) -> Result<Tensor> {
    let (x, t) = (a.tensor(0)?, a.tensor(1)?);
    check_matrix(x)?;
    if t.shape() != x.shape() {
        return Err(Error::runtime(format!(
            "inconsistent target size: {} for input of size: {}",
            list(&t.shape()),
            list(&x.shape())
        )));
    }
    let x2 = if x.ndim() <= 1 { reshape(x, &[1, -1])? } else { x.clone() };
    let (n, c) = (x2.size(0), x2.size(1));
    let ids = t.to_vec::<i64>()?;
    let mut each = vec![];
    for r in 0..n {
        let labels: Vec<i64> = ids[r * c..(r + 1) * c].iter().copied().take_while(|&i| i >= 0).collect();
        if labels.iter().any(|&i| i as usize >= c) {
            return Err(Error::runtime("argument #2 'target' is out of range"));
        }
        let rest: Vec<i64> = (0..c as i64).filter(|i| !labels.contains(i)).collect();
        let at = |ids: &[i64]| {
            let places: Vec<i64> = ids.iter().map(|i| (r * c) as i64 + i).collect();
            take_places(&x2, &Tensor::from_slice(&places, &[places.len()])?)
        };
        let (right, wrong) = (reshape(&at(&labels)?, &[-1, 1])?, reshape(&at(&rest)?, &[1, -1]));
        let loss = match wrong {
            Ok(wrong) if !labels.is_empty() && !rest.is_empty() => {
                clamp_min(&add(&number(1)?, &sub(&wrong, &right)?)?, &number(0)?)?
            }
            // Nothing to compare, but still a result of the input.
            _ => at(&[])?,
        };
        each.push(div(&sum(&loss, &[], false, None)?, &number(c as f64)?)?);
    }
    let each = crate::ops::stack(&each, 0)?;
    let each = if x.ndim() == 1 { reshape(&each, &[])? } else { each };
    reduced(&each, Reduction::from_int(a.int(2)?))
}

/// The cosine of the angle between slices along `dim`, after broadcasting; lengths are taken to be `eps` at least.
pub fn cosine_similarity(x: &Tensor, y: &Tensor, dim: i64, eps: f64) -> Result<Tensor> {
    let shape = dims_of(&crate::layout::broadcast_shapes(&x.shape(), &y.shape())?);
    let dtype = crate::ops::result_type(&[x, y]);
    if !dtype.is_inexact() {
        return Err(Error::runtime(format!(
            "expected common dtype to be floating point, yet common dtype is {}",
            dtype.scalar_type_name()
        )));
    }
    let unit = |t: &Tensor| -> Result<Tensor> {
        let t = expand(&cast(t, dtype)?, &shape)?;
        let length = crate::ops::vector_norm(&t, 2.0, &[dim], true, None)?;
        // The bound does not stop the gradient.
        let bounded =
            crate::autograd::grad_mode::no_grad(|| crate::ops::sub(&clamp_min(&length, &number(eps)?)?, &length))?;
        div(&t, &add(&length, &bounded)?)
    };
    sum(&mul(&unit(x)?, &unit(y)?)?, &[dim], false, None)
}

pub(crate) const TABLE: &[Op] = &[
    op(
        "hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int reduction=1) -> Tensor",
        places::FUNCTION,
        |a| Ok(hinge_embedding(a.tensor(0)?, a.tensor(1)?, a.float(2)?, red(a, 3)?)?.into()),
    ),
    op(
        "margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=1) -> Tensor",
        places::FUNCTION,
        |a| {
            let gap = neg(&mul(a.tensor(2)?, &sub(a.tensor(0)?, a.tensor(1)?)?)?)?;
            Ok(reduced(&clamp_min(&add(&gap, &number(a.float(3)?)?)?, &number(0)?)?, red(a, 4)?)?.into())
        },
    ),
    op(
        "triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float eps=1e-06, \
         bool swap=False, int reduction=1) -> Tensor",
        places::FUNCTION,
        |a| Ok(triplet(a)?.into()),
    ),
    op(
        "cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=1) -> Tensor",
        places::FUNCTION,
        |a| Ok(cosine_embedding(a)?.into()),
    ),
    op(
        "multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1) \
         -> Tensor",
        places::NN,
        |a| Ok(named(multi_margin(a)?, "MultiMarginLossBackward0").into()),
    ),
    op("multilabel_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", places::NN, |a| {
        Ok(multilabel_margin(a)?.into())
    }),
    op(
        "pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor",
        places::FUNCTION,
        |a| {
            let d = norm2(a.tensor(0)?, a.tensor(1)?, a.float(2)?, a.float(3)?)?;
            Ok(named(if a.bool(4)? { unsqueeze(&d, -1)? } else { d }, "NormBackward1").into())
        },
    ),
    op("cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", places::FUNCTION, |a| {
        Ok(cosine_similarity(a.tensor(0)?, a.tensor(1)?, a.int(2)?, a.float(3)?)?.into())
    }),
];
