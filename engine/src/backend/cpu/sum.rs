//! Sums of floats in PyTorch's order of additions: here the order of the dimensions, in the kernel that of the elements.

use rushlight_kernels::sum::{Dim, sum_f32, sum_f64};

use super::{alloc_shape, rows};
use crate::dtype::{DType, Element};
use crate::error::Result;
use crate::tensor::Raw;

/// `reduce(Sum)` for float types.
pub fn sum<T: Element>(x: &Raw, dims: &[usize], shape: &[usize]) -> Result<Raw> {
    let out = alloc_shape(shape, T::DTYPE)?;
    if out.numel() == 0 || x.numel() == 0 {
        return Ok(out);
    }
    let plan = plan(x, dims);
    let from = x.layout.offset;
    match T::DTYPE {
        DType::F64 => sum_f64(&x.storage.slice::<f64>(), from, &plan, &mut out.storage.slice_mut::<f64>()),
        DType::F32 => sum_f32(&x.storage.slice::<f32>(), from, &plan, &mut out.storage.slice_mut::<f32>()),
        _ => {
            // Half types are summed in float32 and rounded once.
            let wide: Vec<f32> = rows(&x.storage.slice::<T>(), &x.layout).iter().map(|v| v.to_f64() as f32).collect();
            let flat = Raw::whole(x.storage.clone(), x.shape(), DType::F32);
            let mut totals = vec![0f32; out.numel()];
            sum_f32(&wide, 0, &self::plan(&flat, dims), &mut totals);
            out.storage.slice_mut::<T>().iter_mut().zip(totals).for_each(|(o, v)| *o = T::from_f64(v as f64));
        }
    }
    Ok(out)
}

/// The dimensions in the order in which they are walked: summed ones first, each kind by its strides; neighbours that
/// lie together in memory are merged.
fn plan(x: &Raw, dims: &[usize]) -> Vec<Dim> {
    let mut step = 1;
    let mut all: Vec<Dim> = vec![];
    for d in (0..x.layout.ndim()).rev() {
        let size = x.shape()[d];
        let summed = dims.contains(&d);
        if size != 1 {
            all.push(Dim { size, input: x.layout.strides[d], output: if summed { 0 } else { step } });
        }
        if !summed {
            step *= size;
        }
    }
    let order = |a: &Dim, b: &Dim| -> i32 {
        if (a.output == 0) != (b.output == 0) {
            return if b.output == 0 { 1 } else { -1 };
        }
        for (s, t) in [(a.output, b.output), (a.input, b.input)] {
            if s == 0 || t == 0 {
                continue;
            }
            if s != t {
                return if s < t { -1 } else { 1 };
            }
            if a.size > b.size {
                return 1;
            }
        }
        0
    };
    for i in 1..all.len() {
        let mut at = i;
        for j in (0..i).rev() {
            match order(&all[j], &all[at]) {
                1 => {
                    all.swap(j, at);
                    at = j;
                }
                -1 => break,
                _ => {}
            }
        }
    }
    let mut merged: Vec<Dim> = vec![];
    for d in all {
        match merged.last_mut() {
            Some(last) if last.size * last.input == d.input && last.size * last.output == d.output => {
                last.size *= d.size;
            }
            _ => merged.push(d),
        }
    }
    merged
}
