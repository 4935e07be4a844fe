//! Order: `sort`, `argsort`, `topk`, `unique`, `isin`, `one_hot`.

use std::cmp::Ordering;

use crate::autograd::{Save, differentiable_many, grad_mode::no_grad, non_differentiable};
use crate::backend::{backend, selection};
use crate::device::Device;
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::layout::{Layout, wrap_dim};
use crate::ops::{
    along_first, cast, gather, like_order, one_dim, result_type, scatter_add, size_at, size_of, sorted_lines,
};
use crate::registry::{Op, Value, op, places};
use crate::tensor::{Raw, Tensor};
use crate::with_dtype;

/// Values and indices chosen along `d`, with the gradient going back to where the values came from.
fn chosen(name: &'static str, x: &Tensor, d: usize, values: Raw, indices: Raw) -> (Tensor, Tensor) {
    let shape = x.shape();
    let mut out = differentiable_many(name, &[x], vec![values, indices], &[Save::Output(1)], move |ctx| {
        let g = ctx.grad()?;
        let zeros = Tensor::zeros(&shape, g.dtype())?;
        Ok(vec![Some(scatter_add(&zeros, d as i64, ctx.saved(0), &g)?)])
    });
    let indices = out.pop();
    let values = out.pop();
    let none = || Tensor::from_raw(x.raw());
    (values.unwrap_or_else(none), indices.unwrap_or_else(none))
}

/// `count` values of each line and where they were, chosen from the ranks of its elements.
fn selected(x: &Tensor, d: usize, count: usize, choose: impl Fn(&[u32]) -> Vec<usize>) -> Result<(Raw, Raw)> {
    let indices = sorted_lines(x, d)?.choose(d, count, choose)?;
    let values = no_grad(|| gather(x, d as i64, &non_differentiable(indices.clone())))?;
    Ok((values.raw(), indices))
}

/// Sorted values and where they were. What is `stable` for PyTorch keeps the order of equal elements; the rest does so
/// in short lines only.
fn sort_raw(x: &Tensor, d: usize, descending: bool, stable: bool) -> Result<(Raw, Raw)> {
    let shape = x.shape();
    if !stable && size_of(x, d) > selection::SHORT {
        let (values, indices) = selected(x, d, size_of(x, d), |ranks| selection::sorted(ranks, descending))?;
        return Ok((like_order(x, values)?, like_order(x, indices)?));
    }
    let (values, indices) = backend(x.device()).sort(&one_dim(x.raw()), d, descending)?;
    let layout = Layout::contiguous(&shape);
    Ok((like_order(x, values.with_layout(layout.clone()))?, like_order(x, indices.with_layout(layout))?))
}

/// `x.sort(dim, descending)`; asking for `stable` or not gives another name in the graph.
pub fn sort(x: &Tensor, dim: i64, descending: bool, stable: Option<bool>) -> Result<(Tensor, Tensor)> {
    let d = wrap_dim(dim, x.ndim())?;
    let (values, indices) = sort_raw(x, d, descending, stable.unwrap_or(false))?;
    Ok(chosen(if stable.is_some() { "SortBackward1" } else { "SortBackward0" }, x, d, values, indices))
}

/// `x.argsort(dim, descending)`.
pub fn argsort(x: &Tensor, dim: i64, descending: bool, stable: bool) -> Result<Tensor> {
    let d = wrap_dim(dim, x.ndim())?;
    Ok(non_differentiable(sort_raw(x, d, descending, stable)?.1))
}

