//! The state machine between the page and its worker: what may be sent when, what a Stop does, what survives a crash.
//! It holds no browser objects: it takes what happened and returns what to do.

use super::CellKey;
use rushlight_protocol::{CheckLine, FromWorker, Gpu, Name, Outcome, Source, Stream, ToWorker, VERSION};
use std::collections::VecDeque;

/// Crashes in a row after which the page no longer restarts by itself.
const PATIENCE: u32 = 3;

/// Where the runtime stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Not asked for yet.
    Absent,
    Loading {
        received: u64,
        total: u64,
    },
    Starting,
    Ready,
    Failed(Failure),
}

/// Why there is no runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Its file did not arrive whole or did not start.
    Download(String),
    /// It ended unexpectedly again and again.
    Crash(String),
    /// It speaks another version of the protocol.
    Version,
}

/// What the runtime said about itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Info {
    pub python: String,
    pub torch: String,
    pub jspi: bool,
    pub start_ms: f64,
}

/// A cell's text on its way to be run.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    pub key: CellKey,
    /// File name for tracebacks.
    pub file: String,
    pub before: Vec<Source>,
    pub source: String,
    pub check: Option<Source>,
}

/// What to do about what happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// End the worker if there is one and start another.
    Spawn,
    /// End the worker.
    Terminate,
    Send(ToWorker),
    /// Call [`Machine::unanswered`] in half a second.
    Deadline {
        run: u32,
    },
    Cell(CellKey, CellEvent),
    /// `key` has an empty cell for the session's own names, and a cell for an exercise's, which are apart.
    Names {
        key: CellKey,
        names: Vec<Name>,
    },
    /// The names of every session are gone.
    NamesGone,
}

/// What happened to a cell's run.
#[derive(Debug, Clone, PartialEq)]
pub enum CellEvent {
    Waiting,
    Started,
    Stopping,
    Output {
        stream: Stream,
        text: String,
    },
    Value(String),
    Figure {
        svg: String,
        alt: String,
    },
    Checked(CheckLine),
    Finished {
        outcome: Outcome,
        seconds: f64,
        gpu: Option<Gpu>,
    },
    /// Stop was not answered: the worker was restarted.
    Restarted,
    Crashed,
    Cancelled,
}

impl CellEvent {
    /// Whether it is something the program gave, of which there may be very many.
    pub fn is_content(&self) -> bool {
        matches!(self, Self::Output { .. } | Self::Value(_) | Self::Figure { .. } | Self::Checked(_))
    }
}

struct Current {
    run: u32,
    key: CellKey,
    /// It runs in a namespace of its own, with checks.
    checked: bool,
    stopping: bool,
}

impl Current {
    fn names_key(&self) -> CellKey {
        if self.checked { self.key.clone() } else { CellKey::session(&self.key.session) }
    }
}

/// The machine.
pub struct Machine {
    status: Status,
    info: Option<Info>,
    current: Option<Current>,
    queue: VecDeque<Job>,
    last_run: u32,
    crashes: u32,
    /// Whether programs may have the GPU.
    gpu: bool,
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            status: Status::Absent,
            info: None,
            current: None,
            queue: VecDeque::new(),
            last_run: 0,
            crashes: 0,
            gpu: false,
        }
    }
}

impl Machine {
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// What the runtime last said about itself; kept over a restart.
    pub fn info(&self) -> Option<&Info> {
        self.info.as_ref()
    }

    /// The cell that runs now, and whether Stop was pressed.
    pub fn running(&self) -> Option<(&CellKey, bool)> {
        self.current.as_ref().map(|current| (&current.key, current.stopping))
    }

    /// Starts the runtime, once.
    pub fn start(&mut self) -> Vec<Effect> {
        if self.status == Status::Absent { self.spawn() } else { Vec::new() }
    }

    /// Starts the runtime again after it failed.
    pub fn retry(&mut self) -> Vec<Effect> {
        if !matches!(self.status, Status::Failed(_)) {
            return Vec::new();
        }
        self.crashes = 0;
        self.spawn()
    }

    /// Whether the runs that are yet to be sent may have the GPU.
    pub fn allow_gpu(&mut self, allowed: bool) {
        self.gpu = allowed;
    }

    /// A learner pressed Run. What waits for the same cell already is replaced; a cell that runs is left alone.
    pub fn run(&mut self, job: Job) -> Vec<Effect> {
        if self.current.as_ref().is_some_and(|current| current.key == job.key) {
            return Vec::new();
        }
        let mut effects = vec![Effect::Cell(job.key.clone(), CellEvent::Waiting)];
        match self.queue.iter_mut().find(|waiting| waiting.key == job.key) {
            Some(waiting) => *waiting = job,
            None => self.queue.push_back(job),
        }
        match self.status {
            Status::Absent => effects.extend(self.spawn()),
            Status::Ready => effects.extend(self.next()),
            _ => {}
        }
        effects
    }

