//! What the build needs from outside: the repository's folders, the wasm target, Node and its packages.

use crate::dist::hash;
use crate::step::{read, show, step};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The repository's root.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// Cargo's target folder, wherever the person has put it.
pub fn target_dir() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        let asked = read(cargo().args(["metadata", "--format-version=1", "--no-deps", "--offline"]), "").ok();
        asked
            .and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok())
            .and_then(|data| data["target_directory"].as_str().map(PathBuf::from))
            .unwrap_or_else(|| root().join("target"))
    })
}

/// Where xtask keeps what it makes on the way to `dist/`.
pub fn work_dir() -> PathBuf {
    target_dir().join("xtask")
}

/// Cargo, started in the repository's root.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

pub fn node() -> Command {
    let mut command = Command::new("node");
    command.current_dir(root());
    command
}

pub fn npm() -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.current_dir(root());
    command
}

/// Installs the wasm target when rustc does not have it.
pub fn ensure_wasm_target() -> Result<()> {
    let sysroot = read(Command::new("rustc").current_dir(root()).args(["--print", "sysroot"]), INSTALL_RUST)?;
    if Path::new(sysroot.trim()).join("lib/rustlib/wasm32-unknown-unknown/lib").is_dir() {
        return Ok(());
    }
    step("Installing the target wasm32-unknown-unknown", || {
        show(
            Command::new("rustup").current_dir(root()).args(["target", "add", "wasm32-unknown-unknown"]),
            "Install rustup (https://rustup.rs), or add the target wasm32-unknown-unknown to your Rust by other means.",
        )
    })
}

const INSTALL_RUST: &str = "Install Rust with rustup: https://rustup.rs";
const INSTALL_NODE: &str = "Install Node 20 or newer (https://nodejs.org, or your system's package `nodejs`).";

/// Checks Node's version and installs the packages of `package-lock.json` when they have changed.
pub fn ensure_node() -> Result<()> {
    let version = read(node().arg("--version"), INSTALL_NODE)?;
    let major: u32 = version.trim().trim_start_matches('v').split('.').next().unwrap_or("").parse().unwrap_or(0);
    if major < 20 {
        bail!("Node {} is too old. {INSTALL_NODE}", version.trim());
    }
    install(root(), "Installing the editor's and the tests' npm packages")
}

/// Installs the packages of a folder's `package-lock.json` when they have changed.
pub fn install(folder: &Path, title: &str) -> Result<()> {
    let lock = folder.join("package-lock.json");
    let want = hash(&std::fs::read(&lock).with_context(|| format!("cannot read {}", lock.display()))?);
    let stamp = folder.join("node_modules/.rushlight-stamp");
    if std::fs::read_to_string(&stamp).is_ok_and(|have| have == want) {
        return Ok(());
    }
    step(title, || {
        show(
            npm().current_dir(folder).args(["ci", "--no-fund", "--no-audit", "--loglevel=error"]),
            "Is the npm registry reachable? If package-lock.json is out of date, run `npm install` and try again.",
        )?;
        std::fs::write(&stamp, want).context("cannot write into node_modules")
    })
}
