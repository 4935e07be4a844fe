//! Time: a `sleep` that lets Stop through, and the clock.

use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

/// Longest nap between two looks at the stop flag.
const NAP_SECONDS: f64 = 0.02;

/// `time.sleep`.
pub(crate) fn sleep(seconds: &PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
    let wanted = seconds.try_float(vm)?.to_f64();
    if wanted.is_nan() {
        return Err(vm.new_value_error("Invalid value NaN (not a number)".to_owned()));
    }
    if wanted < 0.0 {
        return Err(vm.new_value_error("sleep length must be non-negative".to_owned()));
    }
    let end = now() + wanted;
    loop {
        let left = end - now();
        crate::stop::pause(left.clamp(0.0, NAP_SECONDS));
        crate::stop::check_interrupt(vm)?;
        if now() >= end {
            return Ok(());
        }
    }
}

/// Seconds since some fixed moment.
pub(crate) fn now() -> f64 {
    #[cfg(target_arch = "wasm32")]
    {
        crate::worker::now_ms() / 1000.0
    }
    #[cfg(not(target_arch = "wasm32"))]
    {
        thread_local! {
            static START: std::time::Instant = std::time::Instant::now();
        }
        START.with(|start| start.elapsed().as_secs_f64())
    }
}
