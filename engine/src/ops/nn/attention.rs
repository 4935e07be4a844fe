//! Scaled dot-product attention.

use crate::DType;
use crate::error::{Error, Result};
use crate::ops::nn::dropout::dropout;
use crate::ops::{add, masked_fill, matmul, mul, number, repeat_interleave, softmax, transpose};
use crate::registry::{Args, Op, op, places};
use crate::tensor::Tensor;

/// `softmax(q k^T * scale + mask) v` over `[…, length, width]`.
///
/// # Errors
/// A mask together with `is_causal`.
fn attention(a: &Args) -> Result<Tensor> {
    let (q, k, v) = (a.tensor(0)?, a.tensor(1)?, a.tensor(2)?);
    let (mask, p, causal, gqa) = (a.opt_tensor(3)?, a.float(4)?, a.bool(5)?, a.bool(7)?);
    if q.ndim() < 2 || k.ndim() < 2 || v.ndim() < 2 {
        return Err(Error::runtime(format!(
            "Expected query, key, and value to all be at least 2 dimensional, but got query dim: {}, key dim: {}, value \
             dim: {}",
            q.ndim(),
            k.ndim(),
            v.ndim()
        )));
    }
    if mask.is_some() && causal {
        return Err(Error::runtime(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
        ));
    }
    let (mut k, mut v) = (k.clone(), v.clone());
    if gqa && k.ndim() >= 3 {
        let dim = k.ndim() - 3;
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
    match mask {
        Some(m) if m.dtype() == DType::Bool => {
            let blocked = crate::ops::logical_not(&m)?;
            scores = masked_fill(&scores, &blocked, &number(f64::NEG_INFINITY)?)?;
        }
        Some(m) => scores = add(&scores, &m)?,
        None => {}
    }
    let weights = dropout(&softmax(&scores, -1, None)?, p, p > 0.0)?;
    matmul(&weights, &v)
}

pub(crate) const TABLE: &[Op] = &[op(
    "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, \
     bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
    places::NN,
    |a| Ok(attention(a)?.into()),
)];
