//! Matrix products through the product that a host lends: batches, offsets, transposed and broadcast operands give what the
//! engine's own gives.

use rushlight_engine::backend::cpu::lend_product;
use rushlight_engine::ops::*;
use rushlight_engine::{Result, Tensor};

fn products() -> Result<Vec<Vec<f32>>> {
    // Whole numbers, whose sums are exact in every order.
    let values: Vec<f32> =
        (0..40_000usize).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u32 as f32 % 7.0 - 3.0).collect();
    let line = Tensor::from_slice(&values, &[values.len()])?;
    let part = |from: i64, shape: &[i64]| reshape(&narrow(&line, 0, from, shape.iter().product())?, shape);
    let (a, b) = (part(5, &[37, 61])?, part(11, &[61, 29])?);
    let (batch, other) = (part(2, &[4, 23, 31])?, part(1, &[4, 31, 23])?);
    let one = part(9, &[31, 19])?;
    let all = [
        matmul(&a, &b)?,
        matmul(&transpose(&b, 0, 1)?, &transpose(&a, 0, 1)?)?,
        matmul(&narrow(&a, 1, 3, 50)?, &narrow(&b, 0, 7, 50)?)?,
        matmul(&batch, &other)?,
        matmul(&transpose(&batch, 1, 2)?, &transpose(&other, 1, 2)?)?,
        matmul(&batch, &one)?,
        matmul(&part(0, &[2, 3])?, &part(0, &[3, 2])?)?,
        matmul(&part(0, &[1, 9000])?, &part(0, &[9000, 3])?)?,
        matmul(&part(0, &[17, 0])?, &part(0, &[0, 17])?)?,
    ];
    all.iter().map(|t| t.to_vec::<f32>()).collect()
}

#[test]
fn a_lent_product_gives_what_the_own_gives() {
    let own = products().unwrap();
    thread_local!(static CALLS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) });
    lend_product(Some(|sizes, a, b, out, pack| {
        CALLS.set(CALLS.get() + 1);
        rushlight_fused::product(sizes, a, b, out, pack);
    }));
    assert_eq!(products().unwrap(), own);
    // Three matrices, two batches of four, one batch that is folded into a matrix; small ones, vectors and empty ones stay.
    assert_eq!(CALLS.get(), 12);
}
