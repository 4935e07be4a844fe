//! `cargo xtask bench`.
use anyhow::{Result, bail};

pub fn run() -> Result<()> {
    bail!("not here yet")
}
