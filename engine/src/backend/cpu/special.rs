//! Special functions in float64, to about 1e-15 relative where the formulas allow it.

/// The error function, by its Taylor series near 0 and by `erfc` elsewhere.
pub fn erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let a = x.abs();
    if a < 2.0 {
        // erf x = 2/sqrt(pi) exp(-x^2) sum_n 2^n x^(2n+1) / (2n+1)!!   (Abramowitz & Stegun 7.1.6): no cancellation.
        let (mut term, mut sum, mut n) = (x, x, 0.0);
        while term.abs() > 1e-17 * sum.abs() {
            n += 1.0;
            term *= 2.0 * x * x / (2.0 * n + 1.0);
            sum += term;
        }
        return std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * sum;
    }
    x.signum() * (1.0 - erfc(a))
}

/// `1 - erf(x)`, by a continued fraction for large x (Abramowitz & Stegun 7.1.14).
pub fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x < 2.0 {
        return if x < -2.0 { 2.0 - erfc(-x) } else { 1.0 - erf(x) };
    }
    if x > 27.3 {
        return 0.0;
    }
    let mut f = 0.0;
    for k in (1..=120).rev() {
        f = k as f64 / 2.0 / (x + f);
    }
    (-x * x).exp() / (std::f64::consts::PI.sqrt() * (x + f))
}

/// The inverse of `erf`: a rough start (Giles' single-precision polynomial has 1e-7), then Newton.
pub fn erfinv(y: f64) -> f64 {
    if !(-1.0..=1.0).contains(&y) || y.is_nan() {
        return f64::NAN;
    }
    if y.abs() == 1.0 {
        return y * f64::INFINITY;
    }
    // Winitzki's approximation.
    let l = ((1.0 - y) * (1.0 + y)).ln();
    let t = 2.0 / (std::f64::consts::PI * 0.147) + l / 2.0;
    let mut x = ((t * t - l / 0.147).sqrt() - t).max(0.0).sqrt().copysign(y);
    for _ in 0..4 {
        let error = if y.abs() < 0.5 {
            erf(x) - y
        } else {
            // Near 1 the difference is taken between complements.
            y.signum() * ((1.0 - y.abs()) - erfc(x.abs()))
        };
        let step = error / (std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp());
        x -= step / (1.0 + x * step);
    }
    x
}

/// `log |gamma(x)|`, by Stirling's series after shifting up.
pub fn lgamma(x: f64) -> f64 {
    use std::f64::consts::PI;
    if x.is_nan() || x.is_infinite() {
        return if x.is_nan() { x } else { f64::INFINITY };
    }
    if x <= 0.0 {
        if x == x.floor() {
            return f64::INFINITY;
        }
        // Reflection.
        return (PI / (PI * x).sin().abs()).ln() - lgamma(1.0 - x);
    }
    if x == 1.0 || x == 2.0 {
        return 0.0;
    }
    let (mut z, mut product) = (x, 1.0);
    while z < 15.0 {
        product *= z;
        z += 1.0;
    }
    let (r, r2) = (1.0 / z, 1.0 / (z * z));
    let series = r * (1.0 / 12.0 - r2 * (1.0 / 360.0 - r2 * (1.0 / 1260.0 - r2 * (1.0 / 1680.0 - r2 / 1188.0))));
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * PI).ln() + series - product.ln()
}

/// The derivative of `lgamma`.
pub fn digamma(x: f64) -> f64 {
    use std::f64::consts::PI;
    if x == 0.0 {
        return -f64::INFINITY.copysign(x);
    }
    if x < 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        return digamma(1.0 - x) - PI / (PI * x).tan();
    }
    let (mut z, mut shift) = (x, 0.0);
    while z < 15.0 {
        shift += 1.0 / z;
        z += 1.0;
    }
    let r2 = 1.0 / (z * z);
    let series = r2 * (1.0 / 12.0 - r2 * (1.0 / 120.0 - r2 * (1.0 / 252.0 - r2 * (1.0 / 240.0 - r2 / 132.0))));
    z.ln() - 0.5 / z - series - shift
}
