//! The ops, one file a family. An op is declared once: its Rust function (forward on the backend, and the gradient
//! rule written in tensor ops), and beside it in the file's `TABLE` the PyTorch schema by which Python sees it.
//!
//! Conventions: functions take and give [`Tensor`]s; dims are `i64` as in Python and wrapped with `layout::wrap_dim`;
//! a gradient rule captures no tensors (see `autograd::differentiable`).

mod addmm;
mod arith;
mod arrange;
mod bins;
mod chains;
mod choose;
mod compare;
mod complex;
mod create;
mod decompose;
mod draws;
mod factor;
mod fill;
mod fourier;
mod gamma;
mod gather;
mod index;
mod join;
mod maths;
mod matmul;
mod moments;
pub mod nn;
mod norms;
pub mod optim;
mod order;
mod pointwise;
mod products;
mod promote;
mod pseudo;
mod random;
mod reduce;
mod scan;
mod scatter;
mod scatter_reduce;
mod shape;
mod slopes;
mod solve;
mod sorting;
mod split;
mod views;

pub use addmm::*;
pub use arith::*;
pub use arrange::*;
pub use bins::*;
pub use chains::*;
pub use choose::*;
pub use compare::*;
pub use complex::*;
pub use create::*;
pub use decompose::*;
pub(crate) use draws::*;
pub use factor::*;
pub use fill::*;
pub use fourier::*;
pub use gamma::*;
pub use gather::*;
pub use index::*;
pub use join::*;
pub use maths::*;
pub use matmul::*;
pub use moments::*;
pub use norms::*;
pub use order::*;
pub use pointwise::*;
pub use products::*;
pub use promote::*;
pub use pseudo::*;
pub use random::*;
pub use reduce::*;
pub use scan::*;
pub use scatter::*;
pub use scatter_reduce::*;
pub use shape::*;
pub use solve::*;
pub use sorting::*;
pub use split::*;
pub use views::*;

use crate::autograd::{Save, differentiable};
use crate::backend::{Fault, ScatterOp, backend};
use crate::device::Device;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::registry::Op;
use crate::tensor::{Raw, Tensor};

/// The size of one dimension, as `x.size(dim)` gives it.
pub(crate) fn size_at(x: &Tensor, dim: i64) -> Result<usize> {
    if x.ndim() == 0 {
        return Err(Error::index(format!("Dimension specified as {dim} but tensor has no dimensions")));
    }
    Ok(x.size(crate::layout::wrap_dim(dim, x.ndim())?))
}

/// The schema tables of all families.
pub const TABLES: &[&[Op]] = &[
    pointwise::TABLE,
    arith::NUMBERS,
    arith::SPECIAL_PAIRS,
    arith::PAIRS,
    arith::TABLE,
    maths::UNARY,
    maths::SPECIAL,
    maths::BESSEL,
    maths::TABLE,
    compare::BINARY,
    compare::DUNDER,
    compare::TENSORS,
    compare::TABLE,
    complex::TABLE,
    choose::PAIRS,
    choose::TABLE,
    optim::TABLE,
    order::TABLE,
    reduce::TABLE,
    moments::VAR,
    moments::STD,
    moments::VAR_MEAN,
    moments::STD_MEAN,
    moments::TABLE,
    scan::TABLE,
    bins::TABLE,
    matmul::TABLE,
    addmm::TABLE,
    scatter_reduce::TABLE,
    sorting::TABLE,
    random::TABLE,
    gamma::TABLE,
    create::TABLE,
    chains::TABLE,
    products::TABLE,
    solve::TABLE,
    factor::TABLE,
    fourier::TABLE,
    decompose::TABLE,
    pseudo::TABLE,
    norms::TABLE,
    scatter::TABLE,
    views::TABLE,
    split::TABLE,
    shape::TABLE,
    join::TABLE,
    index::TABLE,
    gather::TABLE,
    fill::TABLE,
    arrange::TABLE,
];

/// Another dtype; the tensor itself when it has it already.
pub fn cast(x: &Tensor, dtype: DType) -> Result<Tensor> {
    if x.dtype() == dtype {
        return Ok(x.clone());
    }
    let raw = keep_order(&x.raw(), |r| backend(r.device()).copy(r, dtype))?;
    // The walk casts gradients to the dtype of what they belong to.
    Ok(differentiable("ToCopyBackward0", &[x], raw, &[], |ctx| Ok(vec![Some(ctx.grad()?)])))
}

