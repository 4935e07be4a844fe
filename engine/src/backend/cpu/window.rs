//! Sliding windows: what convolution and pooling are made of.

use super::{alloc_shape, rows};
use crate::backend::{Regions, Window};
use crate::dtype::{DType, Element};
use crate::error::{Error, Result};
use crate::tensor::Raw;

fn too_large() -> Error {
    Error::runtime("a window is larger than its padded input")
}

/// Split `[b, c, spatial…]`.
fn planes(shape: &[usize]) -> Result<(usize, usize, &[usize])> {
    match shape {
        [b, c, spatial @ ..] => Ok((*b, *c, spatial)),
        _ => Err(Error::runtime("a window kernel takes [batch, channels, spatial…]")),
    }
}

/// For each spatial dimension, kernel element and output index: the input index, `None` in the padding.
fn table(w: &Window, input: &[usize], output: &[usize]) -> Vec<Vec<Vec<Option<usize>>>> {
    (0..input.len())
        .map(|d| (0..w.kernel[d]).map(|k| (0..output[d]).map(|o| w.place(d, o, k, input[d])).collect()).collect())
        .collect()
}

/// Call `f(column_offset, plane_offset)` for each element of one plane's columns that is not padding.
fn each(w: &Window, input: &[usize], output: &[usize], mut f: impl FnMut(usize, usize)) {
    let table = table(w, input, output);
    let (k_total, o_total): (usize, usize) = (w.kernel.iter().product(), output.iter().product());
    let last = input.len() - 1;
    let line = output[last];
    if o_total == 0 {
        return;
    }
    let mut k_index = vec![0; input.len()];
    for k in 0..k_total {
        unravel(k, &w.kernel, &mut k_index);
        let mut o_index = vec![0; input.len()];
        for row in 0..o_total / line {
            unravel(row * line, output, &mut o_index);
            let start =
                (0..last).try_fold(0, |at, d| table[d][k_index[d]][o_index[d]].map(|p| (at + p) * input[d + 1]));
            let Some(start) = start else { continue };
            for (o, place) in table[last][k_index[last]].iter().enumerate() {
                if let Some(p) = place {
                    f(k * o_total + row * line + o, start + p);
                }
            }
        }
    }
}

fn unravel(mut i: usize, shape: &[usize], index: &mut [usize]) {
    for d in (0..shape.len()).rev() {
        index[d] = i % shape[d];
        i /= shape[d];
    }
}

pub fn im2col<T: Element>(x: &Raw, w: &Window) -> Result<Raw> {
    let (b, c, input) = planes(x.shape())?;
    let output = w.output(input).ok_or_else(too_large)?;
    let k: usize = w.kernel.iter().product();
    let mut shape = vec![b, c * k];
    shape.extend(&output);
    let out = alloc_shape(&shape, T::DTYPE)?;
    {
        let xs = x.storage.slice::<T>();
        let xs = rows(&xs, &x.layout);
        let (plane, columns) = (input.iter().product::<usize>(), k * output.iter().product::<usize>());
        let mut os = out.storage.slice_mut::<T>();
        if columns > 0 && plane > 0 {
            for (from, to) in xs.chunks_exact(plane).zip(os.chunks_exact_mut(columns)) {
                each(w, input, &output, |column, place| to[column] = from[place]);
            }
        }
    }
    Ok(out)
}

pub fn col2im<T: Element>(columns: &Raw, w: &Window, input: &[usize]) -> Result<Raw> {
    let (b, ck, _) = planes(columns.shape())?;
    let output = w.output(input).ok_or_else(too_large)?;
    let k: usize = w.kernel.iter().product();
    let mut shape = vec![b, ck / k.max(1)];
    shape.extend(input);
    let out = alloc_shape(&shape, T::DTYPE)?;
    {
        let xs = columns.storage.slice::<T>();
        let xs = rows(&xs, &columns.layout);
        let (plane, size) = (input.iter().product::<usize>(), k * output.iter().product::<usize>());
        let mut os = out.storage.slice_mut::<T>();
        if size > 0 && plane > 0 {
            for (from, to) in xs.chunks_exact(size).zip(os.chunks_exact_mut(plane)) {
                each(w, input, &output, |column, place| to[place] = add(to[place], from[column]));
            }
        }
    }
    Ok(out)
}

fn add<T: Element>(a: T, b: T) -> T {
    if T::DTYPE.is_float() {
        T::from_f64(a.to_f64() + b.to_f64())
    } else {
        T::from_i64(a.to_i64().wrapping_add(b.to_i64()))
    }
}

pub fn max_regions<T: Element>(x: &Raw, regions: &Regions) -> Result<(Raw, Raw)> {
    let (b, c, input) = planes(x.shape())?;
    let output: Vec<usize> = regions.iter().map(Vec::len).collect();
    let mut shape = vec![b, c];
    shape.extend(&output);
    let (values, places) = (alloc_shape(&shape, T::DTYPE)?, alloc_shape(&shape, DType::I64)?);
    let (plane, windows) = (input.iter().product::<usize>(), output.iter().product::<usize>());
    if plane == 0 || windows == 0 {
        return Ok((values, places));
    }
    {
        let xs = x.storage.slice::<T>();
        let xs = rows(&xs, &x.layout);
        let mut vs = values.storage.slice_mut::<T>();
        let mut ps = places.storage.slice_mut::<i64>();
        let mut index = vec![0; input.len()];
        // The places of each window are the same in every plane.
        let windows_of: Vec<Vec<usize>> = (0..windows)
            .map(|o| {
                unravel(o, &output, &mut index);
                let mut found = vec![0];
                for d in 0..input.len() {
                    let here = &regions[d][index[d]];
                    found = found.iter().flat_map(|&at| here.iter().map(move |&p| at * input[d] + p)).collect();
                }
                found
            })
            .collect();
        for (n, from) in xs.chunks_exact(plane).enumerate() {
            for (o, window) in windows_of.iter().enumerate() {
                let Some(&first) = window.first() else { return Err(too_large()) };
                let mut best = first;
                for &p in &window[1..] {
                    if from[best].to_f64().is_nan() {
                        break;
                    }
                    if from[p] > from[best] || from[p].to_f64().is_nan() {
                        best = p;
                    }
                }
                vs[n * windows + o] = from[best];
                ps[n * windows + o] = best as i64;
            }
        }
    }
    Ok((values, places))
}
