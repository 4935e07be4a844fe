//! The worker's entry: messages in, messages out, and letting the browser's event loop in while Python runs.
//!
//! `static/worker.js` calls [`start`] and [`warm`] once (or [`resume`] over the memory that they left in an earlier visit), [`work`] for each run (entered through JSPI, so that Python may wait), and
//! [`stop`] at any time, also while a run waits.

// wasm-bindgen marks its JSPI support as experimental by a deprecation; its version is pinned.
#![allow(deprecated)]

use crate::files::{Errno, MemoryFiles};
use crate::host::Sink;
use crate::stop::StopHandle;
use crate::torch::seed_by_chance;
use crate::{Cell as Program, Check, Runtime};
use js_sys::futures::{future_to_promise, jspi_block_on_promise};
use js_sys::{Array, Function, Promise};
use rushlight_engine::backend::cpu::fused::{Call, Matrix};
use rushlight_engine::backend::cpu::lend_product;
use rushlight_engine::backend::webgpu;
use rushlight_protocol::{CheckLine, FromWorker, Stream, ToWorker, VERSION};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Sends one message to the page.
    #[wasm_bindgen(js_name = postMessage)]
    fn post_message(text: &str);
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn console_error(text: &str);
    /// Settles when the event loop has had its turn, at the earliest after so many milliseconds.
    #[wasm_bindgen(js_name = rushlightTurn)]
    fn turn(milliseconds: f64) -> Promise;
    /// `fused_product` of the module `rushlight-fused`, which works in this module's memory.
    #[wasm_bindgen(js_name = rushlightFused)]
    fn fused_product(call: *const Call);
}

/// The product that the browser's fused multiply-add computes. What the call holds is borrowed until it is over.
fn product(sizes: [usize; 3], a: Matrix, b: Matrix, out: &mut [f32], pack: &mut [f32]) {
    fused_product(&Call::new(sizes, a, b, out, pack));
}

/// A running program lets the event loop in this often, in milliseconds.
const BREATH_MS: f64 = 50.0;
/// Output waits at most so long for more to come, in milliseconds.
const BATCH_MS: f64 = 30.0;
/// And at most so many bytes.
const BATCH_BYTES: usize = 16 << 10;
/// After Stop the GPU is waited for no longer than this: the page expects an answer soon.
const PATIENCE_MS: f64 = 150.0;
/// And while its names are gathered, after a run.
const SHOWING_MS: f64 = 400.0;
/// What one run may print; the rest is left out, so that an endless `print` cannot choke the page.
const MOST_OUTPUT: usize = 2 << 20;

thread_local! {
    static RUNTIME: OnceCell<Rc<Runtime>> = const { OnceCell::new() };
    static STOP: OnceCell<StopHandle> = const { OnceCell::new() };
    /// Whether Python may wait for a promise: the browser has JSPI, and a run is in progress.
    static MAY_WAIT: Cell<bool> = const { Cell::new(false) };
    static JSPI: Cell<bool> = const { Cell::new(false) };
    /// Number of the run in progress.
    static RUN: Cell<Option<u32>> = const { Cell::new(None) };
    static LAST_BREATH: Cell<f64> = const { Cell::new(0.0) };
    static PENDING: RefCell<Pending> = RefCell::default();
    /// Ends the wait for the GPU that is in progress.
    static GIVE_UP: RefCell<Option<Function>> = const { RefCell::new(None) };
    /// How many milliseconds this run may still wait for the GPU.
    static PATIENCE: Cell<f64> = const { Cell::new(f64::INFINITY) };
}

#[derive(Default)]
struct Pending {
    stream: Option<Stream>,
    bytes: Vec<u8>,
    last_ms: f64,
    total: usize,
}

pub(crate) fn now_ms() -> f64 {
    performance_now()
}

fn post(message: &FromWorker) {
    match serde_json::to_string(message) {
        Ok(text) => post_message(&text),
        Err(error) => console_error(&format!("a message could not be written: {error}")),
    }
}

