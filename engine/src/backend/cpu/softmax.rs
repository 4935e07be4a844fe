//! Softmax and its logarithm along one dimension, and the exponential both are built on.

use super::{alloc_shape, rows};
use crate::dtype::{DType, Element};
use crate::error::Result;
use crate::tensor::Raw;

/// `a * b + c`, rounded once (but for rare ties): what a fused instruction gives, on machines without one too.
pub fn fused(a: f32, b: f32, c: f32) -> f32 {
    (a as f64 * b as f64 + c as f64) as f32
}

/// The exponential in float32, to one unit in the last place, with the same polynomial as the vector library PyTorch
/// uses here: `x = q ln 2 + s`, `exp(s)` by a polynomial of degree 7.
pub fn exp(x: f32) -> f32 {
    if x < -104.0 {
        return 0.0;
    }
    if x > 100.0 {
        return f32::INFINITY;
    }
    let q = (x * std::f32::consts::LOG2_E).round_ties_even();
    let s = fused(q, -1.428_606_8e-6, fused(q, -0.693_145_75, x));
    let mut u = 0.000_198_527_62f32;
    for c in [0.001_393_043_6, 0.008_333_361, 0.041_666_485, 0.166_666_67, 0.5] {
        u = fused(u, s, c);
    }
    let u = 1.0 + fused(s * s, u, s);
    let half = (q as i32) >> 1;
    u * power_of_two(half) * power_of_two(q as i32 - half)
}

fn power_of_two(n: i32) -> f32 {
    f32::from_bits(((n + 127).clamp(0, 255) as u32) << 23)
}

/// The sum of a row in sixteen lanes, folded in halves at the end.
fn lane_sum(e: &[f32]) -> f32 {
    const N: usize = 16;
    if e.len() < N {
        return e.iter().copied().reduce(|s, v| s + v).unwrap_or(0.0);
    }
    let mut acc = [0f32; N];
    acc.copy_from_slice(&e[..N]);
    for chunk in e[N..].chunks(N) {
        acc.iter_mut().zip(chunk).for_each(|(a, v)| *a += v);
    }
    let mut k = N / 2;
    while k > 0 {
        for i in 0..k {
            acc[i] += acc[i + k];
        }
        k /= 2;
    }
    acc[0]
}

/// See [`crate::backend::Backend::softmax`].
pub fn softmax<T: Element>(x: &Raw, dim: usize, log: bool) -> Result<Raw> {
    let out = alloc_shape(x.shape(), T::DTYPE)?;
    if x.numel() == 0 {
        return Ok(out);
    }
    let size = x.shape().get(dim).copied().unwrap_or(1);
    let inner: usize = crate::layout::numel(x.shape().get(dim + 1..).unwrap_or_default());
    let xs = x.storage.slice::<T>();
    let xs = rows(&xs, &x.layout);
    let mut os = out.storage.slice_mut::<T>();
    if T::DTYPE == DType::F64 {
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
    } else {
        let (mut row, mut e) = (vec![0f32; size], vec![0f32; size]);
        for line in 0..xs.len() / size {
            let start = (line / inner) * size * inner + line % inner;
            for (k, r) in row.iter_mut().enumerate() {
                *r = xs[start + k * inner].to_f64() as f32;
            }
            let max = row.iter().fold(f32::NEG_INFINITY, |m, &v| if v > m || v.is_nan() { v } else { m });
            e.iter_mut().zip(&row).for_each(|(e, v)| *e = exp(v - max));
            // Along the last dimension lanes are summed and the reciprocal multiplied; elsewhere plainly.
            let total = if inner == 1 { lane_sum(&e) } else { e.iter().fold(0f32, |s, v| s + v) };
            let (reciprocal, ln) = (1.0 / total, (total as f64).ln() as f32);
            for k in 0..size {
                let v = match (log, inner) {
                    (true, _) => row[k] - max - ln,
                    (false, 1) => e[k] * reciprocal,
                    _ => e[k] / total,
                };
                os[start + k * inner] = T::from_f64(v as f64);
            }
        }
    }
    drop(os);
    Ok(out)
}
