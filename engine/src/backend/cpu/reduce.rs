//! Sums, products, extremes over any dimensions.

use super::moments::{lines, norm2};
use super::sum::sum;
use rushlight_kernels::extreme as kernel;

use super::{room_for, rows};
use crate::backend::ReduceOp;
use crate::dtype::{B8, DType, Element};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::tensor::Raw;
use crate::with_dtype;

/// See [`crate::backend::Backend::reduce`].
pub fn reduce(op: ReduceOp, x: &Raw, dims: &[usize]) -> Result<Raw> {
    let (shape, lines, len) = lines(x, dims);
    with_dtype!(x.dtype, T => match op {
        ReduceOp::Any => each_line::<T, B8>(x, &lines, len, &shape, |l| l.iter().any(|v| v.to_f64() != 0.0).into()),
        ReduceOp::All => each_line::<T, B8>(x, &lines, len, &shape, |l| l.iter().all(|v| v.to_f64() != 0.0).into()),
        ReduceOp::Sum if T::DTYPE.is_float() => sum::<T>(x, dims, &shape),
        ReduceOp::Sum => each_line::<T, T>(x, &lines, len, &shape, |l| {
            T::from_i64(l.iter().fold(0i64, |s, v| s.wrapping_add(v.to_i64())))
        }),
        ReduceOp::Norm2 => each_line::<T, T>(x, &lines, len, &shape, norm2),
        ReduceOp::Prod => each_line::<T, T>(x, &lines, len, &shape, |l| {
            if T::DTYPE.is_float() {
                half_or(l, |l| l.iter().fold(1f32, |p, v| p * v.to_f64() as f32), |l| l.iter().fold(1f64, |p, v| p * v.to_f64()))
            } else {
                T::from_i64(l.iter().fold(1i64, |p, v| p.wrapping_mul(v.to_i64())))
            }
        }),
        ReduceOp::Max | ReduceOp::Min => {
            if len == 0 && !shape.contains(&0) {
                return Err(Error::runtime("an extreme over an empty dimension has no identity"));
            }
            let max = op == ReduceOp::Max;
            match dims {
                &[dim] if T::DTYPE == DType::F32 && dim + 1 < x.layout.ndim() && x.layout.is_contiguous() && len > 0 => {
                    columns(x, dim, &shape, max)
                }
                _ => each_line::<T, T>(x, &lines, len, &shape, |l| extreme(l, max)),
            }
        }
    })
}

fn each_line<T: Element, U: Element>(
    x: &Raw,
    lines: &Layout,
    len: usize,
    shape: &[usize],
    f: impl Fn(&[T]) -> U,
) -> Result<Raw> {
    let out = room_for(shape, U::DTYPE)?;
    let xs = x.storage.slice::<T>();
    let xs = rows(&xs, lines);
    for (i, o) in out.storage.slice_mut::<U>().iter_mut().enumerate() {
        *o = f(&xs[i * len..(i + 1) * len]);
    }
    Ok(out)
}

/// Float32 arithmetic for the types PyTorch reduces in float32, float64 for float64.
fn half_or<T: Element>(l: &[T], single: impl Fn(&[T]) -> f32, double: impl Fn(&[T]) -> f64) -> T {
    if T::DTYPE == DType::F64 { T::from_f64(double(l)) } else { T::from_f64(single(l) as f64) }
}

fn extreme<T: Element>(l: &[T], max: bool) -> T {
    if T::DTYPE == DType::F32 {
        return T::from_f64(kernel::of_line(bytemuck::cast_slice(l), max) as f64);
    }
    let Some((&first, rest)) = l.split_first() else {
        return T::from_i64(0);
    };
    rest.iter().fold(first, |best, &v| {
        let wins = if max { v > best } else { v < best };
        // Only NaN has no order to itself.
        if wins || v.partial_cmp(&v).is_none() { v } else { best }
    })
}

/// Extremes of float32 along a dimension that is not the last, where it need not be turned for it.
fn columns(x: &Raw, dim: usize, shape: &[usize], max: bool) -> Result<Raw> {
    let out = room_for(shape, DType::F32)?;
    let (size, inner) = (x.shape()[dim], crate::layout::numel(&x.shape()[dim + 1..]));
    if out.numel() > 0 {
        let xs = x.storage.slice::<f32>();
        kernel::of_columns(&rows(&xs, &x.layout), &mut out.storage.slice_mut::<f32>(), size, inner, max);
    }
    Ok(out)
}
