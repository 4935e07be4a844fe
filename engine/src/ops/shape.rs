//! Views and other changes of shape. A view changes the layout and nothing else.

use crate::autograd::view;
use crate::error::{Error, Result};
use crate::layout::{Layout, checked_numel, wrap_dim};
use crate::registry::{Op, op, places};
use crate::tensor::Tensor;

fn dims_of(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&s| s as i64).collect()
}

/// Work out a `-1` and check the number of elements.
///
/// # Errors
/// PyTorch's: more than one -1, negative sizes, another number of elements, an ambiguous -1.
pub fn infer_shape(shape: &[i64], numel: usize) -> Result<Vec<usize>> {
    let invalid = || Error::Reshape { shape: shape.to_vec(), numel };
    let mut unknown = None;
    let mut known = Vec::with_capacity(shape.len());
    for (d, &s) in shape.iter().enumerate() {
        match s {
            -1 if unknown.is_some() => return Err(Error::runtime("only one dimension can be inferred")),
            -1 => unknown = Some(d),
            s if s < 0 => return Err(Error::runtime(format!("invalid shape dimension {s}"))),
            s => known.push(s as usize),
        }
    }
    let product = checked_numel(&known).ok_or_else(invalid)?;
    let mut out: Vec<usize> = shape.iter().map(|&s| s.max(0) as usize).collect();
    match unknown {
        None if product == numel => Ok(out),
        Some(_) if product == 0 => Err(Error::runtime(format!(
            "cannot reshape tensor of {numel} elements into shape {} because the unspecified dimension size -1 can be \
             any value and is ambiguous",
            crate::error::list(shape)
        ))),
        Some(d) if numel.is_multiple_of(product) => {
            out[d] = numel / product;
            Ok(out)
        }
        _ => Err(invalid()),
    }
}

/// `x.view(shape)`.
///
/// # Errors
/// The strides don't allow it; another number of elements.
pub fn view_as(x: &Tensor, shape: &[i64]) -> Result<Tensor> {
    let shape = infer_shape(shape, x.numel())?;
    let old = x.layout();
    let strides = old.view_strides(&shape).ok_or(Error::View)?;
    let back = dims_of(&old.shape);
    let layout = Layout { shape, strides, offset: old.offset };
    Ok(view("ViewBackward0", x, layout, move |ctx| Ok(vec![Some(reshape(&ctx.grad()?, &back)?)])))
}

/// `x.reshape(shape)`: a view where the strides allow one, a copy elsewhere.
pub fn reshape(x: &Tensor, shape: &[i64]) -> Result<Tensor> {
    match view_as(x, shape) {
        Err(Error::View) => {
            let copy = super::clone(x)?;
            let copy = super::contiguous(&copy)?;
            let shape = infer_shape(shape, x.numel())?;
            let back = dims_of(&x.shape());
            let layout = Layout::contiguous(&shape);
            Ok(view("UnsafeViewBackward0", &copy, layout, move |ctx| Ok(vec![Some(reshape(&ctx.grad()?, &back)?)])))
        }
        other => other,
    }
}

/// `x.expand(shape)`; -1 keeps a size.
pub fn expand(x: &Tensor, shape: &[i64]) -> Result<Tensor> {
    let layout = x.layout().expand(shape)?;
    // The walk sums the gradient back to the input's shape.
    Ok(view("ExpandBackward0", x, layout, |ctx| Ok(vec![Some(ctx.grad()?)])))
}

pub(crate) fn expand_as_shape(x: &Tensor, shape: &[usize]) -> Result<Tensor> {
    expand(x, &dims_of(shape))
}

pub fn unsqueeze(x: &Tensor, dim: i64) -> Result<Tensor> {
    let n = x.ndim() as i64 + 1;
    if dim < -n || dim >= n {
        return Err(Error::DimRange { dim, ndim: n as usize });
    }
    let d = (if dim < 0 { dim + n } else { dim }) as usize;
    Ok(view("UnsqueezeBackward0", x, x.layout().unsqueeze(d), move |ctx| {
        Ok(vec![Some(squeeze_dims(&ctx.grad()?, &[d])?)])
    }))
}

/// Put back dims (sorted) that a reduction dropped.
pub(crate) fn unsqueeze_all(x: &Tensor, dims: &[usize]) -> Result<Tensor> {
    dims.iter().try_fold(x.clone(), |t, &d| unsqueeze(&t, d as i64))
}

fn squeeze_dims(x: &Tensor, dims: &[usize]) -> Result<Tensor> {
    let gone: Vec<usize> = dims.iter().copied().filter(|&d| d < x.ndim() && x.size(d) == 1).collect();
    let layout = x.layout().squeeze(&gone);
    Ok(view("SqueezeBackward1", x, layout, move |ctx| Ok(vec![Some(unsqueeze_all(&ctx.grad()?, &gone)?)])))
}

pub fn transpose(x: &Tensor, a: i64, b: i64) -> Result<Tensor> {
    let (a, b) = (wrap_dim(a, x.ndim())?, wrap_dim(b, x.ndim())?);
    Ok(view("TransposeBackward0", x, x.layout().transpose(a, b), move |ctx| {
        Ok(vec![Some(transpose(&ctx.grad()?, a as i64, b as i64)?)])
    }))
}

pub(crate) const TABLE: &[Op] = &[
    op("view(Tensor self, int[] size) -> Tensor", places::METHOD, |a| Ok(view_as(a.tensor(0)?, &a.ints(1)?)?.into())),
    op("reshape(Tensor self, int[] shape) -> Tensor", places::BOTH, |a| Ok(reshape(a.tensor(0)?, &a.ints(1)?)?.into())),
    op("expand(Tensor self, int[] size) -> Tensor", places::METHOD, |a| Ok(expand(a.tensor(0)?, &a.ints(1)?)?.into())),
    op("unsqueeze(Tensor self, int dim) -> Tensor", places::BOTH, |a| Ok(unsqueeze(a.tensor(0)?, a.int(1)?)?.into())),
    op("transpose.int(Tensor self, int dim0, int dim1) -> Tensor", places::BOTH, |a| {
        Ok(transpose(a.tensor(0)?, a.int(1)?, a.int(2)?)?.into())
    }),
];
