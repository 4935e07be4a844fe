//! Softmax and its logarithm along one dimension, and their gradients.

use rushlight_kernels::softmax as kernel;

use super::{room_for, rows};
use crate::dtype::{DType, Element};
use crate::error::Result;
use crate::tensor::Raw;

/// See [`crate::backend::Backend::softmax`].
pub fn softmax<T: Element>(x: &Raw, dim: usize, log: bool) -> Result<Raw> {
    let out = room_for(x.shape(), T::DTYPE)?;
    if x.numel() == 0 {
        return Ok(out);
    }
    let size = x.shape().get(dim).copied().unwrap_or(1);
    let inner: usize = crate::layout::numel(x.shape().get(dim + 1..).unwrap_or_default());
    let xs = x.storage.slice::<T>();
    let xs = rows(&xs, &x.layout);
    if T::DTYPE == DType::F64 {
        let mut os = out.storage.slice_mut::<T>();
        let mut row = vec![0f64; size];
        for line in 0..xs.len() / size {
            let start = (line / inner) * size * inner + line % inner;
            for (k, r) in row.iter_mut().enumerate() {
                *r = xs[start + k * inner].to_f64();
            }
            let max = row.iter().fold(f64::NEG_INFINITY, |m, &v| if v > m || v.is_nan() { v } else { m });
            let total: f64 = row.iter().map(|v| (v - max).exp()).sum();
            for (k, r) in row.iter().enumerate() {
                let v = if log { r - max - total.ln() } else { (r - max).exp() / total };
                os[start + k * inner] = T::from_f64(v);
            }
        }
        drop(os);
        return Ok(out);
    }
    if T::DTYPE == DType::F32 {
        kernel::softmax(bytemuck::cast_slice(&xs), &mut out.storage.slice_mut::<f32>(), size, inner, log);
    } else {
        let (single, mut results) = (xs.iter().map(|v| v.to_f64() as f32).collect::<Vec<_>>(), vec![0f32; xs.len()]);
        kernel::softmax(&single, &mut results, size, inner, log);
        out.storage.slice_mut::<T>().iter_mut().zip(results).for_each(|(o, v)| *o = T::from_f64(v as f64));
    }
    Ok(out)
}

/// See [`crate::backend::Backend::softmax_grad`].
pub fn softmax_grad(g: &Raw, y: &Raw, log: bool) -> Result<Raw> {
    let out = room_for(y.shape(), DType::F32)?;
    let size = y.shape().last().copied().unwrap_or(1).max(1);
    {
        let (gs, ys) = (g.storage.slice::<f32>(), y.storage.slice::<f32>());
        let (gs, ys) = (rows(&gs, &g.layout), rows(&ys, &y.layout));
        let mut os = out.storage.slice_mut::<f32>();
        kernel::gradient(&gs, &ys, &mut os, size, log);
    }
    Ok(out)
}
