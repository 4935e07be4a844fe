//! A sink that keeps what a run says, and a runtime over files in memory.
#![allow(dead_code, reason = "each test file uses its part")]

use rushlight_runtime::files::{Errno, MemoryFiles};
use rushlight_runtime::protocol::{CheckLine, Outcome, PythonError, Source, Stream};
use rushlight_runtime::{Cell, Report, Runtime, Sink, on_big_stack};
use std::cell::RefCell;
use std::rc::Rc;

#[derive(Default)]
pub struct Kept {
    pub stdout: RefCell<Vec<u8>>,
    pub stderr: RefCell<Vec<u8>>,
    pub values: RefCell<Vec<String>>,
    pub checks: RefCell<Vec<CheckLine>>,
}

impl Sink for Kept {
    fn write(&self, stream: Stream, bytes: &[u8]) -> Result<(), Errno> {
        let kept = if stream == Stream::Stdout { &self.stdout } else { &self.stderr };
        kept.borrow_mut().extend_from_slice(bytes);
        Ok(())
    }
    fn value(&self, text: &str) {
        self.values.borrow_mut().push(text.to_owned());
    }
    fn figure(&self, _svg: &str, _alt: &str) {}
    fn checked(&self, line: &CheckLine) {
        self.checks.borrow_mut().push(line.clone());
    }
}

impl Kept {
    pub fn out(&self) -> String {
        String::from_utf8(self.stdout.take()).expect("UTF-8 output")
    }
    pub fn err(&self) -> String {
        String::from_utf8(self.stderr.take()).expect("UTF-8 output")
    }
}

/// A runtime and what it says.
pub struct Lab {
    pub runtime: Runtime,
    pub kept: Rc<Kept>,
}

impl Lab {
    pub fn run(&self, source: &str) -> Report {
        self.runtime.run(Cell { session: "lesson", file: "cell.py", before: &[], source })
    }

    /// Runs a cell that must end well, and gives what it printed.
    pub fn out(&self, source: &str) -> String {
        let report = self.run(source);
        assert_eq!(report.outcome, Outcome::Done, "{source}");
        self.kept.out()
    }

    /// Runs a cell that must fail.
    pub fn error(&self, source: &str) -> PythonError {
        match self.run(source).outcome {
            Outcome::Failed(error) => error,
            other => panic!("{source} ended with {other:?}"),
        }
    }
}

/// Runs `act` with a new runtime, on a thread like the native tool's.
pub fn lab<R: Send>(act: impl FnOnce(&Lab) -> R + Send) -> R {
    on_big_stack(|| {
        let kept = Rc::new(Kept::default());
        let runtime = Runtime::new(Rc::new(MemoryFiles::new()), kept.clone()).expect("the interpreter starts");
        act(&Lab { runtime, kept })
    })
}

pub fn source(file: &str, text: &str) -> Source {
    Source { file: file.to_owned(), text: text.to_owned(), given: false }
}

pub fn given(file: &str, text: &str) -> Source {
    Source { given: true, ..source(file, text) }
}
