//! Eigenvalues and eigenvectors of a general real matrix: balancing, reduction to Hessenberg form by reflections, implicit
//! double-shift QR steps down to the Schur form, and back substitution (Golub & Van Loan, chapter 7).

use super::real::{Matrix, Real, Reflection, old_rotation, rotation};

/// What is found: eigenvalues, and eigenvectors (columns) whose complex pairs stand as real and imaginary part in two
/// columns next to each other.
pub struct Eigen {
    pub re: Vec<f64>,
    pub im: Vec<f64>,
    pub vectors: Vec<f64>,
}

/// Steps, shifts and tests are those of LAPACK's `geev`, so that order and signs are too. `None` where the steps do not
/// converge.
pub fn eig<T: Real>(a: &[f64], n: usize) -> Option<Eigen> {
    let mut h: Square<T> = Matrix::of(a, n, n);
    let mut v = Matrix::identity(n, n);
    let balance = Balance::of(&mut h);
    hessenberg(&mut h, &mut v, balance.low, balance.high);
    let (re, im) = schur(&mut h, &mut v, balance.low, balance.high)?;
    let mut v: Square<f64> = Matrix { rows: n, cols: n, a: v.wide() };
    back_substitute(&Matrix { rows: n, cols: n, a: h.wide() }, &mut v, &re, &im);
    balance.undo(&mut v);
    normalize(&mut v, &im, T::EPSILON > f64::EPSILON);
    Some(Eigen { re, im, vectors: v.a })
}

type Square<T> = Matrix<T>;

/// A matrix whose eigenvalues that stand alone are moved to the ends, and whose rows and columns are of like size.
struct Balance {
    /// The rows `low..high` are what is left to do.
    low: usize,
    high: usize,
    exchanges: Vec<(usize, usize)>,
    scale: Vec<f64>,
}

impl Balance {
    fn of<T: Real>(h: &mut Square<T>) -> Balance {
        let n = h.rows;
        let mut b = Balance { low: 0, high: n, exchanges: vec![], scale: vec![1.0; n] };
        // Rows that are zero beside the diagonal go to the end, columns to the start.
        while b.high > 0 {
            let alone = (0..b.high).rev().find(|&j| (0..b.high).all(|i| i == j || h[(j, i)] == T::ZERO));
            let Some(j) = alone else { break };
            b.exchange(h, j, b.high - 1);
            b.high -= 1;
        }
        while b.low < b.high {
            let alone = (b.low..b.high).find(|&j| (b.low..b.high).all(|i| i == j || h[(i, j)] == T::ZERO));
            let Some(j) = alone else { break };
            b.exchange(h, j, b.low);
            b.low += 1;
        }
        b.rescale(h);
        b
    }

    fn exchange<T: Real>(&mut self, h: &mut Square<T>, j: usize, m: usize) {
        self.exchanges.push((j, m));
        if j == m {
            return;
        }
        for i in 0..self.high {
            h.a.swap(i * h.cols + j, i * h.cols + m);
        }
        for i in self.low..h.cols {
            h.a.swap(j * h.cols + i, m * h.cols + i);
        }
    }

    fn rescale<T: Real>(&mut self, h: &mut Square<T>) {
        let inner = self.low..self.high;
        let mut changed = true;
        while changed {
            changed = false;
            for i in inner.clone() {
                let mut c = inner.clone().map(|j| h[(j, i)].wide().powi(2)).sum::<f64>().sqrt();
                let mut r = inner.clone().map(|j| h[(i, j)].wide().powi(2)).sum::<f64>().sqrt();
                if c == 0.0 || r == 0.0 || !c.is_finite() || !r.is_finite() {
                    continue;
                }
                let (sum, mut f) = (c + r, 1.0f64);
                while c < r / 2.0 && f < 1e150 {
                    (f, c, r) = (f * 2.0, c * 2.0, r / 2.0);
                }
                while c / 2.0 >= r && f > 1e-150 {
                    (f, c, r) = (f / 2.0, c / 2.0, r * 2.0);
                }
                if c + r >= 0.95 * sum {
                    continue;
                }
                self.scale[i] *= f;
                changed = true;
                (self.low..h.cols).for_each(|j| h[(i, j)] /= T::of(f));
                (0..self.high).for_each(|j| h[(j, i)] *= T::of(f));
            }
        }
    }

