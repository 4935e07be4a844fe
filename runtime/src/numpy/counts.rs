//! Draws of counts and of the gamma family: Poisson, binomial, gamma.

use super::draws::Draws;

/// The logarithm of the gamma function, by Stirling's series from 7 on.
#[allow(clippy::excessive_precision)]
fn ln_gamma(x: f64) -> f64 {
    const A: [f64; 10] = [
        8.333333333333333e-02,
        -2.777777777777778e-03,
        7.936507936507937e-04,
        -5.952380952380952e-04,
        8.417508417508418e-04,
        -1.917526917526918e-03,
        6.410256410256410e-03,
        -2.955065359477124e-02,
        1.796443723688307e-01,
        -1.39243221690590e+00,
    ];
    if x == 1.0 || x == 2.0 {
        return 0.0;
    }
    let steps = if x < 7.0 { (7.0 - x) as i64 } else { 0 };
    let mut high = x + steps as f64;
    let inverse = (1.0 / high) * (1.0 / high);
    let mut sum = A[9];
    for a in A[..9].iter().rev() {
        sum = sum * inverse + a;
    }
    let half_log_two_pi = 0.918_938_533_204_672_7;
    let mut value = sum / high + half_log_two_pi + (high - 0.5) * high.ln() - high;
    if x < 7.0 {
        for _ in 0..steps {
            value -= (high - 1.0).ln();
            high -= 1.0;
        }
    }
    value
}

impl Draws {
    /// A Poisson count of mean `lambda`.
    pub fn poisson(&mut self, lambda: f64) -> i64 {
        if lambda >= 10.0 {
            return self.poisson_by_rejection(lambda);
        }
        if lambda == 0.0 {
            return 0;
        }
        let limit = (-lambda).exp();
        let (mut count, mut product) = (0, 1.0);
        loop {
            product *= self.bits.f64();
            if product <= limit {
                return count;
            }
            count += 1;
        }
    }

    fn poisson_by_rejection(&mut self, lambda: f64) -> i64 {
        let root = lambda.sqrt();
        let log = lambda.ln();
        let b = 0.931 + 2.53 * root;
        let a = -0.059 + 0.02483 * b;
        let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
        let v_r = 0.9277 - 3.6224 / (b - 2.0);
        loop {
            let u = self.bits.f64() - 0.5;
            let v = self.bits.f64();
            let us = 0.5 - u.abs();
            let k = ((2.0 * a / us + b) * u + lambda + 0.43).floor();
            if us >= 0.07 && v <= v_r {
                return k as i64;
            }
            if k < 0.0 || (us < 0.013 && v > us) {
                continue;
            }
            if v.ln() + inverse_alpha.ln() - (a / (us * us) + b).ln() <= -lambda + k * log - ln_gamma(k + 1.0) {
                return k as i64;
            }
        }
    }

    /// How many of `n` trials of chance `p` succeed.
    pub fn binomial(&mut self, n: i64, p: f64) -> i64 {
        if n <= 0 || p == 0.0 {
            return 0;
        }
        let flip = p > 0.5;
        let q = if flip { 1.0 - p } else { p };
        let count = if q * n as f64 <= 30.0 { self.binomial_by_inversion(n, q) } else { self.binomial_btpe(n, q) };
        if flip { n - count } else { count }
    }

    fn binomial_by_inversion(&mut self, n: i64, p: f64) -> i64 {
        let q = 1.0 - p;
        let none = (n as f64 * (-p).ln_1p()).exp();
        let mean = n as f64 * p;
        let bound = (n as f64).min(mean + 10.0 * (mean * q + 1.0).sqrt()) as i64;
        let (mut x, mut chance) = (0, none);
        let mut u = self.bits.f64();
        while u > chance {
            x += 1;
            if x > bound {
                (x, chance) = (0, none);
                u = self.bits.f64();
            } else {
                u -= chance;
                chance = ((n - x + 1) as f64 * p * chance) / (x as f64 * q);
            }
        }
        x
    }

