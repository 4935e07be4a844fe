//! Checks: a lesson's check block, run over the names of the learner's cell.

use crate::host::Capture;
use crate::interpreter;
use crate::session::{Cell, Report, Runtime, Tools, namespace, run_in};
use rushlight_protocol::{CheckLine, Source};
use std::cell::RefCell;
use std::rc::Rc;

/// A cell and the check block for it.
#[derive(Debug, Clone, Copy)]
pub struct Check<'a> {
    pub cell: Cell<'a>,
    pub check: &'a Source,
}

/// How a check went.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckReport {
    /// How the learner's cell ended; when it failed, no check was tried.
    pub run: Report,
    pub lines: Vec<CheckLine>,
}

impl CheckReport {
    /// Whether the cell ran and all its checks passed.
    pub fn passed(&self) -> bool {
        self.run.outcome == rushlight_protocol::Outcome::Done
            && !self.lines.is_empty()
            && self.lines.iter().all(|line| line.passed)
    }
}
