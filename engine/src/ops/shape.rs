//! Views and other changes of shape. A view changes the layout and nothing else.

use crate::autograd::view;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::{Layout, broadcast_shapes, checked_numel, wrap_dim};
use crate::ops::wrap_dims;
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

pub(crate) fn dims_of(shape: &[usize]) -> Vec<i64> {
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
            s if s < 0 => {
                return Err(Error::runtime(format!(
                    "invalid shape dimension {s} at index {d} of shape {}",
                    crate::error::list(shape)
                )));
            }
            s => known.push(s as usize),
        }
    }
    let product = checked_numel(&known).ok_or_else(invalid)?;
    let mut out: Vec<usize> = shape.iter().map(|&s| s.max(0) as usize).collect();
    match unknown {
        None if product == numel => Ok(out),
        // Only without elements could the unknown size be anything.
        Some(_) if product == 0 && numel > 0 => Err(invalid()),
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
    view_named("ViewBackward0", x, shape)
}

fn view_named(name: &'static str, x: &Tensor, shape: &[i64]) -> Result<Tensor> {
    let shape = infer_shape(shape, x.numel())?;
    let old = x.layout();
    let strides = old.view_strides(&shape).ok_or(Error::View)?;
    let back = dims_of(&old.shape);
    let layout = Layout { shape, strides, offset: old.offset };
    Ok(view(name, x, layout, move |ctx| Ok(vec![Some(reshape(&ctx.grad()?, &back)?)])))
}

/// `x.reshape(shape)`: a view where the strides allow one, a copy elsewhere.
pub fn reshape(x: &Tensor, shape: &[i64]) -> Result<Tensor> {
    let name = if x.is_contiguous() { "ViewBackward0" } else { "ReshapeAliasBackward0" };
    match view_named(name, x, shape) {
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
    let layout = x.layout().expand(shape).map_err(|e| e.of_dtype(x.dtype()))?;
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
        Ok(vec![Some(squeeze_named(&ctx.grad()?, &[d], "SqueezeBackward1")?)])
    }))
}

/// Put back dims (sorted) that a reduction dropped.
pub(crate) fn unsqueeze_all(x: &Tensor, dims: &[usize]) -> Result<Tensor> {
    dims.iter().try_fold(x.clone(), |t, &d| unsqueeze(&t, d as i64))
}

fn squeeze_named(x: &Tensor, dims: &[usize], name: &'static str) -> Result<Tensor> {
    let gone: Vec<usize> = dims.iter().copied().filter(|&d| d < x.ndim() && x.size(d) == 1).collect();
    let layout = x.layout().squeeze(&gone);
    Ok(view(name, x, layout, move |ctx| Ok(vec![Some(unsqueeze_all(&ctx.grad()?, &gone)?)])))
}

/// `x.squeeze()`: all dimensions of size 1 go away.
pub fn squeeze(x: &Tensor) -> Result<Tensor> {
    let all: Vec<usize> = (0..x.ndim()).collect();
    squeeze_named(x, &all, "SqueezeBackward0")
}

/// `x.squeeze(dim)`.
pub fn squeeze_dim(x: &Tensor, dim: i64) -> Result<Tensor> {
    squeeze_named(x, &[wrap_dim(dim, x.ndim())?], "SqueezeBackward1")
}

/// `x.squeeze((dim, …))`.
pub fn squeeze_dims(x: &Tensor, dims: &[i64]) -> Result<Tensor> {
    let dims = if dims.is_empty() { vec![] } else { wrap_dims(dims, x.ndim())? };
    squeeze_named(x, &dims, "SqueezeBackward2")
}

pub fn transpose(x: &Tensor, a: i64, b: i64) -> Result<Tensor> {
    transpose_named(x, a, b, "TransposeBackward0")
}

pub(crate) fn transpose_named(x: &Tensor, a: i64, b: i64, name: &'static str) -> Result<Tensor> {
    let (a, b) = (wrap_dim(a, x.ndim())?, wrap_dim(b, x.ndim())?);
    Ok(view(name, x, x.layout().transpose(a, b), move |ctx| {
        Ok(vec![Some(transpose_named(&ctx.grad()?, a as i64, b as i64, name)?)])
    }))
}

