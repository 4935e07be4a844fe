//! Runs a lesson's cells: examples run, starters fail, solutions pass.

use rushlight_lessons::{Cell as LessonCell, CellKind, Code, Problem};
use rushlight_runtime::protocol::{Outcome, PythonError, Source};
use rushlight_runtime::{Cell, Check, Runtime, StopHandle};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// What has been proved so far.
#[derive(Default)]
pub struct Tally {
    pub examples: usize,
    pub starters: usize,
    pub solutions: usize,
}

/// Runs cells and stops those that do not end.
pub struct Prover<'r> {
    runtime: &'r Runtime,
    watch: Watch,
}

impl<'r> Prover<'r> {
    pub fn new(runtime: &'r Runtime, limit: Duration) -> Self {
        Self { runtime, watch: Watch::start(runtime.stop_handle(), limit) }
    }

    /// Proves all that is claimed of one cell.
    pub fn prove(&self, file: &str, cell: &LessonCell, tally: &mut Tally, problems: &mut Vec<Problem>) {
        let before = before(file, cell);
        if cell.kind == CellKind::Example {
            self.example(file, cell, &before, tally, problems);
            return;
        }
        let (Some(solution), Some(check)) = (&cell.solution, &cell.check) else { return };
        let check = Source { file: file.to_owned(), text: placed(check), given: false };
        let run = |code: &Code| {
            self.watch.during(|| {
                self.runtime.check(Check {
                    cell: Cell { session: "check", file: &cell.file(), before: &before, source: &code.text },
                    check: &check,
                })
            })
        };

        if run(&cell.starter).passed() {
            problems.push(Problem {
                file: file.to_owned(),
                line: cell.line,
                message: format!("the starter of `{}` passes its own checks", cell.id),
                help: "Nothing is left to do: take something out of the starter, or let the checks ask for more."
                    .to_owned(),
            });
        } else {
            tally.starters += 1;
        }

        let report = run(solution);
        if report.passed() {
            tally.solutions += 1;
            return;
        }
        if let Some((line, message)) = self.fault(file, &report.run.outcome, solution) {
            problems.push(Problem {
                file: file.to_owned(),
                line,
                message: format!("the solution of `{}` fails: {message}", cell.id),
                help: traceback(&report.run.outcome),
            });
            return;
        }
        let line = cell.check.as_ref().map_or(cell.line, |check| check.line);
        if report.lines.is_empty() {
            problems.push(Problem {
                file: file.to_owned(),
                line,
                message: format!("the check block of `{}` checks nothing", cell.id),
                help: "Call `check(\"what it shows\", condition)` in it at least once.".to_owned(),
            });
        }
        for failed in report.lines.iter().filter(|line| !line.passed) {
            let at = cell.check.as_ref().and_then(|check| line_of(check, &failed.text)).unwrap_or(line);
            problems.push(Problem {
                file: file.to_owned(),
                line: at,
                message: format!("the solution of `{}` does not pass: {}", cell.id, failed.text),
                help: failed.detail.clone().unwrap_or_else(|| "The condition is false.".to_owned()),
            });
        }
    }

    fn example(
        &self,
        file: &str,
        cell: &LessonCell,
        before: &[Source],
        tally: &mut Tally,
        problems: &mut Vec<Problem>,
    ) {
        let report = self.watch.during(|| {
            self.runtime.run(Cell { session: "check", file: &cell.file(), before, source: &cell.starter.text })
        });
        self.runtime.forget("check");
        match self.fault(file, &report.outcome, &cell.starter) {
            None => tally.examples += 1,
            Some((line, message)) => problems.push(Problem {
                file: file.to_owned(),
                line,
                message: format!("the example `{}` fails: {message}", cell.id),
                help: traceback(&report.outcome),
            }),
        }
    }

    /// Why a run did not come to its end, and the lesson's line where.
    fn fault(&self, file: &str, outcome: &Outcome, code: &Code) -> Option<(u32, String)> {
        match outcome {
            Outcome::Done => None,
            Outcome::Stopped => {
                Some((code.line, format!("it did not end within {} seconds", self.watch.limit.as_secs())))
            }
            Outcome::Failed(error) => {
                let own = error.line.map(|line| code.line.saturating_add(line).saturating_sub(1));
                let line = own.or_else(|| line_in(file, &error.traceback)).unwrap_or(code.line);
                Some((line, headline(error)))
            }
        }
    }
}

fn headline(error: &PythonError) -> String {
    match error.message.lines().next() {
        Some(message) if !message.is_empty() => format!("{}: {message}", error.class),
        _ => error.class.clone(),
    }
}

/// The traceback, indented as the second line of a problem is.
fn traceback(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Failed(error) => error.traceback.trim_end().replace('\n', "\n    "),
        _ => "Look for a loop without an end.".to_owned(),
    }
}

/// What runs before the learner's text.
fn before(file: &str, cell: &LessonCell) -> Vec<Source> {
    let setup = cell.setup.iter().map(|setup| (&setup.code, false));
    let given = cell.given.iter().map(|given| (given, true));
    setup.chain(given).map(|(code, given)| Source { file: file.to_owned(), text: placed(code), given }).collect()
}

/// A block's text moved down to its own lines, so that tracebacks name the lines of the lesson's file.
fn placed(code: &Code) -> String {
    let above = usize::try_from(code.line.saturating_sub(1)).unwrap_or_default();
    format!("{}{}", "\n".repeat(above), code.text)
}

/// The line on which a check's text stands, where it is written out in one piece.
fn line_of(check: &Code, text: &str) -> Option<u32> {
    let index = check.text.lines().position(|line| line.contains(text))?;
    Some(check.line.saturating_add(u32::try_from(index).ok()?))
}

/// The line that a traceback names last in the lesson's file: that of a setup or given block.
fn line_in(file: &str, traceback: &str) -> Option<u32> {
    let (_, after) = traceback.rsplit_once(&format!("File \"{file}\", line "))?;
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Stops a run that takes longer than it may.
struct Watch {
    limit: Duration,
    /// `true` when a run begins, `false` when it ended.
    tell: Option<Sender<bool>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    fn start(stop: StopHandle, limit: Duration) -> Self {
        let (tell, told) = channel::<bool>();
        let watch = move || {
            while let Ok(began) = told.recv() {
                if !began {
                    continue;
                }
                // A program may catch the first KeyboardInterrupt, so ask until it ends.
                while let Err(RecvTimeoutError::Timeout) = told.recv_timeout(limit) {
                    stop.stop();
                }
            }
        };
        let thread = std::thread::Builder::new().name("time limit".to_owned()).spawn(watch).ok();
        Self { limit, tell: Some(tell), thread }
    }

    fn during<R>(&self, act: impl FnOnce() -> R) -> R {
        let tell = |began: bool| {
            if let Some(tell) = &self.tell {
                // Without its thread there is no limit, and nothing else to do about it.
                let _ = tell.send(began);
            }
        };
        tell(true);
        let result = act();
        tell(false);
        result
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.tell = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
