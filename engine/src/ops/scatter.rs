//! Writing along a dimension or at flat positions: the `scatter`, `index_…_` and `put` families.

use crate::autograd::{Save, differentiable};
use crate::backend::{Fault, ScatterOp, backend};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result, list};
use crate::layout::{Layout, broadcast_shapes, wrap_dim};
use crate::ops::{
    along, cast, checked, flat_places, gather, index_select, like_order, long_index, masked_select, mul, number,
    one_dim, put_places, reshape, size_at, size_of, slice_of, sum, take_places,
};
use crate::registry::{Op, Value, op, places};
use crate::tensor::{Raw, Tensor};

/// What all of the family check first; the index as int64.
pub(crate) fn checked_index(
    x: &Tensor,
    d: usize,
    index: &Tensor,
    src: Option<&Tensor>,
    what: &'static str,
) -> Result<Tensor> {
    let index = long_index(index, what)?;
    if let Some(src) = src
        && src.dtype() != x.dtype()
    {
        return Err(Error::runtime(format!("{what}(): Expected self.dtype to be equal to src.dtype")));
    }
    if index.numel() == 0 {
        return Ok(index);
    }
    if index.ndim().max(1) != x.ndim().max(1) {
        return Err(Error::runtime("Index tensor must have the same number of dimensions as self tensor"));
    }
    if let Some(src) = src
        && index.ndim().max(1) != src.ndim().max(1)
    {
        return Err(Error::runtime("Index tensor must have the same number of dimensions as src tensor"));
    }
    let over = |t: &Tensor, skip: bool| (0..index.ndim()).any(|k| !(skip && k == d) && index.size(k) > size_of(t, k));
    if over(x, true) || src.is_some_and(|s| over(s, false)) {
        let src = src.map_or(String::new(), |s| format!(" and to be no larger size than src {}", list(&s.shape())));
        return Err(Error::runtime(format!(
            "Expected index {} to be no larger than self {} apart from dimension {d}{src}",
            list(&index.shape()),
            list(&x.shape())
        )));
    }
    let size = size_of(x, d);
    checked(&index, size, Fault::Gather { dim: d, size })
}

/// The kernel; 0-d tensors are seen as of one dimension, and `src` as far as the index goes.
pub(crate) fn scatter_kernel(op: ScatterOp, x: &Tensor, d: usize, index: &Tensor, src: &Raw) -> Result<Raw> {
    if index.numel() == 0 {
        return backend(x.device()).copy(&x.raw(), x.dtype());
    }
    let src = one_dim(src.clone());
    let index = one_dim(index.raw());
    let cut = src.with_layout(Layout { shape: index.layout.shape.clone(), ..src.layout.clone() });
    let out = backend(x.device()).scatter(op, &one_dim(x.raw()), d, &index, &cut)?;
    Ok(out.with_layout(Layout::contiguous(&x.shape())))
}

/// `src` as far as the index goes, with history.
pub(crate) fn cut_to(src: &Tensor, index: &Tensor) -> Result<Tensor> {
    let mut out = src.clone();
    for d in 0..index.ndim().min(src.ndim()) {
        if src.size(d) > index.size(d) {
            out = slice_of(&out, d as i64, Some(0), Some(index.size(d) as i64), 1)?;
        }
    }
    Ok(out)
}

/// `x.scatter(dim, index, src)`.
pub fn scatter(x: &Tensor, dim: i64, index: &Tensor, src: &Tensor) -> Result<Tensor> {
    let d = wrap_dim(dim, x.ndim())?;
    let index = checked_index(x, d, index, Some(src), "scatter")?;
    let src = cut_to(src, &index)?;
    let raw = scatter_kernel(ScatterOp::Set, x, d, &index, &src.raw())?;
    Ok(differentiable("ScatterBackward0", &[x, &src], raw, &[Save::Input(&index)], move |ctx| {
        let (g, index) = (ctx.grad()?, ctx.saved(0));
        let to_x = ctx.needs(0).then(|| scatter_value(&g, d as i64, index, 0.into())).transpose()?;
        let to_src = ctx.needs(1).then(|| gather(&g, d as i64, index)).transpose()?;
        Ok(vec![to_x, to_src])
    }))
}

