//! Modules, optimizers and schedules over a table of settings, as PyTorch 2.15 recorded them.
//!
//! `modules/cases.py` run by PyTorch gives `modules/recorded.txt`: `python cases.py > recorded.txt`. Words have to be the
//! same, and so have checksums; other numbers may differ in their last places.

mod common;

use common::lab;

/// The text between numbers with a point, and these numbers.
fn parts(line: &str) -> (String, Vec<f64>) {
    let mut words = Vec::new();
    let mut numbers = Vec::new();
    for word in line.split(' ') {
        let bare = word.trim_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '.'));
        match bare.parse::<f64>() {
            Ok(number) if bare.contains('.') => {
                numbers.push(number);
                words.push(word.replace(bare, "#"));
            }
            _ => words.push(word.to_owned()),
        }
    }
    (words.join(" "), numbers)
}

fn same(ours: &str, theirs: &str) -> bool {
    if ours == theirs {
        return true;
    }
    let ((words, a), (other_words, b)) = (parts(ours), parts(theirs));
    let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-6 + 2e-4 * y.abs();
    words == other_words && a.len() == b.len() && a.iter().zip(&b).all(near)
}

#[test]
fn modules_optimizers_and_schedules_are_those_of_pytorch() {
    lab(|lab| {
        let out = lab.out(include_str!("modules/cases.py"));
        let recorded = include_str!("modules/recorded.txt");
        let mut about = "";
        let mut wrong = String::new();
        for (ours, theirs) in out.lines().zip(recorded.lines()) {
            if theirs.starts_with("==") {
                about = theirs;
            }
            if !same(ours, theirs) {
                wrong += &format!("\n{about}\n ours   {ours}\n theirs {theirs}");
            }
        }
        assert!(wrong.is_empty(), "{wrong}");
        assert_eq!(out.lines().count(), recorded.lines().count());
    });
}