/// `x.t()`.
pub fn t(x: &Tensor) -> Result<Tensor> {
    match x.ndim() {
        0 | 1 => Ok(view("TBackward0", x, x.layout(), |ctx| Ok(vec![Some(ctx.grad()?)]))),
        2 => transpose_named(x, 0, 1, "TBackward0"),
        n => Err(Error::runtime(format!("t() expects a tensor with <= 2 dimensions, but self is {n}D"))),
    }
}

/// `x.permute(dims)`.
pub fn permute(x: &Tensor, dims: &[i64]) -> Result<Tensor> {
    if dims.len() != x.ndim() {
        return Err(Error::runtime(format!(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired \
             ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
            x.ndim(),
            dims.len()
        )));
    }
    let mut order = Vec::with_capacity(dims.len());
    for &d in dims {
        let d = wrap_dim(d, x.ndim())?;
        if order.contains(&d) {
            return Err(Error::runtime("permute(): duplicate dims are not allowed."));
        }
        order.push(d);
    }
    let mut back = vec![0i64; order.len()];
    order.iter().enumerate().for_each(|(i, &d)| back[d] = i as i64);
    Ok(view("PermuteBackward0", x, x.layout().permute(&order), move |ctx| {
        Ok(vec![Some(permute(&ctx.grad()?, &back)?)])
    }))
}

/// `x.T`.
pub fn numpy_t(x: &Tensor) -> Result<Tensor> {
    let dims: Vec<i64> = (0..x.ndim() as i64).rev().collect();
    permute(x, &dims)
}

/// `x.mT`, `x.mH`, `x.adjoint()`; `what` names it in messages.
pub fn matrix_transpose(x: &Tensor, what: &str) -> Result<Tensor> {
    match x.ndim() {
        0 => Ok(x.clone()),
        1 => Err(Error::runtime(format!(
            "tensor.{what} is only supported on matrices or batches of matrices. Got 1-D tensor."
        ))),
        _ => transpose(x, -2, -1),
    }
}

/// `x.H`.
pub fn matrix_h(x: &Tensor) -> Result<Tensor> {
    match x.ndim() {
        0 => Ok(x.clone()),
        2 => transpose(x, 0, 1),
        n => Err(Error::runtime(format!(
            "tensor.H is only supported on matrices (2-D tensors). Got {n}-D tensor.{}",
            if n > 2 { " For batches of matrices, consider using tensor.mH" } else { "" }
        ))),
    }
}

/// `x.movedim(source, destination)`.
pub fn movedim(x: &Tensor, source: &[i64], destination: &[i64]) -> Result<Tensor> {
    if source.len() != destination.len() {
        return Err(Error::runtime(format!(
            "movedim: Invalid source or destination dims: source ({} dims) should contain the same number of dims as \
             destination ({} dims)",
            crate::error::list(source),
            crate::error::list(destination)
        )));
    }
    let n = x.ndim();
    let wrap = |dims: &[i64], what: &str| -> Result<Vec<usize>> {
        let wrapped = dims.iter().map(|&d| wrap_dim(d, n)).collect::<Result<Vec<_>>>()?;
        let mut seen = wrapped.clone();
        seen.sort_unstable();
        seen.dedup();
        if seen.len() != wrapped.len() {
            return Err(Error::runtime(format!("movedim: repeated dim in `{what}` ({})", crate::error::list(dims))));
        }
        Ok(wrapped)
    };
    let (from, to) = (wrap(source, "source")?, wrap(destination, "destination")?);
    if n == 0 {
        return alias(x);
    }
    let mut order = vec![None; n];
    from.iter().zip(&to).for_each(|(&f, &t)| order[t] = Some(f));
    let mut rest = (0..n).filter(|d| !from.contains(d));
    let order: Vec<i64> = order.into_iter().filter_map(|d| d.or_else(|| rest.next())).map(|d| d as i64).collect();
    permute(x, &order)
}