    /// Eigenvectors of the matrix as it was.
    fn undo(&self, v: &mut Square<f64>) {
        for i in self.low..self.high {
            (0..v.cols).for_each(|j| v[(i, j)] *= self.scale[i]);
        }
        for &(a, b) in self.exchanges.iter().rev().filter(|(a, b)| a != b) {
            v.swap_rows(a, b);
        }
    }
}

fn hessenberg<T: Real>(h: &mut Square<T>, v: &mut Square<T>, low: usize, high: usize) {
    for m in low + 1..high.saturating_sub(1) {
        let (r, beta) = Reflection::of(m, (m..high).map(|i| h[(i, m - 1)]).collect());
        r.to_rows(h, m);
        r.to_columns(h, 0);
        r.to_columns(v, 0);
        h[(m, m - 1)] = beta;
        (m + 1..high).for_each(|i| h[(i, m - 1)] = T::ZERO);
    }
}

/// A rotation that brings a 2x2 block into standard form: triangular, or with equal diagonal entries. The block, and
/// cosine and sine.
fn standard_block([mut a, mut b, mut c, mut d]: [f64; 4], eps: f64) -> ([f64; 4], f64, f64) {
    let (mut cs, mut sn) = (1.0, 0.0);
    if c == 0.0 {
    } else if b == 0.0 {
        (cs, sn) = (0.0, 1.0);
        (a, b, c, d) = (d, -c, 0.0, a);
    } else if a - d == 0.0 && b.signum() != c.signum() {
    } else {
        let temp = a - d;
        let p = 0.5 * temp;
        let larger = b.abs().max(c.abs());
        let smaller = b.abs().min(c.abs()) * b.signum() * c.signum();
        let scale = p.abs().max(larger);
        let z = p / scale * p + larger / scale * smaller;
        if z >= 4.0 * eps {
            let z = p + (scale.sqrt() * z.sqrt()).copysign(p);
            a = d + z;
            d -= larger / z * smaller;
            let tau = c.hypot(z);
            (cs, sn) = (z / tau, c / tau);
            (b, c) = (b - c, 0.0);
        } else {
            let sigma = b + c;
            let tau = sigma.hypot(temp);
            cs = (0.5 * (1.0 + sigma.abs() / tau)).sqrt();
            sn = -(p / (tau * cs)) * 1f64.copysign(sigma);
            let (aa, bb) = (a * cs + b * sn, -a * sn + b * cs);
            let (cc, dd) = (c * cs + d * sn, -c * sn + d * cs);
            (a, b) = (aa * cs + cc * sn, bb * cs + dd * sn);
            (c, d) = (-aa * sn + cc * cs, -bb * sn + dd * cs);
            let middle = 0.5 * (a + d);
            (a, d) = (middle, middle);
            if c != 0.0 && b == 0.0 {
                (b, c) = (-c, 0.0);
                (cs, sn) = (-sn, cs);
            } else if c != 0.0 && b.signum() == c.signum() {
                let (sab, sac) = (b.abs().sqrt(), c.abs().sqrt());
                let p = (sab * sac).copysign(c);
                let tau = 1.0 / (b + c).abs().sqrt();
                (a, d) = (middle + p, middle - p);
                (b, c) = (b - c, 0.0);
                let (cs1, sn1) = (sab * tau, sac * tau);
                (cs, sn) = (cs * cs1 - sn * sn1, cs * sn1 + sn * cs1);
            }
        }
    }
    ([a, b, c, d], cs, sn)
}

