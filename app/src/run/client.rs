//! The worker: carries out what the machine decides and hands events to the cells.

use super::machine::{CellEvent, Effect, Info, Job, Machine, Status};
use super::{CellKey, CellRun};
use crate::browser;
use crate::gpu;
use leptos::prelude::*;
use rushlight_protocol::{FromWorker, Gpu, Name, ToWorker};
use std::collections::HashMap;
use std::time::Duration;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker};

/// How long Stop waits for an answer.
const STOP_PATIENCE: Duration = Duration::from_millis(500);
/// Events reach the cells in batches, so that a program that prints without end does not drown the page.
const BATCH: Duration = Duration::from_millis(30);
/// A worker that says nothing for so long while it is being fetched or started is given up.
const SILENCE: Duration = Duration::from_secs(60);

/// A live worker with the functions it calls.
struct Live {
    worker: Worker,
    _message: Closure<dyn Fn(MessageEvent)>,
    _error: Closure<dyn Fn(ErrorEvent)>,
}

impl Drop for Live {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// The page's end of the conversation with the worker.
#[derive(Clone, Copy)]
pub struct Client {
    machine: StoredValue<Machine, LocalStorage>,
    live: StoredValue<Option<Live>, LocalStorage>,
    cells: StoredValue<HashMap<CellKey, ArcRwSignal<CellRun>>, LocalStorage>,
    pending: StoredValue<Vec<(CellKey, CellEvent)>, LocalStorage>,
    silence: StoredValue<Option<TimeoutHandle>, LocalStorage>,
    /// Where the runtime stands.
    pub status: RwSignal<Status>,
    /// What it said about itself.
    pub info: RwSignal<Option<Info>>,
    /// The cell that runs, whether Stop was pressed, and since when.
    pub running: RwSignal<Option<(CellKey, bool, f64)>>,
    /// The names of each session, and of each exercise that ran.
    pub names: RwSignal<HashMap<CellKey, Vec<Name>>>,
    pub gpu: gpu::Gpu,
}

impl Client {
    pub fn new() -> Self {
        Self {
            machine: StoredValue::new_local(Machine::default()),
            live: StoredValue::new_local(None),
            cells: StoredValue::new_local(HashMap::new()),
            pending: StoredValue::new_local(Vec::new()),
            silence: StoredValue::new_local(None),
            status: RwSignal::new(Status::Absent),
            info: RwSignal::new(None),
            running: RwSignal::new(None),
            names: RwSignal::new(HashMap::new()),
            gpu: gpu::Gpu::new(),
        }
    }

    /// A cell's last run; it outlives the lesson's view.
    pub fn cell(self, key: &CellKey) -> ArcRwSignal<CellRun> {
        let mut signal = None;
        self.cells.update_value(|cells| signal = Some(cells.entry(key.clone()).or_default().clone()));
        signal.unwrap_or_default()
    }

    /// Starts the runtime, once.
    pub fn start(self) {
        self.act(Machine::start);
    }

    /// Starts it again after it failed.
    pub fn retry(self) {
        self.act(Machine::retry);
    }

    pub fn run(self, job: Job) {
        self.act(|machine| machine.run(job));
    }

    /// Whether the runs to come may have the GPU.
    pub fn allow_gpu(self, allowed: bool) {
        self.machine.update_value(|machine| machine.allow_gpu(allowed));
    }

    pub fn stop(self, key: &CellKey) {
        self.act(|machine| machine.stop(key));
    }

    pub fn forget(self, session: &str) {
        self.act(|machine| machine.forget(session));
    }

    /// Gives up every run's output; used when the learner erases everything.
    pub fn clear(self) {
        self.cells.with_value(|cells| {
            for run in cells.values().filter(|run| !run.with_untracked(|run| run.phase.busy())) {
                run.set(CellRun::default());
            }
        });
    }

    fn act(self, action: impl FnOnce(&mut Machine) -> Vec<Effect>) {
        let mut effects = Vec::new();
        self.machine.update_value(|machine| effects = action(machine));
        for effect in effects {
            self.carry_out(effect);
        }
        self.show();
    }

    fn carry_out(self, effect: Effect) {
        match effect {
            Effect::Spawn => self.spawn(),
            Effect::Terminate => self.live.set_value(None),
            Effect::Send(message) => self.send(&message),
            Effect::Deadline { run } => {
                set_timeout(move || self.act(|machine| machine.unanswered(run)), STOP_PATIENCE);
            }
            Effect::Cell(key, event) => {
                if let CellEvent::Finished { gpu: Some(Gpu::Used(used)), .. } = &event {
                    self.gpu.last.set(Some(used.clone()));
                }
                self.queue(key, event);
            }
            Effect::Names { key, names } => {
                self.names.update(|all| {
                    all.insert(key, names);
                });
            }
            Effect::NamesGone => {
                // Its memory went with the worker.
                if self.gpu.last.with_untracked(Option::is_some) {
                    self.gpu.last.set(None);
                }
                if !self.names.with_untracked(HashMap::is_empty) {
                    self.names.update(HashMap::clear);
                }
            }
        }
    }

