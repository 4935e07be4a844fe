//! Reductions over some or all dimensions.

use crate::autograd::differentiable;
use crate::backend::{ReduceOp, backend};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::wrap_dim;
use crate::ops::{expand_as_shape, unsqueeze_all};
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

/// Dims as Python gives them, wrapped, sorted; none given means all.
///
/// # Errors
/// Out of range; the same dim twice.
pub fn wrap_dims(dims: &[i64], ndim: usize) -> Result<Vec<usize>> {
    if dims.is_empty() {
        return Ok((0..ndim).collect());
    }
    let mut out = Vec::with_capacity(dims.len());
    for &d in dims {
        let w = wrap_dim(d, ndim)?;
        if out.contains(&w) {
            return Err(Error::runtime(format!("dim {w} appears multiple times in the list of dims")));
        }
        out.push(w);
    }
    out.sort_unstable();
    Ok(out)
}

/// The kernel's result keeps reduced dims with size 1; drop them unless `keepdim`.
pub(crate) fn finish(raw: Raw, dims: &[usize], keepdim: bool) -> Raw {
    if keepdim {
        return raw;
    }
    let layout = raw.layout.squeeze(dims);
    raw.with_layout(layout)
}

/// Sum over `dims` (all when empty); integers and bool sum as int64.
pub fn sum(x: &Tensor, dims: &[i64], keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    let dtype = dtype.unwrap_or(if x.dtype().is_float() { x.dtype() } else { DType::I64 });
    let wrapped = wrap_dims(dims, x.ndim())?;
    let b = backend(x.device());
    let raw = x.raw();
    let raw = if raw.dtype == dtype { raw } else { b.copy(&raw, dtype)? };
    let out = finish(b.reduce(ReduceOp::Sum, &raw, &wrapped)?, &wrapped, keepdim);
    let shape = x.shape();
    let name = if dims.is_empty() { "SumBackward0" } else { "SumBackward1" };
    Ok(differentiable(name, &[x], out, &[], move |ctx| {
        let g = ctx.grad()?;
        let g = if keepdim { g } else { unsqueeze_all(&g, &wrapped)? };
        Ok(vec![Some(expand_as_shape(&g, &shape)?)])
    }))
}

pub(crate) const TABLE: &[Op] = &[
    op("sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", places::BOTH, |a| {
        Ok(sum(a.tensor(0)?, &[], false, a.opt_dtype(1)?)?.into())
    }),
    op(
        "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
        places::BOTH | places::OUT,
        |a| {
            let dims = a.opt_ints(1)?.unwrap_or_default();
            Ok(sum(a.tensor(0)?, &dims, a.bool(2)?, a.opt_dtype(3)?)?.into())
        },
    ),
];
