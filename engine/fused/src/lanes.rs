//! Four floats at once: WebAssembly's vectors where products may be fused, arrays elsewhere.

pub use imp::F4;

#[cfg(all(target_family = "wasm", target_feature = "relaxed-simd"))]
mod imp {
    use core::arch::wasm32::*;

    #[derive(Clone, Copy)]
    pub struct F4(v128);

    impl F4 {
        #[inline(always)]
        pub fn zero() -> Self {
            Self::splat(0.0)
        }

        #[inline(always)]
        pub fn splat(x: f32) -> Self {
            F4(f32x4_splat(x))
        }

        #[inline(always)]
        pub fn load(from: &[f32; 4]) -> Self {
            // SAFETY: the reference covers the sixteen bytes; WebAssembly asks for no alignment.
            F4(unsafe { v128_load(from.as_ptr().cast()) })
        }

        #[inline(always)]
        pub fn store(self, to: &mut [f32; 4]) {
            // SAFETY: as for `load`.
            unsafe { v128_store(to.as_mut_ptr().cast(), self.0) }
        }

        /// `self * by + to`, rounded once where the processor can.
        #[inline(always)]
        pub fn times(self, by: Self, to: Self) -> Self {
            F4(f32x4_relaxed_madd(self.0, by.0, to.0))
        }

        #[inline(always)]
        pub fn plus(self, other: Self) -> Self {
            F4(f32x4_add(self.0, other.0))
        }

        #[inline(always)]
        pub fn transposed([a, b, c, d]: [Self; 4]) -> [Self; 4] {
            let (low, high) = (i32x4_shuffle::<0, 4, 1, 5>(a.0, b.0), i32x4_shuffle::<2, 6, 3, 7>(a.0, b.0));
            let (low2, high2) = (i32x4_shuffle::<0, 4, 1, 5>(c.0, d.0), i32x4_shuffle::<2, 6, 3, 7>(c.0, d.0));
            [
                F4(i64x2_shuffle::<0, 2>(low, low2)),
                F4(i64x2_shuffle::<1, 3>(low, low2)),
                F4(i64x2_shuffle::<0, 2>(high, high2)),
                F4(i64x2_shuffle::<1, 3>(high, high2)),
            ]
        }
    }
}

#[cfg(not(all(target_family = "wasm", target_feature = "relaxed-simd")))]
mod imp {
    #[derive(Clone, Copy)]
    pub struct F4([f32; 4]);

    impl F4 {
        pub fn zero() -> Self {
            Self::splat(0.0)
        }
        pub fn splat(x: f32) -> Self {
            F4([x; 4])
        }
        pub fn load(from: &[f32; 4]) -> Self {
            F4(*from)
        }
        pub fn store(self, to: &mut [f32; 4]) {
            *to = self.0;
        }
        pub fn times(self, by: Self, to: Self) -> Self {
            F4(core::array::from_fn(|q| self.0[q] * by.0[q] + to.0[q]))
        }
        pub fn plus(self, other: Self) -> Self {
            F4(core::array::from_fn(|q| self.0[q] + other.0[q]))
        }
        pub fn transposed(lines: [Self; 4]) -> [Self; 4] {
            core::array::from_fn(|q| F4(lines.map(|line| line.0[q])))
        }
    }
}
