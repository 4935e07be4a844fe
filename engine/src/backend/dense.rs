//! Factorizations of small dense matrices, on the host for every backend. Row-major float64; with `single` each step is
//! rounded to float32, so that float32 results are those of a float32 library.

/// Rounds each step as the element type would.
#[derive(Clone, Copy)]
pub struct Precision {
    pub single: bool,
}

impl Precision {
    fn at(self, v: f64) -> f64 {
        if self.single { v as f32 as f64 } else { v }
    }
}

/// An LU factorization with row exchanges: both factors in one matrix.
pub struct Lu {
    pub n: usize,
    pub factors: Vec<f64>,
    /// `rows[i]` is the row of the input that stands at row `i`.
    pub rows: Vec<usize>,
    /// Exchanged with row `i` at step `i`.
    pub pivots: Vec<usize>,
    pub odd: bool,
    /// The first pivot that is zero.
    pub singular: Option<usize>,
}

pub fn lu(a: &[f64], n: usize, p: Precision) -> Lu {
    lu_of(a, n, n, p)
}

/// The same for `m` rows of `n`.
pub fn lu_of(a: &[f64], m: usize, n: usize, p: Precision) -> Lu {
    let mut f = a.to_vec();
    let mut rows: Vec<usize> = (0..m).collect();
    let (mut odd, mut singular, mut pivots) = (false, None, vec![]);
    for k in 0..m.min(n) {
        let mut best = k;
        for i in k + 1..m {
            if f[i * n + k].abs() > f[best * n + k].abs() {
                best = i;
            }
        }
        pivots.push(best);
        if best != k {
            for j in 0..n {
                f.swap(k * n + j, best * n + j);
            }
            rows.swap(k, best);
            odd = !odd;
        }
        let pivot = f[k * n + k];
        if pivot == 0.0 {
            singular = singular.or(Some(k));
            continue;
        }
        for i in k + 1..m {
            let factor = p.at(f[i * n + k] / pivot);
            f[i * n + k] = factor;
            for j in k + 1..n {
                f[i * n + j] = p.at(f[i * n + j] - factor * f[k * n + j]);
            }
        }
    }
    Lu { n, factors: f, rows, pivots, odd, singular }
}

impl Lu {
    pub fn det(&self, p: Precision) -> f64 {
        let product = (0..self.n).fold(1.0, |d, i| p.at(d * self.factors[i * self.n + i]));
        if self.odd { -product } else { product }
    }

    /// Sign and logarithm of the absolute determinant.
    pub fn slogdet(&self) -> (f64, f64) {
        let (mut sign, mut log) = (if self.odd { -1.0 } else { 1.0 }, 0.0);
        for i in 0..self.n {
            let d = self.factors[i * self.n + i];
            sign *= if d > 0.0 {
                1.0
            } else if d < 0.0 {
                -1.0
            } else {
                d
            };
            log += d.abs().ln();
        }
        (sign, log)
    }

    /// `A x = b` for `k` columns.
    pub fn solve(&self, b: &[f64], k: usize, p: Precision) -> Vec<f64> {
        let n = self.n;
        let mut x: Vec<f64> = self.rows.iter().flat_map(|&r| b[r * k..(r + 1) * k].iter().copied()).collect();
        triangular(&self.factors, n, &mut x, k, false, true, p);
        triangular(&self.factors, n, &mut x, k, true, false, p);
        x
    }
}

/// Solve with the upper or lower triangle of `a` in place; `unit` takes the diagonal as ones.
pub fn triangular(a: &[f64], n: usize, x: &mut [f64], k: usize, upper: bool, unit: bool, p: Precision) {
    for step in 0..n {
        let i = if upper { n - 1 - step } else { step };
        for c in 0..k {
            let known = if upper { i + 1..n } else { 0..i };
            let mut v = x[i * k + c];
            for j in known {
                v = p.at(v - a[i * n + j] * x[j * k + c]);
            }
            x[i * k + c] = if unit { v } else { p.at(v / a[i * n + i]) };
        }
    }
}

