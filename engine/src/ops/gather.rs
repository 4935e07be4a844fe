//! Reading along a dimension or at flat positions: `gather`, `index_select`, `take`, `masked_select`, `nonzero`.

use crate::autograd::{Save, differentiable, non_differentiable};
use crate::backend::{Fault, backend};
use crate::dtype::DType;
use crate::error::{Error, Result, list};
use crate::layout::{Layout, broadcast_shapes, wrap_dim};
use crate::ops::{
    cast, checked, expand_as_shape, index_add, nonzero_as_tuple, put_places, reshape, scatter_add, take_places, view_as,
};
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

/// An index as int64.
pub(crate) fn long_index(index: &Tensor, what: &str) -> Result<Tensor> {
    match index.dtype() {
        DType::I64 => Ok(index.detach()),
        DType::I32 => cast(&index.detach(), DType::I64),
        _ => Err(Error::runtime(format!("{what}(): Expected dtype int32/int64 for index"))),
    }
}

/// Size of a dimension; a 0-d tensor has one of size 1.
pub(crate) fn size_of(x: &Tensor, d: usize) -> usize {
    if x.ndim() == 0 { 1 } else { x.size(d) }
}

/// `x.gather(dim, index)`.
pub fn gather(x: &Tensor, dim: i64, index: &Tensor) -> Result<Tensor> {
    let d = wrap_dim(dim, x.ndim())?;
    if index.numel() == 0 {
        let (raw, shape) = (backend(x.device()).full(&index.shape(), 0.into(), x.dtype())?, x.shape());
        return Ok(differentiable("GatherBackward0", &[x], raw, &[], move |ctx| {
            Ok(vec![Some(Tensor::zeros(&shape, ctx.grad()?.dtype())?)])
        }));
    }
    let index = long_index(index, "gather")?;
    if index.ndim().max(1) != x.ndim().max(1) {
        return Err(Error::runtime("Index tensor must have the same number of dimensions as input tensor"));
    }
    let bad = (0..x.ndim().min(index.ndim())).find(|&k| k != d && index.size(k) > x.size(k));
    if let Some(k) = bad {
        return Err(Error::runtime(format!(
            "Size does not match at dimension {k} expected index {} to be no larger than self {} apart from dimension \
             {d}",
            list(&index.shape()),
            list(&x.shape())
        )));
    }
    let size = size_of(x, d);
    let index = checked(&index, size, Fault::Gather { dim: d, size })?;
    let raw = gather_raw(x, d, &index)?;
    let shape = x.shape();
    Ok(differentiable("GatherBackward0", &[x], raw, &[Save::Input(&index)], move |ctx| {
        let g = ctx.grad()?;
        let zeros = Tensor::zeros(&shape, g.dtype())?;
        Ok(vec![Some(scatter_add(&zeros, d as i64, ctx.saved(0), &g)?)])
    }))
}

/// The kernel, with 0-d tensors seen as of one dimension.
fn gather_raw(x: &Tensor, d: usize, index: &Tensor) -> Result<Raw> {
    let (xr, ir) = (one_dim(x.raw()), one_dim(index.raw()));
    let out = backend(x.device()).gather(&xr, d, &ir)?;
    Ok(out.with_layout(Layout::contiguous(&index.shape())))
}

pub(crate) fn one_dim(raw: Raw) -> Raw {
    if raw.layout.ndim() > 0 {
        return raw;
    }
    let layout = Layout { shape: vec![1], strides: vec![1], offset: raw.layout.offset };
    raw.with_layout(layout)
}

/// A 1-d index seen as running along `d` of `shape` (whose size there is the index's).
pub(crate) fn along(index: &Tensor, d: usize, shape: &[usize]) -> Result<Tensor> {
    let mut sizes = vec![1i64; shape.len().max(1)];
    sizes[d] = -1;
    let index = reshape(index, &sizes)?;
    if shape.is_empty() { reshape(&index, &[]) } else { expand_as_shape(&index, shape) }
}

/// `x.index_select(dim, index)`.
pub fn index_select(x: &Tensor, dim: i64, index: &Tensor) -> Result<Tensor> {
    if index.ndim() > 1 {
        return Err(Error::index("index_select(): Index is supposed to be a vector"));
    }
    if !matches!(index.dtype(), DType::I64 | DType::I32) {
        return Err(Error::runtime("index_select(): Expected dtype int32 or int64 for index"));
    }
    let d = wrap_dim(dim, x.ndim())?;
    if x.ndim() == 0 && index.numel() != 1 {
        return Err(Error::runtime(
            "index_select(): Index to scalar can have only 1 value, got {} value(s)"
                .replace("{}", &index.numel().to_string()),
        ));
    }
    let index = cast(&index.detach(), DType::I64)?;
    let size = size_of(x, d);
    let index = checked(&index, size, Fault::Select { dim: d, size })?;
    let mut shape = x.shape();
    if let Some(s) = shape.get_mut(d) {
        *s = index.numel();
    }
    let flat = reshape(&index, &[-1])?;
    let raw = gather_raw(x, d, &along(&flat, d, &shape)?)?;
    let whole = x.shape();
    Ok(differentiable("IndexSelectBackward0", &[x], raw, &[Save::Input(&flat)], move |ctx| {
        let g = ctx.grad()?;
        let zeros = Tensor::zeros(&whole, g.dtype())?;
        Ok(vec![Some(index_add(&zeros, d as i64, ctx.saved(0), &g, 1.into())?)])
    }))
}

