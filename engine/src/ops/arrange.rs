//! The same elements in another arrangement: flips, rolls, rotations, triangles, repeats.

use crate::autograd::{differentiable, non_differentiable};
use crate::backend::backend;
use crate::dtype::{B8, DType, Scalar};
use crate::error::{Error, Result, list};
use crate::layout::{Layout, wrap_dim};
use crate::ops::{
    clone, dims_of, expand, in_order, index_select, memory_order, reshape, size_at, sum, unsqueeze, view_as, wrap_dims,
};
use crate::registry::{Op, op, places};
use crate::storage::room;
use crate::tensor::{Raw, Tensor};

/// For each dimension which index to take for each index of the result; `None` takes all in order.
pub(crate) fn pick(x: &Raw, maps: &[Option<Vec<usize>>]) -> Result<Raw> {
    let mut places = vec![x.layout.offset as i64];
    let mut shape = vec![];
    for (d, (&size, &stride)) in x.layout.shape.iter().zip(&x.layout.strides).enumerate() {
        let steps: Vec<i64> = match maps.get(d).and_then(Option::as_ref) {
            Some(map) => map.iter().map(|&i| (i * stride) as i64).collect(),
            None => (0..size).map(|i| (i * stride) as i64).collect(),
        };
        shape.push(steps.len());
        let mut next = Vec::new();
        let total = places.len().saturating_mul(steps.len());
        next.try_reserve_exact(total).map_err(|_| Error::Allocation { bytes: total as u128 * 8 })?;
        for p in &places {
            next.extend(steps.iter().map(|s| p + s));
        }
        places = next;
    }
    let places = Tensor::from_slice(&places, &shape)?;
    let memory = Layout::contiguous(&[x.storage.nbytes() / x.dtype.size()]);
    backend(x.device()).take(&x.with_layout(memory), &places.raw())
}

/// `x.flip(dims)`.
pub fn flip(x: &Tensor, dims: &[i64]) -> Result<Tensor> {
    let wrapped = if dims.is_empty() { vec![] } else { wrap_dims(dims, x.ndim())? };
    let maps: Vec<Option<Vec<usize>>> =
        (0..x.ndim()).map(|d| wrapped.contains(&d).then(|| (0..x.size(d)).rev().collect())).collect();
    let raw = in_order(pick(&x.raw(), &maps)?, &memory_order(&x.shape(), &[x.strides()]))?;
    let dims = dims.to_vec();
    Ok(differentiable("FlipBackward0", &[x], raw, &[], move |ctx| Ok(vec![Some(flip(&ctx.grad()?, &dims)?)])))
}

/// `x.roll(shifts, dims)`; without dims over all elements.
pub fn roll(x: &Tensor, shifts: &[i64], dims: &[i64]) -> Result<Tensor> {
    if shifts.is_empty() {
        return Err(Error::runtime("`shifts` required"));
    }
    let flat = dims.is_empty() && shifts.len() == 1;
    if !flat && shifts.len() != dims.len() {
        return Err(Error::runtime(format!(
            "shifts and dimensions must align. shifts: {}, dims:{}",
            shifts.len(),
            dims.len()
        )));
    }
    let raw = x.raw();
    let turned = |n: usize, by: i64| -> Vec<usize> {
        let by = by.rem_euclid(n.max(1) as i64) as usize;
        (0..n).map(|i| (i + n - by) % n.max(1)).collect()
    };
    let out = if flat {
        let b = backend(raw.device());
        let row = b.copy(&raw, raw.dtype)?;
        let n = raw.numel();
        let row = pick(&row.with_layout(Layout::contiguous(&[n])), &[Some(turned(n, shifts[0]))])?;
        row.with_layout(Layout::contiguous(raw.shape()))
    } else {
        let mut by = vec![0i64; x.ndim().max(1)];
        for (&d, &s) in dims.iter().zip(shifts) {
            if x.ndim() == 0 {
                return Err(Error::index(format!("Dimension specified as {d} but tensor has no dimensions")));
            }
            let d = wrap_dim(d, x.ndim())?;
            let n = if x.ndim() == 0 { 1 } else { x.size(d).max(1) as i64 };
            by[d] = (by[d] + s.rem_euclid(n)).rem_euclid(n);
        }
        let maps: Vec<Option<Vec<usize>>> =
            (0..x.ndim()).map(|d| (by[d] != 0).then(|| turned(x.size(d), by[d]))).collect();
        pick(&raw, &maps)?
    };
    let (back, dims): (Vec<i64>, Vec<i64>) = (shifts.iter().map(|s| s.wrapping_neg()).collect(), dims.to_vec());
    Ok(differentiable("RollBackward0", &[x], out, &[], move |ctx| Ok(vec![Some(roll(&ctx.grad()?, &back, &dims)?)])))
}

