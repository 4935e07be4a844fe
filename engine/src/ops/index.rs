//! Square brackets: `x[...]` and `x[...] = value`, from what Python wrote to views and reads or writes at places.

use crate::autograd::{Save, differentiable, inplace};
use crate::backend::{Fault, ScatterOp, backend};
use crate::dtype::DType;
use crate::error::{Error, Result, list};
use crate::layout::{Layout, broadcast_shapes, contiguous_strides};
use crate::ops::{
    self, alias, copy, expand, fill_like, fill_tensor, nonzero_as_tuple, select_in, slice_of, unsqueeze, view_as,
};
use crate::placement;
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

/// One item between the brackets.
#[derive(Clone)]
pub enum Index {
    Int(i64),
    Slice { start: Option<i64>, stop: Option<i64>, step: Option<i64> },
    None,
    Ellipsis,
    Bool(bool),
    Tensor(Tensor),
}

fn is_mask(t: &Tensor) -> bool {
    matches!(t.dtype(), DType::Bool | DType::U8)
}

/// The views that the items ask for, and the tensors left to index them with (`None` for a dimension taken whole).
struct Sliced {
    x: Tensor,
    tensors: Vec<Option<Tensor>>,
}

fn slice_item(x: &Tensor, dim: usize, item: &Index, skip_whole: bool) -> Result<Tensor> {
    let Index::Slice { start, stop, step } = item else {
        return Ok(x.clone());
    };
    let step = step.unwrap_or(1);
    if step == 0 {
        return Err(Error::value("slice step cannot be zero"));
    }
    if step < 0 {
        return Err(Error::value("step must be greater than zero"));
    }
    if x.ndim() == 0 {
        return Err(Error::index("slice() cannot be applied to a 0-dim tensor."));
    }
    let size = x.size(dim) as i64;
    let whole = start.unwrap_or(0) == 0 && stop.is_none_or(|s| s == size) && step == 1;
    if whole && skip_whole && dim < x.ndim() {
        return Ok(x.clone());
    }
    slice_of(x, dim as i64, *start, *stop, step)
}

fn apply(x: &Tensor, idx: &[Index], writing: bool) -> Result<Sliced> {
    if let [Index::Int(i)] = idx {
        return Ok(Sliced { x: select_in(x, 0, *i, 0)?, tensors: vec![] });
    }
    if let [item @ Index::Slice { .. }] = idx {
        return Ok(Sliced { x: slice_item(x, 0, item, writing)?, tensors: vec![] });
    }
    let named: usize = idx
        .iter()
        .map(|i| match i {
            Index::Tensor(t) if is_mask(t) => t.ndim(),
            Index::Int(_) | Index::Slice { .. } | Index::Tensor(_) => 1,
            Index::None | Index::Ellipsis | Index::Bool(_) => 0,
        })
        .sum();
    if named > x.ndim() {
        return Err(Error::index(format!("too many indices for tensor of dimension {}", x.ndim())));
    }
    let mut out = x.clone();
    let mut dim = 0usize;
    // Counts dimensions of `x` itself, for messages.
    let mut real = 0usize;
    let mut tensors: Vec<Option<Tensor>> = vec![];
    let mut put = |dim: &mut usize, t: Tensor| {
        tensors.resize(tensors.len().max(*dim + 1), None);
        if let Some(slot) = tensors.get_mut(*dim) {
            *slot = Some(t);
        }
        *dim += 1;
    };
    for item in idx {
        match item {
            Index::Int(i) => {
                out = select_in(&out, dim, *i, real)?;
                real += 1;
            }
            Index::Slice { .. } => {
                out = slice_item(&out, dim, item, true)?;
                dim += 1;
                real += 1;
            }
            Index::Ellipsis => {
                dim += x.ndim() - named;
                real += x.ndim() - named;
            }
            Index::None => {
                out = unsqueeze(&out, dim as i64)?;
                dim += 1;
                real += 1;
            }
            Index::Bool(b) => {
                out = unsqueeze(&out, dim as i64)?;
                put(&mut dim, bool_places(*b)?);
            }
            Index::Tensor(t) if t.ndim() == 0 && !t.dtype().is_float() => {
                if is_mask(t) {
                    out = unsqueeze(&out, dim as i64)?;
                    put(&mut dim, bool_places(t.is_true()?)?);
                } else {
                    out = select_in(&out, dim, t.item()?.to_i64(), real)?;
                    real += 1;
                }
            }
            Index::Tensor(t) => {
                real += if is_mask(t) { t.ndim() } else { 1 };
                put(&mut dim, t.clone());
            }
        }
    }
    Ok(Sliced { x: out, tensors })
}

