//! Scaled dot-product attention.

use crate::DType;
use crate::autograd::named;
use crate::error::{Error, Result};
use crate::ops::nn::dropout::dropout;
use crate::ops::{add, masked_fill, matmul, mul, number, repeat_interleave, softmax, transpose};
use crate::registry::{Args, Op, op, places};
use crate::tensor::Tensor;

fn c_name(t: &Tensor) -> &'static str {
    if t.dtype() == DType::I64 { "long int" } else { t.dtype().c_name() }
}

/// `softmax(q k^T * scale + mask) v` over `[…, length, width]`.
///
/// # Errors
/// A mask together with `is_causal`.
fn attention(a: &Args) -> Result<Tensor> {
    let (q, k, v) = (a.tensor(0)?, a.tensor(1)?, a.tensor(2)?);
    let (mask, p, causal, gqa) = (a.opt_tensor(3)?, a.float(4)?, a.bool(5)?, a.bool(7)?);
    if q.ndim() < 2 || k.ndim() < 2 || v.ndim() < 2 {
        return Err(Error::runtime(format!(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {} key.dim: {} and \
             value.dim: {} instead.",
            q.ndim(),
            k.ndim(),
            v.ndim()
        )));
    }
    if k.dtype() != q.dtype() || v.dtype() != q.dtype() {
        return Err(Error::runtime(format!(
            "Expected query, key, and value to have the same dtype, but got query.dtype: {} key.dtype: {} and \
             value.dtype: {} instead.",
            c_name(q),
            c_name(k),
            c_name(v)
        )));
    }
    if let Some(m) = &mask
        && m.dtype() != DType::Bool
        && m.dtype() != DType::F32
        && m.dtype() != q.dtype()
    {
        return Err(Error::runtime(format!(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: {} and  \
             query.dtype: {} instead.",
            c_name(m),
            c_name(q)
        )));
    }
    // PyTorch sees a batch of one before three dimensions, and its message counts it.
    if let ([a, ..], [b, ..]) = (&q.shape()[..], &k.shape()[..])
        && q.ndim() == 3
        && k.ndim() == 3
        && a != b
        && *a != 1
        && *b != 1
    {
        let shape = |t: &Tensor| [&[1], &t.shape()[..]].concat();
        return Err(Error::Broadcast { a: shape(q), b: shape(k), dim: 1 });
    }
    if mask.is_some() && causal {
        return Err(Error::runtime(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
        ));
    }
    let (mut k, mut v) = (k.clone(), v.clone());
    if gqa && k.ndim() >= 3 {
        let dim = k.ndim() - 3;
        if q.ndim() < 3 {
            return Err(Error::runtime("Number of heads in key and value must divide the number of heads in query"));
        }
        if k.size(dim) == 0 || !q.size(q.ndim() - 3).is_multiple_of(k.size(dim)) {
            return Err(Error::runtime("Number of heads in key and value must divide the number of heads in query"));
        }
        let times = (q.size(q.ndim() - 3) / k.size(dim).max(1)) as i64;
        k = repeat_interleave(&k, &Tensor::full(&[], times.into(), DType::I64)?, Some(dim as i64), None)?;
        v = repeat_interleave(&v, &Tensor::full(&[], times.into(), DType::I64)?, Some(dim as i64), None)?;
    }
    let width = q.size(q.ndim() - 1) as f64;
    let scale = a.opt_float(6)?.unwrap_or(1.0 / width.sqrt());
    // Half of the scale on each side, as PyTorch's reference path does.
    let root = number(scale.abs().sqrt())?;
    let left = mul(q, &if scale < 0.0 { number(-scale.abs().sqrt())? } else { root.clone() })?;
    let mut scores = matmul(&left, &transpose(&mul(&k, &root)?, -2, -1)?)?;
    let blocked = if causal {
        let (rows, cols) = (q.size(q.ndim() - 2), k.size(k.ndim() - 2));
        let above: Vec<crate::dtype::B8> = (0..rows).flat_map(|r| (0..cols).map(move |c| (c > r).into())).collect();
        Some(Tensor::from_slice(&above, &[rows, cols])?)
    } else {
        None
    };
    if let Some(blocked) = blocked {
        scores = masked_fill(&scores, &blocked, &number(f64::NEG_INFINITY)?)?;
    }
    let safe = mask.as_ref().is_some_and(|m| m.dtype() == DType::Bool);
    match mask {
        Some(m) if m.dtype() == DType::Bool => {
            let blocked = crate::ops::logical_not(&m)?;
            scores = masked_fill(&scores, &blocked, &number(f64::NEG_INFINITY)?)?;
        }
        Some(m) => scores = add(&scores, &m)?,
        None => {}
    }
    let mut weights = softmax(&scores, -1, None)?;
    if safe {
        // Who may look nowhere sees zeros.
        let least = number(f64::NEG_INFINITY)?;
        let nowhere = crate::ops::eq(&crate::ops::amax(&scores.detach(), &[-1], true)?, &least)?;
        weights = masked_fill(&weights, &nowhere, &number(0)?)?;
    }
    let weights = dropout(&weights, p, p > 0.0)?;
    let out = matmul(&weights, &v)?;
    let flash = p == 0.0 && out.ndim() == 4;
    Ok(if flash { named(out, "ScaledDotProductFlashAttentionForCpuBackward0") } else { out })
}

pub(crate) const TABLE: &[Op] = &[op(
    "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, \
     bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
    places::NN,
    |a| Ok(attention(a)?.into()),
)];
