//! Mean and variance of a line of float32, carried in float64.

use crate::wide;

/// Sums of a line in eight lanes.
#[inline(always)]
fn lane_sums<const N: usize>(line: &[f32], f: impl Fn(f64) -> [f64; N]) -> [f64; N] {
    let mut lanes = [[0f64; 8]; N];
    let (chunks, tail) = line.as_chunks::<8>();
    for chunk in chunks {
        for (k, &v) in chunk.iter().enumerate() {
            let each = f(v as f64);
            (0..N).for_each(|n| lanes[n][k] += each[n]);
        }
    }
    for (k, &v) in tail.iter().enumerate() {
        let each = f(v as f64);
        (0..N).for_each(|n| lanes[n][k] += each[n]);
    }
    lanes.map(|sums| sums.iter().sum())
}

/// The sum of the elements.
#[inline(never)]
pub fn total(line: &[f32]) -> f64 {
    let mut sum = 0.0;
    wide(|| [sum] = lane_sums(line, |v| [v]));
    sum
}

/// The sums of the squares of `x - mean`, and of these differences themselves.
#[inline(never)]
pub fn deviations(line: &[f32], mean: f64) -> (f64, f64) {
    let (mut squares, mut sums) = (0.0, 0.0);
    wide(|| [squares, sums] = lane_sums(line, |v| [(v - mean) * (v - mean), v - mean]));
    (squares, sums)
}