/// `x.scatter(dim, index, value)`.
pub fn scatter_value(x: &Tensor, dim: i64, index: &Tensor, value: Scalar) -> Result<Tensor> {
    let d = wrap_dim(dim, x.ndim())?;
    let index = checked_index(x, d, index, None, "scatter")?;
    let value = backend(x.device()).full(&[], value, x.dtype())?.broadcast_to(&index.shape())?;
    let raw = scatter_kernel(ScatterOp::Set, x, d, &index, &value)?;
    Ok(differentiable("ScatterBackward1", &[x], raw, &[Save::Input(&index)], move |ctx| {
        Ok(vec![Some(scatter_value(&ctx.grad()?, d as i64, ctx.saved(0), 0.into())?)])
    }))
}

/// `x.scatter(dim, index, src, reduce=…)`: PyTorch has no gradient for it.
fn scatter_with(x: &Tensor, dim: i64, index: &Tensor, src: &Raw, reduce: &str) -> Result<Tensor> {
    let op = match reduce {
        "add" => ScatterOp::Add,
        "multiply" => ScatterOp::Mul,
        _ => return Err(Error::runtime("reduce argument must be either add or multiply.")),
    };
    let d = wrap_dim(dim, x.ndim())?;
    let raw = scatter_kernel(op, x, d, index, src)?;
    Ok(crate::ops::underivable("scatter", &[x], raw))
}

/// `x.scatter_add(dim, index, src)`.
pub fn scatter_add(x: &Tensor, dim: i64, index: &Tensor, src: &Tensor) -> Result<Tensor> {
    let d = wrap_dim(dim, x.ndim())?;
    let index = checked_index(x, d, index, Some(src), "scatter")?;
    let src = cut_to(src, &index)?;
    let raw = scatter_kernel(ScatterOp::Add, x, d, &index, &src.raw())?;
    Ok(differentiable("ScatterAddBackward0", &[x, &src], raw, &[Save::Input(&index)], move |ctx| {
        let g = ctx.grad()?;
        let to_src = ctx.needs(1).then(|| gather(&g, d as i64, ctx.saved(0))).transpose()?;
        Ok(vec![Some(g), to_src])
    }))
}

/// A 1-d index into dimension `d`, int64 and checked.
fn vector_index(x: &Tensor, d: usize, index: &Tensor, what: &'static str) -> Result<Tensor> {
    if index.ndim() > 1 && what == "index_fill_" {
        return Err(Error::runtime("Index has to be a vector/scalar"));
    }
    if index.ndim() > 1 {
        return Err(Error::index(format!("{what}(): Index should have dimension 1 or 0 (got {})", index.ndim())));
    }
    let index = reshape(&cast(&index.detach(), DType::I64)?, &[-1])?;
    let size = size_of(x, d);
    checked(&index, size, Fault::Vector { op: what, dim: d, size })
}

fn with_size(shape: &[usize], d: usize, n: usize) -> Vec<usize> {
    let mut out = shape.to_vec();
    if let Some(s) = out.get_mut(d) {
        *s = n;
    }
    out
}

/// What `index_add` and `index_reduce` ask of their shapes, in PyTorch's order.
pub(super) fn check_slices(x: &Tensor, d: usize, index: &Tensor, source: &Tensor, what: &str) -> Result<()> {
    if index.ndim() > 1 {
        return Err(Error::index(format!(
            "{what}(): Index is supposed to be a vector, but got dim: {} with type: {} and size: {}",
            index.ndim(),
            index.dtype().scalar_type_name(),
            list(&index.shape())
        )));
    }
    if d > 0 && d >= source.ndim() {
        return Err(Error::runtime(format!(
            "{what}(): Indexing dim {d} is out of bounds of the source tensor with dim {}",
            source.ndim()
        )));
    }
    let along_source = if x.ndim() > 0 { size_at(source, d as i64)? } else { size_of(source, d) };
    if index.numel() != along_source {
        return Err(Error::runtime(format!(
            "{what}(): Number of indices ({}) should be equal to source.size(dim): ({along_source}), for dim: {d}",
            index.numel()
        )));
    }
    if with_size(&x.shape(), d, 0) != with_size(&source.shape(), d, 0) {
        return Err(Error::runtime(format!(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = {} \
             source.shape = {}",
            list(&x.shape()),
            list(&source.shape())
        )));
    }
    Ok(())
}

