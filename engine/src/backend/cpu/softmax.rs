//! Softmax and its logarithm along one dimension, and their gradients.

use super::vector::{exp_f32, wide};
use super::{room_for, rows};
use crate::dtype::{DType, Element};
use crate::error::Result;
use crate::tensor::Raw;

/// The sum of a row in sixteen lanes, folded in halves at the end.
#[inline(always)]
fn lane_sum(e: &[f32]) -> f32 {
    const N: usize = 16;
    let Some((first, rest)) = e.split_first_chunk::<N>() else {
        return e.iter().copied().reduce(|s, v| s + v).unwrap_or(0.0);
    };
    let mut acc = *first;
    let (chunks, tail) = rest.as_chunks::<N>();
    for chunk in chunks {
        acc.iter_mut().zip(chunk).for_each(|(a, v)| *a += v);
    }
    acc.iter_mut().zip(tail).for_each(|(a, v)| *a += v);
    let mut k = N / 2;
    while k > 0 {
        for i in 0..k {
            acc[i] += acc[i + k];
        }
        k /= 2;
    }
    acc[0]
}

/// The larger one; NaN wins.
#[inline(always)]
fn larger(m: f32, v: f32) -> f32 {
    if v > m || v.is_nan() { v } else { m }
}

#[inline(always)]
fn lane_max(row: &[f32]) -> f32 {
    let mut acc = [f32::NEG_INFINITY; 8];
    let (chunks, tail) = row.as_chunks::<8>();
    for chunk in chunks {
        acc.iter_mut().zip(chunk).for_each(|(a, &v)| *a = larger(*a, v));
    }
    acc.iter().chain(tail).fold(f32::NEG_INFINITY, |m, &v| larger(m, v))
}

/// Along the last dimension lanes are summed and the reciprocal multiplied.
#[inline(always)]
fn last(xs: &[f32], os: &mut [f32], size: usize, log: bool) {
    let mut e = vec![0f32; if log { size } else { 0 }];
    for (row, out) in xs.chunks_exact(size).zip(os.chunks_exact_mut(size)) {
        let max = lane_max(row);
        let e = if log { &mut e[..] } else { &mut *out };
        e.iter_mut().zip(row).for_each(|(e, v)| *e = exp_f32(v - max));
        let total = lane_sum(e);
        if log {
            let ln = (total as f64).ln() as f32;
            out.iter_mut().zip(row).for_each(|(o, v)| *o = v - max - ln);
        } else {
            let reciprocal = 1.0 / total;
            out.iter_mut().for_each(|o| *o *= reciprocal);
        }
    }
}

/// Along another dimension: `inner` lines side by side, each summed plainly.
#[inline(always)]
fn across(xs: &[f32], os: &mut [f32], size: usize, inner: usize, log: bool) {
    let (mut max, mut total) = (vec![0f32; inner], vec![0f32; inner]);
    for (block, out) in xs.chunks_exact(size * inner).zip(os.chunks_exact_mut(size * inner)) {
        max.fill(f32::NEG_INFINITY);
        total.fill(0.0);
        for row in block.chunks_exact(inner) {
            max.iter_mut().zip(row).for_each(|(m, &v)| *m = larger(*m, v));
        }
        for (row, out) in block.chunks_exact(inner).zip(out.chunks_exact_mut(inner)) {
            out.iter_mut().zip(row.iter().zip(&max)).for_each(|(o, (v, m))| *o = exp_f32(v - m));
            total.iter_mut().zip(&*out).for_each(|(t, e)| *t += e);
        }
        if log {
            total.iter_mut().for_each(|t| *t = (*t as f64).ln() as f32);
        }
        for (row, out) in block.chunks_exact(inner).zip(out.chunks_exact_mut(inner)) {
            if log {
                let parts = row.iter().zip(max.iter().zip(&total));
                out.iter_mut().zip(parts).for_each(|(o, (v, (m, ln)))| *o = v - m - ln);
            } else {
                out.iter_mut().zip(&total).for_each(|(o, t)| *o /= t);
            }
        }
    }
}

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
    let compute = |xs: &[f32], os: &mut [f32]| {
        wide(|| if inner == 1 { last(xs, os, size, log) } else { across(xs, os, size, inner, log) });
    };
    if T::DTYPE == DType::F32 {
        compute(bytemuck::cast_slice(&xs), &mut out.storage.slice_mut::<f32>());
    } else {
        let (single, mut results) = (xs.iter().map(|v| v.to_f64() as f32).collect::<Vec<_>>(), vec![0f32; xs.len()]);
        compute(&single, &mut results);
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
        wide(|| {
            for ((g, y), o) in gs.chunks_exact(size).zip(ys.chunks_exact(size)).zip(os.chunks_exact_mut(size)) {
                if log {
                    let total = lane_sum(g);
                    o.iter_mut().zip(g.iter().zip(y)).for_each(|(o, (g, &y))| *o = g - exp_f32(y) * total);
                } else {
                    o.iter_mut().zip(g.iter().zip(y)).for_each(|(o, (g, y))| *o = g * y);
                    let total = lane_sum(o);
                    o.iter_mut().zip(g.iter().zip(y)).for_each(|(o, (g, y))| *o = (g - total) * y);
                }
            }
        });
    }
    Ok(out)
}