    /// Kachitvichyanukul and Schmeiser's triangle, parallelogram and two exponential tails.
    fn binomial_btpe(&mut self, n: i64, p: f64) -> i64 {
        let (r, nf) = (p.min(1.0 - p), n as f64);
        let q = 1.0 - r;
        let fm = nf * r + r;
        let m = fm.floor();
        let p1 = (2.195 * (nf * r * q).sqrt() - 4.6 * q).floor() + 0.5;
        let xm = m + 0.5;
        let (xl, xr) = (xm - p1, xm + p1);
        let c = 0.134 + 20.5 / (15.3 + m);
        let slope = |a: f64| a * (1.0 + a / 2.0);
        let left = slope((fm - xl) / (fm - xl * r));
        let right = slope((xr - fm) / (xr * q));
        let p2 = p1 * (1.0 + 2.0 * c);
        let p3 = p2 + c / left;
        let p4 = p3 + c / right;
        let nrq = nf * r * q;
        loop {
            let u = self.bits.f64() * p4;
            let mut v = self.bits.f64();
            let y;
            if u <= p1 {
                return (xm - p1 * v + u).floor() as i64;
            } else if u <= p2 {
                let x = xl + (u - p1) / c;
                v = v * c + 1.0 - (m - x + 0.5).abs() / p1;
                if v > 1.0 {
                    continue;
                }
                y = x.floor();
            } else if u <= p3 {
                y = (xl + v.ln() / left).floor();
                if y < 0.0 || v == 0.0 {
                    continue;
                }
                v = v * (u - p2) * left;
            } else {
                y = (xr - v.ln() / right).floor();
                if y > nf || v == 0.0 {
                    continue;
                }
                v = v * (u - p3) * right;
            }
            let k = (y - m).abs();
            if k <= 20.0 || k >= nrq / 2.0 - 1.0 {
                let s = r / q;
                let a = s * (nf + 1.0);
                let mut f = 1.0;
                let (low, high) = (m.min(y) as i64, m.max(y) as i64);
                for i in low + 1..=high {
                    let step = a / i as f64 - s;
                    if m < y {
                        f *= step;
                    } else {
                        f /= step;
                    }
                }
                if v <= f {
                    return y as i64;
                }
                continue;
            }
            let rho = (k / nrq) * ((k * (k / 3.0 + 0.625) + 0.166_666_666_666_666_66) / nrq + 0.5);
            let t = -k * k / (2.0 * nrq);
            let log = v.ln();
            if log < t - rho {
                return y as i64;
            }
            if log > t + rho {
                continue;
            }
            let stirling = |x: f64| {
                let x2 = x * x;
                (13680. - (462. - (132. - (99. - 140. / x2) / x2) / x2) / x2) / x / 166_320.
            };
            let (x1, f1, z, w) = (y + 1.0, m + 1.0, nf + 1.0 - m, nf - y + 1.0);
            let bound = xm * (f1 / x1).ln()
                + (nf - m + 0.5) * (z / w).ln()
                + (y - m) * (w * r / (x1 * q)).ln()
                + stirling(f1)
                + stirling(z)
                + stirling(x1)
                + stirling(w);
            if log <= bound {
                return y as i64;
            }
        }
    }

    /// A standard gamma of the given shape.
    pub fn gamma(&mut self, shape: f64) -> f64 {
        if shape == 1.0 {
            return self.exponential();
        }
        if shape == 0.0 {
            return 0.0;
        }
        if shape < 1.0 {
            loop {
                let u = self.bits.f64();
                let v = self.exponential();
                if u <= 1.0 - shape {
                    let x = u.powf(1.0 / shape);
                    if x <= v {
                        return x;
                    }
                } else {
                    let y = -((1.0 - u) / shape).ln();
                    let x = (1.0 - shape + shape * y).powf(1.0 / shape);
                    if x <= v + y {
                        return x;
                    }
                }
            }
        }
        let b = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * b).sqrt();
        loop {
            let (x, v) = loop {
                let x = self.normal();
                let v = 1.0 + c * x;
                if v > 0.0 {
                    break (x, v);
                }
            };
            let v = v * v * v;
            let u = self.bits.f64();
            if u < 1.0 - 0.0331 * (x * x) * (x * x) || u.ln() < 0.5 * x * x + b * (1.0 - v + v.ln()) {
                return b * v;
            }
        }
    }
}
