//! Where the extremes are, and order statistics: max/min along a dim, argmax, median, mode, quantiles, k-th values.

use crate::autograd::{Save, differentiable, differentiable_many, non_differentiable};
use crate::backend::{ArgOp, backend, selection};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::{Layout, contiguous_strides, wrap_dim};
use crate::ops::{
    add, cast, floor, grid, lerp, mul, number, put_places, refuse_empty, reshape, restore, share_all, sub, take_places,
};
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

/// For indices along `dim` (size 1 or more there, else the shape of `shape`): the places in row-major order.
pub(crate) fn places_along(shape: &[usize], dim: usize, index: &Raw) -> Result<Tensor> {
    let index_shape = index.shape().to_vec();
    let t = non_differentiable(index.clone());
    let size = shape.get(dim).copied().unwrap_or(1);
    let inner: usize = crate::layout::numel(shape.get(dim + 1..).unwrap_or_default());
    if index.device().is_gpu() {
        let mut walk = Layout { strides: contiguous_strides(shape), shape: index_shape, offset: 0 };
        if let Some(s) = walk.strides.get_mut(dim) {
            *s = 0;
        }
        return add(&grid(index.device(), walk)?, &mul(&t, &number(inner as i64)?)?);
    }
    let wide = index_shape.get(dim).copied().unwrap_or(1);
    let mut at = t.to_vec::<i64>()?;
    for (i, p) in at.iter_mut().enumerate() {
        let outer = i / (wide * inner).max(1);
        *p = ((outer * size) as i64 + *p) * inner as i64 + (i % inner.max(1)) as i64;
    }
    Tensor::from_slice(&at, &index_shape)
}

/// A value picked from each line, with its index: the gradient goes to the picked place.
pub(crate) fn picked(
    name: &'static str,
    x: &Tensor,
    dim: usize,
    index: &Raw,
    keepdim: bool,
) -> Result<(Tensor, Tensor)> {
    let at = places_along(&x.shape(), dim, index)?;
    let values = backend(x.device()).take(&x.raw(), &at.raw())?;
    let drop =
        |raw: Raw| crate::ops::finish(raw, if x.ndim() == 0 { &[] } else { std::slice::from_ref(&dim) }, keepdim);
    let (values, indices) = (drop(values), drop(index.clone()));
    let shape = x.shape();
    let mut outs = differentiable_many(name, &[x], vec![values, indices], &[Save::Input(&at)], move |ctx| {
        let g = ctx.grad_of(0)?;
        let g = if shape.is_empty() { g } else { restore(&g, &[dim], keepdim)? };
        Ok(vec![Some(put_places(&Tensor::zeros(&shape, g.dtype())?, ctx.saved(0), &g, true)?)])
    });
    match (outs.pop(), outs.pop()) {
        (Some(indices), Some(values)) => Ok((values, indices)),
        _ => Err(Error::runtime("a selection has two results")),
    }
}

fn extreme_dim(
    kind: ArgOp,
    name: &'static str,
    what: &str,
    x: &Tensor,
    dim: i64,
    keepdim: bool,
) -> Result<(Tensor, Tensor)> {
    let d = wrap_dim(dim, x.ndim())?;
    refuse_empty(what, x, &[d], false)?;
    let index = backend(x.device()).arg_reduce(kind, &x.raw(), d)?;
    picked(name, x, d, &index, keepdim)
}
/// `x.max(dim)`: values and indices.
pub fn max_dim(x: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    extreme_dim(ArgOp::Max, "MaxBackward0", "max", x, dim, keepdim)
}
pub fn min_dim(x: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    extreme_dim(ArgOp::Min, "MinBackward0", "min", x, dim, keepdim)
}

