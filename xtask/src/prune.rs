//! Takes out of the page what came with a library and nobody calls: Leptos exports streams for server functions, and an
//! export keeps all it can reach.

use anyhow::{Result, anyhow};

/// Beginnings of the names of exports that nothing of ours uses.
const UNUSED: [&str; 2] = ["intounderlying", "__wbg_intounderlying"];

/// The module without its unused exports and what only they needed.
pub fn prune(module: &[u8]) -> Result<Vec<u8>> {
    let mut config = walrus::ModuleConfig::new();
    config.generate_producers_section(false);
    let mut module = config.parse(module).map_err(|error| anyhow!("{error:#}"))?;
    let unused: Vec<_> = module
        .exports
        .iter()
        .filter(|export| UNUSED.iter().any(|start| export.name.starts_with(start)))
        .map(|export| export.id())
        .collect();
    for export in unused {
        module.exports.delete(export);
    }
    walrus::passes::gc::run(&mut module);
    Ok(module.emit_wasm())
}

#[cfg(test)]
mod tests {
    use super::prune;

    /// Two functions without parameters or results, exported as `intounderlying_x` and `main`.
    const MODULE: &[u8] = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x03\x02\0\0\
        \x07\x1b\x02\x10intounderlying_x\0\0\x04main\0\x01\x0a\x08\x02\x03\0\x01\x0b\x02\0\x0b";

    #[test]
    fn unused_exports_go_and_others_stay() {
        let pruned = prune(MODULE).unwrap();
        let text = String::from_utf8_lossy(&pruned);
        assert!(text.contains("main") && !text.contains("intounderlying"), "{text}");
        assert!(pruned.len() < MODULE.len());
    }
}