    /// A learner pressed Stop on a cell.
    pub fn stop(&mut self, key: &CellKey) -> Vec<Effect> {
        if let Some(at) = self.queue.iter().position(|job| job.key == *key) {
            self.queue.remove(at);
            return vec![Effect::Cell(key.clone(), CellEvent::Cancelled)];
        }
        let Some(current) = self.current.as_mut().filter(|current| current.key == *key) else { return Vec::new() };
        if self.info.as_ref().is_some_and(|info| !info.jspi) {
            // Without JSPI the worker cannot hear a message while code runs.
            return self.restart(CellEvent::Restarted);
        }
        if current.stopping {
            return Vec::new();
        }
        current.stopping = true;
        let run = current.run;
        vec![
            Effect::Cell(key.clone(), CellEvent::Stopping),
            Effect::Send(ToWorker::Stop { run }),
            Effect::Deadline { run },
        ]
    }

    /// Half a second passed since Stop was sent for `run`.
    pub fn unanswered(&mut self, run: u32) -> Vec<Effect> {
        if self.current.as_ref().is_some_and(|current| current.run == run && current.stopping) {
            self.restart(CellEvent::Restarted)
        } else {
            Vec::new()
        }
    }

    /// Forget a session's names. A session that runs keeps them.
    pub fn forget(&mut self, session: &str) -> Vec<Effect> {
        if self.status != Status::Ready || self.current.is_some() {
            return Vec::new();
        }
        vec![
            Effect::Send(ToWorker::Forget { session: session.to_owned() }),
            Effect::Names { key: CellKey::session(session), names: Vec::new() },
        ]
    }

    /// The worker said something.
    pub fn message(&mut self, message: FromWorker) -> Vec<Effect> {
        match message {
            FromWorker::Loading { received, total } => {
                self.status = Status::Loading { received, total };
                Vec::new()
            }
            FromWorker::Starting => {
                self.status = Status::Starting;
                Vec::new()
            }
            FromWorker::LoadFailed { message } => self.fail(Failure::Download(message)),
            FromWorker::Ready { version, python, torch, jspi, start_ms } => {
                if version != VERSION {
                    return self.fail(Failure::Version);
                }
                self.info = Some(Info { python, torch, jspi, start_ms });
                self.status = Status::Ready;
                self.next()
            }
            FromWorker::Output { run, stream, text } => self.tell(run, CellEvent::Output { stream, text }),
            FromWorker::Value { run, text } => self.tell(run, CellEvent::Value(text)),
            FromWorker::Figure { run, svg, alt } => self.tell(run, CellEvent::Figure { svg, alt }),
            FromWorker::Checked { run, check } => self.tell(run, CellEvent::Checked(check)),
            FromWorker::Finished { run, outcome, seconds, names, gpu } => {
                let Some(current) = self.current.take_if(|current| current.run == run) else { return Vec::new() };
                self.crashes = 0;
                let mut effects = vec![
                    Effect::Names { key: current.names_key(), names },
                    Effect::Cell(current.key, CellEvent::Finished { outcome, seconds, gpu }),
                ];
                effects.extend(self.next());
                effects
            }
            FromWorker::Crashed { message } => self.crashed(message),
        }
    }

    /// The worker ended without a word, or said so itself.
    pub fn crashed(&mut self, message: String) -> Vec<Effect> {
        match self.status {
            Status::Absent | Status::Failed(_) => Vec::new(),
            Status::Loading { .. } | Status::Starting => self.fail(Failure::Download(message)),
            Status::Ready => {
                self.crashes += 1;
                if self.crashes < PATIENCE {
                    return self.restart(CellEvent::Crashed);
                }
                let mut effects = self.end_current(CellEvent::Crashed);
                effects.extend(self.fail(Failure::Crash(message)));
                effects
            }
        }
    }

    /// Whether a worker is being fetched or started, so that a silent one can be noticed.
    pub fn arriving(&self) -> bool {
        matches!(self.status, Status::Loading { .. } | Status::Starting)
    }

    fn tell(&self, run: u32, event: CellEvent) -> Vec<Effect> {
        match &self.current {
            Some(current) if current.run == run => vec![Effect::Cell(current.key.clone(), event)],
            _ => Vec::new(),
        }
    }

    fn next(&mut self) -> Vec<Effect> {
        if self.status != Status::Ready || self.current.is_some() {
            return Vec::new();
        }
        let Some(job) = self.queue.pop_front() else { return Vec::new() };
        self.last_run = self.last_run.wrapping_add(1);
        let run = self.last_run;
        self.current = Some(Current { run, key: job.key.clone(), checked: job.check.is_some(), stopping: false });
        let session = job.key.session.clone();
        let gpu = self.gpu;
        let Job { key, file, before, source, check } = job;
        let message = match check {
            Some(check) => ToWorker::Check { run, session, file, before, source, check, gpu },
            None => ToWorker::Run { run, session, file, before, source, gpu },
        };
        vec![Effect::Cell(key, CellEvent::Started), Effect::Send(message)]
    }

    fn spawn(&mut self) -> Vec<Effect> {
        self.status = Status::Loading { received: 0, total: 0 };
        vec![Effect::Spawn, Effect::NamesGone]
    }

    fn end_current(&mut self, event: CellEvent) -> Vec<Effect> {
        self.current.take().map(|current| Effect::Cell(current.key, event)).into_iter().collect()
    }

    fn restart(&mut self, event: CellEvent) -> Vec<Effect> {
        let mut effects = self.end_current(event);
        effects.extend(self.spawn());
        effects
    }

    /// No runtime: what waits goes on waiting, for a retry.
    fn fail(&mut self, failure: Failure) -> Vec<Effect> {
        self.status = Status::Failed(failure);
        vec![Effect::Terminate, Effect::NamesGone]
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