/// `x.flatten(start, end)`.
pub fn flatten(x: &Tensor, start: i64, end: i64) -> Result<Tensor> {
    let (s, e) = (wrap_dim(start, x.ndim())?, wrap_dim(end, x.ndim())?);
    if s > e {
        return Err(Error::runtime("flatten() has invalid args: start_dim cannot come after end_dim"));
    }
    if x.ndim() == 0 {
        return reshape(x, &[1]);
    }
    if s == e {
        return Ok(x.clone());
    }
    let shape = x.shape();
    let mut new = dims_of(&shape[..s]);
    new.push(i64::try_from(crate::layout::numel(&shape[s..=e])).unwrap_or(i64::MAX));
    new.extend(dims_of(&shape[e + 1..]));
    reshape(x, &new)
}

/// `x.unflatten(dim, sizes)`.
pub fn unflatten(x: &Tensor, dim: i64, sizes: &[i64]) -> Result<Tensor> {
    let d = wrap_dim(dim, x.ndim())?;
    if sizes.is_empty() {
        return Err(Error::runtime("unflatten: sizes must be non-empty"));
    }
    let size = x.size(d);
    let part = infer_shape(sizes, size).map_err(|e| match e {
        Error::Reshape { .. } => Error::runtime(format!(
            "unflatten: Provided sizes {} don't multiply up to the size of dim {d} ({size}) in the input tensor",
            crate::error::list(sizes)
        )),
        other => other,
    })?;
    let shape = x.shape();
    let new = [&shape[..d.min(shape.len())], &part, shape.get(d + 1..).unwrap_or(&[])].concat();
    view_as(x, &dims_of(&new))
}

/// `x.ravel()`.
pub fn ravel(x: &Tensor) -> Result<Tensor> {
    view_as(&super::contiguous(x)?, &[-1])
}

/// A new tensor on the same elements (`x[...]`).
pub fn alias(x: &Tensor) -> Result<Tensor> {
    Ok(view("AliasBackward0", x, x.layout(), |ctx| Ok(vec![Some(ctx.grad()?)])))
}

/// `torch.broadcast_tensors`.
pub fn broadcast_tensors(xs: &[Tensor]) -> Result<Vec<Tensor>> {
    let mut shape = vec![];
    for x in xs {
        shape = broadcast_shapes(&shape, &x.shape())?;
    }
    xs.iter().map(|x| expand_as_shape(x, &shape)).collect()
}

/// `x.view(dtype)`: the same bytes read as another type.
pub fn view_dtype(x: &Tensor, dtype: DType) -> Result<Tensor> {
    let raw = x.raw();
    let (old, new) = (raw.dtype.size(), dtype.size());
    let mut layout = raw.layout.clone();
    let names =
        format!("to view {} as {} (different element sizes)", raw.dtype.scalar_type_name(), dtype.scalar_type_name());
    if old != new {
        let n = layout.ndim();
        if n == 0 {
            return Err(Error::runtime(format!("self.dim() cannot be 0 {names}")));
        }
        if layout.strides[n - 1] != 1 {
            return Err(Error::runtime(format!(
                "self.stride(-1) must be 1 {names}, but got {}",
                layout.strides[n - 1]
            )));
        }
        if old > new {
            let k = old / new;
            layout.offset *= k;
            layout.shape[n - 1] *= k;
            layout.strides[..n - 1].iter_mut().for_each(|s| *s *= k);
        } else {
            let k = new / old;
            if !layout.shape[n - 1].is_multiple_of(k) {
                let got = layout.shape[n - 1];
                return Err(Error::runtime(format!("self.size(-1) must be divisible by {k} {names}, but got {got}")));
            }
            if !layout.offset.is_multiple_of(k) {
                let got = layout.offset;
                return Err(Error::runtime(format!(
                    "self.storage_offset() must be divisible by {k} {names}, but got {got}"
                )));
            }
            if let Some((d, got)) = layout.strides[..n - 1].iter().enumerate().find(|(_, s)| !s.is_multiple_of(k)) {
                return Err(Error::runtime(format!(
                    "self.stride({d}) must be divisible by {k} {names}, but got {got}"
                )));
            }
            layout.offset /= k;
            layout.shape[n - 1] /= k;
            layout.strides[..n - 1].iter_mut().for_each(|s| *s /= k);
        }
    }
    let t = x.detach();
    t.set_raw(Raw { storage: raw.storage, layout, dtype });
    Ok(t)
}