/// `x.rot90(k, dims)`.
pub fn rot90(x: &Tensor, k: i64, dims: &[i64]) -> Result<Tensor> {
    let n = x.ndim();
    let [a, b] = dims else {
        return Err(Error::runtime(format!("expected total rotation dims == 2, but got dims = {}", dims.len())));
    };
    if n < 2 {
        return Err(Error::runtime(format!("expected total dims >= 2, but got total dims = {n}")));
    }
    if a == b {
        return Err(Error::runtime(format!(
            "expected rotation dims to be different, but got dim0 = {a} and dim1 = {b}"
        )));
    }
    let (a, b) = (wrap_dim(*a, n)?, wrap_dim(*b, n)?);
    let back = |size: usize| -> Vec<usize> { (0..size).rev().collect() };
    let mut maps: Vec<Option<Vec<usize>>> = vec![None; n];
    let k = k.rem_euclid(4);
    if k == 1 || k == 2 {
        maps[b] = Some(back(x.size(b)));
    }
    if k == 3 || k == 2 {
        maps[a] = Some(back(x.size(a)));
    }
    let raw = pick(&x.raw(), &maps)?;
    let raw = if k == 0 { raw } else { in_order(raw, &memory_order(&x.shape(), &[x.strides()]))? };
    let raw = if k % 2 == 1 { raw.with_layout(raw.layout.transpose(a, b)) } else { raw };
    Ok(differentiable("Rot90Backward0", &[x], raw, &[], move |ctx| {
        Ok(vec![Some(rot90(&ctx.grad()?, -k, &[a as i64, b as i64])?)])
    }))
}

/// Elements on one side of a diagonal, zero elsewhere.
fn triangle(x: &Tensor, diagonal: i64, lower: bool) -> Result<Tensor> {
    let n = x.ndim();
    let what = if lower { "tril" } else { "triu" };
    if n < 2 {
        return Err(Error::runtime(format!("{what}: input tensor must have at least 2 dimensions")));
    }
    let (rows, cols) = (x.size(n - 2), x.size(n - 1));
    let keeps = |r: usize, c: usize| {
        let over = c as i64 - r as i64;
        if lower { over <= diagonal } else { over >= diagonal }
    };
    let mask: Vec<B8> = (0..rows * cols).map(|i| keeps(i / cols.max(1), i % cols.max(1)).into()).collect();
    let mask = Tensor::from_slice(&mask, &[rows, cols])?;
    let b = backend(x.device());
    let zero = b.full(&[], Scalar::Int(0), x.dtype())?.broadcast_to(&x.shape())?;
    let raw = b.select(&mask.raw().broadcast_to(&x.shape())?, &x.raw(), &zero)?;
    let name = if lower { "TrilBackward0" } else { "TriuBackward0" };
    Ok(differentiable(name, &[x], raw, &[], move |ctx| Ok(vec![Some(triangle(&ctx.grad()?, diagonal, lower)?)])))
}

pub fn tril(x: &Tensor, diagonal: i64) -> Result<Tensor> {
    triangle(x, diagonal, true)
}
pub fn triu(x: &Tensor, diagonal: i64) -> Result<Tensor> {
    triangle(x, diagonal, false)
}

fn triangle_indices(rows: i64, cols: i64, offset: i64, lower: bool, dtype: Option<DType>) -> Result<Tensor> {
    for (n, what) in [(rows, "row"), (cols, "col")] {
        if n < 0 {
            return Err(Error::runtime(format!("{what} must be non-negative, got{n}")));
        }
    }
    // How many lie on or below the diagonal `k`, in closed form: sizes may be absurd.
    let (rows_, cols_) = (rows as i128, cols as i128);
    let below = |k: i128| -> i128 {
        let first = (-k).clamp(0, rows_);
        let full = (cols_ - k - 1).clamp(first, rows_);
        let ramp = full - first;
        ramp * (first + k + 1) + ramp * (ramp - 1) / 2 + (rows_ - full) * cols_
    };
    let offset = offset as i128;
    let n = if lower { below(offset) } else { rows_ * cols_ - below(offset - 1) };
    let n = usize::try_from(n).unwrap_or(usize::MAX);
    room(n, 2 * size_of::<i64>())?;
    let mut out: (Vec<i64>, Vec<i64>) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let rows_with_some = if lower { (-offset).clamp(0, rows_)..rows_ } else { 0..(cols_ - offset).clamp(0, rows_) };
    if n > 0 {
        for r in rows_with_some {
            let columns = if lower { 0..(r + offset + 1).clamp(0, cols_) } else { (r + offset).clamp(0, cols_)..cols_ };
            for c in columns {
                out.0.push(r as i64);
                out.1.push(c as i64);
            }
        }
    }
    let n = out.0.len();
    let t = Tensor::from_slice(&[out.0, out.1].concat(), &[2, n])?;
    crate::ops::cast(&t, dtype.unwrap_or(DType::I64))
}