/// `x.topk(k, dim, largest, sorted)`; unsorted, they come as the selection leaves them.
pub fn topk(x: &Tensor, k: i64, dim: i64, largest: bool, sorted: bool) -> Result<(Tensor, Tensor)> {
    let d = wrap_dim(dim, x.ndim())?;
    if x.dtype().is_complex() {
        return Err(Error::type_error(" topk does not support complex dtypes on CPU"));
    }
    if k < 0 || k as usize > size_of(x, d) {
        return Err(Error::runtime("selected index k out of range"));
    }
    let count = k as usize;
    let (values, indices) = match x.ndim() {
        0 => sort_raw(x, d, largest, true)?,
        // The front of the whole order: which of equal elements stands there is not what the host would say.
        _ if x.device().is_gpu() => {
            let (values, indices) = sort_raw(x, d, largest, true)?;
            let front =
                |raw: Raw| backend(x.device()).copy(&raw.with_layout(raw.layout.slice(d, 0, count, 1)), raw.dtype);
            (front(values)?, front(indices)?)
        }
        _ => selected(x, d, count, |ranks| selection::top(ranks, count, largest, sorted))?,
    };
    Ok(chosen("TopkBackward0", x, d, values, indices))
}

/// The three results of `unique`: values, where each element went, how often each value stands.
pub struct Unique {
    pub values: Tensor,
    pub inverse: Tensor,
    pub counts: Tensor,
}

/// Group neighbours of `order` (positions of elements or rows) that are equal.
fn groups(order: &[usize], equal: impl Fn(usize, usize) -> bool) -> (Vec<usize>, Vec<i64>, Vec<i64>) {
    let (mut firsts, mut counts) = (vec![], vec![]);
    let mut inverse = vec![0i64; order.len()];
    for (k, &i) in order.iter().enumerate() {
        if k == 0 || !equal(order[k - 1], i) {
            firsts.push(i);
            counts.push(0i64);
        }
        if let Some(c) = counts.last_mut() {
            *c += 1;
        }
        inverse[i] = firsts.len() as i64 - 1;
    }
    (firsts, inverse, counts)
}

fn compare<T: Element>(a: &T, b: &T) -> Ordering {
    a.partial_cmp(b).unwrap_or_else(|| a.to_f64().is_nan().cmp(&b.to_f64().is_nan()))
}

/// Unique elements of the whole tensor, or, with `consecutive`, of each run of equals.
pub fn unique(x: &Tensor, consecutive: bool) -> Result<Unique> {
    if x.dtype().is_complex() {
        return Err(Error::no_kernel("unique", x.dtype()));
    }
    let flat =
        Tensor::from_raw(backend(x.device()).copy(&x.raw(), x.dtype())?.with_layout(Layout::contiguous(&[x.numel()])));
    let (firsts, inverse, counts) = with_dtype!(x.dtype(), T => {
        let v = flat.to_vec::<T>()?;
        let mut order: Vec<usize> = (0..v.len()).collect();
        if !consecutive {
            order.sort_by(|&a, &b| compare(&v[a], &v[b]));
        }
        groups(&order, |a, b| v[a] == v[b])
    });
    let places: Vec<i64> = firsts.iter().map(|&i| i as i64).collect();
    let values = backend(x.device()).take(&flat.raw(), &Tensor::from_slice(&places, &[places.len()])?.raw())?;
    let name = if consecutive { "UniqueConsecutiveBackward0" } else { "Unique2Backward0" };
    let aten = if consecutive { "unique_consecutive" } else { "_unique2" };
    Ok(Unique {
        values: no_gradient(name, aten, x, values),
        inverse: Tensor::from_slice(&inverse, &x.shape())?,
        counts: Tensor::from_slice(&counts, &[counts.len()])?,
    })
}

/// A result whose gradient PyTorch does not have either.
fn no_gradient(name: &'static str, aten: &'static str, x: &Tensor, raw: Raw) -> Tensor {
    crate::autograd::differentiable(name, &[x], raw, &[], move |_| {
        Err(Error::not_implemented(format!("the derivative for '{aten}' is not implemented.")))
    })
}