/// Positions in the row-major order, checked; negative ones count from the end.
pub(crate) fn flat_places(x: &Tensor, index: &Tensor) -> Result<Tensor> {
    checked(index, x.numel(), Fault::Flat { numel: x.numel() })
}

/// `x.take(index)`.
pub fn take(x: &Tensor, index: &Tensor) -> Result<Tensor> {
    if index.dtype() != DType::I64 {
        return Err(Error::runtime(format!(
            "take(): Expected a long tensor for index, but got {}",
            index.dtype().scalar_type_name()
        )));
    }
    if x.numel() == 0 && index.numel() != 0 {
        return Err(Error::index("take(): tried to take from an empty tensor"));
    }
    take_places(x, &flat_places(x, index)?)
}

/// `torch.take_along_dim(x, indices, dim)`.
pub fn take_along_dim(x: &Tensor, indices: &Tensor, dim: Option<i64>) -> Result<Tensor> {
    if indices.dtype() != DType::I64 {
        return Err(Error::runtime(
            "torch.take_along_dim(): dtype of indices should be Long but got ".to_owned()
                + indices.dtype().scalar_type_name(),
        ));
    }
    let Some(dim) = dim else {
        return gather(&view_as(x, &[-1])?, 0, &view_as(indices, &[-1])?);
    };
    if x.ndim() != indices.ndim() {
        return Err(Error::runtime(format!(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got {} \
             dimensions for input, and {} dimensions for indices",
            x.ndim(),
            indices.ndim()
        )));
    }
    let d = wrap_dim(dim, x.ndim())?;
    let (mut xs, mut is) = (x.shape(), indices.shape());
    if xs.is_empty() {
        return gather(x, 0, indices);
    }
    // Along the dimension, indices of any size go round.
    let indices = &crate::ops::remainder(indices, &crate::ops::number(size_of(x, d).max(1) as i64)?)?;
    let (xd, id) = (xs[d], is[d]);
    xs[d] = 1;
    is[d] = 1;
    let mut common = broadcast_shapes(&xs, &is)?;
    common[d] = xd;
    let x = expand_as_shape(x, &common)?;
    common[d] = id;
    gather(&x, d as i64, &expand_as_shape(indices, &common)?)
}

/// `x.masked_select(mask)`.
pub fn masked_select(x: &Tensor, mask: &Tensor) -> Result<Tensor> {
    if mask.dtype() != DType::Bool {
        return Err(Error::runtime("masked_select: expected BoolTensor for mask"));
    }
    let shape = broadcast_shapes(&mask.shape(), &x.shape())?;
    let b = backend(x.device());
    let found = b.nonzero(&mask.raw().broadcast_to(&shape)?)?;
    let raw = b.take(&x.raw().broadcast_to(&shape)?, &found)?;
    let found = non_differentiable(found);
    Ok(differentiable("MaskedSelectBackward0", &[x], raw, &[Save::Input(&found)], move |ctx| {
        let g = ctx.grad()?;
        let zeros = Tensor::zeros(&shape, g.dtype())?;
        Ok(vec![Some(put_places(&zeros, ctx.saved(0), &g, true)?)])
    }))
}

/// `x.nonzero()`: one row an element, one column a dimension; columns lie one after the other in memory.
pub fn nonzero(x: &Tensor) -> Result<Tensor> {
    let n = x.ndim();
    let columns = nonzero_as_tuple(&x.detach())?;
    let count = columns.first().map_or(0, Tensor::numel);
    if n == 0 {
        let raw = backend(x.device()).full(&[count, 0], 0.into(), DType::I64)?;
        return Ok(non_differentiable(raw));
    }
    let mut all = Vec::with_capacity(count * n);
    for c in &columns {
        all.extend(c.to_vec::<i64>()?);
    }
    let raw = Tensor::from_slice(&all, &[n, count])?.raw();
    let layout = Layout { shape: vec![count, n], strides: vec![1, count], offset: 0 };
    Ok(non_differentiable(raw.with_layout(layout)))
}

pub(crate) const TABLE: &[Op] = &[
    op(
        "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
        places::BOTH | places::OUT,
        |a| Ok(gather(a.tensor(0)?, a.int(1)?, a.tensor(2)?)?.into()),
    ),
    op("index_select(Tensor self, int dim, Tensor index) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(index_select(a.tensor(0)?, a.int(1)?, a.tensor(2)?)?.into())
    }),
    op("take(Tensor self, Tensor index) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(take(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(take_along_dim(a.tensor(0)?, a.tensor(1)?, a.opt_int(2)?)?.into())
    }),
    op("masked_select(Tensor self, Tensor mask) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(masked_select(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("nonzero(Tensor self) -> Tensor", places::BOTH | places::OUT, |a| Ok(nonzero(a.tensor(0)?)?.into())),
    op("argwhere(Tensor self) -> Tensor", places::BOTH, |a| Ok(nonzero(a.tensor(0)?)?.into())),
];

/// The layout with `d` moved to the front.
pub(crate) fn along_first(layout: &Layout, d: usize) -> Layout {
    let mut order: Vec<usize> = (0..layout.ndim()).filter(|&k| k != d).collect();
    order.insert(0, d.min(order.len()));
    layout.permute(&order)
}
