//! Eigenvalues and eigenvectors of a symmetric matrix: tridiagonal by reflections, then implicit QL or QR steps, as
//! LAPACK's `sytrd` and `steqr` take them, so that the signs of the vectors are theirs.

use super::real::{Matrix, Real, Reflection, old_rotation, product_of, scale_for};

/// Eigenvalues, ascending, and eigenvectors (columns). `a` is row-major; its lower triangle is read, or with `upper` its
/// upper one. `None` where the steps do not converge.
pub fn eigh<T: Real>(a: &[f64], n: usize, upper: bool) -> Option<(Vec<f64>, Vec<f64>)> {
    let scale = scale_for::<T>(a);
    let a: Vec<f64> = a.iter().map(|x| x * scale).collect();
    let mut m: Matrix<T> = Matrix::of(&a, n, n);
    for i in 0..n {
        for j in 0..i {
            if upper {
                m[(i, j)] = m[(j, i)];
            } else {
                m[(j, i)] = m[(i, j)];
            }
        }
    }
    let (mut d, mut e, q) = if upper { from_below(&mut m) } else { from_above(&mut m) };
    // Rows are what is turned: the transpose of the vectors.
    let mut z = q.transposed();
    steps(&mut d, &mut e, &mut z)?;
    for i in 0..n {
        let k = (i..n).fold(i, |k, j| if d[j] < d[k] { j } else { k });
        d.swap(i, k);
        z.swap_rows(i, k);
    }
    Some((d.iter().map(|x| x.wide() / scale).collect(), z.transposed().wide()))
}

type Tridiagonal<T> = (Vec<T>, Vec<T>, Matrix<T>);

/// `m - v w^T - w v^T` with what a reflection of both sides takes away, in the block of `v.len()` rows at `start`.
fn both_sides<T: Real>(m: &mut Matrix<T>, start: usize, tau: T, v: &[T]) {
    let k = v.len();
    let mut w: Vec<T> =
        (0..k).map(|i| tau * (0..k).fold(T::ZERO, |s, j| s + m[(start + i, start + j)] * v[j])).collect();
    let half = T::of(0.5) * tau * w.iter().zip(v).fold(T::ZERO, |s, (x, y)| s + *x * *y);
    w.iter_mut().zip(v).for_each(|(x, y)| *x -= half * *y);
    for i in 0..k {
        for j in 0..k {
            m[(start + i, start + j)] -= v[i] * w[j] + w[i] * v[j];
        }
    }
}

/// Diagonal, off-diagonal and the product of reflections, column after column.
fn from_above<T: Real>(m: &mut Matrix<T>) -> Tridiagonal<T> {
    let n = m.rows;
    let (mut d, mut e, mut all) = (vec![], vec![], vec![]);
    for i in 0..n {
        d.push(m[(i, i)]);
        if i + 1 < n {
            let (r, beta) = Reflection::of(i + 1, (i + 1..n).map(|k| m[(k, i)]).collect());
            e.push(beta);
            both_sides(m, i + 1, r.tau, &r.v);
            all.push(r);
        }
    }
    let mut q = Matrix::identity(n, n);
    product_of(&all, &mut q);
    (d, e, q)
}

/// The same from the last column to the first, as for a matrix of which the upper triangle is given.
fn from_below<T: Real>(m: &mut Matrix<T>) -> Tridiagonal<T> {
    let n = m.rows;
    let (mut d, mut e, mut all) = (vec![T::ZERO; n], vec![T::ZERO; n.saturating_sub(1)], vec![]);
    for i in (0..n.saturating_sub(1)).rev() {
        // The entry next to the diagonal leads; the others keep their places before it.
        let column = std::iter::once(m[(i, i + 1)]).chain((0..i).map(|k| m[(k, i + 1)])).collect();
        let (mut r, beta) = Reflection::of(0, column);
        r.v.rotate_left(1);
        e[i] = beta;
        both_sides(m, 0, r.tau, &r.v);
        d[i + 1] = m[(i + 1, i + 1)];
        all.push(r);
    }
    if n > 0 {
        d[0] = m[(0, 0)];
    }
    let mut q = Matrix::identity(n, n);
    product_of(&all, &mut q);
    (d, e, q)
}

/// The eigenvalues of `[[a, b], [b, c]]`, the one of larger size first, and cosine and sine of its vector.
fn two_by_two<T: Real>(a: T, b: T, c: T) -> (T, T, T, T) {
    let (sum, gap, twice) = (a + c, a - c, b + b);
    let (larger, smaller) = if a.abs() > c.abs() { (a, c) } else { (c, a) };
    let root = {
        let (x, y) = (gap.abs().larger(twice.abs()), if gap.abs() < twice.abs() { gap.abs() } else { twice.abs() });
        if x == T::ZERO { x } else { x * (T::ONE + (y / x) * (y / x)).sqrt() }
    };
    let half = T::of(0.5);
    let (first, second, sign) = if sum == T::ZERO {
        (half * root, -half * root, true)
    } else {
        let first = half * if sum < T::ZERO { sum - root } else { sum + root };
        (first, (larger / first) * smaller - (b / first) * b, sum > T::ZERO)
    };
    let up = gap >= T::ZERO;
    let cs = if up { gap + root } else { gap - root };
    let (c1, s1) = if cs.abs() > twice.abs() {
        let t = -twice / cs;
        let s = T::ONE / (T::ONE + t * t).sqrt();
        (t * s, s)
    } else if twice == T::ZERO {
        (T::ONE, T::ZERO)
    } else {
        let t = -cs / twice;
        let c = T::ONE / (T::ONE + t * t).sqrt();
        (c, t * c)
    };
    if sign == up { (first, second, -s1, c1) } else { (first, second, c1, s1) }
}

