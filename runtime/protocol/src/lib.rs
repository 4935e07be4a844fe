//! The messages between the page and the worker, and nothing else.
//!
//! Both sides send one JSON text per message through `postMessage`. The worker speaks first: its shim reports the
//! download ([`FromWorker::Loading`], [`FromWorker::Starting`]), then the runtime says [`FromWorker::Ready`]; a page
//! that sees another [`VERSION`] than its own reloads the worker's files instead of guessing. Every message about a
//! run carries the `run` number the page chose, so that a late message of a stopped
//! run can be told apart.

mod read;

use serde::{Deserialize, Serialize};

/// Raised whenever a message changes its meaning or loses a field.
pub const VERSION: u32 = 2;

/// What the page asks of the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToWorker {
    /// Run one cell in the namespace of `session` (a lesson), whose names survive from run to run.
    Run {
        run: u32,
        session: String,
        /// File name for tracebacks, for example `outer.py`.
        file: String,
        /// Hidden cells and given inputs that run before the learner's text, in order.
        before: Vec<Source>,
        source: String,
        /// Whether the program may have the GPU; without, it is told that there is none.
        gpu: bool,
    },
    /// Run `before` and `source` in a fresh namespace, then the checks in it.
    Check {
        run: u32,
        session: String,
        file: String,
        before: Vec<Source>,
        source: String,
        /// The lesson's check block.
        check: Source,
        gpu: bool,
    },
    /// End the run at the next tensor op or line with `KeyboardInterrupt`. The session's names survive.
    Stop { run: u32 },
    /// Forget the names of one session.
    Forget { session: String },
}

/// A piece of Python that is not the learner's own text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// File name for tracebacks.
    pub file: String,
    pub text: String,
    /// `true` for an exercise's `given` block: the inputs that `rerun(**inputs)` may replace.
    #[serde(default)]
    pub given: bool,
}

/// What the worker tells the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromWorker {
    /// The runtime's file is on its way; sizes in bytes, not compressed. `total` is 0 where it is not known.
    Loading { received: u64, total: u64 },
    /// All bytes are there; the runtime is being compiled and started.
    Starting,
    /// The runtime's file did not arrive whole, or did not start. The page offers to try again with a new worker.
    LoadFailed { message: String },
    /// The runtime is up; nothing may be sent before this.
    Ready {
        version: u32,
        /// For example `3.14.0 (RustPython 0.6.0)`.
        python: String,
        /// The PyTorch version whose behaviour is followed, for example `2.15.0`.
        torch: String,
        /// `false` where the browser has no JSPI: Stop then restarts the worker, and the GPU is off.
        jspi: bool,
        start_ms: f64,
    },
    /// Text as the program prints it, in order.
    Output { run: u32, stream: Stream, text: String },
    /// The value of the cell's last expression, as `repr` shows it.
    Value { run: u32, text: String },
    /// A figure the program showed.
    Figure { run: u32, svg: String, alt: String },
    /// One line of a check block, sent as soon as it is known.
    Checked { run: u32, check: CheckLine },
    /// The run is over. Always the last message of a run.
    Finished {
        run: u32,
        outcome: Outcome,
        seconds: f64,
        /// The session's names afterwards, in order of definition.
        names: Vec<Name>,
        /// What the run did on the GPU, if anything, or why it got none.
        gpu: Option<Gpu>,
    },
    /// The interpreter itself failed (a bug of ours or out of memory). The page restarts the worker.
    Crashed { message: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    Stdout,
    Stderr,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    Done,
    /// Ended by Stop.
    Stopped,
    Failed(PythonError),
}

/// What came of the GPU in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Gpu {
    Used(Box<GpuUse>),
    /// The program looked for one; why there is none, in one line.
    Absent {
        reason: String,
    },
}

/// The GPU and what a run did on it. Sizes in bytes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GpuUse {
    /// As the driver calls it; browsers say little.
    pub name: String,
    /// `webgpu`, or natively `vulkan`, `metal`, `dx12`.
    pub api: String,
    /// A processor pretends to be one.
    pub software: bool,
    /// The largest single tensor.
    pub max_buffer: u64,
    /// Held by tensors after the run.
    pub live: u64,
    /// Taken from the device: in use, or kept for the next tensors.
    pub reserved: u64,
    /// The most that tensors ever held.
    pub peak: u64,
    /// Kernels that the run started.
    pub launches: u64,
    /// How often it read something back, and how much.
    pub reads: u64,
    pub bytes_read: u64,
    /// How long the device computed, where it has a clock.
    pub ms: Option<f64>,
    /// Ops that were computed on the processor instead, and how often.
    pub fallbacks: Vec<(String, u64)>,
}

/// An uncaught Python exception.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PythonError {
    /// The class's name, for example `RuntimeError`.
    pub class: String,
    pub message: String,
    /// As Python prints it, source lines included.
    pub traceback: String,
    /// The line in the learner's text, from 1, where it failed; `None` when no frame is the learner's.
    pub line: Option<u32>,
    /// Column range in that line, from 0, in characters, where known.
    pub columns: Option<(u32, u32)>,
    /// Key of the plain-language explanation, for example `broadcast-mismatch`.
    pub key: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckLine {
    /// What the check shows, in the lesson's language.
    pub text: String,
    pub passed: bool,
    /// The lesson's hint for this check, when it failed and has one.
    pub hint: Option<String>,
    /// What differs, from `close(got, want)`, when it failed.
    pub detail: Option<String>,
}

/// One name of a session, for the inspector.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    pub name: String,
    /// Type's name, for example `Tensor` or `int`.
    pub class: String,
    /// A short `repr`, one line.
    pub preview: String,
    pub tensor: Option<TensorInfo>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorInfo {
    pub shape: Vec<u64>,
    /// In elements.
    pub strides: Vec<i64>,
    /// In elements.
    pub offset: u64,
    /// For example `torch.float32`.
    pub dtype: String,
    pub device: String,
    pub requires_grad: bool,
    /// For example `AddBackward0`.
    pub grad_fn: Option<String>,
    /// Equal for tensors that share memory.
    pub storage: u64,
    /// How often the storage was written in place.
    pub version: u64,
}