/// The order of dimensions in memory that a memory format of PyTorch's names; `None` for those that need no change.
///
/// # Errors
/// Another number of dimensions than the format is for.
fn format_order(x: &Tensor, format: &str) -> Result<Option<Vec<usize>>> {
    let (order, rank) = match format {
        "channels_last" => (vec![0, 2, 3, 1], 4),
        "channels_last_3d" => (vec![0, 2, 3, 4, 1], 5),
        _ => return Ok(None),
    };
    if x.ndim() != rank {
        return Err(Error::runtime(format!("required rank {rank} tensor to use {format} format")));
    }
    Ok(Some(order))
}

/// `x.is_contiguous(memory_format=format)`.
pub fn has_format(x: &Tensor, format: &str) -> bool {
    match format_order(x, format) {
        Ok(Some(order)) => x.layout().permute(&order).is_contiguous(),
        Ok(None) => x.is_contiguous(),
        Err(_) => false,
    }
}

/// A copy of `x` laid out as the format says; `preserve_format` keeps the order of dimensions.
///
/// # Errors
/// See [`has_format`]: another rank than the format is for.
pub fn clone_format(x: &Tensor, format: &str) -> Result<Tensor> {
    if format == "preserve_format" {
        return super::clone(x);
    }
    let raw = x.raw();
    let b = crate::backend::backend(raw.device());
    let out = match format_order(x, format)? {
        None => b.copy(&raw, raw.dtype)?,
        Some(order) => {
            let copy = b.copy(&raw.with_layout(raw.layout.permute(&order)), raw.dtype)?;
            let mut back = vec![0; order.len()];
            order.iter().enumerate().for_each(|(i, &d)| back[d] = i);
            copy.with_layout(copy.layout.permute(&back))
        }
    };
    Ok(crate::autograd::differentiable("CloneBackward0", &[x], out, &[], |ctx| Ok(vec![Some(ctx.grad()?)])))
}