/// `x.index_add(dim, index, source, alpha=alpha)`.
pub fn index_add(x: &Tensor, dim: i64, index: &Tensor, source: &Tensor, alpha: Scalar) -> Result<Tensor> {
    let d = wrap_dim(dim, x.ndim())?;
    if !matches!(index.dtype(), DType::I64 | DType::I32) {
        return Err(Error::runtime("index_add_(): Expected dtype int32/int64 for index"));
    }
    if source.dtype() != x.dtype() {
        return Err(Error::runtime(format!(
            "index_add_(): self ({}) and source ({}) must have the same scalar type",
            x.dtype().scalar_type_name(),
            source.dtype().scalar_type_name()
        )));
    }
    check_slices(x, d, index, source, "index_add_")?;
    let index = vector_index(x, d, index, "index_add_")?;
    let spread = along(&index, d, &source.shape())?;
    let scaled = if alpha.is_one() {
        source.raw()
    } else {
        let scaled = crate::autograd::grad_mode::no_grad(|| mul(source, &number(alpha)?))?;
        cast(&scaled.detach(), x.dtype())?.raw()
    };
    let raw = scatter_kernel(ScatterOp::Add, x, d, &spread, &scaled)?;
    Ok(differentiable("IndexAddBackward0", &[x, source], raw, &[Save::Input(&index)], move |ctx| {
        let g = ctx.grad()?;
        let to_source = ctx
            .needs(1)
            .then(|| {
                let part = index_select(&g, d as i64, ctx.saved(0))?;
                if alpha.is_one() { Ok(part) } else { mul(&part, &number(alpha)?) }
            })
            .transpose()?;
        Ok(vec![Some(g), to_source])
    }))
}

/// `x.index_fill(dim, index, value)`.
pub fn index_fill(x: &Tensor, dim: i64, index: &Tensor, value: Scalar) -> Result<Tensor> {
    let value = Tensor::full(&[], value, x.dtype())?;
    index_fill_named("IndexFillBackward0", x, dim, index, &value)
}

fn index_fill_named(name: &'static str, x: &Tensor, dim: i64, index: &Tensor, value: &Tensor) -> Result<Tensor> {
    let d = wrap_dim(dim, x.ndim())?;
    if value.ndim() != 0 {
        return Err(Error::runtime(format!(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
            value.ndim()
        )));
    }
    if index.dtype() != DType::I64 {
        return Err(Error::index("index_fill_(): Expected dtype int64 for index."));
    }
    let index = vector_index(x, d, index, "index_fill_")?;
    let shape = if x.ndim() == 0 { vec![index.numel()] } else { with_size(&x.shape(), d, index.numel()) };
    let spread = along(&index, d, &shape)?;
    let filling = backend(x.device()).copy(&value.raw(), x.dtype())?.broadcast_to(&spread.shape())?;
    let raw = like_order(x, scatter_kernel(ScatterOp::Set, x, d, &spread, &filling)?)?;
    Ok(differentiable(name, &[x, value], raw, &[Save::Input(&index)], move |ctx| {
        let (g, index) = (ctx.grad()?, ctx.saved(0));
        let to_x = index_fill(&g, d as i64, index, 0.into())?;
        // An index that stands there twice fills its place once.
        let to_value = ctx.needs(1).then(|| sum(&crate::ops::sub(&g, &to_x)?, &[], false, None)).transpose()?;
        Ok(vec![Some(to_x), to_value])
    }))
}