/// `True` takes a new dimension of one whole, `False` nothing of it.
fn bool_places(b: bool) -> Result<Tensor> {
    if b { Tensor::from_slice(&[0i64], &[1]) } else { Tensor::from_slice::<i64>(&[], &[0]) }
}

/// `x[idx]`.
///
/// # Errors
/// PyTorch's: out of bounds, too many indices, masks of other shapes, indices that do not broadcast, …
pub fn index(x: &Tensor, idx: &[Index]) -> Result<Tensor> {
    placement::on("index", x, || indexed(x, &beside(x, idx)?))
}

/// Index tensors where `x` is: those of the host come along, but not the other way.
fn beside<'a>(x: &Tensor, idx: &'a [Index]) -> Result<std::borrow::Cow<'a, [Index]>> {
    let here = x.device();
    let elsewhere = |i: &Index| matches!(i, Index::Tensor(t) if !t.device().shares_memory(here));
    if !idx.iter().any(elsewhere) {
        return Ok(idx.into());
    }
    if !here.is_gpu() {
        return Err(Error::runtime(format!(
            "indices should be either on cpu or on the same device as the indexed tensor ({here})"
        )));
    }
    let moved = idx.iter().map(|i| match i {
        Index::Tensor(t) => Ok(Index::Tensor(placement::to_device(t, here)?)),
        other => Ok(other.clone()),
    });
    Ok(moved.collect::<Result<Vec<_>>>()?.into())
}

fn indexed(x: &Tensor, idx: &[Index]) -> Result<Tensor> {
    if let [Index::None] = idx {
        return unsqueeze(x, 0);
    }
    let sliced = apply(x, idx, false)?;
    if !sliced.tensors.is_empty() {
        return index_tensors(&sliced.x, &sliced.tensors);
    }
    if sliced.x.same(x) { alias(x) } else { Ok(sliced.x) }
}

/// The shape without its leading ones: what is written may have more of them than the place.
fn without_leading_ones(value: &Tensor) -> Result<Tensor> {
    let shape = value.shape();
    let lead = shape.iter().take_while(|&&s| s == 1).count();
    if lead == 0 {
        return Ok(value.clone());
    }
    let rest: Vec<i64> = shape[lead..].iter().map(|&s| s as i64).collect();
    view_as(value, &rest)
}

/// `x[idx] = value`, in place.
///
/// # Errors
/// As [`index`]; a value that does not broadcast to the place; what an in-place write may not do.
pub fn index_put(x: &Tensor, idx: &[Index], value: &Tensor) -> Result<()> {
    placement::on("index_put_", x, || {
        let value = if value.is_wrapped_number() { value.clone() } else { placement::to_device(value, x.device())? };
        put_indexed(x, &beside(x, idx)?, &value)
    })
}

fn put_indexed(x: &Tensor, idx: &[Index], value: &Tensor) -> Result<()> {
    if let [Index::Bool(false)] = idx {
        return Ok(());
    }
    let sliced = match idx {
        [Index::None | Index::Bool(true)] => Sliced { x: unsqueeze(x, 0)?, tensors: vec![] },
        _ => apply(x, idx, true)?,
    };
    if sliced.tensors.is_empty() {
        return copy_to(&sliced.x, value);
    }
    if value.is_wrapped_number() {
        if put_number(&sliced.x, &sliced.tensors, value)?.is_some() {
            return Ok(());
        }
        let value = ops::cast(value, x.dtype())?;
        return index_put_tensors_(&sliced.x, &sliced.tensors, &value, false).map(|_| ());
    }
    let value = without_leading_ones(value)?;
    index_put_tensors_(&sliced.x, &sliced.tensors, &value, false).map(|_| ())
}