/// `x.repeat(sizes)`.
pub fn repeat(x: &Tensor, times: &[i64]) -> Result<Tensor> {
    if times.len() < x.ndim() {
        return Err(Error::runtime(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
        ));
    }
    let lead = times.len() - x.ndim();
    let raw = x.raw();
    let padded: Vec<i64> = (0..times.len()).map(|d| if d < lead { 1 } else { x.size(d - lead) as i64 }).collect();
    let sizes: Vec<i64> = padded.iter().zip(times).map(|(&s, &t)| s.saturating_mul(t)).collect();
    if let Some(bad) = sizes.iter().find(|s| **s < 0) {
        return Err(Error::runtime(format!("Trying to create tensor with negative dimension {bad}: {}", list(&sizes))));
    }
    // Each dimension twice: how often, and its own.
    let (mut wide, mut strides) = (vec![], vec![]);
    for d in 0..times.len() {
        wide.extend([times[d].max(0) as usize, padded[d] as usize]);
        strides.extend([0, if d < lead { 0 } else { raw.layout.strides[d - lead] }]);
    }
    let spread = raw.with_layout(Layout { shape: wide.clone(), strides, offset: raw.layout.offset });
    let out = backend(raw.device()).copy(&spread, raw.dtype)?;
    let shape: Vec<usize> = sizes.iter().map(|&s| s as usize).collect();
    let out = out.with_layout(Layout::contiguous(&shape));
    let back = x.shape();
    let repeated: Vec<i64> = (0..times.len() as i64).map(|d| 2 * d).collect();
    Ok(differentiable("RepeatBackward0", &[x], out, &[], move |ctx| {
        let g = reshape(&ctx.grad()?, &dims_of(&wide))?;
        let g = if repeated.is_empty() { g } else { sum(&g, &repeated, false, None)? };
        Ok(vec![Some(reshape(&g, &dims_of(&back))?)])
    }))
}

/// `x.tile(dims)`.
pub fn tile(x: &Tensor, times: &[i64]) -> Result<Tensor> {
    let lead = x.ndim().saturating_sub(times.len());
    repeat(x, &[vec![1; lead], times.to_vec()].concat())
}

/// Index `i` as often as `repeats[i]` says.
fn repeated_places(repeats: &Tensor, output_size: Option<i64>) -> Result<Tensor> {
    if repeats.ndim() != 1 {
        return Err(Error::runtime("repeat_interleave only accept 1D vector as repeat"));
    }
    if !matches!(repeats.dtype(), DType::I64 | DType::I32) {
        return Err(Error::no_kernel("repeat_interleave_cpu", repeats.dtype()));
    }
    let times = repeats.to_vec::<i64>()?;
    if times.iter().any(|&t| t < 0) {
        return Err(Error::runtime("repeats can not be negative"));
    }
    let total = times.iter().fold(0u128, |n, &t| n + t as u128);
    if output_size.is_some_and(|n| n as i128 != total as i128) {
        return Err(Error::runtime("allocated size does not match required size"));
    }
    let mut out = Vec::new();
    out.try_reserve_exact(usize::try_from(total).unwrap_or(usize::MAX))
        .map_err(|_| Error::Allocation { bytes: total * 8 })?;
    for (i, &t) in times.iter().enumerate() {
        out.extend(std::iter::repeat_n(i as i64, t as usize));
    }
    crate::ops::cast(&Tensor::from_slice(&out, &[out.len()])?, repeats.dtype())
}

/// `x.repeat_interleave(repeats, dim)` with a tensor of counts.
pub fn repeat_interleave(x: &Tensor, repeats: &Tensor, dim: Option<i64>, output_size: Option<i64>) -> Result<Tensor> {
    let (x, dim) = match dim {
        Some(d) => (x.clone(), d),
        None => (crate::ops::flatten(x, 0, -1)?, 0),
    };
    let size = size_at(&x, dim)?;
    let d = wrap_dim(dim, x.ndim())?;
    let repeats = match (repeats.ndim(), repeats.numel()) {
        (0, _) | (1, 1) => expand(&reshape(repeats, &[1])?, &[size as i64])?,
        (1, n) if n != size => {
            return Err(Error::runtime(format!(
                "repeats must have the same size as input along dim, but got repeats.size(0) = {n} and input.size({d}) \
                 = {size}"
            )));
        }
        (1, _) => repeats.clone(),
        _ => return Err(Error::runtime("repeats must be 0-dim or 1-dim tensor")),
    };
    index_select(&x, d as i64, &repeated_places(&repeats, output_size)?)
}

