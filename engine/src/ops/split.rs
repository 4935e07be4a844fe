//! Pieces of a tensor: `split`, `chunk`, `tensor_split` and kin, `unbind`.

use crate::autograd::views;
use crate::error::{Error, Result, list};
use crate::layout::wrap_dim;
use crate::ops::{cat, slice_of, stack};
use crate::registry::{Op, op, places};
use crate::tensor::Tensor;

/// Pieces of the given lengths along `d`, made by one op.
fn pieces(name: &'static str, x: &Tensor, d: usize, lengths: &[usize]) -> Vec<Tensor> {
    let layout = x.layout();
    let mut at = 0;
    let layouts = lengths
        .iter()
        .map(|&n| {
            at += n;
            layout.slice(d, at - n, at, 1)
        })
        .collect();
    let count = lengths.len();
    views(name, x, layouts, move |ctx| {
        let grads = (0..count).map(|i| ctx.grad_of(i)).collect::<Result<Vec<_>>>()?;
        Ok(vec![Some(cat(&grads, d as i64)?)])
    })
}

/// `x.split(size, dim)`.
pub fn split(x: &Tensor, size: i64, dim: i64) -> Result<Vec<Tensor>> {
    if x.ndim() == 0 {
        return Err(Error::runtime("split expects at least a 1-dimensional tensor"));
    }
    if size < 0 {
        return Err(Error::runtime(format!("split expects split_size be non-negative, but got split_size={size}")));
    }
    let d = wrap_dim(dim, x.ndim())?;
    let total = x.size(d);
    if size == 0 && total != 0 {
        return Err(Error::runtime(format!(
            "split_size can only be 0 if dimension size is 0, but got dimension size of {total}"
        )));
    }
    let size = size as usize;
    let count = if size == 0 { 1 } else { total.div_ceil(size).max(1) };
    let lengths: Vec<usize> = (0..count).map(|i| size.min(total.saturating_sub(i.saturating_mul(size)))).collect();
    Ok(pieces("SplitBackward0", x, d, &lengths))
}

/// `x.split(sizes, dim)`.
pub fn split_with_sizes(x: &Tensor, sizes: &[i64], dim: i64) -> Result<Vec<Tensor>> {
    if x.ndim() == 0 {
        return Err(Error::runtime("split expects at least a 1-dimensional tensor"));
    }
    let d = wrap_dim(dim, x.ndim())?;
    if sizes.iter().any(|&s| s < 0) {
        return Err(Error::runtime(format!(
            "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={}",
            list(sizes)
        )));
    }
    let total: i128 = sizes.iter().map(|&s| s as i128).sum();
    if total != x.size(d) as i128 {
        return Err(Error::runtime(format!(
            "split_with_sizes expects split_sizes to sum exactly to {} (input tensor's size at dimension {d}), but got \
             split_sizes={}",
            x.size(d),
            list(sizes)
        )));
    }
    let lengths: Vec<usize> = sizes.iter().map(|&s| s as usize).collect();
    Ok(pieces("SplitWithSizesBackward0", x, d, &lengths))
}

/// `x.chunk(chunks, dim)`.
pub fn chunk(x: &Tensor, chunks: i64, dim: i64) -> Result<Vec<Tensor>> {
    if x.ndim() == 0 {
        return Err(Error::runtime("chunk expects at least a 1-dimensional tensor"));
    }
    if chunks <= 0 {
        return Err(Error::runtime(format!("chunk expects `chunks` to be greater than 0, got: {chunks}")));
    }
    let d = wrap_dim(dim, x.ndim())?;
    let total = x.size(d);
    let size = total.div_ceil(chunks as usize);
    if size == 0 {
        let lengths = vec![0; (chunks as usize).min(1 << 20)];
        return Ok(pieces("SplitWithSizesBackward0", x, d, &lengths));
    }
    split(x, size as i64, dim)
}

/// `x.tensor_split(sections, dim)`.
pub fn tensor_split(x: &Tensor, sections: i64, dim: i64) -> Result<Vec<Tensor>> {
    check_split(x)?;
    let d = wrap_dim(dim, x.ndim())?;
    if sections <= 0 {
        return Err(Error::runtime(format!("number of sections must be larger than 0, got {sections}")));
    }
    crate::storage::room(sections as usize, 1024)?;
    let total = x.size(d) as i64;
    let (small, longer) = (total / sections, total % sections);
    let mut start = 0;
    (0..sections)
        .map(|i| {
            let end = start + small + i64::from(i < longer);
            let piece = slice_of(x, dim, Some(start), Some(end), 1);
            start = end;
            piece
        })
        .collect()
}

fn check_split(x: &Tensor) -> Result<()> {
    if x.ndim() == 0 {
        return Err(Error::runtime(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims",
        ));
    }
    Ok(())
}

/// `x.tensor_split(indices, dim)`.
pub fn tensor_split_at(x: &Tensor, at: &[i64], dim: i64) -> Result<Vec<Tensor>> {
    check_split(x)?;
    let mut start = 0;
    let mut out = vec![];
    for &end in at {
        out.push(slice_of(x, dim, Some(start), Some(end), 1)?);
        start = end;
    }
    out.push(slice_of(x, dim, Some(start), None, 1)?);
    Ok(out)
}