/// Write a value over all of `x`, broadcast.
fn copy_to(x: &Tensor, value: &Tensor) -> Result<()> {
    if value.is_wrapped_number() {
        let number = value.item()?;
        return inplace(x, || fill_like("FillBackward2", x, number)).map(|_| ());
    }
    if value.ndim() == 0 && x.ndim() > 0 {
        return inplace(x, || fill_tensor("FillBackward3", x, value)).map(|_| ());
    }
    let value = if value.shape() == x.shape() {
        value.clone()
    } else {
        let shape: Vec<i64> = x.shape().iter().map(|&s| s as i64).collect();
        expand(&without_leading_ones(value)?, &shape)?
    };
    inplace(x, || copy(x, &value)).map(|_| ())
}

/// The index tensors as int64 tensors, one a dimension: masks become the places of their true elements.
fn without_masks(x: &Tensor, tensors: &[Option<Tensor>]) -> Result<Vec<Option<Tensor>>> {
    let mut out: Vec<Option<Tensor>> = vec![];
    for t in tensors {
        let Some(t) = t else {
            out.push(None);
            continue;
        };
        if is_mask(t) {
            let at = out.len();
            for d in 0..t.ndim() {
                if x.shape().get(at + d) != Some(&t.size(d)) {
                    return Err(Error::index(format!(
                        "The shape of the mask {} at index {d} does not match the shape of the indexed tensor {} at \
                         index {}",
                        list(&t.shape()),
                        list(&x.shape()),
                        at + d
                    )));
                }
            }
            out.extend(nonzero_as_tuple(t)?.into_iter().map(Some));
        } else if matches!(t.dtype(), DType::I64 | DType::I32) {
            out.push(Some(ops::cast(&t.detach(), DType::I64)?));
        } else {
            return Err(Error::index("tensors used as indices must be long, int, byte or bool tensors"));
        }
    }
    if out.len() > x.ndim() {
        return Err(Error::index(format!("too many indices for tensor of dimension {} (got {})", x.ndim(), out.len())));
    }
    out.resize(x.ndim(), None);
    Ok(out)
}

/// Where each element of the result lies in the row-major order of `x`, with the layout the result has in memory.
struct Plan {
    /// Shape of the result.
    shape: Vec<usize>,
    places: Tensor,
    /// Dimensions of the result from slowest to fastest in memory.
    order: Vec<usize>,
}