/// The same with one count for all.
pub fn repeat_interleave_int(x: &Tensor, times: i64, dim: Option<i64>, output_size: Option<i64>) -> Result<Tensor> {
    if times < 0 {
        return Err(Error::runtime("Repeats must be non-negative"));
    }
    let (x, dim) = match dim {
        Some(d) => (x.clone(), d),
        None => (crate::ops::flatten(x, 0, -1)?, 0),
    };
    let d = wrap_dim(dim, x.ndim())?;
    let wide = unsqueeze(&x, d as i64 + 1)?;
    let total = (x.size(d) as i64).saturating_mul(times);
    if output_size.is_some_and(|n| n != total) {
        return Err(Error::runtime(format!(
            "repeat_interleave: Invalid output_size, expected {total} but got {}",
            output_size.unwrap_or(0)
        )));
    }
    let mut sizes = dims_of(&wide.shape());
    sizes[d + 1] = times;
    let copy = crate::ops::contiguous(&clone(&expand(&wide, &sizes)?)?)?;
    sizes.remove(d + 1);
    sizes[d] = total;
    view_as(&copy, &sizes)
}

fn at_least(x: &Tensor, n: usize) -> Result<()> {
    if x.ndim() < n {
        return Err(Error::runtime(format!("Input must be >= {n}-d.")));
    }
    Ok(())
}

pub(crate) const TABLE: &[Op] = &[
    op("flip(Tensor self, int[] dims) -> Tensor", places::BOTH, |a| Ok(flip(a.tensor(0)?, &a.ints(1)?)?.into())),
    op("fliplr(Tensor self) -> Tensor", places::BOTH, |a| {
        at_least(a.tensor(0)?, 2)?;
        Ok(flip(a.tensor(0)?, &[1])?.into())
    }),
    op("flipud(Tensor self) -> Tensor", places::BOTH, |a| {
        at_least(a.tensor(0)?, 1)?;
        Ok(flip(a.tensor(0)?, &[0])?.into())
    }),
    op("roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor", places::BOTH, |a| {
        Ok(roll(a.tensor(0)?, &a.ints(1)?, &a.ints(2)?)?.into())
    }),
    op("rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor", places::BOTH, |a| {
        Ok(rot90(a.tensor(0)?, a.int(1)?, &a.ints(2)?)?.into())
    }),
    op("tril(Tensor self, int diagonal=0) -> Tensor", places::ALL, |a| Ok(tril(a.tensor(0)?, a.int(1)?)?.into())),
    op("triu(Tensor self, int diagonal=0) -> Tensor", places::ALL, |a| Ok(triu(a.tensor(0)?, a.int(1)?)?.into())),
    op(
        "tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=long, Device? device=None) -> Tensor",
        places::FUNCTION,
        |a| Ok(triangle_indices(a.int(0)?, a.int(1)?, a.int(2)?, true, a.opt_dtype(3)?)?.into()),
    ),
    op(
        "triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=long, Device? device=None) -> Tensor",
        places::FUNCTION,
        |a| Ok(triangle_indices(a.int(0)?, a.int(1)?, a.int(2)?, false, a.opt_dtype(3)?)?.into()),
    ),
    op("repeat(Tensor self, int[] repeats) -> Tensor", places::METHOD, |a| {
        Ok(repeat(a.tensor(0)?, &a.ints(1)?)?.into())
    }),
    op("tile(Tensor self, int[] dims) -> Tensor", places::BOTH, |a| Ok(tile(a.tensor(0)?, &a.ints(1)?)?.into())),
    op("repeat_interleave.Tensor(Tensor repeats, *, int? output_size=None) -> Tensor", places::FUNCTION, |a| {
        Ok(non_differentiable(repeated_places(a.tensor(0)?, a.opt_int(1)?)?.raw()).into())
    }),
    op(
        "repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None) -> Tensor",
        places::BOTH,
        |a| Ok(repeat_interleave(a.tensor(0)?, a.tensor(1)?, a.opt_int(2)?, a.opt_int(3)?)?.into()),
    ),
    op(
        "repeat_interleave.self_int(Tensor self, int repeats, int? dim=None, *, int? output_size=None) -> Tensor",
        places::BOTH,
        |a| Ok(repeat_interleave_int(a.tensor(0)?, a.int(1)?, a.opt_int(2)?, a.opt_int(3)?)?.into()),
    ),
];