/// A contiguous copy with history.
pub fn clone(x: &Tensor) -> Result<Tensor> {
    let raw = x.raw();
    let out = keep_order(&raw, |r| backend(r.device()).copy(r, r.dtype))?;
    Ok(differentiable("CloneBackward0", &[x], out, &[], |ctx| Ok(vec![Some(ctx.grad()?)])))
}

/// The tensor itself when it is contiguous, else a contiguous copy.
pub fn contiguous(x: &Tensor) -> Result<Tensor> {
    if x.is_contiguous() {
        return Ok(x.clone());
    }
    let raw = x.raw();
    let out = backend(raw.device()).copy(&raw, raw.dtype)?;
    Ok(differentiable("CloneBackward0", &[x], out, &[], |ctx| Ok(vec![Some(ctx.grad()?)])))
}

/// Sum a broadcast gradient back to the shape it belongs to.
pub fn sum_to(g: &Tensor, shape: &[usize]) -> Result<Tensor> {
    let lead = g.ndim() - shape.len().min(g.ndim());
    let dims: Vec<i64> =
        (0..g.ndim()).filter(|&d| d < lead || (shape[d - lead] == 1 && g.size(d) != 1)).map(|d| d as i64).collect();
    let kept = if dims.is_empty() { g.clone() } else { sum(g, &dims, true, None)? };
    let shape: Vec<i64> = shape.iter().map(|&s| s as i64).collect();
    reshape(&kept, &shape)
}

/// A result that belongs to the graph though PyTorch has no derivative of it: asking for one is an error.
pub(crate) fn underivable(aten: &'static str, inputs: &[&Tensor], raw: Raw) -> Tensor {
    differentiable("torch::autograd::NotImplemented", inputs, raw, &[], move |_| {
        Err(Error::runtime(format!("derivative for aten::{aten} is not implemented")))
    })
}

/// Indices (int64) that are within a size; wrapped where the op counts negative ones from the end. On a GPU the error
/// comes with the next read.
pub(crate) fn checked(index: &Tensor, size: usize, fault: Fault) -> Result<Tensor> {
    let raw = index.raw();
    let good = backend(raw.device()).checked(&raw, size, fault)?;
    let same = good.storage.same(&raw.storage);
    Ok(if same { index.clone() } else { crate::autograd::non_differentiable(good) })
}

/// The places that a layout shows, as int64 of its shape, on a device.
pub(crate) fn grid(device: Device, layout: Layout) -> Result<Tensor> {
    let all = backend(device).iota(layout.end(), 0, 1)?;
    Ok(crate::autograd::non_differentiable(all.with_layout(layout)))
}

/// Is there a NaN in it?
pub fn has_nan(x: &Tensor) -> Result<bool> {
    Ok(x.dtype().is_inexact() && x.to_pairs()?.iter().any(|(re, im)| re.is_nan() || im.is_nan()))
}

/// `x.flatten()[places]` with the shape of `places` (int64, in range).
pub fn take_places(x: &Tensor, places: &Tensor) -> Result<Tensor> {
    let raw = backend(x.device()).take(&x.raw(), &places.raw())?;
    let shape = x.shape();
    Ok(differentiable("TakeBackward0", &[x], raw, &[Save::Input(places)], move |ctx| {
        let g = ctx.grad()?;
        let zeros = Tensor::zeros(&shape, g.dtype())?;
        Ok(vec![Some(put_places(&zeros, ctx.saved(0), &g, true)?)])
    }))
}

/// A copy of `x` with `src` at (or, with `accumulate`, added to) `places` of its row-major order.
pub fn put_places(x: &Tensor, places: &Tensor, src: &Tensor, accumulate: bool) -> Result<Tensor> {
    let op = if accumulate { ScatterOp::Add } else { ScatterOp::Set };
    let raw = backend(x.device()).put(op, &x.raw(), &places.raw(), &src.raw())?;
    Ok(differentiable("PutBackward0", &[x, src], raw, &[Save::Input(places)], move |ctx| {
        let g = ctx.grad()?;
        let places = ctx.saved(0);
        let to_x = if accumulate {
            g.clone()
        } else {
            put_places(&g, places, &Tensor::zeros(&places.shape(), g.dtype())?, false)?
        };
        Ok(vec![Some(to_x), Some(take_places(&g, places)?)])
    }))
}