fn plan(x: &Tensor, tensors: &[Option<Tensor>]) -> Result<Plan> {
    let tensors = without_masks(x, tensors)?;
    let used: Vec<usize> = (0..tensors.len()).filter(|&d| tensors[d].is_some()).collect();
    let mut common: Vec<usize> = vec![];
    let given: Vec<&Tensor> = tensors.iter().flatten().collect();
    for t in &given {
        common = broadcast_shapes(&common, &t.shape()).map_err(|_| {
            let shapes: Vec<String> = given.iter().map(|t| list(&t.shape())).collect();
            Error::index(format!(
                "shape mismatch: indexing tensors could not be broadcast together with shapes {}",
                shapes.join(", ")
            ))
        })?;
    }
    let xshape = x.shape();
    let rows = contiguous_strides(&xshape);
    let first = used.first().copied().unwrap_or(0);
    let adjacent = used.windows(2).all(|w| w[1] == w[0] + 1);
    // Separated index tensors: their common dimensions come first.
    let at = if adjacent { first } else { 0 };
    let rest: Vec<usize> = (0..x.ndim()).filter(|d| !used.contains(d)).collect();
    let (before, after) = rest.split_at(at.min(rest.len()));
    let inner = |dims: &[usize]| -> (Vec<usize>, Vec<i64>) {
        let shape: Vec<usize> = dims.iter().map(|&d| xshape[d]).collect();
        let strides = dims.iter().map(|&d| rows[d]).collect();
        let walk = Layout { shape: shape.clone(), strides, offset: 0 };
        (shape, walk.places().map(|p| p as i64).collect())
    };
    if x.device().is_gpu() {
        return plan_in_ops(x, &tensors, &used, (before, after), &common);
    }
    // Offsets that the index tensors give, over their common shape.
    let count = crate::layout::numel(&common);
    let mut offsets = vec![0i64; count];
    // The first element that has an index out of bounds: its number, and the error, in which indexed dimensions count.
    let mut wrong: Option<(usize, Error)> = None;
    for (dim, &d) in used.iter().enumerate() {
        let Some(t) = &tensors[d] else { continue };
        let size = xshape[d];
        let values = Tensor::from_raw(t.raw().broadcast_to(&common)?).to_vec::<i64>()?;
        for (at, (o, i)) in offsets.iter_mut().zip(values).enumerate() {
            if size == 0 {
                return Err(Fault::Bracket { dim, size }.error(i));
            }
            if i < -(size as i64) || i >= size as i64 {
                if wrong.as_ref().is_none_or(|(first, _)| at < *first) {
                    wrong = Some((at, Fault::Bracket { dim, size }.error(i)));
                }
                break;
            }
            *o += (if i < 0 { i + size as i64 } else { i }) * rows[d] as i64;
        }
    }
    if let Some((_, error)) = wrong {
        return Err(error);
    }
    let ((shape_b, places_b), (shape_a, places_a)) = (inner(before), inner(after));
    let shape = [shape_b, common.clone(), shape_a].concat();
    let total = crate::layout::checked_numel(&shape).unwrap_or(usize::MAX);
    let mut places = Vec::new();
    places.try_reserve_exact(total).map_err(|_| Error::Allocation { bytes: total as u128 * 8 })?;
    for b in &places_b {
        for o in &offsets {
            places.extend(places_a.iter().map(|a| a + b + o));
        }
    }
    let order = result_order(x, &tensors, (before, after), &common, &shape)?;
    Ok(Plan { places: Tensor::from_slice(&places, &shape)?, shape, order })
}

/// The same without looking at the indices: a GPU computes the places where it needs them.
fn plan_in_ops(
    x: &Tensor,
    tensors: &[Option<Tensor>],
    used: &[usize],
    (before, after): (&[usize], &[usize]),
    common: &[usize],
) -> Result<Plan> {
    let xshape = x.shape();
    let rows = contiguous_strides(&xshape);
    let sizes = |dims: &[usize]| dims.iter().map(|&d| xshape[d]).collect::<Vec<usize>>();
    let steps = |dims: &[usize]| dims.iter().map(|&d| rows[d]).collect::<Vec<usize>>();
    let shape = [sizes(before), common.to_vec(), sizes(after)].concat();
    let strides = [steps(before), vec![0; common.len()], steps(after)].concat();
    // What the other dimensions add.
    let mut places = ops::grid(x.device(), Layout { shape: shape.clone(), strides, offset: 0 })?;
    let wide: Vec<i64> = [common, &vec![1; after.len()]].concat().iter().map(|&s| s as i64).collect();
    for (dim, &d) in used.iter().enumerate() {
        let Some(t) = &tensors[d] else { continue };
        let index = ops::checked(t, xshape[d], Fault::Bracket { dim, size: xshape[d] })?;
        let index = Tensor::from_raw(index.raw().broadcast_to(common)?);
        let offset = ops::mul(&index, &ops::number(rows[d] as i64)?)?;
        places = ops::add(&places, &ops::reshape(&offset, &wide)?)?;
    }
    let order = result_order(x, tensors, (before, after), common, &shape)?;
    Ok(Plan { places, shape, order })
}

