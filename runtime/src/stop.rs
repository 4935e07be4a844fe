//! Stop: how a running program is asked to end with `KeyboardInterrupt`, and where it looks.
//!
//! Natively the interpreter looks between instructions (its own eval breaker). In the browser, where that is compiled
//! out, the learner's code looks itself: see `watch.rs`.

use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::{PyResult, VirtualMachine};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static FLAG: Arc<AtomicBool> = Arc::default();
    static COUNTDOWN: Cell<u32> = const { Cell::new(TICKS) };
}

/// Asks the program running on the thread it was made on to stop. May be sent to another thread.
#[derive(Clone)]
pub struct StopHandle {
    flag: Arc<AtomicBool>,
    signals: Option<Arc<Mutex<rustpython_vm::signal::UserSignalSender>>>,
}

impl StopHandle {
    pub(crate) fn new(signals: Option<rustpython_vm::signal::UserSignalSender>) -> Self {
        let signals = signals.map(|signals| Arc::new(Mutex::new(signals)));
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
    Err(interrupt(vm))
}

/// What the program that was asked to stop gets.
pub(crate) fn interrupt(vm: &VirtualMachine) -> PyBaseExceptionRef {
    clear();
    vm.new_exception_empty(vm.ctx.exceptions.keyboard_interrupt.to_owned())
}

/// The clock is read, and the flag looked at, every so many ticks.
const TICKS: u32 = 16;

/// A look for Stop from a loop of the learner's: as cheap as can be.
pub(crate) fn tick(vm: &VirtualMachine) -> PyResult<()> {
    let left = COUNTDOWN.get();
    if left > 1 {
        COUNTDOWN.set(left - 1);
        return Ok(());
    }
    COUNTDOWN.set(TICKS);
    check_interrupt(vm)
}

/// Waits for some seconds (a short time) without burning the processor where that can be avoided.
pub(crate) fn pause(seconds: f64) {
    #[cfg(not(target_arch = "wasm32"))]
    std::thread::sleep(std::time::Duration::from_secs_f64(seconds.clamp(0.0, 3600.0)));
    #[cfg(target_arch = "wasm32")]
    crate::worker::pause(seconds);
}