/// The dimension that `hsplit`, `vsplit`, `dsplit` cut.
fn xsplit_dim(x: &Tensor, what: &str) -> Result<i64> {
    let (least, dim) = match what {
        "hsplit" => (1, if x.ndim() == 1 { 0 } else { 1 }),
        "vsplit" => (2, 0),
        _ => (3, 2),
    };
    if x.ndim() < least {
        return Err(Error::runtime(format!(
            "torch.{what} requires a tensor with at least {least} dimension, but got a tensor with {} dimensions!",
            x.ndim()
        )));
    }
    Ok(dim)
}

fn xsplit(x: &Tensor, what: &str, sections: i64) -> Result<Vec<Tensor>> {
    let dim = xsplit_dim(x, what)?;
    let size = x.size(dim as usize) as i64;
    if sections == 0 || size % sections != 0 {
        return Err(Error::runtime(format!(
            "torch.{what} attempted to split along dimension {dim}, but the size of the dimension {size} is not \
             divisible by the split_size {sections}!"
        )));
    }
    tensor_split(x, sections, dim)
}

/// `x.unbind(dim)`.
pub fn unbind(x: &Tensor, dim: i64) -> Result<Vec<Tensor>> {
    let d = wrap_dim(dim, x.ndim())?;
    if x.ndim() == 0 {
        return Err(Error::index(format!("Dimension specified as {d} but tensor has no dimensions")));
    }
    let layout = x.layout();
    let count = x.size(d);
    let layouts = (0..count).map(|i| layout.select(d, i)).collect();
    Ok(views("UnbindBackward0", x, layouts, move |ctx| {
        let grads = (0..count).map(|i| ctx.grad_of(i)).collect::<Result<Vec<_>>>()?;
        Ok(vec![Some(stack(&grads, d as i64)?)])
    }))
}

pub(crate) const TABLE: &[Op] = &[
    op("split.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]", places::BOTH, |a| {
        Ok(split(a.tensor(0)?, a.int(1)?, a.int(2)?)?.into())
    }),
    op("split.sizes(Tensor self, int[] split_size, int dim=0) -> Tensor[]", places::BOTH, |a| {
        Ok(split_with_sizes(a.tensor(0)?, &a.ints(1)?, a.int(2)?)?.into())
    }),
    op("split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]", places::BOTH, |a| {
        Ok(split_with_sizes(a.tensor(0)?, &a.ints(1)?, a.int(2)?)?.into())
    }),
    op("chunk(Tensor self, int chunks, int dim=0) -> Tensor[]", places::BOTH, |a| {
        Ok(chunk(a.tensor(0)?, a.int(1)?, a.int(2)?)?.into())
    }),
    op("tensor_split.sections(Tensor self, int sections, int dim=0) -> Tensor[]", places::BOTH, |a| {
        Ok(tensor_split(a.tensor(0)?, a.int(1)?, a.int(2)?)?.into())
    }),
    op("tensor_split.indices(Tensor self, int[] indices, int dim=0) -> Tensor[]", places::BOTH, |a| {
        Ok(tensor_split_at(a.tensor(0)?, &a.ints(1)?, a.int(2)?)?.into())
    }),
    op(
        "tensor_split.tensor_indices_or_sections(Tensor self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor[]",
        places::BOTH,
        |a| {
            let at = a.tensor(1)?;
            match at.ndim() {
                0 => Ok(tensor_split(a.tensor(0)?, at.item()?.to_i64(), a.int(2)?)?.into()),
                1 => Ok(tensor_split_at(a.tensor(0)?, &at.to_vec::<i64>()?, a.int(2)?)?.into()),
                n => Err(Error::runtime(format!(
                    "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional \
                     tensor, but got a tensor with {n} dims"
                ))),
            }
        },
    ),
    op("hsplit.int(Tensor self, int sections) -> Tensor[]", places::BOTH, |a| {
        Ok(xsplit(a.tensor(0)?, "hsplit", a.int(1)?)?.into())
    }),
    op("hsplit.array(Tensor self, int[] indices) -> Tensor[]", places::BOTH, |a| {
        Ok(tensor_split_at(a.tensor(0)?, &a.ints(1)?, xsplit_dim(a.tensor(0)?, "hsplit")?)?.into())
    }),
    op("vsplit.int(Tensor self, int sections) -> Tensor[]", places::BOTH, |a| {
        Ok(xsplit(a.tensor(0)?, "vsplit", a.int(1)?)?.into())
    }),
    op("vsplit.array(Tensor self, int[] indices) -> Tensor[]", places::BOTH, |a| {
        Ok(tensor_split_at(a.tensor(0)?, &a.ints(1)?, xsplit_dim(a.tensor(0)?, "vsplit")?)?.into())
    }),
    op("dsplit.int(Tensor self, int sections) -> Tensor[]", places::BOTH, |a| {
        Ok(xsplit(a.tensor(0)?, "dsplit", a.int(1)?)?.into())
    }),
    op("dsplit.array(Tensor self, int[] indices) -> Tensor[]", places::BOTH, |a| {
        Ok(tensor_split_at(a.tensor(0)?, &a.ints(1)?, xsplit_dim(a.tensor(0)?, "dsplit")?)?.into())
    }),
    op("unbind.int(Tensor self, int dim=0) -> Tensor[]", places::BOTH, |a| Ok(unbind(a.tensor(0)?, a.int(1)?)?.into())),
];