/// The order in memory that PyTorch's iterator gives the result: that of the strides of what is read, where they tell
/// two dimensions apart, then that of the index tensors.
fn result_order(
    x: &Tensor,
    tensors: &[Option<Tensor>],
    (before, after): (&[usize], &[usize]),
    common: &[usize],
    shape: &[usize],
) -> Result<Vec<usize>> {
    let strides = x.strides();
    let of = |dims: &[usize]| dims.iter().map(|&d| strides[d]).collect::<Vec<usize>>();
    let mut operands = vec![[of(before), vec![0; common.len()], of(after)].concat()];
    for t in tensors.iter().flatten() {
        // Index tensors of one shape are expanded, others too; a size-1 dimension that was broadcast has stride 0.
        let over = t.layout().broadcast_to(common)?.strides;
        operands.push([vec![0; before.len()], over, vec![0; after.len()]].concat());
    }
    Ok(memory_order(shape, &operands))
}

/// Dimensions from slowest to fastest as PyTorch's iterator sorts them: by the strides of the operands, the first that
/// tells two dimensions apart deciding, and undecided pairs left where they are.
pub(crate) fn memory_order(shape: &[usize], operands: &[Vec<usize>]) -> Vec<usize> {
    let n = shape.len();
    let compare = |a: usize, b: usize| -> i32 {
        for strides in operands {
            let (s, t) = (strides[a], strides[b]);
            if s == 0 || t == 0 {
                continue;
            }
            if s != t {
                return if s < t { -1 } else { 1 };
            }
            if shape[a] > shape[b] {
                return 1;
            }
        }
        0
    };
    // From fastest to slowest.
    let mut perm: Vec<usize> = (0..n).rev().collect();
    for i in 1..n {
        let mut at = i;
        for before in (0..i).rev() {
            match compare(perm[before], perm[at]) {
                1 => {
                    perm.swap(before, at);
                    at = before;
                }
                -1 => break,
                _ => {}
            }
        }
    }
    perm.reverse();
    perm
}

/// Row-major contents, moved to lie in memory in `order`.
pub(crate) fn in_order(raw: Raw, order: &[usize]) -> Result<Raw> {
    if order.is_sorted() {
        return Ok(raw);
    }
    let moved = backend(raw.device()).copy(&raw.with_layout(raw.layout.permute(order)), raw.dtype)?;
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(i, &d)| back[d] = i);
    let layout = moved.layout.permute(&back);
    Ok(moved.with_layout(layout))
}

/// Row-major contents, moved to lie in memory as `x` does.
pub(crate) fn like_order(x: &Tensor, raw: Raw) -> Result<Raw> {
    in_order(raw, &memory_order(&x.shape(), &[x.strides()]))
}

/// `x[tensors]`, a tensor or nothing for each dimension.
pub fn index_tensors(x: &Tensor, tensors: &[Option<Tensor>]) -> Result<Tensor> {
    let plan = plan(x, tensors)?;
    let raw = backend(x.device()).take(&x.raw(), &plan.places.raw())?;
    let raw = in_order(raw, &plan.order)?;
    let shape = x.shape();
    Ok(differentiable("IndexBackward0", &[x], raw, &[Save::Input(&plan.places)], move |ctx| {
        let g = ctx.grad()?;
        let zeros = Tensor::zeros(&shape, g.dtype())?;
        Ok(vec![Some(put_at(&zeros, ctx.saved(0), &g, true)?)])
    }))
}

/// A copy of `x` with `value` (of the shape of `places`) at places of its row-major order.
fn put_at(x: &Tensor, places: &Tensor, value: &Tensor, accumulate: bool) -> Result<Tensor> {
    let op = if accumulate { ScatterOp::Add } else { ScatterOp::Set };
    let value_raw = value.raw().broadcast_to(&places.shape())?;
    let raw = like_order(x, backend(x.device()).put(op, &x.raw(), &places.raw(), &value_raw)?)?;
    Ok(differentiable("IndexPutBackward0", &[x, value], raw, &[Save::Input(places)], move |ctx| {
        let g = ctx.grad()?;
        let places = ctx.saved(0);
        let to_x = if accumulate || !ctx.needs(0) {
            g.clone()
        } else {
            put_at(&g, places, &Tensor::zeros(&[], g.dtype())?, false)?
        };
        Ok(vec![Some(to_x), Some(ops::take_places(&g, places)?)])
    }))
}

