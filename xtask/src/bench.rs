//! `cargo xtask bench`: how soon a first visitor can edit and run, and how much is downloaded, on a release build.

use crate::site;
use crate::step::show;
use crate::tools::node;
use anyhow::Result;

pub fn run() -> Result<()> {
    site::build(true)?;
    show(node().arg("tests/bench/cold-start.mjs"), "The message above says what the page did not do.")
}
