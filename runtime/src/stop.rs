//! Stop: how a running program is asked to end with `KeyboardInterrupt`, and where it looks.
//!
//! Natively the interpreter looks between instructions (its own eval breaker). In the browser, where that is compiled
//! out, a monitoring callback on every backward jump and call looks instead: see `worker.rs`.

use rustpython_vm::{PyResult, VirtualMachine};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static FLAG: Arc<AtomicBool> = Arc::default();
}

/// Asks the program running on the thread it was made on to stop. May be sent to another thread.
#[derive(Clone)]
pub struct StopHandle {
    flag: Arc<AtomicBool>,
    signals: Option<std::sync::Arc<std::sync::Mutex<rustpython_vm::signal::UserSignalSender>>>,
}

impl StopHandle {
    pub(crate) fn new(signals: Option<rustpython_vm::signal::UserSignalSender>) -> Self {
        let signals = signals.map(|signals| Arc::new(std::sync::Mutex::new(signals)));
        Self { flag: FLAG.with(Clone::clone), signals }
    }

    /// Ends the running program with `KeyboardInterrupt` at its next line or tensor op.
    pub fn stop(&self) {
        self.flag.store(true, Ordering::Relaxed);
        if let Some(signals) = &self.signals
            && let Ok(signals) = signals.lock()
        {
            // A runtime that is gone has nothing left to stop.
            let _ = signals.send(Box::new(check_interrupt));
        }
    }
}

/// Whether the running program was asked to stop.
pub fn stop_requested() -> bool {
    FLAG.with(|flag| flag.load(Ordering::Relaxed))
}

/// Forgets a request, as a new run starts or the old one has ended.
pub(crate) fn clear() {
    FLAG.with(|flag| flag.store(false, Ordering::Relaxed));
}

/// Raises `KeyboardInterrupt` when the program was asked to stop; native code that may run long calls this between
/// its steps. In the browser it also lets the worker's messages through now and then.
pub fn check_interrupt(vm: &VirtualMachine) -> PyResult<()> {
    #[cfg(target_arch = "wasm32")]
    crate::worker::breathe();
    if !stop_requested() {
        return Ok(());
    }
    clear();
    Err(vm.new_exception_empty(vm.ctx.exceptions.keyboard_interrupt.to_owned()))
}

/// Waits for some seconds (a short time) without burning the processor where that can be avoided.
pub(crate) fn pause(seconds: f64) {
    #[cfg(not(target_arch = "wasm32"))]
    std::thread::sleep(std::time::Duration::from_secs_f64(seconds.clamp(0.0, 3600.0)));
    #[cfg(target_arch = "wasm32")]
    crate::worker::pause(seconds);
}
