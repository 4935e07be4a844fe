//! `cargo xtask test`: every check there is, part after part. A part that fails doesn't keep the others from running;
//! the last lines say which passed and how long each took.

use crate::api;
use crate::conformance;
use crate::flags::Flags;
use crate::step::{seconds, show};
use crate::tools::{cargo, ensure_node, ensure_wasm_target, node, root, target_dir};
use crate::{site, step};
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

struct Part {
    name: &'static str,
    /// The name a person reads.
    title: &'static str,
    run: fn() -> Result<()>,
    needs_browser: bool,
}

const PARTS: [Part; 8] = [
    Part { name: "fmt", title: "Formatting", run: formatting, needs_browser: false },
    Part { name: "clippy", title: "Clippy", run: clippy, needs_browser: false },
    Part { name: "unit", title: "Unit and gradient tests", run: unit, needs_browser: false },
    Part { name: "gpu", title: "The same on the GPU", run: gpu, needs_browser: false },
    Part { name: "conformance", title: "Conformance with PyTorch", run: conformance::run, needs_browser: false },
    Part { name: "api", title: "Reference", run: api::check, needs_browser: false },
    Part { name: "lessons", title: "Lessons", run: lessons, needs_browser: false },
    Part { name: "browser", title: "Browsers", run: browser, needs_browser: true },
];

pub fn run(flags: &Flags) -> Result<()> {
    if let Some(wrong) = flags.only.iter().find(|name| !PARTS.iter().any(|part| part.name == name.as_str())) {
        bail!("there is no part `{wrong}`; there are {}", PARTS.map(|part| part.name).join(", "));
    }
    let wanted = |part: &&Part| match flags.only.is_empty() {
        true => !(flags.fast && part.needs_browser),
        false => flags.only.iter().any(|name| name == part.name),
    };
    let start = Instant::now();
    let mut results: Vec<(&Part, Result<()>, Duration)> = Vec::new();
    for part in PARTS.iter().filter(wanted) {
        println!("\n━━ {}", part.title);
        let began = Instant::now();
        let done = (part.run)();
        if let Err(error) = &done {
            eprintln!("failed: {error:#}");
        }
        results.push((part, done, began.elapsed()));
    }
    println!("\n━━ Summary");
    for (part, done, time) in &results {
        let mark = if done.is_ok() { "passed" } else { "FAILED" };
        println!("{mark}  {:<26} {:>12}", part.title, seconds(*time));
    }
    let failed = results.iter().filter(|(_, done, _)| done.is_err()).count();
    println!("xtask: {} passed, {failed} failed ({})", results.len() - failed, seconds(start.elapsed()));
    if failed > 0 {
        bail!("{failed} of {} parts; the messages stand above", results.len());
    }
    Ok(())
}

fn formatting() -> Result<()> {
    show(cargo().args(["fmt", "--all", "--check"]), "`cargo fmt --all` mends it.")
}

fn clippy() -> Result<()> {
    const TARGET: &str = "--target=wasm32-unknown-unknown";
    ensure_wasm_target()?;
    for packages in PACKAGES {
        clippy_on(&[packages, &["--all-targets"]].concat())?;
    }
    // The worker's entry and the page's calls into the browser exist only on this target.
    clippy_on(&["--package=rushlight-app", TARGET])?;
    clippy_on(&["--package=rushlight-runtime", "--package=rushlight-worker", TARGET])
}

fn clippy_on(which: &[&str]) -> Result<()> {
    let mut command = cargo();
    show(command.arg("clippy").args(which).args(["--", "-D", "warnings"]), "The messages above name the lines.")
}

/// The packages, in groups that are built apart: built as one, the page and the interpreter would agree on the
/// features of what they share, and the interpreter would be compiled once more for everyone who tests without the page.
const PACKAGES: [&[&str]; 3] = [&[], &["--package=rushlight-app"], &["--package=xtask"]];

fn unit() -> Result<()> {
    let mut failed = Vec::new();
    for packages in PACKAGES {
        let mut command = cargo();
        command.arg("test").args(packages).arg("--no-fail-fast");
        if show(&mut command, "").is_err() {
            failed.push(step::line_of(&command));
        }
    }
    if !failed.is_empty() {
        bail!("{}: the failing tests are named above", failed.join(", "));
    }
    Ok(())
}

/// The tests of ops and programs once more, on the GPU: of the packages that were built for the others, so that nothing is
/// compiled again.
fn gpu() -> Result<()> {
    const TESTS: [&str; 5] = ["op_values", "recorded", "programs", "fuzz", "webgpu"];
    // Kernels are others where a processor pretends to be a GPU; those for real ones are to be tested there too.
    for real in [false, true] {
        let mut command = cargo();
        command.arg("test").args(TESTS.iter().flat_map(|test| ["--test", test])).env("RUSHLIGHT_DEVICE", "webgpu");
        if real {
            command.env("RUSHLIGHT_REAL_GPU", "1");
        }
        show(
            &mut command,
            "Where no GPU was found: the tests need a driver for Vulkan, Metal or Direct3D 12. One that computes on the \
             processor will do (Debian: apt-get install mesa-vulkan-drivers).",
        )?;
    }
    Ok(())
}

fn lessons() -> Result<()> {
    show(
        Command::new(rushlight()?).current_dir(root()).arg("check"),
        "The lines above name the lesson's file and line.",
    )
}

/// The native tool, built as the unit tests have built it: the same packages, so the same features and no new work.
pub fn rushlight() -> Result<PathBuf> {
    show(cargo().arg("build"), "The compiler's message above names the line to mend.")?;
    let path = target_dir().join("debug").join(if cfg!(windows) { "rushlight.exe" } else { "rushlight" });
    if !path.is_file() {
        bail!("cargo reported success, but there is no {}", path.display());
    }
    Ok(path)
}

fn browser() -> Result<()> {
    ensure_node()?;
    for (variable, default, package) in
        [("CHROMIUM", "/usr/bin/chromium", "chromium"), ("FIREFOX", "/usr/bin/firefox-esr", "firefox-esr")]
    {
        let path = std::env::var_os(variable).map(PathBuf::from).unwrap_or_else(|| default.into());
        if !path.is_file() {
            bail!(
                "there is no {}. Install it (Debian: apt-get install {package}) or name yours in {variable}.",
                path.display()
            );
        }
    }
    site::build_for_tests()?;
    let native = rushlight()?;
    step::step("Browser tests", || {
        let mut files: Vec<PathBuf> = crate::dist::files_below(&root().join("tests/browser"))?
            .into_iter()
            .filter(|(name, _)| name.ends_with(".test.mjs"))
            .map(|(_, path)| path)
            .collect();
        files.sort();
        show(
            node()
                .env("RUSHLIGHT", &native)
                // One file after another: on two cores, browsers side by side only slow each other down.
                .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
                .args(files),
            "The failing tests are named above.",
        )
    })
}