/// Is the entry below the diagonal in row `k` nothing beside its neighbours?
fn negligible<T: Real>(h: &Square<T>, k: usize, low: usize, high: usize) -> bool {
    let size = |i: usize, j: usize| h[(i, j)].abs().wide();
    let (eps, tiny) = (T::EPSILON, T::TINY / T::EPSILON);
    let at = size(k, k - 1);
    if at <= tiny {
        return true;
    }
    let mut near = size(k - 1, k - 1) + size(k, k);
    if near == 0.0 {
        if k >= low + 2 {
            near += size(k - 1, k - 2);
        }
        if k + 1 < high {
            near += size(k + 1, k);
        }
    }
    if at > eps * near {
        return false;
    }
    let above = size(k - 1, k);
    let (ab, ba) = (at.max(above), at.min(above));
    let gap = (h[(k - 1, k - 1)] - h[(k, k)]).abs().wide();
    let (aa, bb) = (size(k, k).max(gap), size(k, k).min(gap));
    let s = aa + ab;
    ba * (ab / s) <= tiny.max(eps * (bb * (aa / s)))
}

/// To real Schur form; the eigenvalues in the order of its diagonal.
fn schur<T: Real>(h: &mut Square<T>, v: &mut Square<T>, low: usize, high: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    let n = h.rows;
    let (mut re, mut im) = ((0..n).map(|i| h[(i, i)].wide()).collect::<Vec<f64>>(), vec![0.0; n]);
    let mut left = high;
    while left > low {
        let end = left - 1;
        let (mut start, mut tries) = (low, 0);
        loop {
            start = (start + 1..=end).rev().find(|&k| negligible(h, k, low, high)).unwrap_or(start);
            if start > low {
                h[(start, start - 1)] = T::ZERO;
            }
            if start + 1 >= end {
                break;
            }
            tries += 1;
            if tries > 300 {
                return None;
            }
            double_step(h, v, shifts(h, start, end, tries), start, end);
        }
        if start == end {
            re[end] = h[(end, end)].wide();
        } else {
            let at = [(end - 1, end - 1), (end - 1, end), (end, end - 1), (end, end)];
            let (block, cs, sn) = standard_block(at.map(|p| h[p].wide()), T::EPSILON);
            at.iter().zip(block).for_each(|(&p, x)| h[p] = T::of(x));
            (re[end - 1], re[end]) = (block[0], block[3]);
            if block[2] != 0.0 {
                let w = block[1].abs().sqrt() * block[2].abs().sqrt();
                (im[end - 1], im[end]) = (w, -w);
            }
            let (cs, sn) = (T::of(cs), T::of(sn));
            for j in end + 1..n {
                let (x, y) = (h[(end - 1, j)], h[(end, j)]);
                (h[(end - 1, j)], h[(end, j)]) = (cs * x + sn * y, cs * y - sn * x);
            }
            for (matrix, rows) in [(&mut *h, end - 1), (&mut *v, n)] {
                for i in 0..rows {
                    let (x, y) = (matrix[(i, end - 1)], matrix[(i, end)]);
                    (matrix[(i, end - 1)], matrix[(i, end)]) = (cs * x + sn * y, cs * y - sn * x);
                }
            }
        }
        left = start;
    }
    Some((re, im))
}

/// The two shifts of a step, as real parts and imaginary parts.
fn shifts<T: Real>(h: &Square<T>, start: usize, end: usize, tries: usize) -> [f64; 4] {
    let at = |i: usize, j: usize| h[(i, j)].wide();
    let exceptional = |corner: f64, s: f64| (0.75 * s + corner, -0.4375 * s, s, 0.75 * s + corner);
    let (h11, h12, h21, h22) = if tries.is_multiple_of(20) {
        exceptional(at(end, end), at(end, end - 1).abs() + at(end - 1, end - 2).abs())
    } else if tries.is_multiple_of(10) {
        exceptional(at(start, start), at(start + 1, start).abs() + at(start + 2, start + 1).abs())
    } else {
        (at(end - 1, end - 1), at(end - 1, end), at(end, end - 1), at(end, end))
    };
    let s = h11.abs() + h12.abs() + h21.abs() + h22.abs();
    if s == 0.0 {
        return [0.0; 4];
    }
    let (h11, h12, h21, h22) = (h11 / s, h12 / s, h21 / s, h22 / s);
    let middle = (h11 + h22) / 2.0;
    let det = (h11 - middle) * (h22 - middle) - h12 * h21;
    let root = det.abs().sqrt();
    if det >= 0.0 {
        return [middle * s, middle * s, root * s, -root * s];
    }
    // Of two real shifts the one nearer to the corner, twice.
    let (up, down) = (middle + root, middle - root);
    let near = if (up - h22).abs() <= (down - h22).abs() { up } else { down } * s;
    [near, near, 0.0, 0.0]
}

