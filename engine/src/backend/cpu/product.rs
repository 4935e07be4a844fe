//! A product of float32 matrices that the host lends: in browsers with relaxed SIMD a module beside this one computes it
//! with fused multiply-add, which this one may not contain (see `rushlight-fused`).

use std::cell::{Cell, RefCell};

use rushlight_fused::{Matrix, scratch};

/// Computes what [`rushlight_fused::product`] does.
pub type Product = fn(sizes: [usize; 3], a: Matrix, b: Matrix, out: &mut [f32], pack: &mut [f32]);

/// With fewer multiplications than this, to pack the operands costs more than is won.
const WORTH_IT: usize = 4096;

thread_local! {
    static LENT: Cell<Option<Product>> = const { Cell::new(None) };
    /// Memory for panels, kept from product to product.
    static PACK: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

/// Use this product from now on, on this thread; `None` for the own one.
pub fn lend_product(product: Option<Product>) {
    LENT.set(product);
}

/// Has the lent product computed; false where there is none, or it would not pay.
pub(super) fn lent([m, k, n]: [usize; 3], a: Matrix, b: Matrix, out: &mut [f32]) -> bool {
    let Some(product) = LENT.get().filter(|_| m > 1 && n > 1 && m * n * k >= WORTH_IT) else { return false };
    PACK.with_borrow_mut(|pack| {
        let wanted = scratch(n);
        if pack.len() < wanted {
            if pack.try_reserve(wanted - pack.len()).is_err() {
                return false;
            }
            pack.resize(wanted, 0.0);
        }
        product([m, k, n], a, b, out, pack);
        true
    })
}
