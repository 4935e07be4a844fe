//! Running cells: what a run is, the state machine between page and worker, and the worker itself.

mod client;
mod machine;
mod transcript;
mod view;

pub use client::Client;
pub use machine::{Failure, Job, Status};
pub use transcript::Piece;
pub use view::{CellRun, Notice, Phase};

/// A cell of a lesson, by the session it belongs to and its ID.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellKey {
    /// `course/lesson`: cells of one lesson share their names.
    pub session: String,
    pub cell: String,
}

impl CellKey {
    /// The key that stands for a whole session.
    pub fn session(session: &str) -> Self {
        Self { session: session.to_owned(), cell: String::new() }
    }
}
