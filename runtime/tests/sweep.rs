//! Every op on offset, transposed, expanded, empty, 0-d and five-dimensional inputs: results, gradients and second
//! gradients as PyTorch 2.15 gives them, what it raises where it does, and `gradcheck`. An op without a case fails too.
//!
//! `cases.py` and `sweep.py`, one after the other in one program, make `recorded.txt` when PyTorch runs them:
//! `cat cases.py sweep.py > /tmp/sweep.py && python -W ignore /tmp/sweep.py > recorded.txt`.

mod common;

use common::lab;
use std::collections::BTreeMap;

/// Numbers may differ in their last digits; exclamation marks count values that are not finite.
fn near(ours: &str, theirs: &str) -> bool {
    if ours == theirs {
        return true;
    }
    let odd = |text: &str| text.matches('!').count();
    let number = |text: &str| text.trim_end_matches('!').parse::<f64>().ok();
    match (number(ours), number(theirs)) {
        (Some(a), Some(b)) => odd(ours) == odd(theirs) && (a - b).abs() <= 2e-6 * a.abs().max(b.abs()) + 1e-8,
        _ => false,
    }
}

fn same(ours: &str, theirs: &str) -> bool {
    let (ours, theirs): (Vec<&str>, Vec<&str>) = (ours.split(' ').collect(), theirs.split(' ').collect());
    ours.len() == theirs.len() && ours.iter().zip(&theirs).all(|(a, b)| near(a, b))
}

/// What a program told, by the call and the shapes and layout of its inputs.
fn told(out: &str) -> BTreeMap<String, &str> {
    let mut call = "";
    let mut all = BTreeMap::new();
    for line in out.lines() {
        match line.strip_prefix(' ').and_then(|line| line.split_once(':')) {
            Some((inputs, found)) => {
                all.insert(format!("{call}   with {inputs}"), found.trim());
            }
            None => call = line,
        }
    }
    all
}

#[test]
fn ops_in_all_layouts_are_those_of_pytorch() {
    lab(|lab| {
        let out = lab.out(concat!(include_str!("sweep/cases.py"), include_str!("sweep/sweep.py")));
        let (ours, theirs) = (told(&out), told(include_str!("sweep/recorded.txt")));
        let mut wrong = String::new();
        for key in theirs.keys().chain(ours.keys().filter(|key| !theirs.contains_key(*key))) {
            let (a, b) = (ours.get(key).copied(), theirs.get(key).copied());
            if !matches!((a, b), (Some(a), Some(b)) if same(a, b)) {
                let text = |found: Option<&str>| found.unwrap_or("nothing").to_owned();
                wrong += &format!("\n{key}\n   ours   {}\n   theirs {}", text(a), text(b));
            }
        }
        assert!(wrong.is_empty(), "{wrong}");
        assert_eq!(lab.out(include_str!("sweep/coverage.py")), "", "ops without a case");
    });
}

#[test]
fn a_wrong_number_is_told_apart() {
    assert!(same("sum(x) 2x3 float64 1.2345678", "sum(x) 2x3 float64 1.2345679"));
    assert!(!same("sum(x) 2x3 float64 1.2345678", "sum(x) 2x3 float64 1.2346678"));
    assert!(!same("sum(x) 2x3 float64 1!", "sum(x) 2x3 float64 1"));
    assert!(!same("sum(x) 2x3 float64 1", "sum(x) 2x3 float32 1"));
}
