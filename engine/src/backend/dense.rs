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

/// `A = Q R` by reflections: the first `k` columns of Q (`m x k`) and all of R (`m x n`).
pub fn qr(a: &[f64], m: usize, n: usize, k: usize) -> (Vec<f64>, Vec<f64>) {
    let mut r = a.to_vec();
    let mut reflectors: Vec<(usize, Vec<f64>, f64)> = vec![];
    for c in 0..m.min(n) {
        let below: f64 = (c + 1..m).map(|i| r[i * n + c] * r[i * n + c]).sum();
        let alpha = r[c * n + c];
        if below == 0.0 {
            continue;
        }
        let beta = -(alpha * alpha + below).sqrt().copysign(alpha);
        let mut v: Vec<f64> = (c..m).map(|i| r[i * n + c]).collect();
        v[0] = alpha - beta;
        let norm: f64 = v.iter().map(|x| x * x).sum();
        reflect(&v, norm, &mut r, c, n, c);
        r[c * n + c] = beta;
        (c + 1..m).for_each(|i| r[i * n + c] = 0.0);
        reflectors.push((c, v, norm));
    }
    let mut q = vec![0.0; m * k];
    (0..m.min(k)).for_each(|i| q[i * k + i] = 1.0);
    for (c, v, norm) in reflectors.iter().rev() {
        reflect(v, *norm, &mut q, *c, k, 0);
    }
    (q, r)
}

