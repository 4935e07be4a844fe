//! Views of parts: slices, diagonals, windows, strides at will.

use std::rc::Rc;

use crate::autograd::{differentiable, view};
use crate::backend::backend;
use crate::dtype::Scalar;
use crate::error::{Error, Result, list};
use crate::layout::{Layout, wrap_dim};
use crate::ops::{contiguous, keep_order, put_places, reshape, take_places};
use crate::registry::{Op, op, places};
use crate::tensor::Tensor;

/// The gradient of a view without overlap: zeros of `shape`, with `g` where `layout` points in them.
fn embed(name: &'static str, g: &Tensor, shape: &[usize], layout: &Layout) -> Result<Tensor> {
    let b = backend(g.device());
    let raw = b.full(shape, Scalar::Int(0), g.dtype())?;
    b.write(&raw.with_layout(layout.clone()), &g.raw())?;
    let (shape, layout) = (shape.to_vec(), layout.clone());
    Ok(differentiable(name, &[g], raw, &[], move |ctx| {
        let whole = contiguous(&ctx.grad()?)?;
        Ok(vec![Some(part(name, &whole, &shape, &layout)?)])
    }))
}

/// What `layout` shows of a contiguous tensor.
fn part(name: &'static str, x: &Tensor, shape: &[usize], layout: &Layout) -> Result<Tensor> {
    let there = Layout { offset: layout.offset + x.offset(), ..layout.clone() };
    let (shape, layout) = (shape.to_vec(), layout.clone());
    Ok(view(name, x, there, move |ctx| Ok(vec![Some(embed(name, &ctx.grad()?, &shape, &layout)?)])))
}

/// A view whose elements are all different, made by `f` of a layout.
fn part_view(names: (&'static str, &'static str), x: &Tensor, f: impl Fn(&Layout) -> Layout) -> Tensor {
    let shape = x.shape();
    let inner = f(&Layout::contiguous(&shape));
    view(names.0, x, f(&x.layout()), move |ctx| Ok(vec![Some(embed(names.1, &ctx.grad()?, &shape, &inner)?)]))
}

/// One index of one dimension; `real` is the dimension to name in a message.
pub(crate) fn select_in(x: &Tensor, dim: usize, i: i64, real: usize) -> Result<Tensor> {
    if x.ndim() == 0 && i == 0 {
        return Err(Error::index(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a \
             0-dim tensor to a number",
        ));
    }
    let size = if dim < x.ndim() { x.size(dim) as i64 } else { 0 };
    if i < -size || i >= size {
        return Err(Error::index(format!("index {i} is out of bounds for dimension {real} with size {size}")));
    }
    let at = (if i < 0 { i + size } else { i }) as usize;
    Ok(part_view(("SelectBackward0", "SelectBackwardBackward0"), x, |l| l.select(dim, at)))
}

/// `x.select(dim, index)`.
pub fn select(x: &Tensor, dim: i64, i: i64) -> Result<Tensor> {
    if x.ndim() == 0 {
        return Err(Error::index("select() cannot be applied to a 0-dim tensor."));
    }
    let d = wrap_dim(dim, x.ndim())?;
    let size = x.size(d) as i64;
    if i < -size || i >= size {
        return Err(Error::index(format!(
            "select(): index {i} out of range for tensor of size {} at dimension {d}",
            list(&x.shape())
        )));
    }
    select_in(x, d, i, d)
}

/// `x[start:stop:step]` of one dimension; bounds are cut as Python cuts them.
pub fn slice_of(x: &Tensor, dim: i64, start: Option<i64>, stop: Option<i64>, step: i64) -> Result<Tensor> {
    let (d, start, stop, step) = slice_bounds(x, dim, start, stop, step)?;
    Ok(part_view(("SliceBackward0", "SliceBackwardBackward0"), x, |l| l.slice(d, start, stop, step)))
}

fn slice_bounds(
    x: &Tensor,
    dim: i64,
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
) -> Result<(usize, usize, usize, usize)> {
    if x.ndim() == 0 {
        return Err(Error::index("slice() cannot be applied to a 0-dim tensor."));
    }
    let d = wrap_dim(dim, x.ndim())?;
    if step <= 0 {
        return Err(Error::runtime("slice step must be positive"));
    }
    let size = x.size(d) as i64;
    let cut = |v: i64| (if v < 0 { v.saturating_add(size) } else { v }).clamp(0, size);
    let start = cut(start.unwrap_or(0));
    let stop = cut(stop.unwrap_or(size)).max(start);
    Ok((d, start as usize, stop as usize, step as usize))
}

