//! Float32 element by element.

use crate::math::{exp, exp_f32, exp_m1, ln, ln_1p, tanh};
use crate::wide;

/// One value in, one out.
#[derive(Debug, Clone, Copy)]
pub enum Unary {
    Neg,
    Abs,
    Sqrt,
    Reciprocal,
    Rsqrt,
    Floor,
    Exp,
    Expm1,
    Log,
    Log1p,
    Tanh,
    Sigmoid,
    Silu,
    /// `x > 0 ? x : slope * x`
    LeakyRelu(f64),
    /// `x > 0 ? scale * x : scale * alpha * (exp(inner * x) - 1)`
    Elu {
        alpha: f64,
        scale: f64,
        inner: f64,
    },
    /// `clamp(x, low, high)`
    Hardtanh {
        low: f32,
        high: f32,
    },
    /// `x > at ? x : value`
    Threshold {
        at: f64,
        value: f32,
    },
}

#[inline(always)]
fn each(xs: &[f32], os: &mut [f32], f: impl Fn(f32) -> f32) {
    wide(|| os.iter_mut().zip(xs).for_each(|(o, &x)| *o = f(x)));
}

/// `os = op(xs)`, as far as both go.
#[inline(never)]
pub fn unary(op: Unary, xs: &[f32], os: &mut [f32]) {
    match op {
        Unary::Neg => each(xs, os, |x| -x),
        Unary::Abs => each(xs, os, f32::abs),
        Unary::Sqrt => each(xs, os, f32::sqrt),
        Unary::Reciprocal => each(xs, os, |x| 1.0 / x),
        Unary::Rsqrt => each(xs, os, |x| 1.0 / x.sqrt()),
        Unary::Floor => each(xs, os, f32::floor),
        Unary::Exp => each(xs, os, |x| exp(x as f64) as f32),
        Unary::Expm1 => each(xs, os, |x| exp_m1(x as f64) as f32),
        Unary::Log => each(xs, os, |x| ln(x as f64) as f32),
        Unary::Log1p => each(xs, os, |x| ln_1p(x as f64) as f32),
        Unary::Tanh => each(xs, os, |x| tanh(x as f64) as f32),
        // Each step rounded to float32, as in PyTorch.
        Unary::Sigmoid => each(xs, os, |x| 1.0 / (1.0 + exp_f32(-x))),
        Unary::Silu => each(xs, os, |x| (x as f64 / (1.0 + exp(-x as f64))) as f32),
        Unary::LeakyRelu(slope) => each(xs, os, |x| if x <= 0.0 { (x as f64 * slope) as f32 } else { x }),
        Unary::Elu { alpha, scale, inner } => each(xs, os, |x| {
            let x = x as f64;
            let below = scale * alpha * exp_m1(x * inner);
            (if x > 0.0 { scale * x } else { below }) as f32
        }),
        Unary::Hardtanh { low, high } => each(xs, os, |x| {
            let x = if x < low { low } else { x };
            if x > high { high } else { x }
        }),
        Unary::Threshold { at, value } => each(xs, os, |x| if x as f64 <= at { value } else { x }),
    }
}

/// Two values in, one out.
#[derive(Debug, Clone, Copy)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    /// NaN wins.
    Max,
    Min,
}

/// Two values in, one truth out.
#[derive(Debug, Clone, Copy)]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// The elements of a broadcast operand, as they lie in memory: each is shown `each` times in a row, and the whole again
/// and again. A contiguous operand, a row (a bias), a column, channels, a number.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    pub elements: &'a [f32],
    pub each: usize,
}

/// `o = f(x, y)` along, where `ys` is broadcast.
#[inline(always)]
fn beside<U>(os: &mut [U], xs: &[f32], ys: Shown, f: impl Fn(f32, f32) -> U) {
    wide(|| match ys.elements {
        [] => {}
        &[y] => os.iter_mut().zip(xs).for_each(|(o, &x)| *o = f(x, y)),
        ys if ys.len() >= os.len() => os.iter_mut().zip(xs.iter().zip(ys)).for_each(|(o, (&x, &y))| *o = f(x, y)),
        elements if ys.each <= 1 => {
            for (os, xs) in os.chunks_mut(elements.len()).zip(xs.chunks(elements.len())) {
                os.iter_mut().zip(xs.iter().zip(elements)).for_each(|(o, (&x, &y))| *o = f(x, y));
            }
        }
        elements => {
            let runs = os.chunks_mut(ys.each).zip(xs.chunks(ys.each)).zip(elements.iter().cycle());
            runs.for_each(|((os, xs), &y)| os.iter_mut().zip(xs).for_each(|(o, &x)| *o = f(x, y)));
        }
    });
}