pub(crate) const TABLE: &[Op] = &[
    op("view(Tensor self, int[] size) -> Tensor", places::METHOD, |a| Ok(view_as(a.tensor(0)?, &a.ints(1)?)?.into())),
    op("view.dtype(Tensor self, ScalarType dtype) -> Tensor", places::METHOD, |a| {
        Ok(view_dtype(a.tensor(0)?, a.dtype(1)?)?.into())
    }),
    op("view_as(Tensor self, Tensor other) -> Tensor", places::METHOD, |a| {
        Ok(view_as(a.tensor(0)?, &dims_of(&a.tensor(1)?.shape()))?.into())
    }),
    op("reshape(Tensor self, int[] shape) -> Tensor", places::BOTH, |a| Ok(reshape(a.tensor(0)?, &a.ints(1)?)?.into())),
    op("reshape_as(Tensor self, Tensor other) -> Tensor", places::METHOD, |a| {
        Ok(reshape(a.tensor(0)?, &dims_of(&a.tensor(1)?.shape()))?.into())
    }),
    op("expand(Tensor self, int[] size, *, bool implicit=False) -> Tensor", places::METHOD, |a| {
        Ok(expand(a.tensor(0)?, &a.ints(1)?)?.into())
    }),
    op("expand_as(Tensor self, Tensor other) -> Tensor", places::METHOD, |a| {
        Ok(expand_as_shape(a.tensor(0)?, &a.tensor(1)?.shape())?.into())
    }),
    op("broadcast_to(Tensor self, int[] size) -> Tensor", places::BOTH, |a| {
        Ok(expand(a.tensor(0)?, &a.ints(1)?)?.into())
    }),
    op("broadcast_tensors(Tensor[] tensors) -> Tensor[]", places::FUNCTION, |a| {
        Ok(broadcast_tensors(&a.tensors(0)?)?.into())
    }),
    op("unsqueeze(Tensor self, int dim) -> Tensor", places::BOTH, |a| Ok(unsqueeze(a.tensor(0)?, a.int(1)?)?.into())),
    op("squeeze(Tensor self) -> Tensor", places::BOTH, |a| Ok(squeeze(a.tensor(0)?)?.into())),
    op("squeeze.dim(Tensor self, int dim) -> Tensor", places::BOTH, |a| {
        Ok(squeeze_dim(a.tensor(0)?, a.int(1)?)?.into())
    }),
    op("squeeze.dims(Tensor self, int[] dim) -> Tensor", places::BOTH, |a| {
        Ok(squeeze_dims(a.tensor(0)?, &a.ints(1)?)?.into())
    }),
    op("transpose.int(Tensor self, int dim0, int dim1) -> Tensor", places::BOTH, |a| {
        Ok(transpose(a.tensor(0)?, a.int(1)?, a.int(2)?)?.into())
    }),
    op("swapaxes(Tensor self, int axis0, int axis1) -> Tensor", places::BOTH, |a| {
        Ok(transpose(a.tensor(0)?, a.int(1)?, a.int(2)?)?.into())
    }),
    op("swapdims(Tensor self, int dim0, int dim1) -> Tensor", places::BOTH, |a| {
        Ok(transpose(a.tensor(0)?, a.int(1)?, a.int(2)?)?.into())
    }),
    op("t(Tensor self) -> Tensor", places::BOTH, |a| Ok(t(a.tensor(0)?)?.into())),
    // Attributes of a tensor, not methods.
    op("numpy_T(Tensor self) -> Tensor", 0, |a| Ok(numpy_t(a.tensor(0)?)?.into())),
    op("mT(Tensor self) -> Tensor", 0, |a| Ok(matrix_transpose(a.tensor(0)?, "mT")?.into())),
    op("mH(Tensor self) -> Tensor", 0, |a| Ok(crate::ops::conj(&matrix_transpose(a.tensor(0)?, "mH")?)?.into())),
    op("matrix_H(Tensor self) -> Tensor", 0, |a| Ok(crate::ops::conj(&matrix_h(a.tensor(0)?)?)?.into())),
    op("permute(Tensor self, int[] dims) -> Tensor", places::BOTH, |a| Ok(permute(a.tensor(0)?, &a.ints(1)?)?.into())),
    op("movedim.int(Tensor self, int source, int destination) -> Tensor", places::BOTH, |a| {
        Ok(movedim(a.tensor(0)?, &[a.int(1)?], &[a.int(2)?])?.into())
    }),
    op("movedim.intlist(Tensor self, int[] source, int[] destination) -> Tensor", places::BOTH, |a| {
        Ok(movedim(a.tensor(0)?, &a.ints(1)?, &a.ints(2)?)?.into())
    }),
    op("moveaxis.int(Tensor self, int source, int destination) -> Tensor", places::BOTH, |a| {
        Ok(movedim(a.tensor(0)?, &[a.int(1)?], &[a.int(2)?])?.into())
    }),
    op("moveaxis.intlist(Tensor self, int[] source, int[] destination) -> Tensor", places::BOTH, |a| {
        Ok(movedim(a.tensor(0)?, &a.ints(1)?, &a.ints(2)?)?.into())
    }),
    op("flatten.using_ints(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor", places::BOTH, |a| {
        Ok(flatten(a.tensor(0)?, a.int(1)?, a.int(2)?)?.into())
    }),
    op("unflatten.int(Tensor self, int dim, int[] sizes) -> Tensor", places::BOTH, |a| {
        Ok(unflatten(a.tensor(0)?, a.int(1)?, &a.ints(2)?)?.into())
    }),
    op("ravel(Tensor self) -> Tensor", places::BOTH, |a| Ok(ravel(a.tensor(0)?)?.into())),
    op("detach(Tensor self) -> Tensor", places::BOTH, |a| Ok(a.tensor(0)?.detach().into())),
    op("alias(Tensor self) -> Tensor", 0, |a| Ok(alias(a.tensor(0)?)?.into())),
    op("clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", places::BOTH, |a| {
        Ok(clone_format(a.tensor(0)?, a.opt_str(1)?.as_deref().unwrap_or("preserve_format"))?.into())
    }),
    op("contiguous(Tensor self, *, MemoryFormat memory_format=contiguous_format) -> Tensor", places::METHOD, |a| {
        let x = a.tensor(0)?;
        let format = a.opt_str(1)?;
        let format = format.as_deref().unwrap_or("contiguous_format");
        Ok((if has_format(x, format) { x.clone() } else { clone_format(x, format)? }).into())
    }),
];