/// QL or QR steps until nothing stands beside the diagonal; rows of `z` turn with them.
fn steps<T: Real>(d: &mut [T], e: &mut [T], z: &mut Matrix<T>) -> Option<()> {
    let n = d.len();
    let eps = T::EPSILON / 2.0;
    let (mut begin, mut left) = (0, 30 * n);
    while begin < n {
        if begin > 0 {
            e[begin - 1] = T::ZERO;
        }
        // The block that begins here.
        let mut end = begin;
        while end + 1 < n {
            let at = e[end].abs().wide();
            if at == 0.0 {
                break;
            }
            if at <= d[end].abs().wide().sqrt() * d[end + 1].abs().wide().sqrt() * eps {
                e[end] = T::ZERO;
                break;
            }
            end += 1;
        }
        if end == begin {
            begin += 1;
            continue;
        }
        // From the end with the smaller entry towards the other one.
        let done = if d[end].abs() < d[begin].abs() {
            upwards(d, e, z, begin, end, &mut left)?
        } else {
            downwards(d, e, z, begin, end, &mut left)?
        };
        if done {
            begin = end + 1;
        }
    }
    Some(())
}

/// Is the entry between two diagonal ones nothing?
fn nothing<T: Real>(e: T, a: T, b: T) -> bool {
    let eps = T::EPSILON / 2.0;
    e.wide() * e.wide() <= eps * eps * a.abs().wide() * b.abs().wide() + T::TINY
}

/// The shift of a step: `g` to begin with.
fn shifted<T: Real>(near: T, at: T, beside: T, far: T) -> T {
    let g = (near - at) / (T::of(2.0) * beside);
    let r = g.hypot(T::ONE);
    far - at + beside / (g + r.copysign(g))
}

/// QL: eigenvalues come off at the start.
fn downwards<T: Real>(
    d: &mut [T],
    e: &mut [T],
    z: &mut Matrix<T>,
    begin: usize,
    end: usize,
    left: &mut usize,
) -> Option<bool> {
    let mut l = begin;
    while l <= end {
        let m = (l..end).find(|&m| nothing(e[m], d[m], d[m + 1])).unwrap_or(end);
        if m < end {
            e[m] = T::ZERO;
        }
        if m == l {
            l += 1;
            continue;
        }
        if m == l + 1 {
            let (first, second, c, s) = two_by_two(d[l], e[l], d[l + 1]);
            z.turn_rows(l, c, s);
            (d[l], d[l + 1], e[l]) = (first, second, T::ZERO);
            l += 2;
            continue;
        }
        *left = left.checked_sub(1)?;
        let mut g = shifted(d[l + 1], d[l], e[l], d[m]);
        let (mut s, mut c, mut p) = (T::ONE, T::ONE, T::ZERO);
        let mut turns = vec![];
        for i in (l..m).rev() {
            let (f, b) = (s * e[i], c * e[i]);
            let r;
            (c, s, r) = old_rotation(g, f);
            if i + 1 != m {
                e[i + 1] = r;
            }
            g = d[i + 1] - p;
            let r = (d[i] - g) * s + T::of(2.0) * c * b;
            p = s * r;
            d[i + 1] = g + p;
            g = c * r - b;
            turns.push((i, c, -s));
        }
        turns.into_iter().for_each(|(i, c, s)| z.turn_rows(i, c, s));
        d[l] -= p;
        e[l] = g;
    }
    Some(e[begin..end].iter().all(|x| *x == T::ZERO))
}

/// QR: eigenvalues come off at the end.
fn upwards<T: Real>(
    d: &mut [T],
    e: &mut [T],
    z: &mut Matrix<T>,
    begin: usize,
    end: usize,
    left: &mut usize,
) -> Option<bool> {
    let mut above = end + 1;
    while above > begin {
        let l = above - 1;
        let m = (begin + 1..=l).rev().find(|&m| nothing(e[m - 1], d[m], d[m - 1])).unwrap_or(begin);
        if m > begin {
            e[m - 1] = T::ZERO;
        }
        if m == l {
            above -= 1;
            continue;
        }
        if m + 1 == l {
            let (first, second, c, s) = two_by_two(d[l - 1], e[l - 1], d[l]);
            z.turn_rows(l - 1, c, s);
            (d[l - 1], d[l], e[l - 1]) = (first, second, T::ZERO);
            above -= 2;
            continue;
        }
        *left = left.checked_sub(1)?;
        let mut g = shifted(d[l - 1], d[l], e[l - 1], d[m]);
        let (mut s, mut c, mut p) = (T::ONE, T::ONE, T::ZERO);
        for i in m..l {
            let (f, b) = (s * e[i], c * e[i]);
            let r;
            (c, s, r) = old_rotation(g, f);
            if i != m {
                e[i - 1] = r;
            }
            g = d[i] - p;
            let r = (d[i + 1] - g) * s + T::of(2.0) * c * b;
            p = s * r;
            d[i] = g + p;
            g = c * r - b;
            z.turn_rows(i, c, s);
        }
        d[l] -= p;
        e[l - 1] = g;
    }
    Some(e[begin..end].iter().all(|x| *x == T::ZERO))
}