/// `x.index_copy(dim, index, source)`.
pub fn index_copy(x: &Tensor, dim: i64, index: &Tensor, source: &Tensor) -> Result<Tensor> {
    let d = wrap_dim(dim, x.ndim())?;
    if index.dtype() != DType::I64 {
        return Err(Error::runtime(format!(
            "index_copy_(): Expected a long tensor for index, but got {}",
            index.dtype().scalar_type_name()
        )));
    }
    if source.dtype() != x.dtype() {
        return Err(Error::runtime(format!(
            "index_copy_(): self and source expected to have the same dtype, but got (self) {} and (source) {}",
            x.dtype().scalar_type_name(),
            source.dtype().scalar_type_name()
        )));
    }
    let (n, along_source) = (index.numel(), size_of(source, d.min(source.ndim().saturating_sub(1))));
    if index.ndim() > 1 {
        return Err(Error::index(format!("index_copy_(): Index should have dimension 1 or 0 (got {})", index.ndim())));
    }
    if source.ndim() == 0 && n != 1 {
        return Err(Error::index(format!(
            "index_copy_(): When source is scalar, index should have one element (got {n})"
        )));
    }
    if n != along_source {
        return Err(Error::index(format!(
            "index_copy_(): Number of indices ({n}) should be equal to source.size(dim) ({along_source})"
        )));
    }
    let slice =
        |t: &Tensor| -> Vec<usize> { t.shape().iter().enumerate().filter(|(k, _)| *k != d).map(|(_, &s)| s).collect() };
    if slice(x) != slice(source) {
        let text = |s: Vec<usize>| s.iter().map(|s| s.to_string()).collect::<Vec<_>>().join(" ");
        return Err(Error::runtime(format!(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: {} at \
             dimension {d} and source slice shape: {} at dimension 0.",
            text(slice(x)),
            text(slice(source))
        )));
    }
    let index = vector_index(x, d, index, "index_copy_")?;
    let raw = scatter_kernel(ScatterOp::Set, x, d, &along(&index, d, &source.shape())?, &source.raw())?;
    Ok(differentiable("IndexCopyBackward0", &[x, source], raw, &[Save::Input(&index)], move |ctx| {
        let (g, index) = (ctx.grad()?, ctx.saved(0));
        let to_source = ctx.needs(1).then(|| index_select(&g, d as i64, index)).transpose()?;
        Ok(vec![Some(index_fill(&g, d as i64, index, 0.into())?), to_source])
    }))
}

/// `x.masked_scatter(mask, source)`: the first elements of `source` where the mask is true.
pub fn masked_scatter(x: &Tensor, mask: &Tensor, source: &Tensor) -> Result<Tensor> {
    if x.dtype() != source.dtype() {
        return Err(Error::runtime(format!(
            "masked_scatter: expected self and source to have same dtypes but got{} and {}",
            x.dtype().scalar_type_name(),
            source.dtype().scalar_type_name()
        )));
    }
    let shape = broadcast_shapes(&mask.shape(), &x.shape())?;
    if mask.dtype() != DType::Bool {
        return Err(Error::runtime(format!(
            "masked_scatter_ only supports boolean masks, but got mask with dtype {}",
            mask.dtype().scalar_type_name()
        )));
    }
    let b = backend(x.device());
    let found = b.nonzero(&mask.raw().broadcast_to(&shape)?)?;
    let n = found.numel();
    if source.numel() < n {
        return Err(Error::runtime("Number of elements of source < number of ones in mask"));
    }
    let first = b.copy(&source.raw(), x.dtype())?.with_layout(Layout::contiguous(&[n]));
    let raw = b.put(ScatterOp::Set, &x.raw().broadcast_to(&shape)?, &found, &first)?;
    let wide = crate::ops::expand_as_shape(&mask.detach(), &shape)?;
    let source_shape = source.shape();
    Ok(differentiable("MaskedScatterBackward0", &[x, source], raw, &[Save::Input(&wide)], move |ctx| {
        let (g, mask) = (ctx.grad()?, ctx.saved(0));
        let to_source = ctx
            .needs(1)
            .then(|| {
                let part = masked_select(&g, mask)?;
                let places: Vec<i64> = (0..part.numel() as i64).collect();
                let places = Tensor::from_slice(&places, &[places.len()])?;
                put_places(&Tensor::zeros(&source_shape, g.dtype())?, &places, &part, true)
            })
            .transpose()?;
        Ok(vec![Some(crate::ops::masked_fill_number(&g, mask, 0.into())?), to_source])
    }))
}