/// `x.narrow(dim, start, length)`.
pub fn narrow(x: &Tensor, dim: i64, start: i64, length: i64) -> Result<Tensor> {
    if x.ndim() == 0 {
        return Err(Error::runtime("narrow() cannot be applied to a 0-dim tensor."));
    }
    if length < 0 {
        return Err(Error::runtime("narrow(): length must be non-negative."));
    }
    let d = wrap_dim(dim, x.ndim())?;
    let size = x.size(d) as i64;
    if start < -size || start > size {
        return Err(Error::index(format!(
            "start out of range (expected to be in range of [{}, {size}], but got {start})",
            -size
        )));
    }
    let start = if start < 0 { start + size } else { start };
    if length > size - start {
        return Err(Error::runtime(format!("start ({start}) + length ({length}) exceeds dimension size ({size}).")));
    }
    slice_of(x, dim, Some(start), Some(start + length), 1)
}

fn diagonal_layout(l: &Layout, offset: i64, a: usize, b: usize) -> Layout {
    let (rows, cols) = (l.shape[a] as i64, l.shape[b] as i64);
    let len = if offset >= 0 { rows.min(cols.saturating_sub(offset)) } else { cols.min(rows.saturating_add(offset)) };
    let len = len.max(0) as usize;
    let skip = match (len, offset >= 0) {
        (0, _) => 0,
        // Where these are too large, there are no elements.
        (_, true) => (offset as usize).saturating_mul(l.strides[b]),
        (_, false) => (offset.unsigned_abs() as usize).saturating_mul(l.strides[a]),
    };
    let keep: Vec<usize> = (0..l.ndim()).filter(|&d| d != a && d != b).collect();
    let mut out = l.permute(&keep);
    out.shape.push(len);
    out.strides.push(l.strides[a].saturating_add(l.strides[b]));
    out.offset = out.offset.saturating_add(skip);
    out
}

/// `x.diagonal(offset, dim1, dim2)`.
pub fn diagonal(x: &Tensor, offset: i64, dim1: i64, dim2: i64) -> Result<Tensor> {
    let (a, b) = (wrap_dim(dim1, x.ndim())?, wrap_dim(dim2, x.ndim())?);
    if a == b || x.ndim() < 2 {
        return Err(Error::runtime(format!("diagonal dimensions cannot be identical {dim1}, {dim2}")));
    }
    Ok(part_view(("DiagonalBackward0", "DiagonalBackwardBackward0"), x, |l| diagonal_layout(l, offset, a, b)))
}

/// `torch.diag_embed(x, offset, dim1, dim2)`.
pub fn diag_embed(x: &Tensor, offset: i64, dim1: i64, dim2: i64) -> Result<Tensor> {
    let n = x.ndim() + 1;
    let (a, b) = (wrap_dim(dim1, n)?, wrap_dim(dim2, n)?);
    if a == b {
        return Err(Error::runtime(format!("diagonal dimensions cannot be identical {dim1}, {dim2}")));
    }
    let mut shape = x.shape();
    let side = shape.pop().unwrap_or(0).saturating_add(offset.unsigned_abs() as usize);
    shape.insert(a.min(b), side);
    shape.insert(a.max(b), side);
    let backend = backend(x.device());
    let raw = backend.full(&shape, Scalar::Int(0), x.dtype())?;
    let layout = diagonal_layout(&Layout::contiguous(&shape), offset, a, b);
    backend.write(&raw.with_layout(layout), &x.raw())?;
    Ok(differentiable("DiagEmbedBackward0", &[x], raw, &[], move |ctx| {
        Ok(vec![Some(diagonal(&ctx.grad()?, offset, a as i64, b as i64)?)])
    }))
}

/// `torch.diag(x, diagonal)`.
pub fn diag(x: &Tensor, offset: i64) -> Result<Tensor> {
    match x.ndim() {
        1 => diag_embed(x, offset, 0, 1),
        2 => {
            let shape = x.shape();
            let layout = diagonal_layout(&x.layout(), offset, 0, 1);
            let raw = x.raw();
            let raw = backend(raw.device()).copy(&raw.with_layout(layout), raw.dtype)?;
            let inner = diagonal_layout(&Layout::contiguous(&shape), offset, 0, 1);
            Ok(differentiable("DiagonalBackward0_copy", &[x], raw, &[], move |ctx| {
                Ok(vec![Some(embed("DiagonalBackwardBackward0", &ctx.grad()?, &shape, &inner)?)])
            }))
        }
        n => Err(Error::runtime(format!("diag(): Supports 1D or 2D tensors. Got {n}D"))),
    }
}