/// One implicit double-shift step on rows `start..=end`, which are three at least.
fn double_step<T: Real>(h: &mut Square<T>, v: &mut Square<T>, [r1, r2, i1, i2]: [f64; 4], start: usize, end: usize) {
    let mut m = end - 2;
    let mut first;
    loop {
        let at = |i: usize, j: usize| h[(i, j)].wide();
        let below = at(m + 1, m);
        let s = (at(m, m) - r2).abs() + i2.abs() + below.abs();
        let b = below / s;
        first = [
            b * at(m, m + 1) + (at(m, m) - r1) * ((at(m, m) - r2) / s) - i1 * (i2 / s),
            b * (at(m, m) + at(m + 1, m + 1) - r1 - r2),
            b * at(m + 2, m + 1),
        ];
        let size: f64 = first.iter().map(|x| x.abs()).sum();
        first = first.map(|x| x / size);
        if m == start {
            break;
        }
        let small = at(m, m - 1).abs() * (first[1].abs() + first[2].abs());
        let large = at(m - 1, m - 1).abs() + at(m, m).abs() + at(m + 1, m + 1).abs();
        if small <= T::EPSILON * first[0].abs() * large {
            break;
        }
        m -= 1;
    }
    for k in m..end {
        let rows = (end - k + 1).min(3);
        let line = if k > m {
            (0..rows).map(|i| h[(k + i, k - 1)]).collect()
        } else {
            first[..rows].iter().map(|&x| T::of(x)).collect()
        };
        let (r, beta) = Reflection::of(k, line);
        if k > m {
            h[(k, k - 1)] = beta;
            (1..rows).for_each(|i| h[(k + i, k - 1)] = T::ZERO);
        } else if m > start {
            h[(k, k - 1)] *= T::ONE - r.tau;
        }
        r.to_rows(h, k);
        r.to_columns(h, 0);
        r.to_columns(v, 0);
    }
}

fn divide((a, b): (f64, f64), (c, d): (f64, f64)) -> (f64, f64) {
    let size = c.abs().max(d.abs());
    let (c, d) = (c / size, d / size);
    let norm = (c * c + d * d) * size;
    ((a * c + b * d) / norm, (b * c - a * d) / norm)
}