/// `torch.index_put(x, tensors, value, accumulate)`.
///
/// # Errors
/// As [`index`]; dtypes that differ; a value that does not broadcast.
pub fn index_put_tensors(x: &Tensor, tensors: &[Option<Tensor>], value: &Tensor, accumulate: bool) -> Result<Tensor> {
    // One number goes where a mask says in any dtype: PyTorch fills then.
    let cast;
    let masks = |t: &Option<Tensor>| t.as_ref().is_none_or(|t| t.dtype() == DType::Bool);
    let fills = value.numel() == 1 && !accumulate && tensors.iter().all(masks) && tensors.iter().flatten().count() == 1;
    let value = if fills && x.dtype() != value.dtype() {
        crate::ops::check_fits(value.item()?, x.dtype())?;
        cast = crate::ops::cast(value, x.dtype())?;
        &cast
    } else {
        value
    };
    if x.dtype() != value.dtype() {
        return Err(Error::runtime(format!(
            "Index put requires the source and destination dtypes match, got {} for the destination and {} for the \
             source.",
            x.dtype().scalar_type_name(),
            value.dtype().scalar_type_name()
        )));
    }
    let plan = plan(x, tensors)?;
    let fits = broadcast_shapes(&value.shape(), &plan.shape).is_ok_and(|s| s == plan.shape);
    if !fits {
        return Err(Error::runtime(format!(
            "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape {}",
            list(&value.shape()),
            list(&plan.shape)
        )));
    }
    put_at(x, &plan.places, value, accumulate)
}

/// The same in place.
pub fn index_put_tensors_(x: &Tensor, tensors: &[Option<Tensor>], value: &Tensor, accumulate: bool) -> Result<Tensor> {
    if value.ndim() == 0
        && let [mask] = tensors.iter().flatten().collect::<Vec<_>>().as_slice()
        && mask.dtype() == DType::U8
    {
        return Err(Error::runtime("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char"));
    }
    inplace(x, || index_put_tensors(x, tensors, value, accumulate))
}

/// A Python number at the places of one index tensor: PyTorch fills by mask or by index then.
fn put_number(x: &Tensor, tensors: &[Option<Tensor>], value: &Tensor) -> Result<Option<Tensor>> {
    let used: Vec<(usize, &Tensor)> =
        tensors.iter().enumerate().filter_map(|(d, t)| t.as_ref().map(|t| (d, t))).collect();
    let [(d, t)] = used.as_slice() else {
        return Ok(None);
    };
    let number = value.item()?;
    if t.dtype() == DType::Bool && t.ndim() > 0 && x.shape().get(*d..).is_some_and(|s| s.starts_with(&t.shape())) {
        let mut wide = t.detach();
        for _ in d + t.ndim()..x.ndim() {
            wide = unsqueeze(&wide, -1)?;
        }
        return Ok(Some(inplace(x, || ops::masked_fill_number(x, &wide, number))?));
    }
    if t.dtype() == DType::I64 && t.ndim() == 1 && x.ndim() > 0 {
        return Ok(Some(inplace(x, || ops::index_fill(x, *d as i64, t, number))?));
    }
    Ok(None)
}

pub(crate) const TABLE: &[Op] = &[
    op("index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", 0, |a| {
        Ok(index_tensors(a.tensor(0)?, &a.index_tensors(1)?)?.into())
    }),
    op(
        "index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
        places::BOTH,
        |a| Ok(index_put_tensors(a.tensor(0)?, &a.index_tensors(1)?, a.tensor(2)?, a.bool(3)?)?.into()),
    ),
    op(
        "index_put_(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
        places::BOTH,
        |a| Ok(index_put_tensors_(a.tensor(0)?, &a.index_tensors(1)?, a.tensor(2)?, a.bool(3)?)?.into()),
    ),
];
