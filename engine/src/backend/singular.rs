//! Singular values and vectors: bidiagonal by reflections from both sides, then implicit QR steps, as LAPACK's `gesdd`
//! takes them for small matrices, so that the signs of the vectors are those of PyTorch's.

use super::real::{Matrix, Real, Reflection, product_of, rotation, scale_for};

/// `A = U diag(S) V^T`: U, S (descending) and `V^T`; U and V are square with `full`, else they have `min(m, n)` columns.
/// `None` where the steps do not converge.
pub fn svd<T: Real>(a: &[f64], m: usize, n: usize, full: bool) -> Option<(Vec<f64>, Vec<f64>, Vec<f64>)> {
    let scale = scale_for::<T>(a);
    let a: Vec<f64> = a.iter().map(|x| x * scale).collect();
    let matrix: Matrix<T> = Matrix::of(&a, m, n);
    let (u, s, vt) = if m > n && m >= n + n / 2 { after_qr(matrix, full)? } else { direct(matrix, full)? };
    Some((u.wide(), s.iter().map(|x| x.wide() / scale).collect(), vt.wide()))
}

type Factors<T> = (Matrix<T>, Vec<T>, Matrix<T>);

/// A tall matrix: that of its triangular factor.
fn after_qr<T: Real>(mut a: Matrix<T>, full: bool) -> Option<Factors<T>> {
    let (m, n) = (a.rows, a.cols);
    let mut all = vec![];
    for c in 0..n {
        let (r, beta) = Reflection::of(c, (c..m).map(|i| a[(i, c)]).collect());
        r.to_rows(&mut a, c + 1);
        a[(c, c)] = beta;
        (c + 1..m).for_each(|i| a[(i, c)] = T::ZERO);
        all.push(r);
    }
    let (u, s, vt) = direct(a.corner(n, n), false)?;
    Some((widened(&u, m, if full { m } else { n }, &all), s, vt))
}

/// The product of reflections times a matrix that is the identity beyond `corner`.
fn widened<T: Real>(corner: &Matrix<T>, rows: usize, cols: usize, all: &[Reflection<T>]) -> Matrix<T> {
    let mut wide = Matrix::identity(rows, cols);
    for i in 0..corner.rows {
        for j in 0..corner.cols {
            wide[(i, j)] = corner[(i, j)];
        }
    }
    product_of(all, &mut wide);
    wide
}

fn direct<T: Real>(mut a: Matrix<T>, full: bool) -> Option<Factors<T>> {
    let (m, n) = (a.rows, a.cols);
    let k = m.min(n);
    let (mut d, mut e, mut left, mut right) = (vec![], vec![], vec![], vec![]);
    let below = |a: &Matrix<T>, from: usize, c: usize| (from..m).map(|i| a[(i, c)]).collect();
    let beside = |a: &Matrix<T>, r: usize, from: usize| (from..n).map(|j| a[(r, j)]).collect();
    for i in 0..k {
        // A tall matrix becomes upper bidiagonal, a wide one lower bidiagonal.
        if m >= n {
            let (r, beta) = Reflection::of(i, below(&a, i, i));
            d.push(beta);
            r.to_rows(&mut a, i + 1);
            left.push(r);
            if i + 1 < n {
                let (r, beta) = Reflection::of(i + 1, beside(&a, i, i + 1));
                e.push(beta);
                r.to_columns(&mut a, i + 1);
                right.push(r);
            }
        } else {
            let (r, beta) = Reflection::of(i, beside(&a, i, i));
            d.push(beta);
            r.to_columns(&mut a, i + 1);
            right.push(r);
            if i + 1 < m {
                let (r, beta) = Reflection::of(i + 1, below(&a, i + 1, i));
                e.push(beta);
                r.to_rows(&mut a, i + 1);
                left.push(r);
            }
        }
    }
    let mut turns = vec![];
    if m < n {
        for i in 0..k.saturating_sub(1) {
            let (c, s, r) = rotation(d[i], e[i]);
            d[i] = r;
            e[i] = s * d[i + 1];
            d[i + 1] = c * d[i + 1];
            turns.push((i, c, -s));
        }
    }
    let (mut u, mut vt) = (Matrix::identity(k, k), Matrix::identity(k, k));
    if k == 1 {
        u[(0, 0)] = T::ONE.copysign(d[0]);
        d[0] = d[0].abs();
    } else {
        // Rows are what is turned: the transpose of U.
        steps(&mut d, &mut e, &mut u, &mut vt)?;
        u = u.transposed();
    }
    for (i, c, s) in turns.into_iter().rev() {
        u.turn_rows(i, c, s);
    }
    let (wide_u, wide_v) = if full { (m, n) } else { (k, k) };
    let v = widened(&vt.transposed(), n, wide_v, &right);
    Some((widened(&u, m, wide_u, &left), d, v.transposed()))
}