/// Eigenvectors of the Schur form, then of the matrix itself. Columns of a complex pair hold real and imaginary part.
fn back_substitute(h: &Square<f64>, v: &mut Square<f64>, re: &[f64], im: &[f64]) {
    let n = h.rows;
    let norm: f64 = h.a.iter().map(|x| x.abs()).sum();
    let tiny = f64::EPSILON * norm;
    let mut vectors = Matrix { rows: n, cols: n, a: vec![0.0; n * n] };
    for k in (0..n).rev() {
        if im[k] > 0.0 {
            continue;
        }
        // The eigenvalue, with the positive imaginary part of its pair; its vector has the entries below.
        let pair = im[k] < 0.0;
        let (wr, wi) = (re[k], -im[k]);
        let mut z = vec![(0.0, 0.0); n];
        let top = if pair { k - 1 } else { k };
        if pair {
            let (up, down) = (h[(k - 1, k)], h[(k, k - 1)]);
            if up.abs() >= down.abs() {
                (z[k - 1], z[k]) = ((1.0, 0.0), (0.0, wi / up));
            } else {
                (z[k - 1], z[k]) = ((-wi / down, 0.0), (0.0, 1.0));
            }
        } else {
            z[k] = (1.0, 0.0);
        }
        let mut i = top;
        while i > 0 {
            i -= 1;
            let rest = |row: usize, z: &[(f64, f64)], from: usize| {
                (from..=k).fold((0.0, 0.0), |s: (f64, f64), j| (s.0 + h[(row, j)] * z[j].0, s.1 + h[(row, j)] * z[j].1))
            };
            let block = i > 0 && h[(i, i - 1)] != 0.0 && im[i] != 0.0;
            if !block {
                let s = rest(i, &z, i + 1);
                let mut d = (h[(i, i)] - wr, -wi);
                if d.0.abs() + d.1.abs() < tiny {
                    d = (tiny.max(f64::MIN_POSITIVE), 0.0);
                }
                z[i] = divide((-s.0, -s.1), d);
            } else {
                // Two rows at once: a 2x2 block of the diagonal, by Cramer's rule.
                let (lo, hi) = (i - 1, i);
                let (s, t) = (rest(lo, &z, hi + 1), rest(hi, &z, hi + 1));
                let (a, b, c, d) = ((h[(lo, lo)] - wr, -wi), h[(lo, hi)], h[(hi, lo)], (h[(hi, hi)] - wr, -wi));
                let mut det = (a.0 * d.0 - a.1 * d.1 - b * c, a.0 * d.1 + a.1 * d.0);
                if det.0.abs() + det.1.abs() < tiny * tiny {
                    det = ((tiny * tiny).max(f64::MIN_POSITIVE), 0.0);
                }
                let times = |p: (f64, f64), q: (f64, f64)| (p.0 * q.0 - p.1 * q.1, p.0 * q.1 + p.1 * q.0);
                let (ds, at) = (times(d, s), times(a, t));
                z[lo] = divide((-(ds.0 - b * t.0), -(ds.1 - b * t.1)), det);
                z[hi] = divide((-(at.0 - c * s.0), -(at.1 - c * s.1)), det);
                i -= 1;
            }
            // Keep the entries from growing out of range.
            let largest = z[i..=k].iter().fold(0.0f64, |m, p| m.max(p.0.abs() + p.1.abs()));
            if largest > 1e100 {
                z[i..=k].iter_mut().for_each(|p| *p = (p.0 / largest, p.1 / largest));
            }
        }
        for (row, p) in z.iter().enumerate() {
            vectors[(row, top)] = p.0;
            if pair {
                vectors[(row, k)] = p.1;
            }
        }
    }
    let mut out = vec![0.0; n * n];
    for i in 0..n {
        for k in 0..n {
            let x = v[(i, k)];
            (0..n).for_each(|j| out[i * n + j] += x * vectors[(k, j)]);
        }
    }
    v.a = out;
}

/// Each vector to length one; the largest entry of a complex one real.
fn normalize(v: &mut Square<f64>, im: &[f64], single: bool) {
    let n = v.rows;
    let mut j = 0;
    while j < n {
        let pair = im[j] > 0.0 && j + 1 < n;
        let length = |v: &Square<f64>, j: usize| (0..n).map(|i| v[(i, j)].powi(2)).sum::<f64>();
        let total = length(v, j) + if pair { length(v, j + 1) } else { 0.0 };
        let scale = 1.0 / total.sqrt();
        for column in j..=j + pair as usize {
            (0..n).for_each(|i| v[(i, column)] *= scale);
        }
        if pair {
            let size = |v: &Square<f64>, i: usize| v[(i, j)].powi(2) + v[(i, j + 1)].powi(2);
            let mut top = 0;
            for i in 1..n {
                if size(v, i) > size(v, top) {
                    top = i;
                }
            }
            let (f, g) = (v[(top, j)], v[(top, j + 1)]);
            // The libraries that PyTorch is built with differ in this between the two float types.
            let (c, s, _) = if single { rotation(f, g) } else { old_rotation(f, g) };
            for i in 0..n {
                let (a, b) = (v[(i, j)], v[(i, j + 1)]);
                v[(i, j)] = c * a + s * b;
                v[(i, j + 1)] = c * b - s * a;
            }
            v[(top, j + 1)] = 0.0;
        }
        j += 1 + pair as usize;
    }
}
