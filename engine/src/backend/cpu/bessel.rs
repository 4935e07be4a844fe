//! More special functions in float64: Bessel, zeta, and relatives of the normal distribution.

use super::special::{erfc, erfinv};

/// `exp(-|x|) I_n(x)` for n = 0, 1: by its power series for small `x`, by the asymptotic series from 30 on, where the
/// terms shrink below 1e-17 before they grow again.
fn scaled_bessel(n: f64, x: f64) -> f64 {
    let a = x.abs();
    if a.is_nan() {
        return x;
    }
    if a < 30.0 {
        // I_n(x) = sum_k (x/2)^(2k+n) / (k! (k+n)!)
        let q = a * a / 4.0;
        let (mut term, mut sum, mut k) = (if n == 0.0 { 1.0 } else { a / 2.0 }, 0.0, 0.0);
        while term > 1e-18 * sum {
            sum += term;
            k += 1.0;
            term *= q / (k * (k + n));
        }
        return sum * (-a).exp();
    }
    if a.is_infinite() {
        return 0.0;
    }
    // I_n(x) ~ e^x / sqrt(2 pi x) sum_k (-1)^k a_k(n) / x^k   (Abramowitz & Stegun 9.7.1)
    let (mut term, mut sum) = (1.0f64, 1.0f64);
    let mu = 4.0 * n * n;
    for k in 1..40 {
        let odd = 2.0 * k as f64 - 1.0;
        let next = term * -(mu - odd * odd) / (k as f64 * 8.0 * a);
        if next.abs() > term.abs() || next.abs() < 1e-18 {
            break;
        }
        term = next;
        sum += term;
    }
    sum / (2.0 * std::f64::consts::PI * a).sqrt()
}

pub fn i0e(x: f64) -> f64 {
    scaled_bessel(0.0, x)
}
pub fn i0(x: f64) -> f64 {
    if x.is_infinite() { f64::INFINITY } else { i0e(x) * x.abs().exp() }
}
pub fn i1e(x: f64) -> f64 {
    let y = scaled_bessel(1.0, x);
    if x < 0.0 { -y } else { y }
}
pub fn i1(x: f64) -> f64 {
    if x.is_infinite() { x } else { i1e(x) * x.abs().exp() }
}

/// `sum_k (k + q)^-s`, by Euler and Maclaurin.
pub fn zeta(s: f64, q: f64) -> f64 {
    if s == 1.0 {
        return f64::INFINITY;
    }
    if s < 1.0 || s.is_nan() || q.is_nan() {
        return f64::NAN;
    }
    if q <= 0.0 {
        if q == q.floor() {
            return f64::INFINITY;
        }
        if s != s.floor() {
            return f64::NAN;
        }
    }
    let (mut sum, mut a) = (0.0, q);
    for _ in 0..15 {
        sum += a.powf(-s);
        a += 1.0;
    }
    while a < 15.0 {
        sum += a.powf(-s);
        a += 1.0;
    }
    // Bernoulli numbers B_2k / (2k)!.
    const B: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 720.0,
        1.0 / 30240.0,
        -1.0 / 1209600.0,
        1.0 / 47900160.0,
        -691.0 / 1307674368000.0,
        1.0 / 74724249600.0,
        -3617.0 / 10670622842880000.0,
    ];
    sum += a.powf(1.0 - s) / (s - 1.0) + 0.5 * a.powf(-s);
    let mut factor = s;
    let mut power = a.powf(-s - 1.0);
    for (k, b) in B.iter().enumerate() {
        sum += b * factor * power;
        let next = s + 2.0 * k as f64 + 1.0;
        factor *= next * (next + 1.0);
        power /= a * a;
    }
    sum
}

/// Inverse of the normal distribution function.
pub fn ndtri(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p < 0.1 || p > 0.9 {
        // Near the ends 2p - 1 has lost the digits that matter: Newton on log p.
        let q = p.min(1.0 - p);
        if q == 0.0 {
            return if p < 0.5 { f64::NEG_INFINITY } else { f64::INFINITY };
        }
        let mut x = -(-2.0 * q.ln()).sqrt();
        for _ in 0..60 {
            let value = log_ndtr(x);
            let slope = (-0.5 * x * x - 0.5 * (2.0 * std::f64::consts::PI).ln() - value).exp();
            let step = (value - q.ln()) / slope;
            x -= step;
            if step.abs() <= 1e-16 * x.abs() {
                break;
            }
        }
        return if p < 0.5 { x } else { -x };
    }
    std::f64::consts::SQRT_2 * erfinv(2.0 * p - 1.0)
}

/// `exp(x^2) erfc(x)` without overflow.
pub fn erfcx(x: f64) -> f64 {
    if x < 2.0 {
        return (x * x).exp() * erfc(x);
    }
    // The continued fraction of erfc (Abramowitz & Stegun 7.1.14) without its exponential.
    let mut f = 0.0;
    for k in (1..=120).rev() {
        f = k as f64 / 2.0 / (x + f);
    }
    1.0 / (std::f64::consts::PI.sqrt() * (x + f))
}

/// Log of the normal distribution function.
pub fn log_ndtr(x: f64) -> f64 {
    let t = x * std::f64::consts::FRAC_1_SQRT_2;
    if x < -1.0 { (erfcx(-t) / 2.0).ln() - t * t } else { (-erfc(t) / 2.0).ln_1p() }
}
