//! Writing over a whole tensor (`copy_`, `fill_`, `zero_`) and changing a tensor's layout in place.

use crate::autograd::{GradCtx, differentiable, inplace, relayout};
use crate::backend::backend;
use crate::dtype::Scalar;
use crate::error::{Error, Result, list};
use crate::layout::{Layout, checked_numel};
use crate::ops::{as_strided, check_fits, squeeze, squeeze_dim, squeeze_dims, t, transpose, unsqueeze};
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

/// What `x.copy_(src)` makes of `x`: the elements of `src` in the shape and dtype of `x`.
pub fn copy(x: &Tensor, src: &Tensor) -> Result<Tensor> {
    let wide = src.raw().broadcast_to(&x.shape())?;
    let raw = backend(x.device()).copy(&wide, x.dtype())?;
    Ok(differentiable("torch::autograd::CopyBackwards", &[x, src], raw, &[], |ctx| {
        Ok(vec![overwritten(ctx)?, Some(ctx.grad()?)])
    }))
}

/// A number in the shape and dtype of `x`.
pub(crate) fn fill_like(name: &'static str, x: &Tensor, value: Scalar) -> Result<Tensor> {
    check_fits(value, x.dtype())?;
    let raw = backend(x.device()).full(&x.shape(), value, x.dtype())?;
    Ok(differentiable(name, &[x], raw, &[], |ctx| Ok(vec![overwritten(ctx)?])))
}

/// The gradient of what is written over: zeros.
pub(crate) fn overwritten(ctx: &GradCtx) -> Result<Option<Tensor>> {
    let zeros = || {
        let g = ctx.grad()?;
        Tensor::zeros(&g.shape(), g.dtype())
    };
    ctx.needs(0).then(zeros).transpose()
}

/// A 0-d tensor in the shape and dtype of `x`.
pub(crate) fn fill_tensor(name: &'static str, x: &Tensor, value: &Tensor) -> Result<Tensor> {
    if value.ndim() != 0 {
        return Err(Error::runtime(format!(
            "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.",
            value.ndim()
        )));
    }
    let raw = backend(x.device()).copy(&value.raw().broadcast_to(&x.shape())?, x.dtype())?;
    Ok(differentiable(name, &[x, value], raw, &[], |ctx| {
        Ok(vec![overwritten(ctx)?, Some(crate::ops::sum(&ctx.grad()?, &[], false, None)?)])
    }))
}

/// `x` with a number on its diagonal; `wrap` begins a tall matrix's diagonal anew below it.
fn fill_diagonal(x: &Tensor, value: Scalar, wrap: bool) -> Result<Tensor> {
    let shape = x.shape();
    let [rows, cols, ..] = shape.as_slice() else {
        return Err(Error::runtime("dimensions must larger than 1"));
    };
    let (rows, cols) = (*rows, *cols);
    if shape.len() > 2 && shape.iter().any(|&s| s != rows) {
        return Err(Error::runtime("all dimensions of input must be of equal length"));
    }
    check_fits(value, x.dtype())?;
    let b = backend(x.device());
    let raw = b.copy(&x.raw(), x.dtype())?;
    let step: usize = raw.layout.strides.iter().sum();
    let count = if wrap && shape.len() == 2 { x.numel().div_ceil(cols + 1) } else { rows.min(cols) };
    let count = if x.numel() == 0 { 0 } else { count };
    let diagonal = Layout { shape: vec![count], strides: vec![step], offset: 0 };
    b.write(&raw.with_layout(diagonal), &b.full(&[count], value, x.dtype())?)?;
    Ok(differentiable("FillDiagonalBackward0", &[x], raw, &[], move |ctx| {
        Ok(vec![Some(fill_diagonal(&ctx.grad()?, Scalar::Int(0), wrap)?)])
    }))
}

/// `x.copy_(src)`.
pub fn copy_(x: &Tensor, src: &Tensor) -> Result<Tensor> {
    if src.same(x) {
        return Ok(x.clone());
    }
    inplace(x, || copy(x, src))
}

/// `x.resize_(size)`: more elements get more memory, with what was there at its beginning.
///
/// # Errors
/// A tensor that requires grad; negative sizes; no memory.
pub fn resize_(x: &Tensor, size: &[i64]) -> Result<Tensor> {
    if x.requires_grad() {
        return Err(Error::runtime("cannot resize variables that require grad"));
    }
    if size.iter().any(|&s| s < 0) {
        return Err(Error::runtime("numel: integer multiplication overflow".to_owned()));
    }
    let shape: Vec<usize> = size.iter().map(|&s| s as usize).collect();
    let raw = x.raw();
    let item = raw.dtype.size();
    let numel = checked_numel(&shape)
        .filter(|n| n.checked_add(raw.layout.offset).and_then(|n| n.checked_mul(item)).is_some())
        .ok_or_else(|| Error::runtime(format!("Storage size calculation overflowed with sizes={}", list(size))))?;
    let need = if numel == 0 { 0 } else { raw.layout.offset + numel };
    let have = raw.storage.nbytes() / item;
    if need > have {
        let b = backend(raw.device());
        let memory = b.full(&[need], Scalar::Int(0), raw.dtype)?;
        let old = Layout::contiguous(&[have]);
        b.write(&memory.with_layout(old.clone()), &raw.with_layout(old))?;
        // All who share the memory see the larger one.
        raw.storage.replace(memory.storage);
    }
    let layout = Layout { offset: raw.layout.offset, ..Layout::contiguous(&shape) };
    x.set_raw(Raw { layout, ..raw });
    Ok(x.clone())
}

