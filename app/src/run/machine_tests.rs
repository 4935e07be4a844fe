//! What a learner relies on: early runs wait, Stop stops, crashes lose nothing.

use super::*;

fn key(cell: &str) -> CellKey {
    CellKey { session: "course/lesson".into(), cell: cell.into() }
}

fn job(cell: &str) -> Job {
    Job { key: key(cell), file: format!("{cell}.py"), before: Vec::new(), source: "print(1)".into(), check: None }
}

fn ready(jspi: bool) -> FromWorker {
    FromWorker::Ready { version: VERSION, python: "3.14".into(), torch: "2.15.0".into(), jspi, start_ms: 1.0 }
}

fn started(jspi: bool) -> Machine {
    let mut machine = Machine::default();
    machine.start();
    machine.message(ready(jspi));
    machine
}

fn finished(run: u32) -> FromWorker {
    FromWorker::Finished { run, outcome: Outcome::Done, seconds: 0.5, names: Vec::new(), gpu: None }
}

fn sent_run(effects: &[Effect]) -> Option<u32> {
    effects.iter().find_map(|effect| match effect {
        Effect::Send(ToWorker::Run { run, .. } | ToWorker::Check { run, .. }) => Some(*run),
        _ => None,
    })
}

#[test]
fn a_run_before_ready_waits_and_is_then_sent() {
    let mut machine = Machine::default();
    assert_eq!(machine.start()[0], Effect::Spawn);
    let effects = machine.run(job("a"));
    assert_eq!(effects, vec![Effect::Cell(key("a"), CellEvent::Waiting)]);
    machine.message(FromWorker::Loading { received: 5, total: 10 });
    machine.message(FromWorker::Starting);
    let effects = machine.message(ready(true));
    assert!(effects.contains(&Effect::Cell(key("a"), CellEvent::Started)));
    assert_eq!(sent_run(&effects), Some(1));
}

#[test]
fn cells_run_one_after_the_other() {
    let mut machine = started(true);
    assert_eq!(sent_run(&machine.run(job("a"))), Some(1));
    assert_eq!(sent_run(&machine.run(job("b"))), None);
    assert_eq!(sent_run(&machine.run(job("a"))), None, "a running cell is left alone");
    let effects = machine.message(finished(1));
    assert_eq!(sent_run(&effects), Some(2));
    assert!(effects.contains(&Effect::Cell(key("b"), CellEvent::Started)));
}

#[test]
fn pressing_run_twice_while_waiting_runs_the_latest_text_once() {
    let mut machine = Machine::default();
    machine.start();
    machine.run(job("a"));
    machine.run(Job { source: "newer".into(), ..job("a") });
    let effects = machine.message(ready(true));
    assert!(matches!(&effects[1], Effect::Send(ToWorker::Run { source, .. }) if source == "newer"));
    assert_eq!(sent_run(&machine.message(finished(1))), None);
}

#[test]
fn stop_is_asked_for_first_and_the_names_survive() {
    let mut machine = started(true);
    machine.run(job("a"));
    let effects = machine.stop(&key("a"));
    assert!(effects.contains(&Effect::Send(ToWorker::Stop { run: 1 })));
    assert!(effects.contains(&Effect::Deadline { run: 1 }));
    assert!(!effects.contains(&Effect::Spawn));
    let stopped =
        FromWorker::Finished { run: 1, outcome: Outcome::Stopped, seconds: 1.0, names: Vec::new(), gpu: None };
    assert!(!machine.message(stopped).contains(&Effect::NamesGone));
    assert!(machine.unanswered(1).is_empty(), "an answered Stop needs no restart");
    assert_eq!(*machine.status(), Status::Ready);
}