/// The smaller singular value of `[[f, g], [0, h]]`.
fn smaller_of_two(f: f64, g: f64, h: f64) -> f64 {
    let (f, g, h) = (f.abs(), g.abs(), h.abs());
    let (low, high) = (f.min(h), f.max(h));
    if low == 0.0 {
        return 0.0;
    }
    if g < high {
        let (a, b, c) = (1.0 + low / high, (high - low) / high, (g / high) * (g / high));
        return low * (2.0 / ((a * a + c).sqrt() + (b * b + c).sqrt()));
    }
    let r = high / g;
    if r == 0.0 {
        return low * high / g;
    }
    let (a, b) = ((1.0 + low / high) * r, (high - low) / high * r);
    low * (1.0 / ((1.0 + a * a).sqrt() + (1.0 + b * b).sqrt())) * r * 2.0
}

/// The decomposition of `[[f, g], [0, h]]`: smaller and larger value with signs, sine and cosine on the right, on the left.
fn two_by_two(f: f64, g: f64, h: f64, eps: f64) -> [f64; 6] {
    let swapped = h.abs() > f.abs();
    let (ft, ht) = if swapped { (h, f) } else { (f, h) };
    let (fa, ha, ga) = (ft.abs(), ht.abs(), g.abs());
    let mut largest = if swapped { 3 } else { 1 };
    let (mut small, mut large, mut left, mut right) = (ha, fa, (1.0, 0.0), (1.0, 0.0));
    if ga != 0.0 {
        if ga > fa {
            largest = 2;
        }
        if ga > fa && fa / ga < eps {
            large = ga;
            small = if ha > 1.0 { fa / (ga / ha) } else { fa / ga * ha };
            (left, right) = ((1.0, ht / g), (ft / g, 1.0));
        } else {
            let d = fa - ha;
            let l = if d == fa { 1.0 } else { d / fa };
            let m = g / ft;
            let t = 2.0 - l;
            let s = (t * t + m * m).sqrt();
            let r = if l == 0.0 { m.abs() } else { (l * l + m * m).sqrt() };
            let a = 0.5 * (s + r);
            (small, large) = (ha / a, fa * a);
            let t = if m * m == 0.0 {
                if l == 0.0 { 2f64.copysign(ft) * 1f64.copysign(g) } else { g / d.copysign(ft) + m / t }
            } else {
                (m / (s + t) + m / (r + l)) * (1.0 + a)
            };
            let l = (t * t + 4.0).sqrt();
            right = (2.0 / l, t / l);
            left = ((right.0 + right.1 * m) / a, ht / ft * right.1 / a);
        }
    }
    let ((cl, sl), (cr, sr)) = if swapped { ((right.1, right.0), (left.1, left.0)) } else { (left, right) };
    let one = |x: f64| 1f64.copysign(x);
    let sign = match largest {
        1 => one(cr) * one(cl) * one(f),
        2 => one(sr) * one(cl) * one(g),
        _ => one(sr) * one(sl) * one(h),
    };
    [small.copysign(sign * one(f) * one(h)), large.copysign(sign), sr, cr, sl, cl]
}

/// Where a step goes, and what it finds on the way.
enum Look {
    /// An entry beside the diagonal turned out to be nothing.
    Deflated,
    /// The smallest singular value is about this at least.
    Least(f64),
}

/// Entries beside the diagonal that are nothing, looked for in the direction of the chase.
fn look<T: Real>(d: &[T], e: &mut [T], ll: usize, m: usize, down: bool, tol: f64) -> Look {
    let (last, corner) = if down { (m - 1, d[m]) } else { (ll, d[ll]) };
    if e[last].abs().wide() <= tol * corner.abs().wide() {
        e[last] = T::ZERO;
        return Look::Deflated;
    }
    let mut mu = if down { d[ll] } else { d[m] }.abs().wide();
    let mut least = mu;
    for step in 0..m - ll {
        let at = if down { ll + step } else { m - 1 - step };
        let beside = e[at].abs().wide();
        if beside <= tol * mu {
            e[at] = T::ZERO;
            return Look::Deflated;
        }
        let next = if down { d[at + 1] } else { d[at] };
        mu = next.abs().wide() * (mu / (mu + beside));
        least = least.min(mu);
    }
    Look::Least(least)
}

