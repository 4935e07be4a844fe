//! Softmax and its logarithm over lines of float32, and their gradients.

use crate::math::exp_f32;
use crate::wide;

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

/// Softmax (or its logarithm) of lines of `size` elements that lie `inner` apart: `[.., size, inner]`.
#[inline(never)]
pub fn softmax(xs: &[f32], os: &mut [f32], size: usize, inner: usize, log: bool) {
    wide(|| if inner == 1 { last(xs, os, size, log) } else { across(xs, os, size, inner, log) });
}

/// The gradient of softmax (or its logarithm) over rows of `size`, from the result's gradient and the result `ys`.
#[inline(never)]
pub fn gradient(gs: &[f32], ys: &[f32], os: &mut [f32], size: usize, log: bool) {
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
