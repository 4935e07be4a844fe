//! Variances and Euclidean norms.

use rushlight_kernels::math::fused;
use rushlight_kernels::moments as kernel;

use super::{room_for, rows};
use crate::dtype::{DType, Element};
use crate::error::Result;
use crate::layout::Layout;
use crate::tensor::Raw;

/// The reduced shape, and the elements as lines of `len` with the reduced dimensions last.
pub fn lines(x: &Raw, dims: &[usize]) -> (Vec<usize>, Layout, usize) {
    let mut shape = x.shape().to_vec();
    let keep: Vec<usize> = (0..shape.len()).filter(|d| !dims.contains(d)).collect();
    let order: Vec<usize> = keep.into_iter().chain(dims.iter().copied().filter(|&d| d < shape.len())).collect();
    let len = crate::layout::numel(&dims.iter().filter_map(|&d| shape.get(d).copied()).collect::<Vec<_>>());
    dims.iter().for_each(|&d| {
        if let Some(s) = shape.get_mut(d) {
            *s = 1;
        }
    });
    (shape, x.layout.permute(&order), len)
}

/// See [`crate::backend::Backend::variance`]. Carried in double, as PyTorch does, and rounded once.
pub fn variance<T: Element>(x: &Raw, dims: &[usize], correction: f64, root: bool) -> Result<(Raw, Raw)> {
    let (shape, lines, len) = lines(x, dims);
    let (var, mean) = (room_for(&shape, T::DTYPE)?, room_for(&shape, T::DTYPE)?);
    {
        let xs = x.storage.slice::<T>();
        let xs = rows(&xs, &lines);
        let (mut vs, mut ms) = (var.storage.slice_mut::<T>(), mean.storage.slice_mut::<T>());
        for i in 0..vs.len() {
            let line = &xs[i * len..(i + 1) * len];
            let (m, squares, sums) = if T::DTYPE == DType::F32 {
                let line = bytemuck::cast_slice(line);
                let m = kernel::total(line) / len as f64;
                let (squares, sums) = kernel::deviations(line, m);
                (m, squares, sums)
            } else {
                let m = line.iter().map(|v| v.to_f64()).sum::<f64>() / len as f64;
                let (squares, sums) = line.iter().fold((0.0, 0.0), |(s, t), v| {
                    let d = v.to_f64() - m;
                    (s + d * d, t + d)
                });
                (m, squares, sums)
            };
            // The second sum takes away what rounding of the mean added.
            let v =
                (squares - if len > 0 { sums * sums / len as f64 } else { 0.0 }) / (len as f64 - correction).max(0.0);
            vs[i] = T::from_f64(if root { v.sqrt() } else { v });
            ms[i] = T::from_f64(m);
        }
    }
    Ok((var, mean))
}

/// `sqrt(sum x^2)` of a line. Float32 in eight lanes in PyTorch's order.
pub fn norm2<T: Element>(line: &[T]) -> T {
    if T::DTYPE == DType::F64 {
        return T::from_f64(line.iter().map(|v| v.to_f64() * v.to_f64()).sum::<f64>().sqrt());
    }
    let at = |v: &T| v.to_f64() as f32;
    const N: usize = 8;
    let mut acc = [0f32; N];
    let (chunks, tail) = line.as_chunks::<N>();
    for chunk in chunks {
        for (a, v) in acc.iter_mut().zip(chunk) {
            *a += at(v) * at(v);
        }
    }
    let mut total = acc.iter().fold(0f32, |s, v| s + v);
    let (four, rest) = tail.split_at(tail.len() / 4 * 4);
    for v in four {
        total += at(v) * at(v);
    }
    for v in rest {
        total = fused(at(v), at(v), total);
    }
    T::from_f64(total.sqrt() as f64)
}
