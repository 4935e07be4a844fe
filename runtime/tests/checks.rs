//! A lesson's checks: what passes, what fails and why, reruns with other values, and blocks that go wrong.

mod common;

use common::{Lab, given, lab, source};
use rushlight_runtime::protocol::{Outcome, Source};
use rushlight_runtime::{Cell, Check, CheckReport};

const GIVEN: &str = "a = [1, 2, 3]\nfactor = 10\n";

const BLOCK: &str = r#"check("there are as many numbers", lambda: len(result) == len(a), "One for each of `a`.")
check("each is ten times as large", lambda: close(result, [10, 20, 30]), "Multiply by `factor`.")
import random
other = [random.random() for _ in range(5)]
check(f"it works for {len(other)} others", lambda: close(rerun(a=other, factor=3).result, [3 * v for v in other]))
"#;

fn check_with(lab: &Lab, before: &[Source], text: &str, block: &str) -> CheckReport {
    let cell = Cell { session: "lesson", file: "outer.py", before, source: text };
    lab.runtime.check(Check { cell, check: &source("outer-check.py", block) })
}

fn check(lab: &Lab, text: &str, block: &str) -> CheckReport {
    check_with(lab, &[given("outer-given.py", GIVEN)], text, block)
}

#[test]
fn a_right_answer_passes_every_check_and_each_is_told_as_it_is_known() {
    lab(|lab| {
        let report = check(lab, "result = [v * factor for v in a]\nprint('done')", BLOCK);
        assert!(report.passed(), "{report:?}");
        assert_eq!(report.lines.len(), 3);
        assert_eq!(report.lines[2].text, "it works for 5 others");
        assert_eq!(report.lines[0].hint, None, "a passed check needs no hint");
        assert_eq!(*lab.kept.checks.borrow(), report.lines);
        assert_eq!(lab.kept.out(), "done\n", "the rerun's output is not shown");
        let names: Vec<&str> = report.run.names.iter().map(|name| name.name.as_str()).collect();
        assert_eq!(names, ["a", "factor", "result"], "the block's own names are not the learner's");
    });
}

#[test]
fn numbers_typed_in_pass_the_fixed_checks_only() {
    lab(|lab| {
        let report = check(lab, "result = [10, 20, 30]", BLOCK);
        let passed: Vec<bool> = report.lines.iter().map(|line| line.passed).collect();
        assert_eq!(passed, [true, true, false]);
        assert_eq!(report.lines[2].detail.as_deref(), Some("the shape is (3,) instead of (5,)"));
    });
}

#[test]
fn a_wrong_answer_fails_with_the_hint_and_what_differs() {
    lab(|lab| {
        let report = check(lab, "result = [10, 20, 31]", BLOCK);
        assert!(report.lines[0].passed);
        assert_eq!(report.lines[1].hint.as_deref(), Some("Multiply by `factor`."));
        assert_eq!(report.lines[1].detail.as_deref(), Some("at [2] it is 31 instead of 30 (1 of 3 differ)"));
        assert!(!report.passed());
    });
}

#[test]
fn a_cell_that_fails_is_reported_and_no_check_is_tried() {
    lab(|lab| {
        let report = check(lab, "result = [\n    v * ______ for v in a\n]", BLOCK);
        let Outcome::Failed(error) = &report.run.outcome else { panic!("{report:?}") };
        assert_eq!((error.class.as_str(), error.line), ("NameError", Some(2)));
        assert_eq!(error.key.as_deref(), Some("blank"));
        assert!(report.lines.is_empty());
    });
}

#[test]
fn an_exception_in_a_check_is_that_checks_failure_and_the_others_are_tried() {
    lab(|lab| {
        let block = "check('first', missing_name, 'a hint')\n\
                     check('second', lambda: 1 / 0)\n\
                     check('third', True)\n\
                     nothing.here\n\
                     check('never', True)\n";
        let report = check(lab, "result = 1", block);
        let seen: Vec<(&str, bool, Option<&str>)> =
            report.lines.iter().map(|l| (l.text.as_str(), l.passed, l.detail.as_deref())).collect();
        assert_eq!(
            seen,
            [
                ("first", false, Some("NameError: name 'missing_name' is not defined")),
                ("second", false, Some("ZeroDivisionError: division by zero")),
                ("third", true, None),
                ("NameError: name 'nothing' is not defined", false, None),
            ]
        );
        assert_eq!(report.lines[0].hint.as_deref(), Some("a hint"));
    });
}

#[test]
fn a_rerun_that_fails_says_where() {
    lab(|lab| {
        let report = check(lab, "first = a[2]\nresult = first", "check('short', lambda: rerun(a=[1]).result == 1)");
        assert_eq!(
            report.lines[0].detail.as_deref(),
            Some("with other values the cell stops in line 1: IndexError: list index out of range")
        );
        let report = check(lab, "x = 1", "check('name', lambda: rerun(a=[1]).result)");
        assert_eq!(report.lines[0].detail.as_deref(), Some("AttributeError: the cell does not define `result`"));
        let report = check(lab, "x = 1", "check('given', lambda: rerun(typo=[1]))");
        let detail = report.lines[0].detail.clone().unwrap_or_default();
        assert!(detail.contains("no given name 'typo'"), "{detail}");
    });
}

#[test]
fn source_and_output_are_what_the_learner_wrote_and_printed() {
    lab(|lab| {
        let block = "check('source', 'for' in source)\ncheck('output', output == '0\\n1\\n', output)";
        let report = check(lab, "for i in range(2):\n    print(i)", block);
        assert!(report.passed(), "{report:?}");
    });
}

#[test]
fn a_check_leaves_the_sessions_names_alone() {
    lab(|lab| {
        lab.out("result = 'mine'");
        check(lab, "result = 5", "check('five', result == 5)");
        assert_eq!(lab.out("print(result)"), "mine\n");
    });
}

#[test]
fn a_broken_check_block_is_a_failed_check() {
    lab(|lab| {
        let report = check(lab, "x = 1", "check('a', x == 1\n");
        assert_eq!(report.lines.len(), 1);
        assert!(!report.lines[0].passed);
        assert!(report.lines[0].text.starts_with("SyntaxError"), "{report:?}");
    });
}