/// `os = xs op ys`, or `ys op xs` where `swapped`.
#[inline(never)]
pub fn binary(op: Binary, os: &mut [f32], xs: &[f32], ys: Shown, swapped: bool) {
    match (op, swapped) {
        (Binary::Add, _) => beside(os, xs, ys, |x, y| x + y),
        (Binary::Mul, _) => beside(os, xs, ys, |x, y| x * y),
        (Binary::Sub, false) => beside(os, xs, ys, |x, y| x - y),
        (Binary::Sub, true) => beside(os, xs, ys, |x, y| y - x),
        (Binary::Div, false) => beside(os, xs, ys, |x, y| x / y),
        (Binary::Div, true) => beside(os, xs, ys, |x, y| y / x),
        (Binary::Max, false) => beside(os, xs, ys, |x, y| if x > y || x.is_nan() { x } else { y }),
        (Binary::Max, true) => beside(os, xs, ys, |y, x| if x > y || x.is_nan() { x } else { y }),
        (Binary::Min, false) => beside(os, xs, ys, |x, y| if x < y || x.is_nan() { x } else { y }),
        (Binary::Min, true) => beside(os, xs, ys, |y, x| if x < y || x.is_nan() { x } else { y }),
    }
}

/// `os = xs op ys` as 0 and 1.
#[inline(never)]
pub fn compare(op: Compare, os: &mut [u8], xs: &[f32], ys: Shown) {
    match op {
        Compare::Eq => beside(os, xs, ys, |x, y| u8::from(x == y)),
        Compare::Ne => beside(os, xs, ys, |x, y| u8::from(x != y)),
        Compare::Lt => beside(os, xs, ys, |x, y| u8::from(x < y)),
        Compare::Le => beside(os, xs, ys, |x, y| u8::from(x <= y)),
        Compare::Gt => beside(os, xs, ys, |x, y| u8::from(x > y)),
        Compare::Ge => beside(os, xs, ys, |x, y| u8::from(x >= y)),
    }
}

/// `os = xs` where `cond` is not 0 (or, with `otherwise`, where it is), `y` elsewhere.
#[inline(never)]
pub fn select(cond: &[u8], otherwise: bool, xs: &[f32], y: f32, os: &mut [f32]) {
    wide(|| {
        let all = os.iter_mut().zip(cond.iter().zip(xs));
        all.for_each(|(o, (&c, &x))| *o = if (c != 0) != otherwise { x } else { y });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths around every vector width, and offsets within a slice.
    fn slices() -> impl Iterator<Item = (usize, usize)> {
        (0..70).flat_map(|n| (0..5).map(move |from| (from, n)))
    }

    #[test]
    fn odd_sizes_and_offsets_give_what_one_element_gives() {
        let data: Vec<f32> = (0..80).map(|i| (i * 37 % 80) as f32 / 7.0 - 5.0).collect();
        for (from, n) in slices() {
            let (xs, mut os) = (&data[from..from + n], vec![9.0; n + 1]);
            unary(Unary::Tanh, xs, &mut os[..n]);
            for (o, &x) in os.iter().zip(xs) {
                let mut one = [0.0];
                unary(Unary::Tanh, &[x], &mut one);
                assert_eq!(*o, one[0]);
            }
            assert_eq!(os[n], 9.0, "nothing is written behind the end");
        }
    }

    #[test]
    fn operands_are_shown_as_broadcasting_wants() {
        let xs: Vec<f32> = (0..24).map(|i| i as f32).collect();
        let few = [100.0, 200.0, 300.0];
        for (elements, each) in [(&few[..], 1), (&few[..], 2), (&few[..], 8), (&few[..1], 1), (&xs[..], 1)] {
            let mut os = vec![0.0; 24];
            binary(Binary::Sub, &mut os, &xs, Shown { elements, each }, true);
            for i in 0..24 {
                assert_eq!(os[i], elements[i / each % elements.len()] - xs[i], "{each} {i}");
            }
        }
    }

    #[test]
    fn nan_wins_extremes_and_loses_comparisons() {
        let (nan, mut os, mut truth) = (f32::NAN, [0.0; 2], [9; 2]);
        binary(Binary::Max, &mut os, &[nan, 1.0], Shown { elements: &[1.0, nan], each: 1 }, false);
        assert!(os.iter().all(|o| o.is_nan()));
        compare(Compare::Le, &mut truth, &[nan, 1.0], Shown { elements: &[1.0, nan], each: 1 });
        assert_eq!(truth, [0, 0]);
    }
}
