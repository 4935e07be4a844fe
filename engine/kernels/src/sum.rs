//! Sums of floats in PyTorch's order of additions, so that the last digits agree: rows of eight lanes, four rows at a
//! time, with partial sums carried up four levels so that rounding errors grow slowly.

use crate::wide;
use std::ops::Add;

/// One dimension of the walk.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Dim {
    pub size: usize,
    /// Distance between its elements.
    pub input: usize,
    /// Distance between its sums.
    /// 0 for dimensions that are summed over.
    pub output: usize,
}

/// Adds the elements of `xs`, from `offset` on and along the dimensions of `plan`, to `out`, eight lanes at a time.
#[inline(never)]
pub fn sum_f32(xs: &[f32], offset: usize, plan: &[Dim], out: &mut [f32]) {
    wide(|| into::<f32, 8>(xs, offset, plan, out));
}

/// The same for float64, four lanes at a time.
#[inline(never)]
pub fn sum_f64(xs: &[f64], offset: usize, plan: &[Dim], out: &mut [f64]) {
    wide(|| into::<f64, 4>(xs, offset, plan, out));
}

#[inline(always)]
fn into<T: Copy + Default + Add<Output = T>, const N: usize>(xs: &[T], offset: usize, plan: &[Dim], out: &mut [T]) {
    let none = Dim { size: 1, input: 0, output: 0 };
    let mut first = plan.first().copied().unwrap_or(none);
    let mut second = plan.get(1).copied().unwrap_or(none);
    if first.output != 0 && second.output == 0 {
        std::mem::swap(&mut first, &mut second);
    }
    let outer = plan.get(2..).unwrap_or(&[]);
    let mut index = vec![0; outer.len()];
    loop {
        let (mut from, mut to) = (offset, 0);
        for (i, d) in index.iter().zip(outer) {
            from += i * d.input;
            to += i * d.output;
        }
        block::<T, N>(xs, from, first, second, out, to);
        let mut d = 0;
        while d < outer.len() {
            index[d] += 1;
            if index[d] < outer[d].size {
                break;
            }
            index[d] = 0;
            d += 1;
        }
        if d == outer.len() {
            return;
        }
    }
}

/// Two dimensions at once.
#[inline(always)]
fn block<T: Copy + Default + Add<Output = T>, const N: usize>(
    xs: &[T],
    from: usize,
    first: Dim,
    second: Dim,
    out: &mut [T],
    to: usize,
) {
    let mut store = |j: usize, v: T| {
        let o = &mut out[to + j * second.output];
        *o = *o + v;
    };
    if first.output != 0 {
        // Nothing is summed here.
        for j in 0..second.size {
            for i in 0..first.size {
                let o = &mut out[to + i * first.output + j * second.output];
                *o = *o + xs[from + i * first.input + j * second.input];
            }
        }
        return;
    }
    let n = first.size;
    if first.input == 1 && n >= N {
        for j in 0..second.size {
            let row = &xs[from + j * second.input..][..n];
            let (body, tail) = row.split_at(n - n % N);
            let lanes = row_sum::<T, N>(n / N, |i| load(body, i * N));
            let total = tail.iter().fold(T::default(), |s, &v| s + v);
            store(j, lanes.iter().fold(total, |s, &v| s + v));
        }
    } else if second.input == 1 && second.size >= N {
        let mut j = 0;
        while j + 4 * N <= second.size {
            let sums = rows_sum::<T, N, 4>(n, |i, r| load(xs, from + i * first.input + j + r * N));
            sums.iter().flatten().enumerate().for_each(|(k, &v)| store(j + k, v));
            j += 4 * N;
        }
        while j + N <= second.size {
            let sums = row_sum::<T, N>(n, |i| load(xs, from + i * first.input + j));
            sums.iter().enumerate().for_each(|(k, &v)| store(j + k, v));
            j += N;
        }
        for j in j..second.size {
            store(j, row_sum::<T, 1>(n, |i| [xs[from + i * first.input + j]])[0]);
        }
    } else if first.input < second.input {
        for j in 0..second.size {
            let base = from + j * second.input;
            store(j, row_sum::<T, 1>(n, |i| [xs[base + i * first.input]])[0]);
        }
    } else {
        let mut j = 0;
        while j + 3 < second.size {
            let sums = rows_sum::<T, 1, 4>(n, |i, r| [xs[from + i * first.input + (j + r) * second.input]]);
            sums.iter().enumerate().for_each(|(k, v)| store(j + k, v[0]));
            j += 4;
        }
        for j in j..second.size {
            store(j, row_sum::<T, 1>(n, |i| [xs[from + i * first.input + j * second.input]])[0]);
        }
    }
}

#[inline(always)]
fn load<T: Copy + Default, const N: usize>(xs: &[T], at: usize) -> [T; N] {
    let mut lanes = [T::default(); N];
    lanes.copy_from_slice(&xs[at..at + N]);
    lanes
}

#[inline(always)]
fn add<T: Copy + Add<Output = T>, const N: usize>(a: &mut [T; N], b: [T; N]) {
    for k in 0..N {
        a[k] = a[k] + b[k];
    }
}

/// The sum of `size` vectors: four interleaved sums, then those together.
#[inline(always)]
fn row_sum<T: Copy + Default + Add<Output = T>, const N: usize>(size: usize, at: impl Fn(usize) -> [T; N]) -> [T; N] {
    let quarter = size / 4;
    let mut parts = rows_sum::<T, N, 4>(quarter, |i, r| at(4 * i + r));
    for i in 4 * quarter..size {
        add(&mut parts[0], at(i));
    }
    let [mut total, b, c, d] = parts;
    add(&mut total, b);
    add(&mut total, c);
    add(&mut total, d);
    total
}

/// `R` sums of `size` vectors each, in four levels.
#[inline(always)]
fn rows_sum<T: Copy + Default + Add<Output = T>, const N: usize, const R: usize>(
    size: usize,
    at: impl Fn(usize, usize) -> [T; N],
) -> [[T; N]; R] {
    let zero = [[T::default(); N]; R];
    let bits = if size <= 2 { 0 } else { (size - 1).ilog2() as usize + 1 };
    let power = (bits / 4).max(4);
    let step = 1usize << power;
    let mut levels = [zero; 4];
    let mut i = 0;
    while i + step <= size {
        for _ in 0..step {
            for (r, acc) in levels[0].iter_mut().enumerate() {
                add(acc, at(i, r));
            }
            i += 1;
        }
        for j in 1..4 {
            let lower = std::mem::replace(&mut levels[j - 1], zero);
            levels[j].iter_mut().zip(lower).for_each(|(acc, v)| add(acc, v));
            if i & ((step - 1) << (j * power)) != 0 {
                break;
            }
        }
    }
    while i < size {
        for (r, acc) in levels[0].iter_mut().enumerate() {
            add(acc, at(i, r));
        }
        i += 1;
    }
    let [mut total, rest @ ..] = levels;
    for level in rest {
        total.iter_mut().zip(level).for_each(|(acc, v)| add(acc, v));
    }
    total
}
