//! Look-up tables.

use crate::autograd::Save;
use crate::backend::Fault;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::ops::nn::fused;
use crate::ops::{
    add, cast, checked, div, grid, mul, ne, number, put_places, reshape, size_at, sum, take_places, unsqueeze, where_,
};
use crate::registry::{Op, op, places};
use crate::tensor::Tensor;

/// The places of whole rows of a `[rows, width]` table, `[indices…, width]`.
fn row_places(indices: &[i64], shape: &[usize], rows: usize, width: usize) -> Result<Tensor> {
    let mut at = Vec::with_capacity(indices.len() * width);
    for &i in indices {
        if i < 0 || i as usize >= rows {
            return Err(Error::index("index out of range in self"));
        }
        at.extend((0..width).map(|w| i * width as i64 + w as i64));
    }
    let mut out = shape.to_vec();
    out.push(width);
    Tensor::from_slice(&at, &out)
}

fn check_indices(indices: &Tensor, name: &str) -> Result<()> {
    if !matches!(indices.dtype(), crate::DType::I64 | crate::DType::I32) {
        return Err(Error::runtime(format!(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got \
             torch.{} instead (while checking arguments for {name})",
            indices.dtype().tensor_type_name()
        )));
    }
    Ok(())
}

/// `weight[indices]`, whose gradient skips the row `padding_idx` (-1: none).
///
/// # Errors
/// Indices that are not integers or out of range; a table that is not a matrix.
pub fn embedding(weight: &Tensor, indices: &Tensor, padding_idx: i64, by_frequency: bool) -> Result<Tensor> {
    size_at(weight, 0)?;
    if weight.ndim() != 2 {
        return Err(Error::runtime("'weight' must be 2-D"));
    }
    check_indices(indices, "embedding")?;
    if weight.device().is_gpu() {
        return embedding_in_ops(weight, indices, padding_idx, by_frequency);
    }
    let ids = indices.to_vec::<i64>()?;
    let (rows, width) = (weight.size(0), weight.size(1));
    if rows == 0 && !ids.is_empty() {
        return Err(Error::runtime("index_select(): self indexing axis dim should be positive"));
    }
    let at = row_places(&ids, &indices.shape(), rows, width)?;
    fused(
        "EmbeddingBackward0",
        &[weight],
        &[Save::Input(&at)],
        || take_places(weight, &at),
        move |ctx| {
            let g = ctx.grad()?;
            let mut scale = vec![1f32; ids.len()];
            if by_frequency {
                let mut counts = vec![0f32; rows];
                ids.iter().for_each(|&i| counts[i as usize] += 1.0);
                scale.iter_mut().zip(&ids).for_each(|(s, &i)| *s = 1.0 / counts[i as usize]);
            }
            scale.iter_mut().zip(&ids).for_each(|(s, &i)| *s *= (i != padding_idx) as u8 as f32);
            let g = if scale.iter().all(|&s| s == 1.0) {
                g
            } else {
                let mut shape = g.shape();
                if let Some(last) = shape.last_mut() {
                    *last = 1;
                }
                mul(&g, &crate::ops::cast(&Tensor::from_slice(&scale, &shape)?, g.dtype())?)?
            };
            let zeros = Tensor::zeros(&[rows, width], g.dtype())?;
            Ok(vec![Some(put_places(&zeros, ctx.saved(0), &g, true)?)])
        },
    )
}

/// The same where looking at the indices would keep the host waiting.
fn embedding_in_ops(weight: &Tensor, indices: &Tensor, padding_idx: i64, by_frequency: bool) -> Result<Tensor> {
    let (rows, width, device) = (weight.size(0), weight.size(1), weight.device());
    let ids = checked(&cast(&indices.detach(), DType::I64)?, rows, Fault::Row)?;
    let columns = grid(device, Layout::contiguous(&[width]))?;
    let at = add(&mul(&unsqueeze(&ids, -1)?, &number(width as i64)?)?, &columns)?;
    fused(
        "EmbeddingBackward0",
        &[weight],
        &[Save::Input(&at), Save::Input(&ids)],
        || take_places(weight, &at),
        move |ctx| {
            let (at, ids) = (ctx.saved(0), ctx.saved(1));
            let mut g = ctx.grad()?;
            if by_frequency {
                let ones = Tensor::full(&ids.shape(), 1.into(), g.dtype())?;
                let counts = put_places(&Tensor::zeros(&[rows], g.dtype())?, ids, &ones, true)?;
                g = div(&g, &unsqueeze(&take_places(&counts, ids)?, -1)?)?;
            }
            if padding_idx >= 0 {
                g = where_(&unsqueeze(&ne(ids, &number(padding_idx)?)?, -1)?, &g, &number(0)?)?;
            }
            Ok(vec![Some(put_places(&Tensor::zeros(&[rows, width], g.dtype())?, at, &g, true)?)])
        },
    )
}

