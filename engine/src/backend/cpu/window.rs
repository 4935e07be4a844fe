//! Sliding windows: what convolution and pooling are made of.

use super::{alloc_shape, room_for, rows};
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

/// A stretch of windows side by side along the last dimension that see one kernel element: where their columns and their
/// elements begin, and how many there are. Windows that see padding are left out.
struct Stretch {
    column: usize,
    place: usize,
    count: usize,
}

/// All stretches of one plane, kernel element after kernel element.
fn stretches(w: &Window, input: &[usize], output: &[usize]) -> Vec<Stretch> {
    let (k_total, o_total): (usize, usize) = (w.kernel.iter().product(), output.iter().product());
    let last = input.len() - 1;
    let line = output[last];
    let mut found = vec![];
    if o_total == 0 {
        return found;
    }
    let (mut k_index, mut o_index) = (vec![0; input.len()], vec![0; input.len()]);
    for k in 0..k_total {
        unravel(k, &w.kernel, &mut k_index);
        let within = |o: &usize| w.place(last, *o, k_index[last], input[last]).is_some();
        let (Some(first), Some(end)) = ((0..line).find(within), (0..line).rfind(within)) else { continue };
        let lead = w.place(last, first, k_index[last], input[last]).unwrap_or_default();
        for row in 0..o_total / line {
            unravel(row * line, output, &mut o_index);
            let start = (0..last)
                .try_fold(0, |at, d| w.place(d, o_index[d], k_index[d], input[d]).map(|p| (at + p) * input[d + 1]));
            let Some(start) = start else { continue };
            let column = k * o_total + row * line + first;
            found.push(Stretch { column, place: start + lead, count: end + 1 - first });
        }
    }
    found
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
    let padded = w.padding.iter().any(|&p| p > 0);
    let out = if padded { alloc_shape(&shape, T::DTYPE)? } else { room_for(&shape, T::DTYPE)? };
    {
        let xs = x.storage.slice::<T>();
        let xs = rows(&xs, &x.layout);
        let (plane, columns) = (input.iter().product::<usize>(), k * output.iter().product::<usize>());
        let mut os = out.storage.slice_mut::<T>();
        if columns > 0 && plane > 0 {
            let (stretches, step) = (stretches(w, input, &output), w.stride[input.len() - 1]);
            for (from, to) in xs.chunks_exact(plane).zip(os.chunks_exact_mut(columns)) {
                for s in &stretches {
                    let to = &mut to[s.column..s.column + s.count];
                    match step {
                        1 => to.copy_from_slice(&from[s.place..s.place + s.count]),
                        _ => to.iter_mut().zip(from[s.place..].iter().step_by(step)).for_each(|(t, f)| *t = *f),
                    }
                }
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
            let (stretches, step) = (stretches(w, input, &output), w.stride[input.len() - 1]);
            for (from, to) in xs.chunks_exact(size).zip(os.chunks_exact_mut(plane)) {
                for s in &stretches {
                    let from = &from[s.column..s.column + s.count];
                    match step {
                        1 => to[s.place..s.place + s.count].iter_mut().zip(from).for_each(|(t, f)| *t = add(*t, *f)),
                        _ => to[s.place..].iter_mut().step_by(step).zip(from).for_each(|(t, f)| *t = add(*t, *f)),
                    }
                }
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
    let (values, places) = (room_for(&shape, T::DTYPE)?, room_for(&shape, DType::I64)?);
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
        // The places of each window are the same in every plane: one list, and where each window's share of it ends.
        let (mut seen, mut ends) = (vec![], vec![]);
        for o in 0..windows {
            unravel(o, &output, &mut index);
            let mut found = vec![0];
            for d in 0..input.len() {
                let here = &regions[d][index[d]];
                found = found.iter().flat_map(|&at| here.iter().map(move |&p| at * input[d] + p)).collect();
            }
            if found.is_empty() {
                return Err(too_large());
            }
            seen.extend(found);
            ends.push(seen.len());
        }
        let outputs = vs.chunks_exact_mut(windows).zip(ps.chunks_exact_mut(windows));
        for (from, (vs, ps)) in xs.chunks_exact(plane).zip(outputs) {
            let mut start = 0;
            for ((v, p), &end) in vs.iter_mut().zip(ps).zip(&ends) {
                let window = &seen[start..end];
                start = end;
                let (mut at, mut best) = (window[0], from[window[0]]);
                for &place in &window[1..] {
                    let x = from[place];
                    // The first NaN wins: none is larger, and nothing is larger than it. Only NaN has no order to itself.
                    if x > best || (x.partial_cmp(&x).is_none() && best.partial_cmp(&best).is_some()) {
                        (at, best) = (place, x);
                    }
                }
                *v = best;
                *p = at as i64;
            }
        }
    }
    Ok((values, places))
}