/// `x.unfold(dim, size, step)`: windows, which may overlap.
pub fn unfold(x: &Tensor, dim: i64, size: i64, step: i64) -> Result<Tensor> {
    let d = wrap_dim(dim, x.ndim())?;
    let whole = if x.ndim() == 0 { 1 } else { x.size(d) };
    if size < 0 {
        return Err(Error::runtime(format!("size is {size} but must be >= 0")));
    }
    if size as usize > whole {
        return Err(Error::runtime(format!("maximum size for tensor at dimension {d} is {whole} but size is {size}")));
    }
    if step <= 0 {
        return Err(Error::runtime(format!("step is {step} but must be > 0")));
    }
    let (size, step) = (size as usize, step as usize);
    let windows = |l: &Layout| {
        let mut out = l.clone();
        match out.shape.get_mut(d) {
            Some(n) => {
                *n = (*n - size) / step + 1;
                out.shape.push(size);
                out.strides.push(l.strides[d]);
                out.strides[d] = l.strides[d].saturating_mul(step.min(1 << 31));
            }
            None => {
                out.shape.push(size);
                out.strides.push(1);
            }
        }
        out
    };
    let shape = x.shape();
    let inner = windows(&Layout::contiguous(&shape));
    Ok(view("UnfoldBackward0", x, windows(&x.layout()), move |ctx| {
        let g = ctx.grad()?;
        let zeros = Tensor::zeros(&shape, g.dtype())?;
        let places: Vec<i64> = inner.places().map(|p| p as i64).collect();
        Ok(vec![Some(put_places(&zeros, &Tensor::from_slice(&places, &inner.shape)?, &g, true)?)])
    }))
}

/// `x.as_strided(size, stride, storage_offset)`.
pub fn as_strided(x: &Tensor, size: &[i64], stride: &[i64], offset: Option<i64>) -> Result<Tensor> {
    let raw = x.raw();
    let layout = strided_layout(x, size, stride, offset)?;
    let old = raw.layout;
    let new = layout.clone();
    Ok(view("AsStridedBackward0", x, layout, move |ctx| {
        let g = ctx.grad()?;
        // Through memory: sum the gradient where the view lies, read it where the input lies.
        let len = old.end().max(new.end());
        let memory = Tensor::zeros(&[len], g.dtype())?;
        let at = |l: &Layout| -> Result<Tensor> {
            let places: Vec<i64> = l.places().map(|p| p as i64).collect();
            Tensor::from_slice(&places, &l.shape)
        };
        let memory = put_places(&memory, &at(&new)?, &g, true)?;
        let back = take_places(&memory, &at(&old)?)?;
        if !old.has_internal_overlap() {
            return Ok(vec![Some(back)]);
        }
        // Elements that share a place share its gradient.
        let ones = Tensor::full(&old.shape, Scalar::Int(1), g.dtype())?;
        let count = put_places(&Tensor::zeros(&[len], g.dtype())?, &at(&old)?, &ones, true)?;
        Ok(vec![Some(crate::ops::div(&back, &take_places(&count, &at(&old)?)?)?)])
    }))
}

pub(crate) fn strided_layout(x: &Tensor, size: &[i64], stride: &[i64], offset: Option<i64>) -> Result<Layout> {
    if size.len() != stride.len() {
        return Err(Error::runtime("mismatch in length of strides and shape"));
    }
    if stride.iter().any(|&s| s < 0) {
        return Err(Error::runtime(format!(
            "as_strided: Negative strides are not supported at the moment, got strides: {}",
            list(stride)
        )));
    }
    if let Some(s) = size.iter().find(|&&s| s < 0) {
        return Err(Error::runtime(format!("Storage size calculation overflowed with sizes={}: {s}", list(size))));
    }
    let offset = offset.unwrap_or(x.offset() as i64);
    if offset < 0 {
        return Err(Error::runtime(format!("Tensor: invalid storage offset {offset}")));
    }
    let to = |v: &[i64]| v.iter().map(|&s| s as usize).collect::<Vec<usize>>();
    let layout = Layout { shape: to(size), strides: to(stride), offset: offset as usize };
    let item = x.dtype().size() as u128;
    let empty = size.contains(&0);
    let last: u128 = size.iter().zip(stride).map(|(&n, &s)| (n.max(1) as u128 - 1) * s as u128).sum();
    let bytes = if empty { 0 } else { (offset as u128 + last + 1) * item };
    let have = x.storage().nbytes() as u128;
    if bytes > have {
        return Err(Error::runtime(format!(
            "setStorage: sizes {}, strides {}, storage offset {offset}, and itemsize {item} requiring a storage size of \
             {bytes} are out of bounds for storage of size {have}",
            list(size),
            list(stride)
        )));
    }
    Ok(layout)
}

