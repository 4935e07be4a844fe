//! Stop: endless programs end with `KeyboardInterrupt`, soon, and the session's names survive.

mod common;

use common::lab;
use rushlight_runtime::Report;
use rushlight_runtime::protocol::Outcome;
use std::time::{Duration, Instant};

/// Runs `text` and stops it after a tenth of a second.
fn stopped(lab: &common::Lab, text: &str) -> (Report, Duration) {
    let handle = lab.runtime.stop_handle();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        handle.stop();
        Instant::now()
    });
    let report = lab.run(text);
    let end = Instant::now();
    let asked = stopper.join().expect("the stopper ends");
    (report, end.saturating_duration_since(asked))
}

/// One test, because the interpreter's signals belong to the process: two programs at once would take each other's.
#[test]
fn stop_ends_endless_programs_and_the_names_survive() {
    lab(|lab| {
        lab.out("kept = [1, 2, 3]");
        for text in [
            "while True: pass",
            "n = 0\nwhile True:\n    n += 1",
            "def f():\n    for i in iter(int, 1):\n        pass\nf()",
            "import time\ntime.sleep(1000)",
            "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(80)",
            "while True:\n    try:\n        x = 1\n    except Exception:\n        pass",
        ] {
            let (report, waited) = stopped(lab, text);
            assert_eq!(report.outcome, Outcome::Stopped, "{text}");
            assert!(waited < Duration::from_millis(500), "{text}: {waited:?}");
        }
        assert_eq!(lab.out("print(kept)"), "[1, 2, 3]\n");
    });
}
