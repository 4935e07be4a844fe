//! What a cell shows of its last run: a small value that events change, with no browser in it.

use super::machine::CellEvent;
use super::transcript::Transcript;
use rushlight_protocol::{CheckLine, Gpu, Outcome, PythonError};

/// Where a cell's run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phase {
    /// Not run since the page opened.
    #[default]
    Idle,
    /// Asked for; the runtime is not there yet or busy with another cell.
    Waiting,
    Running,
    /// Stop was pressed and not yet answered.
    Stopping,
    Done,
    Failed,
    Stopped,
}

impl Phase {
    /// Whether Stop makes sense.
    pub fn busy(self) -> bool {
        matches!(self, Self::Waiting | Self::Running | Self::Stopping)
    }
}

/// Something the learner should know about how a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    Stopped,
    /// Stop needed a restart.
    Restarted,
    Crashed,
    Cancelled,
}

/// A cell's last run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CellRun {
    pub phase: Phase,
    pub transcript: Transcript,
    pub checks: Vec<CheckLine>,
    pub error: Option<PythonError>,
    pub notice: Option<Notice>,
    /// How long it took, once it is over.
    pub seconds: f64,
    /// When it started, by the page's clock in milliseconds, while it runs.
    pub started: Option<f64>,
    /// What came of the GPU, if the program asked for it.
    pub gpu: Option<Gpu>,
    /// Counts finished runs, so that a reader is told about each.
    pub finished: u32,
}

impl CellRun {
    /// Whether the run ended well and every check passed; a cell without checks never passes.
    pub fn passed(&self) -> bool {
        self.phase == Phase::Done && !self.checks.is_empty() && self.checks.iter().all(|check| check.passed)
    }

    /// Takes in one event; `now` is the page's clock in milliseconds.
    pub fn apply(&mut self, event: CellEvent, now: f64) {
        let elapsed = |started: Option<f64>| started.map_or(0.0, |started| ((now - started) / 1000.0).max(0.0));
        match event {
            CellEvent::Waiting => {
                *self = Self { phase: Phase::Waiting, finished: self.finished, ..Self::default() };
            }
            CellEvent::Started => {
                *self = Self { phase: Phase::Running, started: Some(now), finished: self.finished, ..Self::default() };
            }
            CellEvent::Stopping => self.phase = Phase::Stopping,
            CellEvent::Output { stream, text } => self.transcript.print(stream, &text),
            CellEvent::Value(text) => self.transcript.value(text),
            CellEvent::Figure { svg, alt } => self.transcript.figure(svg, alt),
            CellEvent::Checked(check) => self.checks.push(check),
            CellEvent::Finished { outcome, seconds, gpu } => {
                self.seconds = seconds;
                self.gpu = gpu;
                match outcome {
                    Outcome::Done => self.phase = Phase::Done,
                    Outcome::Stopped => {
                        self.phase = Phase::Stopped;
                        self.notice = Some(Notice::Stopped);
                    }
                    Outcome::Failed(error) => {
                        self.phase = Phase::Failed;
                        self.error = Some(error);
                    }
                }
                self.started = None;
                self.finished += 1;
            }
            CellEvent::Restarted => {
                self.seconds = elapsed(self.started.take());
                self.phase = Phase::Stopped;
                self.notice = Some(Notice::Restarted);
                self.finished += 1;
            }
            CellEvent::Crashed => {
                self.seconds = elapsed(self.started.take());
                self.phase = Phase::Failed;
                self.notice = Some(Notice::Crashed);
                self.finished += 1;
            }
            CellEvent::Cancelled => {
                *self = Self {
                    phase: Phase::Idle,
                    notice: Some(Notice::Cancelled),
                    finished: self.finished,
                    ..Self::default()
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rushlight_protocol::Stream;

    fn check(passed: bool) -> CellEvent {
        CellEvent::Checked(CheckLine { text: "c".into(), passed, hint: None, detail: None })
    }

    #[test]
    fn an_exercise_passes_only_when_every_check_does() {
        let mut run = CellRun::default();
        run.apply(CellEvent::Started, 0.0);
        run.apply(check(true), 1.0);
        assert!(!run.passed(), "not before it is over");
        run.apply(CellEvent::Finished { outcome: Outcome::Done, seconds: 0.1, gpu: None }, 2.0);
        assert!(run.passed());
        run.apply(CellEvent::Started, 3.0);
        run.apply(check(true), 4.0);
        run.apply(check(false), 4.0);
        run.apply(CellEvent::Finished { outcome: Outcome::Done, seconds: 0.1, gpu: None }, 5.0);
        assert!(!run.passed());
    }

    #[test]
    fn an_example_without_checks_is_done_not_passed() {
        let mut run = CellRun::default();
        run.apply(CellEvent::Started, 0.0);
        run.apply(CellEvent::Finished { outcome: Outcome::Done, seconds: 0.1, gpu: None }, 2.0);
        assert!(!run.passed());
        assert_eq!(run.phase, Phase::Done);
    }

    #[test]
    fn a_new_run_clears_the_last_one() {
        let mut run = CellRun::default();
        run.apply(CellEvent::Started, 0.0);
        run.apply(CellEvent::Output { stream: Stream::Stdout, text: "old".into() }, 1.0);
        run.apply(CellEvent::Restarted, 2500.0);
        assert_eq!(run.notice, Some(Notice::Restarted));
        assert_eq!(run.seconds, 2.5);
        assert!(!run.transcript.is_empty(), "what it printed stays readable");
        run.apply(CellEvent::Waiting, 3000.0);
        assert!(run.transcript.is_empty());
        assert_eq!(run.notice, None);
    }
}