/// The lower factor, or the order of the first minor that is not positive.
pub fn cholesky(a: &[f64], n: usize, p: Precision) -> Result<Vec<f64>, usize> {
    let mut l = vec![0.0; n * n];
    for j in 0..n {
        let mut d = a[j * n + j];
        for k in 0..j {
            d = p.at(d - l[j * n + k] * l[j * n + k]);
        }
        if d.is_nan() || d <= 0.0 {
            return Err(j + 1);
        }
        let d = p.at(d.sqrt());
        l[j * n + j] = d;
        for i in j + 1..n {
            let mut v = a[i * n + j];
            for k in 0..j {
                v = p.at(v - l[i * n + k] * l[j * n + k]);
            }
            l[i * n + j] = p.at(v / d);
        }
    }
    Ok(l)
}

/// `I - 2 v v^T / norm`, which acts on rows from `at` on.
struct Reflection {
    at: usize,
    v: Vec<f64>,
    norm: f64,
}

/// R by reflections, zeros below it.
fn reflections(a: &[f64], m: usize, n: usize) -> (Vec<f64>, Vec<Reflection>) {
    let mut r = a.to_vec();
    let mut all = vec![];
    for at in 0..m.min(n) {
        let below: f64 = (at + 1..m).map(|i| r[i * n + at] * r[i * n + at]).sum();
        let alpha = r[at * n + at];
        if below == 0.0 {
            continue;
        }
        let beta = -(alpha * alpha + below).sqrt().copysign(alpha);
        let mut v: Vec<f64> = (at..m).map(|i| r[i * n + at]).collect();
        v[0] = alpha - beta;
        let norm: f64 = v.iter().map(|x| x * x).sum();
        reflect(&v, norm, &mut r, at, n, at);
        r[at * n + at] = beta;
        (at + 1..m).for_each(|i| r[i * n + at] = 0.0);
        all.push(Reflection { at, v, norm });
    }
    (r, all)
}

/// `A = Q R` by reflections: the first `k` columns of Q (`m x k`) and all of R (`m x n`).
pub fn qr(a: &[f64], m: usize, n: usize, k: usize) -> (Vec<f64>, Vec<f64>) {
    let (r, reflections) = reflections(a, m, n);
    let mut q = vec![0.0; m * k];
    (0..m.min(k)).for_each(|i| q[i * k + i] = 1.0);
    for Reflection { at, v, norm } in reflections.iter().rev() {
        reflect(v, *norm, &mut q, *at, k, 0);
    }
    (q, r)
}

/// The factor R above, and below it the reflections `I - tau v v^T` with a first entry of 1 each: `geqrf`.
pub fn reflectors(a: &[f64], m: usize, n: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut r, reflections) = reflections(a, m, n);
    let mut taus = vec![0.0; m.min(n)];
    for Reflection { at, v, .. } in reflections {
        (at + 1..m).for_each(|i| r[i * n + at] = v[i - at] / v[0]);
        taus[at] = -v[0] / r[at * n + at];
    }
    (r, taus)
}

/// Apply the reflection along `v` to rows from `row` on of a matrix of `cols` columns, from column `from` on.
fn reflect(v: &[f64], norm: f64, a: &mut [f64], row: usize, cols: usize, from: usize) {
    for j in from..cols {
        let dot: f64 = v.iter().enumerate().map(|(i, x)| x * a[(row + i) * cols + j]).sum();
        v.iter().enumerate().for_each(|(i, x)| a[(row + i) * cols + j] -= 2.0 * x * dot / norm);
    }
}

pub fn identity(n: usize) -> Vec<f64> {
    let mut q = vec![0.0; n * n];
    (0..n).for_each(|i| q[i * n + i] = 1.0);
    q
}