/// The factor R above, and below it the reflections `I - tau v v^T` with a first entry of 1 each: `geqrf`.
pub fn reflectors(a: &[f64], m: usize, n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut r = a.to_vec();
    let mut taus = vec![];
    for c in 0..m.min(n) {
        let below: f64 = (c + 1..m).map(|i| r[i * n + c] * r[i * n + c]).sum();
        let alpha = r[c * n + c];
        if below == 0.0 {
            taus.push(0.0);
            continue;
        }
        let beta = -(alpha * alpha + below).sqrt().copysign(alpha);
        let mut v: Vec<f64> = (c..m).map(|i| r[i * n + c]).collect();
        v[0] = alpha - beta;
        let norm: f64 = v.iter().map(|x| x * x).sum();
        reflect(&v, norm, &mut r, c, n, c);
        r[c * n + c] = beta;
        (c + 1..m).for_each(|i| r[i * n + c] = v[i - c] / v[0]);
        taus.push((beta - alpha) / beta);
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

/// Eigenvalues (ascending) and eigenvectors (columns) of a symmetric matrix, of which one triangle is read, by
/// Jacobi's rotations.
pub fn eigh(a: &[f64], n: usize, upper: bool) -> (Vec<f64>, Vec<f64>) {
    let mut s = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            let (r, c) = if (i < j) == upper { (i, j) } else { (j, i) };
            s[i * n + j] = a[r * n + c];
        }
    }
    let mut v = identity(n);
    for _ in 0..100 {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| s[i * n + j].powi(2)).sum();
        let all: f64 = s.iter().map(|x| x * x).sum();
        if off <= 1e-34 * all || off.is_nan() {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                let apq = s[p * n + q];
                if apq == 0.0 {
                    continue;
                }
                let theta = (s[q * n + q] - s[p * n + p]) / (2.0 * apq);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let si = t * c;
                for k in 0..n {
                    let (x, y) = (s[k * n + p], s[k * n + q]);
                    s[k * n + p] = c * x - si * y;
                    s[k * n + q] = si * x + c * y;
                }
                for k in 0..n {
                    let (x, y) = (s[p * n + k], s[q * n + k]);
                    s[p * n + k] = c * x - si * y;
                    s[q * n + k] = si * x + c * y;
                }
                for k in 0..n {
                    let (x, y) = (v[k * n + p], v[k * n + q]);
                    v[k * n + p] = c * x - si * y;
                    v[k * n + q] = si * x + c * y;
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| s[i * n + i].total_cmp(&s[j * n + j]));
    let values = order.iter().map(|&i| s[i * n + i]).collect();
    let vectors = (0..n * n).map(|at| v[at / n * n + order[at % n]]).collect();
    (values, vectors)
}

/// `A = U diag(S) V^T` with `k = min(m, n)` columns: `U` is `m x k`, `V` is `n x k`, both row-major; S descending. By
/// one-sided rotations, which are accurate for small singular values too.
pub fn svd(a: &[f64], m: usize, n: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    if m < n {
        let at: Vec<f64> = (0..n * m).map(|i| a[i % m * n + i / m]).collect();
        let (u, s, v) = svd(&at, n, m);
        return (v, s, u);
    }
    let mut u = a.to_vec();
    let mut v = identity(n);
    for _ in 0..60 {
        let mut done = true;
        for p in 0..n {
            for q in p + 1..n {
                let (mut pp, mut qq, mut pq) = (0.0, 0.0, 0.0);
                for i in 0..m {
                    let (x, y) = (u[i * n + p], u[i * n + q]);
                    (pp, qq, pq) = (pp + x * x, qq + y * y, pq + x * y);
                }
                if pq == 0.0 || pq.abs() <= 1e-16 * (pp * qq).sqrt() || pq.is_nan() {
                    continue;
                }
                done = false;
                let zeta = (qq - pp) / (2.0 * pq);
                let t = if zeta == 0.0 { 1.0 } else { zeta.signum() / (zeta.abs() + zeta.hypot(1.0)) };
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for (w, rows) in [(&mut u, m), (&mut v, n)] {
                    for i in 0..rows {
                        let (x, y) = (w[i * n + p], w[i * n + q]);
                        w[i * n + p] = c * x - s * y;
                        w[i * n + q] = s * x + c * y;
                    }
                }
            }
        }
        if done {
            break;
        }
    }
    let norms: Vec<f64> = (0..n).map(|j| (0..m).map(|i| u[i * n + j].powi(2)).sum::<f64>().sqrt()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| norms[j].total_cmp(&norms[i]));
    let values: Vec<f64> = order.iter().map(|&j| norms[j]).collect();
    let tiny = values.first().copied().unwrap_or(0.0) * 1e-15;
    let mut left = vec![0.0; m * n];
    for (k, &j) in order.iter().enumerate() {
        if norms[j] > tiny && norms[j] > 0.0 {
            (0..m).for_each(|i| left[i * n + k] = u[i * n + j] / norms[j]);
        } else {
            fill_orthogonal(&mut left, m, n, k);
        }
    }
    let mut right: Vec<f64> = (0..n * n).map(|at| v[at / n * n + order[at % n]]).collect();
    // Signs as a bidiagonalization by reflections would have them: the first row of U is not positive.
    for k in 0..n {
        if (0..m).map(|i| left[i * n + k]).find(|x| x.abs() > 1e-12).is_some_and(|x| x > 0.0) {
            (0..m).for_each(|i| left[i * n + k] = -left[i * n + k]);
            (0..n).for_each(|i| right[i * n + k] = -right[i * n + k]);
        }
    }
    (left, values, right)
}

/// Make column `k` a unit vector at right angles to the columns before it.
fn fill_orthogonal(u: &mut [f64], m: usize, n: usize, k: usize) {
    for e in 0..m {
        let mut w = vec![0.0; m];
        w[e] = 1.0;
        for _ in 0..2 {
            for j in 0..k {
                let dot: f64 = (0..m).map(|i| w[i] * u[i * n + j]).sum();
                (0..m).for_each(|i| w[i] -= dot * u[i * n + j]);
            }
        }
        let norm = w.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm > 0.1 {
            (0..m).for_each(|i| u[i * n + k] = w[i] / norm);
            return;
        }
    }
}

/// Add columns to an orthonormal `m x k` matrix until it is square.
pub fn complete(u: &[f64], m: usize, k: usize) -> Vec<f64> {
    let mut full = vec![0.0; m * m];
    for i in 0..m {
        full[i * m..i * m + k].copy_from_slice(&u[i * k..(i + 1) * k]);
    }
    (k..m).for_each(|j| fill_orthogonal(&mut full, m, m, j));
    full
}
