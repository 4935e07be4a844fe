//! Sums in the order NumPy adds, whose last digits show in what a learner prints: neighbours in pairs of blocks along the
//! innermost axis, one after the other along the others.

use std::ops::Add;

/// The sum of neighbours, halved until 128 are left, those in eight columns.
fn pairwise<T: Copy + Default + Add<Output = T>>(a: &[T]) -> T {
    let n = a.len();
    if n < 8 {
        return a.iter().fold(T::default(), |sum, x| sum + *x);
    }
    if n > 128 {
        let half = n / 2 / 8 * 8;
        let (left, right) = a.split_at(half);
        return pairwise(left) + pairwise(right);
    }
    let mut r = [T::default(); 8];
    let (eights, rest) = a.as_chunks::<8>();
    for (at, chunk) in eights.iter().enumerate() {
        for (sum, x) in r.iter_mut().zip(chunk) {
            *sum = if at == 0 { *x } else { *sum + *x };
        }
    }
    let sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    rest.iter().fold(sum, |sum, x| sum + *x)
}

/// Sums `data`, in rows of `dims`, over the axes marked; the last `run` elements lie together and are summed pairwise.
pub fn sum<T: Copy + Default + Add<Output = T>>(data: &[T], dims: &[(usize, bool)], run: usize) -> Vec<T> {
    let kept: usize = dims.iter().filter(|d| !d.1).map(|d| d.0).product();
    let mut out = vec![T::default(); kept];
    if run == 0 || data.is_empty() {
        return out;
    }
    let mut at = vec![0usize; dims.len()];
    for chunk in data.chunks(run) {
        let place = dims.iter().zip(&at).filter(|(d, _)| !d.1).fold(0, |place, (d, i)| place * d.0 + i);
        if let Some(o) = out.get_mut(place) {
            *o = *o + pairwise(chunk);
        }
        for (i, d) in at.iter_mut().zip(dims).rev() {
            *i += 1;
            if *i < d.0 {
                break;
            }
            *i = 0;
        }
    }
    out
}
