//! The crate `gemm` and nothing around it, for the browser: what a matrix product costs at the least.

use std::cell::RefCell;

thread_local! {
    /// Two factors and room for their product.
    static MATRICES: RefCell<[Vec<f32>; 3]> = const { RefCell::new([vec![], vec![], vec![]]) };
}

/// Makes the factors, `n` by `n`.
#[unsafe(no_mangle)]
pub extern "C" fn prepare(n: usize) {
    let some = |step: usize| (0..n * n).map(|i| (i * step % 1000) as f32 / 1000.0 - 0.5).collect();
    MATRICES.set([some(7), some(13), vec![0.0; n * n]]);
}

/// Multiplies them, after `prepare(n)`.
#[unsafe(no_mangle)]
pub extern "C" fn multiply(n: usize) {
    MATRICES.with_borrow_mut(|[a, b, out]| {
        assert!([a.len(), b.len(), out.len()] == [n * n; 3], "prepare comes first");
        let (row, column) = (n as isize, 1);
        // SAFETY: all three hold n * n elements, row by row, and are apart.
        unsafe {
            gemm::gemm(
                n,
                n,
                n,
                out.as_mut_ptr(),
                column,
                row,
                false,
                a.as_ptr(),
                column,
                row,
                b.as_ptr(),
                column,
                row,
                0.0,
                1.0,
                false,
                false,
                false,
                gemm::Parallelism::None,
            );
        }
    });
}
