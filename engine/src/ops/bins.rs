//! Counting into bins and searching among boundaries.

use std::cmp::Ordering;

use crate::autograd::non_differentiable;
use crate::backend::{ScatterOp, backend};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::ops::{cast, max_all, min_all};
use crate::registry::{Op, op, places};
use crate::tensor::Tensor;

/// Index of the first place where a sorted `boundary` line is `>= value` (or `> value` with `right`).
fn insertion(line: &[f64], sorter: Option<&[i64]>, value: f64, right: bool) -> usize {
    let at = |i: usize| match sorter {
        Some(s) => s.get(i).and_then(|&p| line.get(p as usize)).copied().unwrap_or(f64::NAN),
        None => line[i],
    };
    let (mut low, mut high) = (0, line.len());
    while low < high {
        let mid = low + (high - low) / 2;
        // NaN is the largest: nothing among the numbers comes after it.
        let order = at(mid).partial_cmp(&value);
        let go_right = match order {
            Some(Ordering::Less) | None => true,
            Some(Ordering::Equal) => right,
            Some(Ordering::Greater) => false,
        };
        if go_right {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    low
}

/// `torch.searchsorted`: boundaries 1-d, or with the values' leading dimensions.
pub fn searchsorted(
    boundaries: &Tensor,
    values: &Tensor,
    int32: bool,
    right: bool,
    side: Option<&str>,
    sorter: Option<&Tensor>,
) -> Result<Tensor> {
    let (b, v) = (boundaries.shape(), values.shape());
    let lead = |s: &[usize]| s[..s.len().saturating_sub(1)].to_vec();
    if v.is_empty() && b.len() != 1 {
        return Err(Error::runtime(format!(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got \
             boundaries tensor dim({}) and input value's dim(0) numel(1)",
            b.len()
        )));
    }
    if b.is_empty() || (b.len() > 1 && (b.len() != v.len() || lead(&b) != lead(&v))) {
        return Err(Error::runtime(format!(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries \
             tensor and input value tensor must match, but we got boundaries tensor {} and input value tensor {}",
            crate::error::list(&b),
            crate::error::list(&v)
        )));
    }
    let right = match side {
        None => right,
        Some("left") if right => {
            return Err(Error::runtime(
                "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True",
            ));
        }
        Some(s @ ("left" | "right")) => s == "right",
        Some(other) => {
            return Err(Error::runtime(format!(
                "torch.searchsorted(): side can only be 'left' or 'right' but got {other}"
            )));
        }
    };
    let n = *b.last().unwrap_or(&0);
    let sorter = match sorter {
        Some(s) if s.shape() != b => {
            return Err(Error::runtime(format!(
                "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor {} and got \
                 sorter tensor {}",
                crate::error::list(&b),
                crate::error::list(&s.shape())
            )));
        }
        Some(s) => Some(s.to_vec::<i64>()?),
        None => None,
    };
    let (edges, wanted) = (boundaries.to_vec::<f64>()?, values.to_vec::<f64>()?);
    let per_line = if b.len() == 1 { wanted.len() } else { *v.last().unwrap_or(&1) };
    let found: Vec<i64> = wanted
        .iter()
        .enumerate()
        .map(|(i, &value)| {
            let row = i / per_line.max(1) * n;
            let order = sorter.as_ref().map(|s| &s[row..row + n]);
            insertion(&edges[row..row + n], order, value, right) as i64
        })
        .collect();
    let out = Tensor::from_slice(&found, &v)?;
    if int32 { cast(&out, DType::I32) } else { Ok(out) }
}

/// `torch.bucketize`: the other way round, boundaries 1-d.
///
/// # Errors
/// Boundaries that are not 1-d.
pub fn bucketize(x: &Tensor, boundaries: &Tensor, int32: bool, right: bool) -> Result<Tensor> {
    if boundaries.ndim() != 1 {
        let n = boundaries.ndim();
        return Err(Error::runtime(format!("boundaries tensor must be 1 dimension, but got dim({n})")));
    }
    searchsorted(boundaries, x, int32, right, None, None)
}

/// How many of each integer, or the sum of their weights.
///
/// # Errors
/// Negative numbers; more than one dimension; floats.
pub fn bincount(x: &Tensor, weights: Option<&Tensor>, minlength: i64) -> Result<Tensor> {
    if x.dtype().is_inexact() || x.dtype() == DType::Bool {
        return Err(Error::no_kernel("bincount_cpu", x.dtype()));
    }
    if minlength < 0 {
        return Err(Error::runtime("minlength should be >= 0"));
    }
    let (least, most) = if x.device().is_gpu() && x.numel() > 0 {
        // Two numbers are looked at; the counting is the device's.
        let end = |t: Tensor| t.item().map(Scalar::to_i64);
        (end(min_all(&x.detach())?)?, end(max_all(&x.detach())?)?)
    } else {
        let items = x.to_vec::<i64>()?;
        (items.iter().copied().min().unwrap_or(0), items.iter().copied().max().unwrap_or(-1))
    };
    if x.ndim() != 1 || least < 0 {
        return Err(Error::runtime("bincount only supports 1-d non-negative integral inputs."));
    }
    let bins = most.saturating_add(1).max(minlength) as usize;
    let zeros = Tensor::zeros(&[bins], DType::I64)?;
    match weights {
        // Nothing is counted: the weights, and their dtype, play no part.
        _ if x.ndim() == 1 && x.numel() == 0 => Ok(zeros),
        Some(w) => {
            if w.ndim() != 1 || w.numel() != x.numel() {
                return Err(Error::runtime("weights should be 1-d and have the same length as input"));
            }
            let dtype = if w.dtype() == DType::F32 { DType::F32 } else { DType::F64 };
            let raw = cast(w, dtype)?.raw();
            let at = cast(x, DType::I64)?.raw();
            let zeros = cast(&zeros, dtype)?.raw();
            Ok(crate::ops::underivable("bincount", &[w], backend(x.device()).put(ScatterOp::Add, &zeros, &at, &raw)?))
        }
        None => {
            let ones = Tensor::full(&x.shape(), 1.into(), DType::I64)?.raw();
            let at = cast(x, DType::I64)?.raw();
            Ok(non_differentiable(backend(x.device()).put(ScatterOp::Add, &zeros.raw(), &at, &ones)?))
        }
    }
}

/// Equal bins between `min` and `max` (the data's own where both are equal, and `around` it where it is one number).
fn histogram_range(x: &Tensor, bins: i64, range: Option<(f64, f64)>, around: f64) -> Result<(usize, f64, f64)> {
    if bins <= 0 {
        return Err(Error::runtime(format!("torch.histogram(): bins must be > 0, but got {bins} for dimension 0")));
    }
    // No memory for that many is an error here, not later.
    Tensor::zeros(&[bins as usize], DType::F64)?;
    if !x.dtype().is_float() {
        return Err(Error::no_kernel("histogram_cpu", x.dtype()));
    }
    let (mut low, mut high) = range.unwrap_or((0.0, 0.0));
    if low == high && x.numel() > 0 && range.is_none_or(|r| r.0 == r.1) {
        let v = x.to_vec::<f64>()?;
        low = v.iter().copied().fold(f64::INFINITY, f64::min);
        high = v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    }
    if !low.is_finite() || !high.is_finite() {
        return Err(Error::runtime(format!("torch.histogram(): dimension 0's range [{low}, {high}] is not finite")));
    }
    if low > high {
        return Err(Error::runtime("torch.histogram(): max must be larger than min"));
    }
    if low == high {
        (low, high) = (low - around, high + around);
    }
    Ok((bins as usize, low, high))
}

/// Counts per bin of [`histogram_range`]; the last bin holds its upper edge.
pub fn histc(x: &Tensor, bins: i64, low: f64, high: f64) -> Result<Tensor> {
    let (bins, low, high) = histogram_range(x, bins, Some((low, high)), 1.0)?;
    let mut counts = vec![0f64; bins];
    for v in x.to_vec::<f64>()? {
        if v >= low && v <= high {
            let bin = ((v - low) * bins as f64 / (high - low)) as usize;
            counts[bin.min(bins - 1)] += 1.0;
        }
    }
    cast(&Tensor::from_slice(&counts, &[bins])?, x.dtype())
}

/// `torch.histogram` with a number of bins: counts (or densities) and edges.
pub fn histogram(
    x: &Tensor,
    bins: i64,
    range: Option<(f64, f64)>,
    weight: Option<&Tensor>,
    density: bool,
) -> Result<(Tensor, Tensor)> {
    let empty = x.numel() == 0 && range.is_none();
    let (bins, low, high) = histogram_range(x, bins, if empty { Some((0.0, 1.0)) } else { range }, 0.5)?;
    let width = (high - low) / bins as f64;
    // The second half of the edges is counted down from the top, as linspace does.
    let edges: Vec<f64> = (0..=bins)
        .map(|i| if i <= bins / 2 { low + i as f64 * width } else { high - (bins - i) as f64 * width })
        .collect();
    let place = |v: f64| ((v - low) * bins as f64 / (high - low)) as usize;
    let counts = count(x, &edges, weight, density, place)?;
    Ok((counts, cast(&Tensor::from_slice(&edges, &[edges.len()])?, x.dtype())?))
}

/// `torch.histogram` between given edges.
pub fn histogram_between(
    x: &Tensor,
    edges: &Tensor,
    weight: Option<&Tensor>,
    density: bool,
) -> Result<(Tensor, Tensor)> {
    if edges.ndim() != 1 || edges.numel() == 0 {
        return Err(Error::runtime(
            "torch.histogram(): bins tensor should have one dimension and at least one element",
        ));
    }
    if edges.dtype() != x.dtype() {
        return Err(Error::runtime(
            "torch.histogram(): input tensor and bins tensors should have the same dtype, but got input with dtype "
                .to_owned()
                + crate::ops::long_name(x.dtype())
                + " and bins for dimension 0 with dtype "
                + crate::ops::long_name(edges.dtype()),
        ));
    }
    if !x.dtype().is_float() {
        return Err(Error::no_kernel("histogram_cpu", x.dtype()));
    }
    let lines = edges.to_vec::<f64>()?;
    let place = |v: f64| lines.partition_point(|e| *e <= v).saturating_sub(1);
    Ok((count(x, &lines, weight, density, place)?, edges.detach()))
}

/// Counts per bin; the last bin holds its upper edge.
fn count(
    x: &Tensor,
    edges: &[f64],
    weight: Option<&Tensor>,
    density: bool,
    place: impl Fn(f64) -> usize,
) -> Result<Tensor> {
    let weights = match weight {
        Some(w) if w.shape() != x.shape() => {
            return Err(Error::runtime(
                "torch.histogram(): if weight tensor is provided it should have the same shape as the input tensor \
                 excluding its innermost dimension",
            ));
        }
        Some(w) => w.to_vec::<f64>()?,
        None => vec![1.0; x.numel()],
    };
    let bins = edges.len() - 1;
    let mut counts = vec![0f64; bins];
    for (v, w) in x.to_vec::<f64>()?.into_iter().zip(weights) {
        if bins > 0 && v >= edges[0] && v <= edges[bins] {
            counts[place(v).min(bins - 1)] += w;
        }
    }
    if density {
        let total: f64 = counts.iter().sum();
        counts.iter_mut().zip(edges.windows(2)).for_each(|(c, e)| *c /= total * (e[1] - e[0]));
    }
    let counts = cast(&Tensor::from_slice(&counts, &[bins])?, x.dtype())?.raw();
    let inputs: Vec<&Tensor> = std::iter::once(x).chain(weight).collect();
    Ok(crate::ops::underivable("histogram", &inputs, counts))
}

pub(crate) const TABLE: &[Op] = &[
    op(
        "searchsorted.Tensor(Tensor sorted_sequence, Tensor|Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
        places::FUNCTION | places::OUT,
        |a| {
            let sorter = a.opt_tensor(5)?;
            let side = a.opt_str(4)?;
            Ok(searchsorted(a.tensor(0)?, a.tensor(1)?, a.bool(2)?, a.bool(3)?, side.as_deref(), sorter.as_ref())?
                .into())
        },
    ),
    op(
        "bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
        places::FUNCTION | places::OUT,
        |a| Ok(bucketize(a.tensor(0)?, a.tensor(1)?, a.bool(2)?, a.bool(3)?)?.into()),
    ),
    op(
        "bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
        places::FUNCTION,
        |a| {
            let x = Tensor::from_number(a.scalar(0)?)?;
            Ok(bucketize(&x, a.tensor(1)?, a.bool(2)?, a.bool(3)?)?.into())
        },
    ),
    op("bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor", places::BOTH, |a| {
        Ok(bincount(a.tensor(0)?, a.opt_tensor(1)?.as_ref(), a.int(2)?)?.into())
    }),
    op("histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(histc(a.tensor(0)?, a.int(1)?, a.float(2)?, a.float(3)?)?.into())
    }),
    op(
        "histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
        places::BOTH,
        |a| Ok(histogram_between(a.tensor(0)?, a.tensor(1)?, a.opt_tensor(2)?.as_ref(), a.bool(3)?)?.into()),
    ),
    op(
        "histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
        places::BOTH,
        |a| {
            let range = match a.opt_floats(2)?.as_deref() {
                None => None,
                Some([low, high]) => Some((*low, *high)),
                Some(_) => return Err(Error::runtime("torch.histogram(): range should have 2 elements")),
            };
            let weight = a.opt_tensor(3)?;
            Ok(histogram(a.tensor(0)?, a.int(1)?, range, weight.as_ref(), a.bool(4)?)?.into())
        },
    ),
];