/// Sends what was printed. Without `all`, the beginning of a character waits for its end.
fn flush(all: bool) {
    let message = PENDING.with_borrow_mut(|pending| {
        pending.last_ms = now_ms();
        let (stream, run) = (pending.stream?, RUN.get()?);
        let keep = if all { 0 } else { incomplete(&pending.bytes) };
        let tail = pending.bytes.split_off(pending.bytes.len().saturating_sub(keep));
        let bytes = std::mem::replace(&mut pending.bytes, tail);
        (!bytes.is_empty()).then(|| FromWorker::Output {
            run,
            stream,
            text: String::from_utf8_lossy(&bytes).into_owned(),
        })
    });
    if let Some(message) = message {
        post(&message);
    }
}

/// How many bytes at the end are the beginning of a character.
fn incomplete(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    match std::str::from_utf8(bytes.get(from..).unwrap_or_default()) {
        Err(error) if error.error_len().is_none() => bytes.len() - from - error.valid_up_to(),
        _ => 0,
    }
}

struct Page;

impl Sink for Page {
    fn write(&self, stream: Stream, bytes: &[u8]) -> Result<(), Errno> {
        if PENDING.with_borrow(|pending| pending.stream.is_some_and(|kept| kept != stream)) {
            flush(true);
        }
        let due = PENDING.with_borrow_mut(|pending| {
            pending.stream = Some(stream);
            let room = MOST_OUTPUT.saturating_sub(pending.total);
            let shown = bytes.get(..room.min(bytes.len())).unwrap_or_default();
            pending.bytes.extend_from_slice(shown);
            if shown.len() < bytes.len() && room > 0 {
                pending.bytes.extend_from_slice(b"\n[more was printed than is shown here]\n");
            }
            pending.total += bytes.len();
            pending.bytes.len() >= BATCH_BYTES || now_ms() - pending.last_ms >= BATCH_MS
        });
        if due {
            flush(false);
        }
        Ok(())
    }

    fn value(&self, text: &str) {
        flush(true);
        if let Some(run) = RUN.get() {
            post(&FromWorker::Value { run, text: text.to_owned() });
        }
    }

    fn figure(&self, svg: &str, alt: &str) {
        flush(true);
        if let Some(run) = RUN.get() {
            post(&FromWorker::Figure { run, svg: svg.to_owned(), alt: alt.to_owned() });
        }
    }

    fn checked(&self, line: &CheckLine) {
        flush(true);
        if let Some(run) = RUN.get() {
            post(&FromWorker::Checked { run, check: line.clone() });
        }
    }
}

/// Lets the event loop in when it is time: output is shown and a Stop message can arrive.
pub(crate) fn breathe() {
    if !MAY_WAIT.get() || now_ms() - LAST_BREATH.get() < BREATH_MS {
        return;
    }
    flush(false);
    wait(0.0);
}

/// Waits for some seconds.
pub(crate) fn pause(seconds: f64) {
    if MAY_WAIT.get() {
        flush(false);
        wait(seconds * 1000.0);
        return;
    }
    // Without JSPI a worker can only wait by being busy.
    let end = now_ms() + seconds * 1000.0;
    while now_ms() < end {}
}

fn wait(milliseconds: f64) {
    wait_for(&turn(milliseconds));
}

fn wait_for(promise: &Promise) {
    // Nothing that is entered meanwhile may wait itself: one stack is suspended at a time.
    MAY_WAIT.set(false);
    let waited = jspi_block_on_promise(promise);
    MAY_WAIT.set(true);
    LAST_BREATH.set(now_ms());
    if let Err(error) = waited {
        console_error(&format!("waiting failed: {error:?}"));
    }
}

/// Waits for what the GPU does, or until Stop is pressed. Only a run can wait, and only where there is JSPI.
fn wait_for_gpu(job: webgpu::Job) -> bool {
    let patience = PATIENCE.get();
    if !MAY_WAIT.get() || patience <= 0.0 {
        return false;
    }
    flush(false);
    let work = future_to_promise(async move {
        job.await;
        Ok(JsValue::UNDEFINED)
    });
    let end =
        if patience.is_finite() { turn(patience) } else { Promise::new(&mut |resolve, _| GIVE_UP.set(Some(resolve))) };
    let begin = now_ms();
    wait_for(&Promise::race(&Array::of2(&work, &end)));
    GIVE_UP.set(None);
    if patience.is_finite() {
        PATIENCE.set(patience - (now_ms() - begin));
    }
    true
}

