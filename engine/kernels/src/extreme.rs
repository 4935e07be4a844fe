//! Extremes of float32. NaN wins.

use crate::wide;

#[inline(always)]
fn larger(best: f32, v: f32) -> f32 {
    if v > best || v.is_nan() { v } else { best }
}

#[inline(always)]
fn smaller(best: f32, v: f32) -> f32 {
    if v < best || v.is_nan() { v } else { best }
}

#[inline(always)]
fn over(line: &[f32], first: f32, further: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [first; 8];
    let (chunks, tail) = line.as_chunks::<8>();
    wide(|| {
        for chunk in chunks {
            lanes.iter_mut().zip(chunk).for_each(|(b, &v)| *b = further(*b, v));
        }
    });
    lanes.iter().chain(tail).fold(first, |b, &v| further(b, v))
}

/// The largest (or smallest) element of a line; 0 of an empty one.
#[inline(never)]
pub fn of_line(line: &[f32], max: bool) -> f32 {
    let Some(&first) = line.first() else { return 0.0 };
    if max { over(line, first, larger) } else { over(line, first, smaller) }
}

#[inline(always)]
fn across(xs: &[f32], os: &mut [f32], size: usize, inner: usize, further: impl Fn(f32, f32) -> f32) {
    wide(|| {
        for (block, out) in xs.chunks_exact(size * inner).zip(os.chunks_exact_mut(inner)) {
            out.copy_from_slice(&block[..inner]);
            for row in block.chunks_exact(inner).skip(1) {
                out.iter_mut().zip(row).for_each(|(o, &v)| *o = further(*o, v));
            }
        }
    });
}

/// The extremes of lines whose `size` elements lie `inner` apart: rows side by side.
#[inline(never)]
pub fn of_columns(xs: &[f32], os: &mut [f32], size: usize, inner: usize, max: bool) {
    if max { across(xs, os, size, inner, larger) } else { across(xs, os, size, inner, smaller) }
}