/// Sums, means or maxima over bags of embeddings.
///
/// # Errors
/// As [`embedding`]; offsets that don't start at 0 or run backwards.
pub fn embedding_bag(
    weight: &Tensor,
    indices: &Tensor,
    offsets: &Tensor,
    mode: i64,
    per_sample: Option<&Tensor>,
    include_last: bool,
    padding_idx: i64,
) -> Result<Tensor> {
    check_indices(indices, "embedding_bag")?;
    let ids = indices.to_vec::<i64>()?;
    let mut starts = offsets.to_vec::<i64>()?;
    if starts.first().is_some_and(|&s| s != 0) {
        return Err(Error::runtime(format!(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, \
             got {}",
            starts[0]
        )));
    }
    if !include_last {
        starts.push(ids.len() as i64);
    }
    let given = if include_last { &starts[..] } else { &starts[..starts.len() - 1] };
    if let Some(&last) = given.last()
        && last as usize > ids.len()
    {
        return Err(Error::runtime(format!(
            "offsets[-1] can not be greater than input's length {} but got offsets[-1] of {last}",
            ids.len()
        )));
    }
    if starts.windows(2).any(|w| w[0] > w[1]) {
        return Err(Error::runtime(
            "Expected i < index_size to be true, but got false.  (Could this error message be improved?  If so, please \
             report an enhancement request to PyTorch.)",
        ));
    }
    if let Some((at, id)) = ids.iter().enumerate().find(|(_, id)| **id < 0 || **id as usize >= weight.size(0)) {
        return Err(Error::runtime(if mode == 2 || weight.dtype() == crate::DType::F64 {
            format!("embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {id}")
        } else {
            format!("Index {at} of input takes value {id} which is not in the valid range [0, {})", weight.size(0))
        }));
    }
    let width = weight.size(1);
    let rows = embedding(weight, indices, padding_idx, false)?;
    let rows = match per_sample {
        Some(w) => mul(&rows, &reshape(w, &[-1, 1])?)?,
        None => rows,
    };
    let mut bags = Vec::with_capacity(starts.len().saturating_sub(1));
    for w in starts.windows(2) {
        let kept: Vec<i64> = (w[0]..w[1]).filter(|&i| ids[i as usize] != padding_idx).collect();
        if kept.is_empty() {
            bags.push(Tensor::zeros(&[width], weight.dtype())?);
            continue;
        }
        let at = row_places(&kept, &[kept.len()], ids.len(), width)?;
        let bag = take_places(&rows, &at)?;
        bags.push(match mode {
            2 => crate::ops::max_dim(&bag, 0, false)?.0,
            _ => {
                let total = sum(&bag, &[0], false, None)?;
                if mode == 1 { div(&total, &number(kept.len() as f64)?)? } else { total }
            }
        });
    }
    if bags.is_empty() {
        return Ok(rows);
    }
    crate::ops::stack(&bags, 0)
}

pub(crate) const TABLE: &[Op] = &[
    op(
        "embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) \
         -> Tensor",
        places::FUNCTION,
        |a| {
            if a.bool(4)? {
                return Err(Error::not_implemented("sparse gradients are not supported here; use sparse=False"));
            }
            Ok(embedding(a.tensor(0)?, a.tensor(1)?, a.int(2)?, a.bool(3)?)?.into())
        },
    ),
    op(
        "embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, \
         bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int? padding_idx=None) -> \
         (Tensor, Tensor, Tensor, Tensor)",
        places::FUNCTION,
        |a| {
            if a.bool(5)? {
                return Err(Error::not_implemented("sparse gradients are not supported here; use sparse=False"));
            }
            let weights = a.opt_tensor(6)?;
            let padding = a.opt_int(8)?.unwrap_or(-1);
            let out = embedding_bag(
                a.tensor(0)?,
                a.tensor(1)?,
                a.tensor(2)?,
                a.int(4)?,
                weights.as_ref(),
                a.bool(7)?,
                padding,
            )?;
            // The other three results are bookkeeping for PyTorch's own backward.
            let empty = || Tensor::zeros(&[0], crate::DType::I64);
            Ok(crate::registry::Value::Tuple(vec![out.into(), empty()?.into(), empty()?.into(), empty()?.into()]))
        },
    ),
];