/// Unique slices along a dimension.
pub fn unique_dim(x: &Tensor, dim: i64, consecutive: bool) -> Result<Unique> {
    let n = size_at(x, dim)?;
    let d = wrap_dim(dim, x.ndim())?;
    let empty = x.shape().iter().filter(|&&s| s == 0).count();
    if empty > 0 && n > 0 {
        return Err(Error::runtime(
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied",
        ));
    }
    if empty > 1 {
        return Err(Error::runtime("Number of zero sized dimensions is more than one, so unique cannot be applied "));
    }
    let front = backend(x.device()).copy(&x.raw().with_layout(along_first(&x.layout(), d)), x.dtype())?;
    let front = Tensor::from_raw(front);
    let width = x.numel().checked_div(n).unwrap_or(0);
    let (firsts, inverse, counts) = with_dtype!(x.dtype(), T => {
        let v = front.to_vec::<T>()?;
        let row = |i: usize| &v[i * width..(i + 1) * width];
        let mut order: Vec<usize> = (0..n).collect();
        if !consecutive {
            order.sort_by(|&a, &b| {
                row(a).iter().zip(row(b)).map(|(x, y)| compare(x, y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
            });
        }
        groups(&order, |a, b| row(a) == row(b))
    });
    let at: Vec<i64> = firsts.iter().map(|&i| i as i64).collect();
    let values = crate::ops::index_select(&front, 0, &Tensor::from_slice(&at, &[at.len()])?)?.raw();
    let mut back: Vec<usize> = (1..x.ndim()).collect();
    back.insert(d, 0);
    let values = values.with_layout(values.layout.permute(&back));
    let (name, aten) = if consecutive {
        ("UniqueDimConsecutiveBackward0", "unique_dim_consecutive")
    } else {
        ("UniqueDimBackward0", "unique_dim")
    };
    Ok(Unique {
        values: no_gradient(name, aten, x, values),
        inverse: Tensor::from_slice(&inverse, &[inverse.len()])?,
        counts: Tensor::from_slice(&counts, &[counts.len()])?,
    })
}

fn triple(u: Unique) -> Value {
    (u.values, u.inverse, u.counts).into()
}

/// `torch.isin(elements, test_elements)`.
pub fn isin(x: &Tensor, among: &Tensor, invert: bool) -> Result<Tensor> {
    let dtype = result_type(&[x, among]);
    let (x, among) = (cast(&x.detach(), dtype)?, cast(&among.detach(), dtype)?);
    let found: Vec<crate::dtype::B8> = with_dtype!(dtype, T => {
        let mut set = among.to_vec::<T>()?;
        set.sort_by(compare);
        x.to_vec::<T>()?
            .iter()
            .map(|v| (set.binary_search_by(|s| compare(s, v)).is_ok_and(|i| set[i] == *v) != invert).into())
            .collect()
    });
    Tensor::from_slice(&found, &x.shape())
}

/// `torch.nn.functional.one_hot`.
pub fn one_hot(x: &Tensor, classes: i64) -> Result<Tensor> {
    if x.dtype() != DType::I64 {
        return Err(Error::runtime("one_hot is only applicable to index tensor of type LongTensor."));
    }
    if x.device().is_gpu() && x.numel() > 0 {
        return one_hot_in_ops(x, classes);
    }
    let values = x.to_vec::<i64>()?;
    if values.is_empty() && classes <= 0 {
        return Err(Error::runtime("Can not infer total number of classes from empty tensor."));
    }
    if values.iter().any(|&v| v < 0) {
        return Err(Error::runtime("Class values must be non-negative."));
    }
    let most = values.iter().copied().max().unwrap_or(-1);
    let classes = if classes == -1 { most.saturating_add(1) } else { classes };
    if most >= classes {
        return Err(Error::runtime("Class values must be smaller than num_classes."));
    }
    let mut shape = x.shape();
    shape.push(classes as usize);
    let raw = backend(Device::Cpu).full(&shape, Scalar::Int(0), DType::I64)?;
    {
        let mut out = raw.storage.slice_mut::<i64>();
        for (row, v) in out.chunks_exact_mut(classes.max(1) as usize).zip(values) {
            if let Some(o) = row.get_mut(v as usize) {
                *o = 1;
            }
        }
    }
    Ok(non_differentiable(crate::placement::placed(raw)?))
}

/// The same on a GPU, of which only the least and the largest class are looked at.
fn one_hot_in_ops(x: &Tensor, classes: i64) -> Result<Tensor> {
    let end = |t: Tensor| t.item().map(Scalar::to_i64);
    let (least, most) = (end(crate::ops::min_all(x)?)?, end(crate::ops::max_all(x)?)?);
    if least < 0 {
        return Err(Error::runtime("Class values must be non-negative."));
    }
    let classes = if classes == -1 { most.saturating_add(1) } else { classes };
    if most >= classes {
        return Err(Error::runtime("Class values must be smaller than num_classes."));
    }
    let each = crate::ops::grid(x.device(), Layout::contiguous(&[classes as usize]))?;
    cast(&crate::ops::eq(&crate::ops::unsqueeze(&x.detach(), -1)?, &each)?, DType::I64)
}

fn pair((a, b): (Tensor, Tensor)) -> Value {
    (a, b).into()
}

pub(crate) const TABLE: &[Op] = &[
    op(
        "sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
        places::BOTH | places::OUT,
        |a| Ok(pair(sort(a.tensor(0)?, a.int(1)?, a.bool(2)?, None)?)),
    ),
    op(
        "sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
        places::BOTH | places::OUT,
        |a| Ok(pair(sort(a.tensor(0)?, a.int(2)?, a.bool(3)?, Some(a.opt_bool(1)?.unwrap_or(false)))?)),
    ),
    op("argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor", places::BOTH, |a| {
        Ok(argsort(a.tensor(0)?, a.int(1)?, a.bool(2)?, false)?.into())
    }),
    op("argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor", places::BOTH, |a| {
        Ok(argsort(a.tensor(0)?, a.int(2)?, a.bool(3)?, a.bool(1)?)?.into())
    }),
    op("msort(Tensor self) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(sort(a.tensor(0)?, 0, false, None)?.0.into())
    }),
    op(
        "topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)",
        places::BOTH | places::OUT,
        |a| Ok(pair(topk(a.tensor(0)?, a.int(1)?, a.int(2)?, a.bool(3)?, a.bool(4)?)?)),
    ),
    op(
        "_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, \
         Tensor, Tensor)",
        places::FUNCTION,
        |a| Ok(triple(unique(a.tensor(0)?, false)?)),
    ),
    op(
        "unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> \
         (Tensor, Tensor, Tensor)",
        places::FUNCTION,
        |a| Ok(triple(unique_dim(a.tensor(0)?, a.int(1)?, false)?)),
    ),
    op(
        "unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> \
         (Tensor, Tensor, Tensor)",
        places::FUNCTION,
        |a| {
            let x = a.tensor(0)?;
            Ok(triple(match a.opt_int(3)? {
                Some(d) => unique_dim(x, d, true)?,
                None => unique(x, true)?,
            }))
        },
    ),
    op(
        "isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> \
         Tensor",
        places::FUNCTION | places::OUT,
        |a| Ok(isin(a.tensor(0)?, a.tensor(1)?, a.bool(3)?)?.into()),
    ),
    op(
        "isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> \
         Tensor",
        places::FUNCTION | places::OUT,
        |a| Ok(isin(a.tensor(0)?, &Tensor::from_number(a.scalar(1)?)?, a.bool(3)?)?.into()),
    ),
    op(
        "isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> \
         Tensor",
        places::FUNCTION | places::OUT,
        |a| Ok(isin(&Tensor::from_number(a.scalar(0)?)?, a.tensor(1)?, a.bool(3)?)?.into()),
    ),
    op("one_hot(Tensor self, int num_classes=-1) -> Tensor", places::NN, |a| {
        Ok(one_hot(a.tensor(0)?, a.int(1)?)?.into())
    }),
];
