//! The loops in which training spends its time, over slices of floats. They are a package of their own so that they alone
//! are compiled for speed in every profile, and everything around them for size. No function is generic or inlined from
//! outside: each is compiled here, as SIMD code.

pub mod extreme;
pub mod math;
pub mod moments;
pub mod optim;
pub mod pointwise;
pub mod recurrent;
pub mod softmax;
pub mod sum;

/// Runs a loop with the vector width that this machine has.
///
/// On x86-64 the loop is compiled twice; elsewhere the target says what there is. What `run` calls must be inlined into
/// it to be compiled twice too.
#[inline(always)]
fn wide(run: impl FnOnce()) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn with_avx2(run: impl FnOnce()) {
            run();
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2, as was just asked; the function needs nothing else.
            unsafe { with_avx2(run) };
            return;
        }
    }
    run();
}
