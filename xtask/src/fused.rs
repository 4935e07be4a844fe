//! Builds `engine/fused` as a module that works in the runtime's memory, and looks that it may: a stack in memory or data
//! of its own would lie where the runtime's lie.

use crate::step::show;
use crate::tools::{cargo, target_dir, work_dir};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

const TARGET: &str = "wasm32-unknown-unknown";

/// Where the module is once it is built.
pub fn path() -> PathBuf {
    work_dir().join("fused.wasm")
}

pub fn build() -> Result<()> {
    let mut cargo = cargo();
    cargo.args([
        "rustc",
        "--package=rushlight-fused",
        "--lib",
        "--crate-type=cdylib",
        "--profile=wasm",
        "--target",
        TARGET,
    ]);
    cargo.args([
        "--",
        "-Ctarget-feature=+relaxed-simd",
        "-Clink-arg=--import-memory",
        "-Clink-arg=--no-entry",
        "-Cstrip=symbols",
    ]);
    show(&mut cargo, "The compiler's message above names the line to mend.")?;
    let built = target_dir().join(TARGET).join("wasm/rushlight_fused.wasm");
    let module = std::fs::read(&built).with_context(|| format!("cannot read {}", built.display()))?;
    match sections(&module).context("the module for products is not WebAssembly")?.as_slice() {
        [] => std::fs::write(path(), module).with_context(|| format!("cannot write {}", path().display())),
        found => bail!("engine/fused would use memory of its own (section {found:?}); see its first lines"),
    }
}

/// The numbers of those sections of a module that mean memory of its own: globals (6), of which a stack's pointer is one,
/// a start function (8) and data (11).
fn sections(module: &[u8]) -> Option<Vec<u8>> {
    let mut rest = module.strip_prefix(b"\0asm\x01\0\0\0")?;
    let mut found = vec![];
    while let [number, after @ ..] = rest {
        let mut size = 0usize;
        let digits = after.iter().position(|byte| byte & 0x80 == 0).filter(|at| *at < 5)? + 1;
        for (at, byte) in after[..digits].iter().enumerate() {
            size |= usize::from(byte & 0x7f) << (7 * at);
        }
        rest = after[digits..].get(size..)?;
        if [6, 8, 11].contains(number) {
            found.push(*number);
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::sections;

    #[test]
    fn memory_of_its_own_is_noticed() {
        let module = |rest: &[u8]| [b"\0asm\x01\0\0\0", rest].concat();
        // A type section of 128 bytes, then one of each kind.
        let types = [&[1, 0x80, 1][..], &[0; 128]].concat();
        assert_eq!(sections(&module(&[&types[..], &[3, 1, 0]].concat())), Some(vec![]));
        assert_eq!(sections(&module(&[&types[..], &[6, 1, 0], &[11, 0]].concat())), Some(vec![6, 11]));
        assert_eq!(sections(&module(&[6, 9, 0])), None);
        assert_eq!(sections(b"no module"), None);
    }
}