    /// Makes what the machine knows visible.
    fn show(self) {
        let (status, info, running) = self.machine.with_value(|machine| {
            let running = machine.running().map(|(key, stopping)| (key.clone(), stopping));
            (machine.status().clone(), machine.info().cloned(), running)
        });
        if self.status.with_untracked(|shown| *shown != status) {
            if status == Status::Ready {
                browser::mark("rushlight:ready");
            }
            self.status.set(status);
        }
        if self.info.with_untracked(|shown| *shown != info) {
            if info.as_ref().is_some_and(|info| !info.jspi) {
                self.gpu.rule_out(self);
            }
            self.info.set(info);
        }
        let since = self.running.with_untracked(|shown| match (shown, &running) {
            (Some((shown, _, since)), Some((key, _))) if shown == key => Some(*since),
            _ => None,
        });
        let running = running.map(|(key, stopping)| (key, stopping, since.unwrap_or_else(browser::now)));
        if self.running.with_untracked(|shown| *shown != running) {
            self.running.set(running);
        }
    }

    /// What a run gives comes in batches; where a run stands is shown at once.
    fn queue(self, key: CellKey, event: CellEvent) {
        let waits = event.is_content();
        let mut first = false;
        self.pending.update_value(|pending| {
            first = pending.is_empty();
            pending.push((key, event));
        });
        if !waits {
            self.deliver();
        } else if first {
            set_timeout(move || self.deliver(), BATCH);
        }
    }

    fn deliver(self) {
        let mut pending = Vec::new();
        self.pending.update_value(|all| pending = std::mem::take(all));
        let now = browser::now();
        let mut touched: Vec<(CellKey, Vec<CellEvent>)> = Vec::new();
        for (key, event) in pending {
            match touched.iter_mut().find(|(other, _)| *other == key) {
                Some((_, events)) => events.push(event),
                None => touched.push((key, vec![event])),
            }
        }
        for (key, events) in touched {
            self.cell(&key).update(|run| {
                for event in events {
                    run.apply(event, now);
                }
            });
        }
    }

    fn spawn(self) {
        self.live.set_value(None);
        let worker = match browser::worker() {
            Ok(worker) => worker,
            Err(error) => {
                let message = describe(&error);
                set_timeout(move || self.act(|machine| machine.crashed(message)), Duration::ZERO);
                return;
            }
        };
        let message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| self.hear(&event.data()));
        let error = Closure::<dyn Fn(ErrorEvent)>::new(move |event: ErrorEvent| {
            event.prevent_default();
            let message = event.message();
            self.act(|machine| machine.crashed(message));
        });
        worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(error.as_ref().unchecked_ref()));
        self.live.set_value(Some(Live { worker, _message: message, _error: error }));
        self.expect_word();
    }

    /// Notices a worker that never says anything more while it should be arriving.
    fn expect_word(self) {
        if let Some(timer) = self.silence.get_value() {
            timer.clear();
        }
        let give_up = move || {
            if self.machine.with_value(Machine::arriving) {
                self.act(|machine| machine.crashed("no answer for 60 seconds".to_owned()));
            }
        };
        self.silence.set_value(set_timeout_with_handle(give_up, SILENCE).ok());
    }

    fn hear(self, data: &JsValue) {
        let text = data.as_string().unwrap_or_default();
        match FromWorker::read(&text) {
            Some(message) => {
                if matches!(message, FromWorker::Loading { .. } | FromWorker::Starting) {
                    self.expect_word();
                }
                self.act(|machine| machine.message(sized(message)));
            }
            None => leptos::logging::warn!("The worker said something unknown: {text}"),
        }
    }

    fn send(self, message: &ToWorker) {
        let Ok(text) = serde_json::to_string(message) else { return };
        let sent = self.live.with_value(|live| {
            live.as_ref().is_some_and(|live| live.worker.post_message(&JsValue::from_str(&text)).is_ok())
        });
        if !sent {
            let lost = "the message could not be sent".to_owned();
            set_timeout(move || self.act(|machine| machine.crashed(lost)), Duration::ZERO);
        }
    }
}

/// A compressed download does not tell its full size; the page's list of files does.
fn sized(message: FromWorker) -> FromWorker {
    match message {
        FromWorker::Loading { received, total: 0 } => {
            FromWorker::Loading { received, total: browser::asset_bytes("runtime_bg.wasm") }
        }
        other => other,
    }
}

fn describe(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map_or_else(|| "unknown".to_owned(), |error| String::from(error.message()))
}