fn arg_extreme(kind: ArgOp, what: &str, x: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<Tensor> {
    if x.dtype() == DType::Bool {
        return Err(Error::not_implemented(format!("{what}(): does not support bool input")));
    }
    if x.dtype().is_complex() {
        return Err(Error::type_error(format!("{what}(): does not support complex input")));
    }
    let b = backend(x.device());
    let Some(dim) = dim else {
        if x.numel() == 0 {
            return Err(Error::index(format!(
                "{what}(): Expected reduction dim to be specified for input.numel() == 0."
            )));
        }
        let flat = b.copy(&x.raw(), x.dtype())?;
        let index = b.arg_reduce(kind, &Raw::whole(flat.storage, &[x.numel()], x.dtype()), 0)?;
        let shape = if keepdim { vec![1; x.ndim()] } else { vec![] };
        return Ok(non_differentiable(Raw::whole(index.storage, &shape, DType::I64)));
    };
    let d = wrap_dim(dim, x.ndim())?;
    refuse_empty(what, x, &[d], false)?;
    let dims: &[usize] = if x.ndim() == 0 { &[] } else { &[d] };
    Ok(non_differentiable(crate::ops::finish(b.arg_reduce(kind, &x.raw(), d)?, dims, keepdim)))
}
pub fn argmax(x: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<Tensor> {
    arg_extreme(ArgOp::Max, "argmax", x, dim, keepdim)
}
pub fn argmin(x: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<Tensor> {
    arg_extreme(ArgOp::Min, "argmin", x, dim, keepdim)
}

/// Sorted positions of each line of `x` along `dim`, and the values there, in rows.
pub(crate) struct Lines {
    values: Vec<f64>,
    order: Vec<i64>,
    /// Whether the element is equal to the one before it in its line.
    tied: Vec<bool>,
    size: usize,
    shape: Vec<usize>,
}

/// Sort along `dim` with that dimension moved last; `shape` keeps it with size 1 in its place.
pub(crate) fn sorted_lines(x: &Tensor, dim: usize) -> Result<Lines> {
    let raw = x.raw();
    let b = backend(raw.device());
    let size = x.shape().get(dim).copied().unwrap_or(1);
    let mut shape = x.shape();
    if let Some(s) = shape.get_mut(dim) {
        *s = 1;
    }
    let raw = if shape.is_empty() { raw } else { raw.with_layout(raw.layout.transpose(dim, shape.len() - 1)) };
    let (values, order) = b.sort(&raw, shape.len().saturating_sub(1), false)?;
    let (sorted, order) = (non_differentiable(values), non_differentiable(order).to_vec()?);
    let values: Vec<f64> = sorted.to_vec()?;
    let first = |i: usize| i.is_multiple_of(size.max(1));
    let tied = if x.dtype() == DType::I64 {
        // Large integers can be different where their float64 is not.
        let exact = sorted.to_vec::<i64>()?;
        (0..exact.len()).map(|i| !first(i) && exact[i] == exact[i - 1]).collect()
    } else {
        let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
        (0..values.len()).map(|i| !first(i) && same(values[i], values[i - 1])).collect()
    };
    Ok(Lines { values, order, tied, size, shape })
}

impl Lines {
    /// One index per line, chosen from its sorted values, as an index tensor with `dim` kept.
    fn pick(&self, dim: usize, choose: impl Fn(&[f64]) -> usize) -> Result<Raw> {
        let n = self.size.max(1);
        let lines = self.values.chunks(n).zip(self.order.chunks(n));
        let found = lines.map(|(v, o)| o.get(choose(v)).copied().unwrap_or(0)).collect();
        self.indices(dim, 1, found)
    }

    /// `count` indices per line, chosen from the ranks of its elements (equal ones have one rank).
    pub(crate) fn choose(&self, dim: usize, count: usize, choose: impl Fn(&[u32]) -> Vec<usize>) -> Result<Raw> {
        let n = self.size.max(1);
        let mut found = vec![];
        let mut ranks = vec![0; n];
        for (order, tied) in self.order.chunks(n).zip(self.tied.chunks(n)) {
            let mut rank = 0;
            for (&at, &tied) in order.iter().zip(tied) {
                rank += !tied as u32;
                ranks[at as usize] = rank;
            }
            found.extend(choose(&ranks).into_iter().map(|at| at as i64));
        }
        self.indices(dim, count, found)
    }

    /// Indices found line after line, as a tensor with `count` of them along `dim`.
    fn indices(&self, dim: usize, count: usize, found: Vec<i64>) -> Result<Raw> {
        // Lines come in the order of the shape with `dim` and the last swapped.
        let mut swapped = self.shape.clone();
        if !swapped.is_empty() {
            let last = swapped.len() - 1;
            swapped.swap(dim, last);
            swapped[last] = count;
        }
        let t = Tensor::from_slice(&found, &swapped)?.raw();
        let t = if swapped.is_empty() { t } else { t.with_layout(t.layout.transpose(dim, swapped.len() - 1)) };
        backend(t.device()).copy(&t, DType::I64)
    }
}

fn numbers_before_nan(v: &[f64]) -> usize {
    v.partition_point(|x| !x.is_nan())
}

/// The lower of two middles; a NaN anywhere wins unless `skip_nan`.
fn middle(v: &[f64], skip_nan: bool) -> usize {
    let n = numbers_before_nan(v);
    if n < v.len() && !skip_nan { n } else { n.saturating_sub(1) / 2 }
}

pub fn median_dim(x: &Tensor, dim: i64, keepdim: bool, skip_nan: bool) -> Result<(Tensor, Tensor)> {
    let d = wrap_dim(dim, x.ndim())?;
    refuse_empty("median", x, &[d], false)?;
    let index = sorted_lines(x, d)?.pick(d, |v| middle(v, skip_nan))?;
    picked(if skip_nan { "NanmedianBackward1" } else { "MedianBackward1" }, x, d, &index, keepdim)
}

/// The median of everything, NaN for nothing.
pub fn median(x: &Tensor, skip_nan: bool) -> Result<Tensor> {
    if x.dtype().is_complex() {
        return Err(Error::no_kernel("median_cpu", x.dtype()));
    }
    let name = if skip_nan { "NanmedianBackward0" } else { "MedianBackward0" };
    let out = if x.numel() == 0 {
        if !x.dtype().is_float() {
            return Err(Error::runtime("median() of no integers has no value"));
        }
        Tensor::full(&[], f64::NAN.into(), x.dtype())?.raw()
    } else {
        let b = backend(x.device());
        let flat = b.copy(&x.raw(), x.dtype())?;
        let flat = non_differentiable(Raw::whole(flat.storage, &[x.numel()], x.dtype()));
        let index = sorted_lines(&flat, 0)?.pick(0, |v| middle(v, skip_nan))?;
        let value = b.take(&flat.raw(), &index)?;
        value.with_layout(value.layout.squeeze(&[0]))
    };
    Ok(differentiable(name, &[x], out, &[Save::Input(x), Save::Output(0)], |ctx| {
        Ok(vec![Some(share_all(&ctx.grad()?, ctx.saved(0), ctx.saved(1))?)])
    }))
}

/// The most frequent value (the smallest of several), and where it last occurs.
pub fn mode(x: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    let d = wrap_dim(dim, x.ndim())?;
    refuse_empty("mode", x, &[d], false)?;
    let index = sorted_lines(x, d)?.choose(d, 1, |ranks| {
        let order = selection::sorted(ranks, false);
        let (mut best, mut most, mut run) = (0, 0, 0);
        for i in 0..order.len() {
            run += 1;
            if i + 1 == order.len() || ranks[order[i]] != ranks[order[i + 1]] {
                if run > most {
                    (best, most) = (order[i], run);
                }
                run = 0;
            }
        }
        vec![best]
    })?;
    picked("ModeBackward0", x, d, &index, keepdim)
}

/// The k-th smallest, counted from 1.
///
/// # Errors
/// No such k.
pub fn kthvalue(x: &Tensor, k: i64, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    let d = wrap_dim(dim, x.ndim())?;
    refuse_empty("kthvalue", x, &[d], false)?;
    let size = x.shape().get(d).copied().unwrap_or(1) as i64;
    if k < 1 || k > size {
        return Err(Error::runtime(format!("kthvalue(): selected number k out of range for dimension {d}")));
    }
    let index = sorted_lines(x, d)?.choose(d, 1, |ranks| vec![selection::kth(ranks, (k - 1) as usize)])?;
    picked("KthvalueBackward0", x, d, &index, keepdim)
}

/// Quantiles `q` (0-d or 1-d) of `x` along `dim` (all when `None`).
///
/// # Errors
/// PyTorch's, for dtypes, shapes, ranges and unknown interpolations.
pub fn quantile(
    x: &Tensor,
    q: &Tensor,
    dim: Option<i64>,
    keepdim: bool,
    interpolation: &str,
    skip_nan: bool,
) -> Result<Tensor> {
    // `nanquantile` has no texts of its own.
    let what = "quantile()";
    if x.numel() == 0 {
        return Err(Error::runtime(format!("{what} input tensor must be non-empty")));
    }
    if q.ndim() > 1 {
        return Err(Error::runtime(format!("{what} q must be a scalar or 1D tensor")));
    }
    if !matches!(x.dtype(), DType::F32 | DType::F64) {
        return Err(Error::runtime(format!("{what} input tensor must be either float or double dtype")));
    }
    if !q.is_wrapped_number() && q.dtype() != x.dtype() {
        return Err(Error::runtime(format!("{what} q tensor must be same dtype as the input tensor")));
    }
    if !["linear", "lower", "higher", "midpoint", "nearest"].contains(&interpolation) {
        return Err(Error::runtime(format!(
            "{what} interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )));
    }
    let qs = q.to_vec::<f64>()?;
    if qs.iter().any(|q| !(0.0..=1.0).contains(q)) {
        return Err(Error::runtime(if q.is_wrapped_number() {
            format!("{what} q must be in the range [0, 1] but got {}", qs[0])
        } else {
            format!("{what} q values must be in the range [0, 1]")
        }));
    }
    // The dimension goes last; without one, all elements are one line.
    let (lines, out_shape) = match dim {
        None => (reshape(x, &[1, -1])?, if keepdim { vec![1; x.ndim()] } else { vec![] }),
        Some(dim) => {
            let d = wrap_dim(dim, x.ndim())?;
            let mut shape = x.shape();
            if keepdim && !shape.is_empty() {
                shape[d] = 1;
            } else if !shape.is_empty() {
                shape.remove(d);
            }
            let moved = if x.ndim() > 1 { crate::ops::movedim(x, &[dim], &[-1])? } else { x.clone() };
            let n = moved.shape().last().copied().unwrap_or(1) as i64;
            (reshape(&moved, &[-1, n])?, shape)
        }
    };
    let n = lines.size(1);
    let sorted = sorted_lines(&lines, 1)?;
    let single = x.dtype() == DType::F32;
    let (mut below, mut above, mut weights) = (vec![], vec![], vec![]);
    // The highest rank of each line.
    let top = |v: &[f64]| (if skip_nan { numbers_before_nan(v).max(1) } else { n } - 1) as f64;
    let tops: Vec<f64> = sorted.values.chunks(n).map(top).collect();
    for &q in &qs {
        for (row, v) in sorted.values.chunks(n).enumerate() {
            let nan = numbers_before_nan(v) < v.len() && !skip_nan;
            let top = tops[row];
            // Ranks are worked out in the input's own precision.
            let rank = if nan {
                (n - 1) as f64
            } else if single {
                (q as f32 * top as f32) as f64
            } else {
                q * top
            };
            let rank = match interpolation {
                "lower" => rank.floor(),
                "higher" => rank.ceil(),
                "nearest" => rank.round_ties_even(),
                _ => rank,
            };
            let place = |r: f64| (row * n) as i64 + sorted.order[row * n + r as usize];
            below.push(place(rank.floor()));
            above.push(place(rank.ceil()));
            weights.push(if interpolation == "midpoint" { 0.5 } else { rank - rank.floor() });
        }
    }
    let shape = [qs.len(), lines.size(0)];
    let take = |at: &[i64]| take_places(&lines, &Tensor::from_slice(at, &shape)?);
    let low = take(&below)?;
    let result = match interpolation {
        "linear" | "midpoint" => {
            let mut weights = cast(&Tensor::from_slice(&weights, &shape)?, x.dtype())?;
            if interpolation == "linear" && q.requires_grad() {
                let ranks = mul(&reshape(q, &[-1, 1])?, &cast(&Tensor::from_slice(&tops, &[tops.len()])?, x.dtype())?)?;
                weights = sub(&ranks, &floor(&ranks)?)?;
            }
            lerp(&low, &take(&above)?, &weights)?
        }
        _ => low,
    };
    let mut sizes: Vec<i64> = out_shape.iter().map(|&s| s as i64).collect();
    if q.ndim() == 1 {
        sizes.insert(0, qs.len() as i64);
    }
    reshape(&result, &sizes)
}

macro_rules! along_dim {
    ($name:literal, $f:path) => {
        op(
            concat!($name, "(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"),
            places::BOTH | places::OUT,
            |a| Ok($f(a.tensor(0)?, a.int(1)?, a.bool(2)?)?.into()),
        )
    };
}

pub(crate) const TABLE: &[Op] = &[
    along_dim!("max.dim", max_dim),
    along_dim!("min.dim", min_dim),
    op("argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(argmax(a.tensor(0)?, a.opt_int(1)?, a.bool(2)?)?.into())
    }),
    op("argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(argmin(a.tensor(0)?, a.opt_int(1)?, a.bool(2)?)?.into())
    }),
    op("median(Tensor self) -> Tensor", places::BOTH, |a| Ok(median(a.tensor(0)?, false)?.into())),
    op("median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", places::BOTH, |a| {
        Ok(median_dim(a.tensor(0)?, a.int(1)?, a.bool(2)?, false)?.into())
    }),
    op("nanmedian(Tensor self) -> Tensor", places::BOTH, |a| Ok(median(a.tensor(0)?, true)?.into())),
    op(
        "nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
        places::BOTH,
        |a| Ok(median_dim(a.tensor(0)?, a.int(1)?, a.bool(2)?, true)?.into()),
    ),
    op("mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", places::BOTH, |a| {
        Ok(mode(a.tensor(0)?, a.int(1)?, a.bool(2)?)?.into())
    }),
    op(
        "kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
        places::BOTH,
        |a| Ok(kthvalue(a.tensor(0)?, a.int(1)?, a.int(2)?, a.bool(3)?)?.into()),
    ),
    op(
        "quantile(Tensor self, Tensor|Scalar q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor",
        places::BOTH | places::OUT,
        |a| Ok(quantile(a.tensor(0)?, a.tensor(1)?, a.opt_int(2)?, a.bool(3)?, &a.str(4)?, false)?.into()),
    ),
    op(
        "nanquantile(Tensor self, Tensor|Scalar q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor",
        places::BOTH | places::OUT,
        |a| Ok(quantile(a.tensor(0)?, a.tensor(1)?, a.opt_int(2)?, a.bool(3)?, &a.str(4)?, true)?.into()),
    ),
];