/// `x.put(index, source, accumulate)`.
pub fn put(x: &Tensor, index: &Tensor, source: &Tensor, accumulate: bool) -> Result<Tensor> {
    if index.dtype() != DType::I64 {
        return Err(Error::runtime(format!(
            "put_(): Expected a long tensor for index, but got {}",
            index.dtype().scalar_type_name()
        )));
    }
    if x.dtype() != source.dtype() {
        return Err(Error::runtime(format!(
            "put_(): self and source expected to have the same dtype, but got self.dtype = {} and source.dtype = {}",
            x.dtype().scalar_type_name(),
            source.dtype().scalar_type_name()
        )));
    }
    if index.numel() != source.numel() {
        return Err(Error::index(format!(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = {}, \
             index.numel() = {}",
            source.numel(),
            index.numel()
        )));
    }
    if x.numel() == 0 && index.numel() != 0 {
        return Err(Error::index("put_(): Tried to put elements into an empty tensor"));
    }
    let places = flat_places(x, index)?;
    let op = if accumulate { ScatterOp::Add } else { ScatterOp::Set };
    let raw = like_order(x, backend(x.device()).put(op, &x.raw(), &places.raw(), &source.raw())?)?;
    let shape = source.shape();
    Ok(differentiable("PutBackward0", &[x, source], raw, &[Save::Input(&places)], move |ctx| {
        let (g, places) = (ctx.grad()?, ctx.saved(0));
        let to_x =
            if accumulate { g.clone() } else { put(&g, places, &Tensor::zeros(&places.shape(), g.dtype())?, false)? };
        let to_source = reshape(&take_places(&g, places)?, &crate::ops::dims_of(&shape))?;
        Ok(vec![Some(to_x), Some(to_source)])
    }))
}

fn with_reduce(a: &crate::registry::Args) -> Result<Value> {
    let x = a.tensor(0)?;
    let d = wrap_dim(a.int(1)?, x.ndim())?;
    let src = a.tensor(3)?;
    let index = checked_index(x, d, a.tensor(2)?, Some(src), "scatter")?;
    Ok(scatter_with(x, d as i64, &index, &src.raw(), &a.str(4)?)?.into())
}

fn with_reduce_value(a: &crate::registry::Args) -> Result<Value> {
    let x = a.tensor(0)?;
    let d = wrap_dim(a.int(1)?, x.ndim())?;
    let index = checked_index(x, d, a.tensor(2)?, None, "scatter")?;
    let value = backend(x.device()).full(&[], a.scalar(3)?, x.dtype())?.broadcast_to(&index.shape())?;
    Ok(scatter_with(x, d as i64, &index, &value, &a.str(4)?)?.into())
}

pub(crate) const TABLE: &[Op] = &[
    op("scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", places::ALL, |a| {
        Ok(scatter(a.tensor(0)?, a.int(1)?, a.tensor(2)?, a.tensor(3)?)?.into())
    }),
    op(
        "scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
        places::ALL,
        with_reduce,
    ),
    op("scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", places::ALL, |a| {
        Ok(scatter_value(a.tensor(0)?, a.int(1)?, a.tensor(2)?, a.scalar(3)?)?.into())
    }),
    op(
        "scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor",
        places::ALL,
        with_reduce_value,
    ),
    op("scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", places::ALL, |a| {
        Ok(scatter_add(a.tensor(0)?, a.int(1)?, a.tensor(2)?, a.tensor(3)?)?.into())
    }),
    op("index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", places::ALL, |a| {
        Ok(index_add(a.tensor(0)?, a.int(1)?, a.tensor(2)?, a.tensor(3)?, a.scalar(4)?)?.into())
    }),
    op(
        "index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
        places::BOTH | places::INPLACE,
        |a| Ok(index_fill(a.tensor(0)?, a.int(1)?, a.tensor(2)?, a.scalar(3)?)?.into()),
    ),
    op(
        "index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor",
        places::BOTH | places::INPLACE,
        |a| Ok(index_fill_named("IndexFillBackward1", a.tensor(0)?, a.int(1)?, a.tensor(2)?, a.tensor(3)?)?.into()),
    ),
    op("index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor", places::ALL, |a| {
        Ok(index_copy(a.tensor(0)?, a.int(1)?, a.tensor(2)?, a.tensor(3)?)?.into())
    }),
    op("masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor", places::BOTH | places::INPLACE, |a| {
        Ok(masked_scatter(a.tensor(0)?, a.tensor(1)?, a.tensor(2)?)?.into())
    }),
    op(
        "put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
        places::BOTH | places::INPLACE,
        |a| Ok(put(a.tensor(0)?, a.tensor(1)?, a.tensor(2)?, a.bool(3)?)?.into()),
    ),
];
