//! `cargo xtask bench`: how soon a first visitor can edit and run, and how much is downloaded, on a release build; with
//! `--peers`, how fast it computes beside other libraries; with `--gpu` the same on WebGPU.

use crate::flags::Flags;
use crate::site;
use crate::step::{show, step};
use crate::tools::{cargo, install, node, root, target_dir};
use anyhow::Result;

pub fn run(flags: &Flags) -> Result<()> {
    site::build(true)?;
    if flags.gpu {
        return peers_on_gpu();
    }
    if flags.peers {
        return peers();
    }
    show(node().arg("tests/bench/cold-start.mjs"), "The message above says what the page did not do.")
}

fn peers_on_gpu() -> Result<()> {
    install(&root().join("tests/bench/peers"), "Installing the other libraries (300 MB)")?;
    let out = root().join("tests/bench/speed-gpu.json");
    let mut measure = node();
    measure.env("DEVICE", "webgpu").arg("tests/bench/peers.mjs").arg("none").arg(&out);
    show(&mut measure, "The message above says what went wrong.")?;
    println!("\nThe figures as JSON: {}", out.display());
    Ok(())
}

fn peers() -> Result<()> {
    let folder = root().join("tests/bench/peers");
    install(&folder, "Installing the other libraries (300 MB)")?;
    const TARGET: &str = "wasm32-unknown-unknown";
    step("Building the bare matrix product", || {
        show(
            cargo().args(["build", "--package=rushlight-bench-gemm", "--profile=wasm", "--target", TARGET]),
            "The compiler's message above names the line to mend.",
        )
    })?;
    let gemm = target_dir().join(TARGET).join("wasm/rushlight_bench_gemm.wasm");
    // Kept in the repository: a later run shows as a difference.
    let out = root().join("tests/bench/speed.json");
    show(node().arg("tests/bench/peers.mjs").args([&gemm, &out]), "The message above says what went wrong.")?;
    println!("\nThe figures as JSON: {}", out.display());
    Ok(())
}
