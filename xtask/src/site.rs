//! Builds the page, the runtime and the editor bundle, and has `dist` put them together.

use crate::blank::blank;
use crate::dist;
use crate::fused;
use crate::prune::prune;
use crate::step::{show, step};
use crate::tools::{cargo, ensure_node, ensure_wasm_target, node, npm, root, target_dir, work_dir};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// One wasm module of the site.
struct Module {
    /// For progress lines.
    title: &'static str,
    package: &'static str,
    profile: &'static str,
    /// The profile without `--release`. The runtime has only one: its interpreter takes minutes to compile.
    quick: &'static str,
    /// `page` gives the assets `page.js` and `page_bg.wasm`.
    name: &'static str,
    /// A library is compiled as a cdylib, and only here: with other crate types beside it, rustc can do no LTO. Its
    /// unreachable tables are emptied (`blank`).
    library: bool,
    /// Flags for rustc in place of those in `.cargo/config.toml`.
    flags: Option<&'static str>,
}

const PAGE: Module = Module {
    title: "the page",
    package: "rushlight-app",
    profile: "page",
    quick: "page-dev",
    name: "page",
    library: false,
    // Leptos then forgets the types of views, which it would otherwise compile once for each place they stand in.
    flags: Some("--cfg erase_components"),
};
const RUNTIME: Module = Module {
    title: "the Python runtime (minutes the first time)",
    package: "rushlight-worker",
    profile: "wasm",
    quick: "wasm",
    name: "runtime",
    library: true,
    flags: None,
};

/// Which parts of the site a change asks to build again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parts {
    pub page: bool,
    pub runtime: bool,
    pub bundle: bool,
}

impl Parts {
    pub const ALL: Self = Self { page: true, runtime: true, bundle: true };
}

/// Builds all of `dist/`, installing first what is missing. Returns the folder.
pub fn build(release: bool) -> Result<PathBuf> {
    build_all(release, release)
}

/// A release without its compressed copies: what the browser tests want, minutes sooner.
pub fn build_for_tests() -> Result<PathBuf> {
    build_all(true, false)
}

fn build_all(release: bool, compressed: bool) -> Result<PathBuf> {
    let start = Instant::now();
    ensure_wasm_target()?;
    ensure_node()?;
    let dist = build_parts(Parts::ALL, release, compressed)?;
    println!("\n{} is ready ({}).", dist.display(), crate::step::seconds(start.elapsed()));
    Ok(dist)
}

/// Builds the named parts and lays `dist/` out again.
pub fn build_parts(parts: Parts, release: bool, compressed: bool) -> Result<PathBuf> {
    if parts.bundle {
        step("Bundling editor and styles", || {
            let out = target_dir().join("bundle");
            show(
                npm().args(["run", "--silent", "bundle", "--"]).arg(out),
                "The message above names the file; see static/.",
            )
        })?;
    }
    if parts.page {
        module(&PAGE, release)?;
    }
    if parts.runtime {
        module(&RUNTIME, release)?;
        step("Building the matrix product for relaxed SIMD", fused::build)?;
    }
    step("Writing dist/", || dist::write(&root().join("dist"), compressed))
}

fn module(module: &Module, release: bool) -> Result<()> {
    step(&format!("Building {}", module.title), || {
        let wasm = compile(module, if release { module.profile } else { module.quick })?;
        bindgen(module, &wasm, release)
    })
}

fn compile(module: &Module, profile: &str) -> Result<PathBuf> {
    let mut cargo = cargo();
    cargo.args([if module.library { "rustc" } else { "build" }, "--package", module.package]);
    cargo.args(["--profile", profile, "--target", "wasm32-unknown-unknown"]);
    let map = work_dir().join(format!("{}.map", module.name));
    std::fs::create_dir_all(work_dir())?;
    if module.library {
        cargo.args(["--lib", "--crate-type", "cdylib", "--"]);
        cargo.arg(format!("-Clink-arg=--Map={}", map.display()));
    }
    if let Some(flags) = module.flags {
        cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags);
    }
    show(&mut cargo, "The compiler's message above names the line to mend.")?;
    let file = if module.library { module.package.replace('-', "_") } else { module.package.to_string() };
    let wasm = target_dir().join("wasm32-unknown-unknown").join(profile).join(file).with_extension("wasm");
    if !wasm.is_file() {
        bail!("cargo reported success, but there is no {}", wasm.display());
    }
    if !module.library {
        return Ok(wasm);
    }
    let mut bytes = std::fs::read(&wasm).with_context(|| format!("cannot read {}", wasm.display()))?;
    let map = std::fs::read_to_string(&map).with_context(|| format!("cannot read {}", map.display()))?;
    let emptied = blank(&mut bytes, &map)?;
    if emptied == 0 {
        bail!("the linker's map names no table of xtask/src/blank.rs any more; see what became of them");
    }
    let slim = work_dir().join(format!("{}-slim.wasm", module.name));
    std::fs::write(&slim, bytes).with_context(|| format!("cannot write {}", slim.display()))?;
    Ok(slim)
}

/// Writes the JavaScript for a module and the module itself, unless they are already there for this very input.
///
/// A release carries no names of Rust functions: they are as large as the code.
fn bindgen(module: &Module, wasm: &Path, release: bool) -> Result<()> {
    let out = work_dir().join(module.name);
    let input = std::fs::read(wasm).with_context(|| format!("cannot read {}", wasm.display()))?;
    let stamp_path = out.join("stamp");
    let stamp = format!("{} {release}", dist::hash(&input));
    if std::fs::read_to_string(&stamp_path).is_ok_and(|have| have == stamp) {
        return Ok(());
    }
    let raw = work_dir().join(format!("{}-raw", module.name));
    for folder in [&raw, &out] {
        if folder.exists() {
            std::fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
        }
        std::fs::create_dir_all(folder)?;
    }
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen
        .input_path(wasm)
        .out_name(module.name)
        .typescript(false)
        .omit_default_module_path(true)
        .remove_producers_section(true)
        .remove_name_section(release)
        .web(true)?
        .generate(&raw)
        .with_context(|| format!("wasm-bindgen cannot read {}", wasm.display()))?;
    let wasm_name = format!("{}_bg.wasm", module.name);
    std::fs::write(out.join(&wasm_name), prune(&std::fs::read(raw.join(&wasm_name))?)?)?;
    // Snippets of inline JavaScript are files of their own; bundled, each module is one file to fetch and to hash.
    show(
        node()
            .arg("xtask/minify.mjs")
            .arg(raw.join(format!("{}.js", module.name)))
            .arg(out.join(format!("{}.js", module.name))),
        "Run `npm ci` and try again.",
    )?;
    std::fs::write(stamp_path, stamp)?;
    Ok(())
}
