//! Running totals and positions of extremes along one dimension.

use std::cmp::Ordering;

use super::sort::compare;
use super::{alloc_shape, rows};
use crate::backend::{ArgOp, CumOp};
use crate::dtype::{DType, Element};
use crate::error::{Error, Result};
use crate::tensor::Raw;

/// Size of the dimension, and the distance between its elements in row-major order.
fn line_of(x: &Raw, dim: usize) -> (usize, usize) {
    (x.shape().get(dim).copied().unwrap_or(1), crate::layout::numel(x.shape().get(dim + 1..).unwrap_or_default()))
}

pub fn cumulate<T: Element>(op: CumOp, x: &Raw, dim: usize) -> Result<Raw> {
    let (size, inner) = line_of(x, dim);
    let out = alloc_shape(x.shape(), T::DTYPE)?;
    if x.numel() == 0 {
        return Ok(out);
    }
    {
        let xs = x.storage.slice::<T>();
        let xs = rows(&xs, &x.layout);
        let mut os = out.storage.slice_mut::<T>();
        for line in 0..x.numel() / size {
            let start = (line / inner) * size * inner + line % inner;
            // Floats are carried in double and rounded at each step, as PyTorch's kernel does.
            let (mut f, mut i) = (0f64, 0i64);
            let mut best = xs[start];
            for k in 0..size {
                let at = start + k * inner;
                let v = xs[at];
                os[at] = match op {
                    CumOp::Max | CumOp::Min => {
                        let order = compare(&v, &best);
                        let wins = if op == CumOp::Max { order != Ordering::Less } else { order != Ordering::Greater };
                        if (wins && !best.to_f64().is_nan()) || v.to_f64().is_nan() {
                            best = v;
                        }
                        best
                    }
                    CumOp::LogSumExp => {
                        f = if k == 0 { v.to_f64() } else { log_add_exp(f, v.to_f64()) };
                        T::from_f64(f)
                    }
                    CumOp::Sum if T::DTYPE.is_float() => {
                        f += v.to_f64();
                        T::from_f64(f)
                    }
                    CumOp::Prod if T::DTYPE.is_float() => {
                        f = if k == 0 { v.to_f64() } else { f * v.to_f64() };
                        T::from_f64(f)
                    }
                    CumOp::Sum => {
                        i = i.wrapping_add(v.to_i64());
                        T::from_i64(i)
                    }
                    CumOp::Prod => {
                        i = if k == 0 { v.to_i64() } else { i.wrapping_mul(v.to_i64()) };
                        T::from_i64(i)
                    }
                };
            }
        }
    }
    Ok(out)
}

/// `log(exp(a) + exp(b))` without overflow.
pub fn log_add_exp(a: f64, b: f64) -> f64 {
    let m = a.max(b);
    if m.is_infinite() && a == b { m } else { m + (-(a - b).abs()).exp().ln_1p() }
}

/// `log2(2^a + 2^b)` without overflow.
pub fn log_add_exp2(a: f64, b: f64) -> f64 {
    let m = a.max(b);
    if m.is_infinite() && a == b { m } else { m + (-(a - b).abs()).exp2().ln_1p() * std::f64::consts::LOG2_E }
}

pub fn cumulate_arg<T: Element>(op: ArgOp, x: &Raw, dim: usize) -> Result<Raw> {
    let (size, inner) = line_of(x, dim);
    let out = alloc_shape(x.shape(), DType::I64)?;
    if x.numel() == 0 {
        return Ok(out);
    }
    {
        let xs = x.storage.slice::<T>();
        let xs = rows(&xs, &x.layout);
        let mut os = out.storage.slice_mut::<i64>();
        for line in 0..x.numel() / size {
            let start = (line / inner) * size * inner + line % inner;
            let mut best = 0;
            for k in 0..size {
                let (v, b) = (&xs[start + k * inner], &xs[start + best * inner]);
                let order = compare(v, b);
                let wins = if op == ArgOp::Max { order != Ordering::Less } else { order != Ordering::Greater };
                if v.to_f64().is_nan() || (wins && !b.to_f64().is_nan()) {
                    best = k;
                }
                os[start + k * inner] = best as i64;
            }
        }
    }
    Ok(out)
}

pub fn arg_reduce<T: Element>(op: ArgOp, x: &Raw, dim: usize) -> Result<Raw> {
    let (size, inner) = line_of(x, dim);
    let mut shape = x.shape().to_vec();
    if let Some(s) = shape.get_mut(dim) {
        *s = 1;
    }
    let out = alloc_shape(&shape, DType::I64)?;
    if out.numel() == 0 {
        return Ok(out);
    }
    if size == 0 {
        return Err(Error::index("an extreme of an empty dimension has no position"));
    }
    {
        let xs = x.storage.slice::<T>();
        let xs = rows(&xs, &x.layout);
        let mut os = out.storage.slice_mut::<i64>();
        for (line, o) in os.iter_mut().enumerate() {
            let start = (line / inner) * size * inner + line % inner;
            let mut best = 0;
            for k in 1..size {
                let (v, b) = (&xs[start + k * inner], &xs[start + best * inner]);
                if b.to_f64().is_nan() {
                    break;
                }
                let wins = match op {
                    ArgOp::Max => compare(v, b) == Ordering::Greater,
                    ArgOp::Min => compare(v, b) == Ordering::Less || v.to_f64().is_nan(),
                };
                if wins {
                    best = k;
                }
            }
            *o = best as i64;
        }
    }
    Ok(out)
}
