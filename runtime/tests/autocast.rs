//! Autocast: what dtype each op gives under it, and a gradient scaler's states, as PyTorch 2.15 recorded them.
//!
//! `autocast/cases.py` run by PyTorch gives `autocast/recorded.txt`: `python cases.py > recorded.txt`.

mod common;

use common::lab;

#[test]
fn dtypes_and_scales_are_those_of_pytorch() {
    lab(|lab| {
        let out = lab.out(include_str!("autocast/cases.py"));
        let recorded = include_str!("autocast/recorded.txt");
        let wrong: Vec<String> = out
            .lines()
            .zip(recorded.lines())
            .filter(|(ours, theirs)| ours != theirs)
            .map(|(ours, theirs)| format!("\n ours   {ours}\n theirs {theirs}"))
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.concat());
        assert_eq!(out.lines().count(), recorded.lines().count());
    });
}