#[test]
fn an_unanswered_stop_restarts_and_what_waited_runs_afterwards() {
    let mut machine = started(true);
    machine.run(job("a"));
    machine.run(job("b"));
    machine.stop(&key("a"));
    let effects = machine.unanswered(1);
    assert!(effects.contains(&Effect::Cell(key("a"), CellEvent::Restarted)));
    assert!(effects.contains(&Effect::Spawn));
    assert!(machine.message(finished(1)).is_empty(), "a late word of the old run is ignored");
    assert_eq!(sent_run(&machine.message(ready(true))), Some(2));
}

#[test]
fn without_jspi_stop_restarts_at_once() {
    let mut machine = started(false);
    machine.run(job("a"));
    let effects = machine.stop(&key("a"));
    assert!(effects.contains(&Effect::Spawn));
    assert!(effects.contains(&Effect::Cell(key("a"), CellEvent::Restarted)));
}

#[test]
fn a_waiting_cell_can_be_taken_back() {
    let mut machine = started(true);
    machine.run(job("a"));
    machine.run(job("b"));
    assert_eq!(machine.stop(&key("b")), vec![Effect::Cell(key("b"), CellEvent::Cancelled)]);
    assert_eq!(sent_run(&machine.message(finished(1))), None);
}

#[test]
fn output_of_another_run_is_not_shown() {
    let mut machine = started(true);
    machine.run(job("a"));
    let output = |run| FromWorker::Output { run, stream: Stream::Stdout, text: "x".into() };
    assert_eq!(machine.message(output(1)).len(), 1);
    assert!(machine.message(output(7)).is_empty());
}

#[test]
fn a_crash_restarts_by_itself_but_not_for_ever() {
    let mut machine = started(true);
    for crash in 1..=3 {
        machine.run(job("a"));
        let effects = machine.message(FromWorker::Crashed { message: "out of memory".into() });
        assert!(effects.contains(&Effect::Cell(key("a"), CellEvent::Crashed)));
        if crash < 3 {
            assert!(effects.contains(&Effect::Spawn));
            machine.message(ready(true));
        } else {
            assert!(!effects.contains(&Effect::Spawn));
            assert_eq!(*machine.status(), Status::Failed(Failure::Crash("out of memory".into())));
        }
    }
    assert!(machine.retry().contains(&Effect::Spawn));
}

#[test]
fn a_failed_download_keeps_what_waits_and_can_be_tried_again() {
    let mut machine = Machine::default();
    machine.start();
    machine.run(job("a"));
    machine.message(FromWorker::LoadFailed { message: "cut off at 3 of 9 MB".into() });
    assert!(matches!(machine.status(), Status::Failed(Failure::Download(_))));
    assert!(machine.start().is_empty(), "no silent second try");
    assert!(machine.retry().contains(&Effect::Spawn));
    assert_eq!(sent_run(&machine.message(ready(true))), Some(1));
}

#[test]
fn another_protocol_version_is_refused() {
    let mut machine = Machine::default();
    machine.start();
    machine.message(FromWorker::Ready {
        version: VERSION + 1,
        python: String::new(),
        torch: String::new(),
        jspi: true,
        start_ms: 0.0,
    });
    assert_eq!(*machine.status(), Status::Failed(Failure::Version));
}

#[test]
fn an_exercise_is_sent_with_its_checks() {
    let mut machine = started(true);
    let check = Source { file: "check".into(), text: "check('x', True)".into(), given: false };
    let effects = machine.run(Job { check: Some(check.clone()), ..job("a") });
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Send(ToWorker::Check { check: sent, .. }) if *sent == check))
    );
}

#[test]
fn a_run_may_have_the_gpu_as_the_switch_stands_when_it_is_sent() {
    let mut machine = started(true);
    let allowed = |effects: &[Effect]| {
        effects.iter().find_map(|effect| match effect {
            Effect::Send(ToWorker::Run { gpu, .. }) => Some(*gpu),
            _ => None,
        })
    };
    assert_eq!(allowed(&machine.run(job("a"))), Some(false), "not before the page has found one");
    machine.run(job("b"));
    machine.allow_gpu(true);
    assert_eq!(allowed(&machine.message(finished(1))), Some(true));
}
