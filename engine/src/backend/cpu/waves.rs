//! Bessel functions of the first and second kind, modified ones of the second kind, and the incomplete gamma function,
//! in float64.

use std::f64::consts::{EULER_GAMMA, FRAC_2_PI, FRAC_PI_4};

use super::special::lgamma;

/// From here on the asymptotic series have all digits.
const FAR: f64 = 25.0;

/// `J_0, J_1, …` at `0 < x < FAR`, by recurrence downwards (Miller's method).
fn ladder(x: f64) -> Vec<f64> {
    let top = x as usize + 40;
    let mut j = vec![0.0; top + 2];
    j[top] = 1e-300;
    for k in (1..=top).rev() {
        j[k - 1] = 2.0 * k as f64 / x * j[k] - j[k + 1];
        if j[k - 1].abs() > 1e200 {
            j[k - 1..].iter_mut().for_each(|v| *v *= 1e-200);
        }
    }
    let total = j[0] + 2.0 * j[2..].iter().step_by(2).sum::<f64>();
    j.iter_mut().for_each(|v| *v /= total);
    j
}

/// Hankel's asymptotic series (Abramowitz & Stegun 9.2.5): the sums P and Q, and the phase, for order `n`.
fn hankel(n: f64, x: f64) -> (f64, f64, f64) {
    let mu = 4.0 * n * n;
    let (mut p, mut q, mut term) = (0.0, 0.0, 1.0f64);
    for k in 0..60 {
        match k % 4 {
            0 => p += term,
            1 => q += term,
            2 => p -= term,
            _ => q -= term,
        }
        let odd = 2.0 * k as f64 + 1.0;
        let next = term * (mu - odd * odd) / ((k as f64 + 1.0) * 8.0 * x);
        if next.abs() > term.abs() || next.abs() < 1e-18 {
            break;
        }
        term = next;
    }
    (p, q, x - n * 2.0 * FRAC_PI_4 - FRAC_PI_4)
}

/// `J_n(x)` for n = 0, 1.
pub fn j(n: usize, x: f64) -> f64 {
    let a = x.abs();
    if a.is_nan() {
        return x;
    }
    if a.is_infinite() {
        return 0.0;
    }
    let sign = if n == 1 && x < 0.0 { -1.0 } else { 1.0 };
    if a < 1e-10 {
        return if n == 0 { 1.0 } else { x / 2.0 };
    }
    if a < FAR {
        return sign * ladder(a)[n];
    }
    let (p, q, phase) = hankel(n as f64, a);
    sign * (FRAC_2_PI / a).sqrt() * (p * phase.cos() - q * phase.sin())
}

/// `Y_n(x)` for n = 0, 1.
pub fn y(n: usize, x: f64) -> f64 {
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x < 0.0 || x.is_nan() {
        return f64::NAN;
    }
    if x.is_infinite() {
        return 0.0;
    }
    if x >= FAR {
        let (p, q, phase) = hankel(n as f64, x);
        return (FRAC_2_PI / x).sqrt() * (p * phase.sin() + q * phase.cos());
    }
    if x < 1e-10 {
        let log = FRAC_2_PI * ((x / 2.0).ln() + EULER_GAMMA);
        return if n == 0 { log } else { -FRAC_2_PI / x };
    }
    // Neumann's series (Abramowitz & Stegun 9.1.88).
    let j = ladder(x);
    let log = (x / 2.0).ln() + EULER_GAMMA;
    let signs = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    if n == 0 {
        let rest: f64 = (1..j.len() / 2).map(|k| signs(k) * j[2 * k] / k as f64).sum();
        return FRAC_2_PI * (log * j[0] - 2.0 * rest);
    }
    // Y_1 is minus the derivative of Y_0.
    let rest: f64 = (1..(j.len() - 1) / 2).map(|k| signs(k) * (j[2 * k - 1] - j[2 * k + 1]) / k as f64).sum();
    FRAC_2_PI * (-j[0] / x + log * j[1] + rest)
}

/// `exp(x) K_n(x)`, from `K_n(x) = integral exp(-x cosh t) cosh(n t) dt` by the trapezoidal rule, which is exact to all
/// digits for so smooth an integrand.
pub fn scaled_k(n: f64, x: f64) -> f64 {
    if x == 0.0 {
        return f64::INFINITY;
    }
    if x < 0.0 || x.is_nan() {
        return f64::NAN;
    }
    const STEP: f64 = 0.05;
    let mut sum = 0.5;
    for k in 1..20_000 {
        let t = k as f64 * STEP;
        let term = (-x * 2.0 * (t / 2.0).sinh().powi(2)).exp() * (n * t).cosh();
        sum += term;
        if term < 1e-18 * sum {
            break;
        }
    }
    sum * STEP
}

/// `K_n(x)`
pub fn k(n: f64, x: f64) -> f64 {
    if x == 0.0 { f64::INFINITY } else { scaled_k(n, x) * (-x).exp() }
}

/// The regularized incomplete gamma function: the lower one or, with `upper`, its complement.
pub fn incomplete_gamma(a: f64, x: f64, upper: bool) -> f64 {
    let (zero, one) = if upper { (1.0, 0.0) } else { (0.0, 1.0) };
    if x < 0.0 || a < 0.0 || x.is_nan() || a.is_nan() {
        return f64::NAN;
    }
    if a == 0.0 {
        return if x > 0.0 { one } else { f64::NAN };
    }
    if x == 0.0 {
        return zero;
    }
    if a.is_infinite() {
        return if x.is_infinite() { f64::NAN } else { zero };
    }
    if x.is_infinite() {
        return one;
    }
    let scale = (a * x.ln() - x - lgamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > 1e-17 * sum {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        let lower = scale * sum;
        return if upper { 1.0 - lower } else { lower };
    }
    // Legendre's continued fraction, by Lentz's method.
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1e300, 1.0 / b);
    let mut f = d;
    for i in 1..100_000 {
        let step = -(i as f64) * (i as f64 - a);
        b += 2.0;
        d = 1.0 / (step * d + b);
        c = b + step / c;
        let factor = c * d;
        f *= factor;
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
    }
    let rest = scale * f;
    if upper { rest } else { 1.0 - rest }
}

/// `sin x / x`
pub fn spherical_j0(x: f64) -> f64 {
    if x.is_infinite() {
        0.0
    } else if x.abs() < 1e-8 {
        1.0
    } else {
        x.sin() / x
    }
}