/// `torch.diagonal_scatter`, `select_scatter`, `slice_scatter`: a copy of `x` with `src` at the part that `part_of`
/// makes of its layout.
fn scatter_part(
    name: &'static str,
    x: &Tensor,
    src: &Tensor,
    part_of: Rc<dyn Fn(&Layout) -> Layout>,
) -> Result<Tensor> {
    let b = backend(x.device());
    let raw = keep_order(&x.raw(), |r| b.copy(r, r.dtype))?;
    let place = part_of(&raw.layout);
    if place.shape != src.shape() {
        return Err(Error::runtime(format!(
            "expected src to have a size equal to the slice of self. src size = {}, slice size = {}",
            list(&src.shape()),
            list(&place.shape)
        )));
    }
    b.write(&raw.with_layout(place), &src.raw())?;
    let shape = x.shape();
    let inner = part_of(&Layout::contiguous(&shape));
    Ok(differentiable(name, &[x, src], raw, &[], move |ctx| {
        let g = contiguous(&ctx.grad()?)?;
        let inside = part("AsStridedBackward0", &g, &shape, &inner)?;
        let zeros = Tensor::zeros(&inner.shape, g.dtype())?;
        let at = inner.clone();
        let outside = scatter_part(name, &g, &zeros, Rc::new(move |_| at.clone()))?;
        Ok(vec![Some(outside), Some(inside)])
    }))
}

pub(crate) const TABLE: &[Op] = &[
    op("select.int(Tensor self, int dim, int index) -> Tensor", places::BOTH, |a| {
        Ok(select(a.tensor(0)?, a.int(1)?, a.int(2)?)?.into())
    }),
    op("narrow(Tensor self, int dim, int start, int length) -> Tensor", places::BOTH, |a| {
        Ok(narrow(a.tensor(0)?, a.int(1)?, a.int(2)?, a.int(3)?)?.into())
    }),
    op("narrow.Tensor(Tensor self, int dim, Tensor start, int length) -> Tensor", places::BOTH, |a| {
        Ok(narrow(a.tensor(0)?, a.int(1)?, a.tensor(2)?.item()?.to_i64(), a.int(3)?)?.into())
    }),
    op("slice.Tensor(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor", 0, |a| {
        Ok(slice_of(a.tensor(0)?, a.int(1)?, a.opt_int(2)?, a.opt_int(3)?, a.int(4)?)?.into())
    }),
    op("diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor", places::BOTH, |a| {
        Ok(diagonal(a.tensor(0)?, a.int(1)?, a.int(2)?, a.int(3)?)?.into())
    }),
    op("diag(Tensor self, int diagonal=0) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(diag(a.tensor(0)?, a.int(1)?)?.into())
    }),
    op("diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor", places::BOTH, |a| {
        Ok(diag_embed(a.tensor(0)?, a.int(1)?, a.int(2)?, a.int(3)?)?.into())
    }),
    op("diagflat(Tensor self, int offset=0) -> Tensor", places::BOTH, |a| {
        Ok(diag_embed(&reshape(&contiguous(a.tensor(0)?)?, &[-1])?, a.int(1)?, 0, 1)?.into())
    }),
    op("unfold(Tensor self, int dimension, int size, int step) -> Tensor", places::METHOD, |a| {
        Ok(unfold(a.tensor(0)?, a.int(1)?, a.int(2)?, a.int(3)?)?.into())
    }),
    op("as_strided(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor", places::BOTH, |a| {
        Ok(as_strided(a.tensor(0)?, &a.ints(1)?, &a.ints(2)?, a.opt_int(3)?)?.into())
    }),
    op(
        "diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
        places::BOTH,
        |a| {
            let x = a.tensor(0)?;
            let (d1, d2) = (wrap_dim(a.int(3)?, x.ndim())?, wrap_dim(a.int(4)?, x.ndim())?);
            if d1 == d2 {
                return Err(Error::runtime(format!("diagonal dimensions cannot be identical {d1}, {d2}")));
            }
            let offset = a.int(2)?;
            let of = move |l: &Layout| diagonal_layout(l, offset, d1, d2);
            Ok(scatter_part("DiagonalScatterBackward0", x, a.tensor(1)?, Rc::new(of))?.into())
        },
    ),
    op("select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor", places::BOTH, |a| {
        let x = a.tensor(0)?;
        select(x, a.int(2)?, a.int(3)?)?;
        let d = wrap_dim(a.int(2)?, x.ndim())?;
        let (i, size) = (a.int(3)?, x.size(d) as i64);
        let at = (if i < 0 { i + size } else { i }) as usize;
        Ok(scatter_part("SelectScatterBackward0", x, a.tensor(1)?, Rc::new(move |l| l.select(d, at)))?.into())
    }),
    op(
        "slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
        places::BOTH,
        |a| {
            let x = a.tensor(0)?;
            let (d, start, stop, step) = slice_bounds(x, a.int(2)?, a.opt_int(3)?, a.opt_int(4)?, a.int(5)?)?;
            let of = move |l: &Layout| l.slice(d, start, stop, step);
            Ok(scatter_part("SliceScatterBackward0", x, a.tensor(1)?, Rc::new(of))?.into())
        },
    ),
];
