//! The Python sources inside this binary: parts of the standard library, and the packages under `lib/`.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Folder under which embedded sources appear in `__file__` and in tracebacks.
pub(crate) const ROOT: &str = "/rushlight/lib/";

fn find(table: &'static [(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    let at = table.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    table.get(at).map(|(_, source)| *source)
}

/// The text of an embedded file, for example `torch/nn/__init__.py`.
pub(crate) fn source(name: &str) -> Option<std::borrow::Cow<'static, str>> {
    // While the package's Python sources are worked on, they can be read from the folder itself.
    #[cfg(all(debug_assertions, not(target_arch = "wasm32")))]
    if let Some(folder) = std::env::var_os("RUSHLIGHT_LIB")
        && let Ok(text) = std::fs::read_to_string(std::path::Path::new(&folder).join(name))
    {
        return Some(text.into());
    }
    find(LIB, name).or_else(|| find(STDLIB, name)).map(Into::into)
}