/// QR steps until nothing stands beside the diagonal; rows of `ut` and `vt` turn with them.
fn steps<T: Real>(d: &mut [T], e: &mut [T], ut: &mut Matrix<T>, vt: &mut Matrix<T>) -> Option<()> {
    let n = d.len();
    if n == 0 {
        return Some(());
    }
    let eps = T::EPSILON / 2.0;
    let tol = eps.powf(-0.125).clamp(10.0, 100.0) * eps;
    let mut mu = d[0].abs().wide();
    let mut least = mu;
    for i in 1..n {
        if least == 0.0 {
            break;
        }
        mu = d[i].abs().wide() * (mu / (mu + e[i - 1].abs().wide()));
        least = least.min(mu);
    }
    let thresh = (tol * least / (n as f64).sqrt()).max(6.0 * (n * n) as f64 * T::TINY);
    let (mut before, mut m, mut down) = (None, n - 1, true);
    let mut work = 6 * n * n + 100;
    while m > 0 {
        // The block that ends at m, and its largest entry.
        let mut top = d[m].abs().wide();
        let mut cut = None;
        for l in (0..m).rev() {
            if e[l].abs().wide() <= thresh {
                e[l] = T::ZERO;
                cut = Some(l);
                break;
            }
            top = top.max(d[l].abs().wide()).max(e[l].abs().wide());
        }
        let ll = cut.map_or(0, |l| l + 1);
        if ll == m {
            m -= 1;
            continue;
        }
        if ll + 1 == m {
            let [small, large, sr, cr, sl, cl] = two_by_two(d[m - 1].wide(), e[m - 1].wide(), d[m].wide(), eps);
            (d[m - 1], e[m - 1], d[m]) = (T::of(large), T::ZERO, T::of(small));
            vt.turn_rows(m - 1, T::of(cr), T::of(sr));
            ut.turn_rows(m - 1, T::of(cl), T::of(sl));
            if m < 2 {
                break;
            }
            m -= 2;
            continue;
        }
        if before.is_none_or(|(old_ll, old_m)| ll > old_m || m < old_ll) {
            down = d[ll].abs() >= d[m].abs();
        }
        let Look::Least(least) = look(d, e, ll, m, down, tol) else { continue };
        before = Some((ll, m));
        work = work.checked_sub(m - ll)?;
        let mut shift = 0.0;
        if n as f64 * tol * (least / top) > eps.max(0.01 * tol) {
            let (start, [f, g, h]) =
                if down { (d[ll], [d[m - 1], e[m - 1], d[m]]) } else { (d[m], [d[ll], e[ll], d[ll + 1]]) };
            shift = smaller_of_two(f.wide(), g.wide(), h.wide());
            let start = start.abs().wide();
            if start > 0.0 && (shift / start) * (shift / start) < eps {
                shift = 0.0;
            }
        }
        let turns = chase(d, e, ll, m, down, T::of(shift));
        for (at, [c, s, oc, os]) in turns {
            vt.turn_rows(at, c, s);
            ut.turn_rows(at, oc, os);
        }
        let end = if down { m - 1 } else { ll };
        if e[end].abs().wide() <= thresh {
            e[end] = T::ZERO;
        }
    }
    for i in 0..n {
        if d[i] < T::ZERO {
            d[i] = -d[i];
            (0..n).for_each(|j| vt[(i, j)] = -vt[(i, j)]);
        }
    }
    for last in (1..n).rev() {
        let k = (1..=last).fold(0, |k, j| if d[j] <= d[k] { j } else { k });
        d.swap(k, last);
        vt.swap_rows(k, last);
        ut.swap_rows(k, last);
    }
    Some(())
}

/// A bulge chased along the block `ll..=m`, down or up: the turns of the rows of `V^T` (cosine, sine) and of `U^T`.
fn chase<T: Real>(d: &mut [T], e: &mut [T], ll: usize, m: usize, down: bool, shift: T) -> Vec<(usize, [T; 4])> {
    let mut turns = Vec::with_capacity(m - ll);
    // Step i goes from entry `at` to its neighbour `to`, over `e[between]`.
    let place = |i: usize| if down { (ll + i, ll + i + 1, ll + i) } else { (m - i, m - i - 1, m - i - 1) };
    let count = m - ll;
    if shift == T::ZERO {
        let (mut cs, mut oldcs, mut oldsn) = (T::ONE, T::ONE, T::ZERO);
        for i in 0..count {
            let (at, to, between) = place(i);
            let (c, sn, r) = rotation(d[at] * cs, e[between]);
            cs = c;
            if i > 0 {
                e[place(i - 1).2] = oldsn * r;
            }
            (oldcs, oldsn, d[at]) = rotation(oldcs * r, d[to] * sn);
            turns.push(if down { (at, [cs, sn, oldcs, oldsn]) } else { (to, [oldcs, -oldsn, cs, -sn]) });
        }
        let end = if down { m } else { ll };
        let h = d[end] * cs;
        d[end] = h * oldcs;
        e[place(count - 1).2] = h * oldsn;
        return turns;
    }
    let start = d[place(0).0];
    let mut f = (start.abs() - shift) * (T::ONE.copysign(start) + shift / start);
    let mut g = e[place(0).2];
    for i in 0..count {
        let (at, to, between) = place(i);
        let (cr, sr, r) = rotation(f, g);
        if i > 0 {
            e[place(i - 1).2] = r;
        }
        f = cr * d[at] + sr * e[between];
        e[between] = cr * e[between] - sr * d[at];
        g = sr * d[to];
        d[to] = cr * d[to];
        let (cl, sl, r) = rotation(f, g);
        d[at] = r;
        f = cl * e[between] + sl * d[to];
        d[to] = cl * d[to] - sl * e[between];
        if i + 1 < count {
            let next = place(i + 1).2;
            g = sl * e[next];
            e[next] = cl * e[next];
        }
        turns.push(if down { (at, [cr, sr, cl, sl]) } else { (to, [cl, -sl, cr, -sr]) });
    }
    e[place(count - 1).2] = f;
    turns
}
