//! The switches of autograd: `no_grad`, `inference_mode`, anomaly detection.

use std::cell::Cell;

thread_local! {
    static ENABLED: Cell<bool> = const { Cell::new(true) };
    static INFERENCE: Cell<bool> = const { Cell::new(false) };
    static FORWARD: Cell<bool> = const { Cell::new(false) };
    static ANOMALY: Cell<(bool, bool)> = const { Cell::new((false, true)) };
}

/// Are ops recorded (`torch.is_grad_enabled()`)?
pub fn is_enabled() -> bool {
    ENABLED.get() && !INFERENCE.get()
}
pub fn set_enabled(on: bool) {
    ENABLED.set(on);
}
pub fn is_inference() -> bool {
    INFERENCE.get()
}
pub fn set_inference(on: bool) {
    INFERENCE.set(on);
}
/// Inside a level of forward-mode differentiation ops are recorded in any mode: directional derivatives come from the
/// graph, and they do not ask for `requires_grad`.
pub fn set_forward(on: bool) {
    FORWARD.set(on);
}
pub(crate) fn records() -> bool {
    FORWARD.get() || is_enabled()
}
/// `(detect_anomaly is on, NaN is checked for)`
pub fn anomaly() -> (bool, bool) {
    ANOMALY.get()
}
pub fn set_anomaly(on: bool, check_nan: bool) {
    ANOMALY.set((on, check_nan));
}

/// Run `f` with recording on or off, and put the mode back, whatever happens.
pub fn with_mode<R>(on: bool, f: impl FnOnce() -> R) -> R {
    struct Restore(bool, bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            ENABLED.set(self.0);
            FORWARD.set(self.1);
        }
    }
    let _restore = Restore(ENABLED.replace(on), FORWARD.replace(on && FORWARD.get()));
    f()
}

pub fn no_grad<R>(f: impl FnOnce() -> R) -> R {
    with_mode(false, f)
}
