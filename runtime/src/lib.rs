//! Rushlight's Python side: the interpreter, the package `torch` over the engine, sessions, checks, files, and the
//! worker's entry.
//!
//! [`Runtime::new`] starts an interpreter over a [`files::FileTree`] and a [`Sink`]; [`Runtime::run`] runs a cell,
//! [`Runtime::check`] a cell and its checks, [`Runtime::run_program`] a whole script.

mod checks;
mod clock;
mod depth;
mod embedded;
mod errors;
pub mod files;
mod gpu;
mod host;
mod interpreter;
mod native;
mod numpy;
mod odict;
mod posix;
mod script;
mod session;
mod stop;
pub mod torch;
mod watch;
#[cfg(target_arch = "wasm32")]
mod worker;

pub use checks::{Check, CheckReport};
pub use host::{Sink, sink};
pub use rushlight_engine::backend::webgpu;
pub use rushlight_protocol as protocol;
pub use script::Program;
#[cfg(not(target_arch = "wasm32"))]
pub use session::on_big_stack;
pub use session::{Cell, Report, Runtime};
pub use stop::{StopHandle, check_interrupt, stop_requested};