/// The program is over: what is still shown of its values must not keep the page waiting.
pub(crate) fn hurry() {
    PATIENCE.set(PATIENCE.get().min(SHOWING_MS));
}

/// Starts the interpreter and says that it is ready. With `fused` there is a module for products beside this one.
#[wasm_bindgen]
pub fn start(jspi: bool, fused: bool) -> Result<(), JsError> {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.to_string();
        console_error(&message);
        post(&FromWorker::Crashed { message });
    }));
    let begin = now_ms();
    prepare(jspi, fused);
    let runtime = Runtime::new(Rc::new(MemoryFiles::new()), Rc::new(Page)).map_err(|error| JsError::new(&error))?;
    runtime.watch().map_err(|error| JsError::new(&error))?;
    STOP.with(|stop| drop(stop.set(runtime.stop_handle())));
    RUNTIME.with(|kept| drop(kept.set(Rc::new(runtime))));
    ready(jspi, begin);
    Ok(())
}

fn prepare(jspi: bool, fused: bool) {
    JSPI.set(jspi);
    if jspi {
        webgpu::set_waiter(wait_for_gpu);
    }
    lend_product(fused.then_some(product));
    seed_by_chance();
}

fn ready(jspi: bool, begin: f64) {
    post(&FromWorker::Ready {
        version: VERSION,
        python: Runtime::python_version(),
        torch: "2.15.0".to_owned(),
        jspi,
        start_ms: now_ms() - begin,
    });
}

/// In place of [`start`] and [`warm`], where the memory is as these two left it in an earlier worker. What hangs on the
/// present is set anew.
#[wasm_bindgen]
pub fn resume(jspi: bool, fused: bool) -> Result<(), JsError> {
    let begin = now_ms();
    let runtime = RUNTIME.with(|kept| kept.get().cloned()).ok_or_else(|| JsError::new("the kept memory is empty"))?;
    prepare(jspi, fused);
    runtime.set_clocks().map_err(|error| JsError::new(&error))?;
    ready(jspi, begin);
    Ok(())
}

/// Loads what nearly every cell needs, before the first one comes.
#[wasm_bindgen]
pub fn warm() {
    if let Some(runtime) = RUNTIME.with(|kept| kept.get().cloned()) {
        runtime.warm();
    }
}

/// Carries one message out. Only one at a time may be in progress.
#[wasm_bindgen(jspi)]
pub fn work(message: String) -> Result<(), JsError> {
    let runtime = RUNTIME.with(|kept| kept.get().cloned()).ok_or_else(|| JsError::new("the runtime is not started"))?;
    let message: ToWorker = serde_json::from_str(&message)?;
    match &message {
        ToWorker::Run { run, session, file, before, source, gpu } => {
            webgpu::allow(*gpu);
            let report = during(*run, || runtime.run(Program { session, file, before, source }));
            finished(*run, report);
        }
        ToWorker::Check { run, session, file, before, source, check, gpu } => {
            webgpu::allow(*gpu);
            let cell = Program { session, file, before, source };
            let report = during(*run, || runtime.check(Check { cell, check }));
            finished(*run, report.run);
        }
        ToWorker::Stop { run } => stop(*run),
        ToWorker::Forget { session } => runtime.forget(session),
    }
    Ok(())
}

fn during<T>(run: u32, act: impl FnOnce() -> T) -> T {
    RUN.set(Some(run));
    MAY_WAIT.set(JSPI.get());
    PATIENCE.set(f64::INFINITY);
    LAST_BREATH.set(now_ms());
    PENDING.with_borrow_mut(|pending| *pending = Pending::default());
    let result = act();
    MAY_WAIT.set(false);
    flush(true);
    result
}

fn finished(run: u32, report: crate::Report) {
    RUN.set(None);
    let crate::Report { outcome, seconds, names, gpu } = report;
    post(&FromWorker::Finished { run, outcome, seconds, names, gpu });
}

/// Asks the run in progress to stop.
#[wasm_bindgen]
pub fn stop(run: u32) {
    if RUN.get() == Some(run) {
        STOP.with(|stop| stop.get().map(StopHandle::stop));
        PATIENCE.set(PATIENCE_MS);
        if let Some(give_up) = GIVE_UP.take() {
            let _ = give_up.call0(&JsValue::UNDEFINED);
        }
    }
}
