//! Products of every size around the blocks' edges, of matrices that lie row by row, column by column, or further apart:
//! whole numbers, whose sums are exact whatever their order.

use rushlight_fused::{Call, Matrix, product, scratch};

/// Whole numbers from -4 to 4.
fn number(i: usize) -> f32 {
    (i.wrapping_mul(2_654_435_761) >> 9) as u32 as f32 % 9.0 - 4.0
}

/// The steps between rows and between columns of `[r, c]`, and how many elements that takes.
fn ways(r: usize, c: usize) -> [(usize, usize, usize); 4] {
    [(c, 1, r * c), (1, r, r * c), (c + 3, 1, r * (c + 3)), (2, 2 * r + 1, c * (2 * r + 1))]
}

#[test]
fn products_are_those_of_plain_loops() {
    let sizes = [1, 2, 3, 4, 11, 12, 13, 25, 97];
    for (at, &m) in sizes.iter().enumerate() {
        for &n in &sizes {
            for k in [1, 2, 5, 8, [255, 256, 257, 300, 513][at % 5]] {
                for (way, (row, column, len)) in ways(m, k).into_iter().enumerate() {
                    let a: Vec<f32> = (0..len).map(number).collect();
                    let (b_row, b_column, b_len) = ways(k, n)[(way + at) % 4];
                    let b: Vec<f32> = (0..b_len).map(|i| number(i + 5)).collect();
                    let want: Vec<f32> = (0..m * n)
                        .map(|i| (0..k).map(|j| a[i / n * row + j * column] * b[j * b_row + i % n * b_column]).sum())
                        .collect();
                    let (mut out, mut pack) = (vec![f32::NAN; m * n], vec![f32::NAN; scratch(n)]);
                    let (a, b) =
                        (Matrix { elements: &a, row, column }, Matrix { elements: &b, row: b_row, column: b_column });
                    product([m, k, n], a, b, &mut out, &mut pack);
                    let mut called = vec![f32::NAN; m * n];
                    let call = Call::new([m, k, n], a, b, &mut called, &mut pack);
                    // SAFETY: all four are borrowed until here.
                    unsafe { call.run() };
                    assert_eq!(called, out);
                    assert_eq!(out, want, "[{m}, {k}] @ [{k}, {n}], {row} {column}, {b_row} {b_column}");
                }
            }
        }
    }
}

#[test]
fn infinities_and_nan_stay_in_their_rows_and_columns() {
    let (m, k, n) = (4, 3, 5);
    let mut a = vec![1.0; m * k];
    a[k + 1] = f32::INFINITY;
    let b = vec![0.5; k * n];
    let (mut out, mut pack) = (vec![0.0; m * n], vec![0.0; scratch(n)]);
    let (of_a, of_b) = (Matrix { elements: &a, row: k, column: 1 }, Matrix { elements: &b, row: n, column: 1 });
    product([m, k, n], of_a, of_b, &mut out, &mut pack);
    for (i, got) in out.iter().enumerate() {
        assert_eq!(*got, if i / n == 1 { f32::INFINITY } else { 1.5 });
    }
}

#[test]
fn too_little_room_changes_nothing() {
    let ones = [1.0; 4];
    let matrix = Matrix { elements: &ones, row: 2, column: 1 };
    let mut out = [7.0; 4];
    product([2, 2, 2], matrix, matrix, &mut out, &mut vec![0.0; scratch(2) - 1]);
    product([2, 2, 2], matrix, matrix, &mut out[..3], &mut vec![0.0; scratch(2)]);
    assert_eq!(out, [7.0; 4]);
}