/// `x.set_(source)`: the memory and layout of another tensor.
pub fn set_(x: &Tensor, source: &Tensor) -> Result<Tensor> {
    if x.dtype() != source.dtype() {
        return Err(Error::runtime(format!(
            "Could not set tensor of type {} to a tensor of type {}",
            x.dtype().c_name(),
            source.dtype().c_name()
        )));
    }
    if x.requires_grad() && crate::autograd::grad_mode::is_enabled() {
        return Err(Error::runtime("a leaf Variable that requires grad is being used in an in-place operation."));
    }
    x.set_raw(source.raw());
    x.bump_version();
    Ok(x.clone())
}

pub(crate) const TABLE: &[Op] = &[
    op("copy_(Tensor self, Tensor|Scalar other, bool non_blocking=False) -> Tensor", places::METHOD, |a| {
        Ok(copy_(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("fill.Scalar(Tensor self, Scalar value) -> Tensor", places::FUNCTION, |a| {
        Ok(fill_like("FillBackward0", a.tensor(0)?, a.scalar(1)?)?.into())
    }),
    op("fill.Tensor(Tensor self, Tensor value) -> Tensor", places::FUNCTION, |a| {
        Ok(fill_tensor("FillBackward1", a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("fill_.Scalar(Tensor self, Scalar value) -> Tensor", places::BOTH, |a| {
        let (x, value) = (a.tensor(0)?, a.scalar(1)?);
        Ok(inplace(x, || fill_like("FillBackward2", x, value))?.into())
    }),
    op("fill_.Tensor(Tensor self, Tensor value) -> Tensor", places::BOTH, |a| {
        let (x, value) = (a.tensor(0)?, a.tensor(1)?);
        Ok(inplace(x, || fill_tensor("FillBackward3", x, value))?.into())
    }),
    op("fill_diagonal_(Tensor self, Scalar fill_value, bool wrap=False) -> Tensor", places::METHOD, |a| {
        let (x, value, wrap) = (a.tensor(0)?, a.scalar(1)?, a.bool(2)?);
        Ok(inplace(x, || fill_diagonal(x, value, wrap))?.into())
    }),
    op("zero(Tensor self) -> Tensor", places::INPLACE | places::INPLACE_FUNCTION, |a| {
        let x = a.tensor(0)?;
        let raw = backend(x.device()).full(&x.shape(), Scalar::Int(0), x.dtype())?;
        Ok(differentiable("ZeroBackward0", &[x], raw, &[], |ctx| Ok(vec![overwritten(ctx)?])).into())
    }),
    op("resize_(Tensor self, int[] size, *, MemoryFormat? memory_format=None) -> Tensor", places::METHOD, |a| {
        Ok(resize_(a.tensor(0)?, &a.ints(1)?)?.into())
    }),
    op("resize_as_(Tensor self, Tensor the_template) -> Tensor", places::METHOD, |a| {
        Ok(resize_(a.tensor(0)?, &crate::ops::dims_of(&a.tensor(1)?.shape()))?.into())
    }),
    op("set_.source_Tensor(Tensor self, Tensor source) -> Tensor", places::METHOD, |a| {
        Ok(set_(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("squeeze_(Tensor self) -> Tensor", places::METHOD, |a| relaid(a.tensor(0)?, squeeze)),
    op("squeeze_.dim(Tensor self, int dim) -> Tensor", places::METHOD, |a| {
        let d = a.int(1)?;
        relaid(a.tensor(0)?, |x| squeeze_dim(x, d))
    }),
    op("squeeze_.dims(Tensor self, int[] dim) -> Tensor", places::METHOD, |a| {
        let d = a.ints(1)?;
        relaid(a.tensor(0)?, |x| squeeze_dims(x, &d))
    }),
    op("unsqueeze_(Tensor self, int dim) -> Tensor", places::METHOD, |a| {
        let d = a.int(1)?;
        relaid(a.tensor(0)?, |x| unsqueeze(x, d))
    }),
    op("t_(Tensor self) -> Tensor", places::METHOD, |a| relaid(a.tensor(0)?, t)),
    op("transpose_(Tensor self, int dim0, int dim1) -> Tensor", places::METHOD, |a| {
        let (d, e) = (a.int(1)?, a.int(2)?);
        relaid(a.tensor(0)?, |x| transpose(x, d, e))
    }),
    op("swapaxes_(Tensor self, int axis0, int axis1) -> Tensor", places::METHOD, |a| {
        let (d, e) = (a.int(1)?, a.int(2)?);
        relaid(a.tensor(0)?, |x| transpose(x, d, e))
    }),
    op("swapdims_(Tensor self, int dim0, int dim1) -> Tensor", places::METHOD, |a| {
        let (d, e) = (a.int(1)?, a.int(2)?);
        relaid(a.tensor(0)?, |x| transpose(x, d, e))
    }),
    op("as_strided_(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor", places::METHOD, |a| {
        let (size, stride, offset) = (a.ints(1)?, a.ints(2)?, a.opt_int(3)?);
        relaid(a.tensor(0)?, |x| as_strided(x, &size, &stride, offset))
    }),
    op("detach_(Tensor self) -> Tensor", places::METHOD | places::FUNCTION, |a| {
        a.tensor(0)?.detach_inplace()?;
        Ok(a.tensor(0)?.clone().into())
    }),
];

fn relaid(x: &Tensor, f: impl Fn(&Tensor) -> Result<Tensor>) -> Result<crate::registry::Value> {
    Ok(relayout(x, || f(x))?.into())
}
