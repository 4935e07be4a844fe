//! Lays `dist/` out: collects the built files, gives assets names that carry their content's hash, fills in the
//! references between them, and compresses. The result is plain static files for any host.
//!
//! - `static/**`, the bundles in `target/bundle/`, the interface's texts but English, and the two wasm modules become
//!   `assets/NAME-HASH.ext`.
//! - `static/index.html` and everything in `static/root/` keep their names; so do the courses, which an instructor
//!   edits in place, and their list `courses/courses.json`.
//! - In the HTML, CSS, JavaScript and JSON of `static/`, `{{asset:NAME}}` (or `{{NAME}}`) becomes the asset's address as
//!   seen from that file, and `{{size:NAME}}` its size in bytes, not compressed: what a progress bar counts.
//!   `{{assets}}` in `index.html` becomes a JSON object of all assets: name to `url` and `bytes`.

use crate::step::{line_of, step};
use crate::tools::{node, root, target_dir, work_dir};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// File types whose text may refer to assets.
const TEMPLATES: [&str; 6] = ["html", "css", "js", "mjs", "json", "webmanifest"];
/// File types worth compressing; the others are compressed already.
const COMPRESSIBLE: [&str; 14] =
    ["html", "css", "js", "mjs", "json", "webmanifest", "wasm", "svg", "md", "yaml", "txt", "ico", "py", "ftl"];

/// A short stable name for some bytes: 16 hexadecimal digits.
pub fn hash(bytes: &[u8]) -> String {
    // Not against forgers: it only tells one build from another.
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(bytes);
    format!("{:016x}", hasher.finish())
}

/// Writes everything below `dist` and removes what no longer belongs there.
pub fn write(dist: &Path, compressed: bool) -> Result<PathBuf> {
    let mut site = Site::collect()?;
    let names: Vec<String> = site.sources.keys().cloned().collect();
    for name in &names {
        site.resolve(name, &mut Vec::new())?;
    }
    let index_path = root().join("static/index.html");
    let index = site.fill(read(&index_path)?, "", &index_path, &mut vec!["index.html".to_string()])?;
    let index = String::from_utf8(index)?.replace("{{assets}}", &site.list()).into_bytes();
    let mut files: BTreeMap<String, Vec<u8>> = site.done.into_values().map(|asset| (asset.url, asset.bytes)).collect();
    files.insert("index.html".to_string(), index);
    for (name, path) in files_below(&root().join("static/root"))? {
        files.insert(name, read(&path)?);
    }
    let mut courses = BTreeSet::new();
    for (name, path) in files_below(&root().join("lessons/courses"))? {
        if let Some((course, "course.yaml")) = name.split_once('/') {
            courses.insert(course.to_string());
        }
        files.insert(format!("courses/{name}"), read(&path)?);
    }
    files.entry("courses/courses.json".to_string()).or_insert_with(|| json!(courses).to_string().into_bytes());
    let mut keep: BTreeSet<PathBuf> = BTreeSet::new();
    for (name, bytes) in &files {
        // The page comes last, so that a browser never meets a page whose assets are not there yet.
        if name != "index.html" {
            put(&dist.join(name), bytes)?;
        }
        keep.insert(dist.join(name));
    }
    if compressed {
        keep.extend(step("Compressing with brotli and gzip", || compress(dist, &files))?);
    }
    if let Some(index) = files.get("index.html") {
        put(&dist.join("index.html"), index)?;
    }
    for (_, path) in files_below(dist)? {
        if !keep.contains(&path) {
            std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(dist.to_path_buf())
}

struct Asset {
    url: String,
    bytes: Vec<u8>,
}

/// The assets by name: where they come from, and those whose final address is known.
struct Site {
    sources: BTreeMap<String, PathBuf>,
    done: BTreeMap<String, Asset>,
    /// The folder whose texts are templates.
    templates: PathBuf,
}

impl Site {
    fn collect() -> Result<Self> {
        let mut sources = BTreeMap::new();
        for (name, path) in files_below(&root().join("static"))? {
            let kept_elsewhere = name == "index.html" || name.starts_with("root/");
            // Sources; what is served is their bundle.
            let bundled = name.starts_with("editor/") || name.starts_with("styles/");
            if !kept_elsewhere && !bundled && !name.ends_with("README.md") {
                sources.insert(name, path);
            }
        }
        for (name, path) in files_below(&target_dir().join("bundle"))? {
            sources.insert(name, path);
        }
        for (name, path) in files_below(&root().join("app/texts"))? {
            // English is in the page itself.
            if name != "en.ftl" {
                sources.insert(format!("texts/{name}"), path);
            }
        }
        for module in ["page", "runtime"] {
            for name in [format!("{module}.js"), format!("{module}_bg.wasm")] {
                let path = work_dir().join(module).join(&name);
                if !path.is_file() {
                    bail!("{} is missing: run `cargo xtask build`", path.display());
                }
                sources.insert(name, path);
            }
        }
        sources.insert("fused.wasm".to_string(), crate::fused::path());
        Ok(Self { sources, done: BTreeMap::new(), templates: root().join("static") })
    }

    /// The address of an asset, relative to the site's root; its own references are filled in first.
    fn resolve(&mut self, name: &str, waiting: &mut Vec<String>) -> Result<String> {
        if let Some(asset) = self.done.get(name) {
            return Ok(asset.url.clone());
        }
        if waiting.iter().any(|other| other == name) {
            bail!("assets refer to each other in a circle: {} → {name}", waiting.join(" → "));
        }
        let path = self.sources.get(name).cloned().with_context(|| {
            let by = waiting.last().map(|file| format!(", which {file} asks for")).unwrap_or_default();
            format!("there is no asset `{name}`{by}; it would be a file in static/ or target/bundle/")
        })?;
        let mut bytes = read(&path)?;
        // What a bundler or wasm-bindgen has written is no template: two braces there are code.
        if path.starts_with(&self.templates) && has_extension(name, &TEMPLATES) {
            waiting.push(name.to_string());
            let up = "../".repeat(name.matches('/').count() + 1);
            bytes = self.fill(bytes, &up, &path, waiting)?;
            waiting.pop();
        }
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, "bin"));
        let url = format!("assets/{stem}-{}.{extension}", &hash(&bytes)[..10]);
        self.done.insert(name.to_string(), Asset { url: url.clone(), bytes });
        Ok(url)
    }

    /// Replaces each `{{NAME}}` of a text by the address, `up` in front of it, and each `{{size:NAME}}`.
    fn fill(&mut self, bytes: Vec<u8>, up: &str, path: &Path, waiting: &mut Vec<String>) -> Result<Vec<u8>> {
        let text = String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8 text", path.display()))?;
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once("{{") {
            out.push_str(before);
            rest = after;
            let reference = after.split_once("}}").filter(|(inside, _)| {
                inside.chars().all(|c| c.is_ascii_alphanumeric() || "._-/:".contains(c)) && inside.contains('.')
            });
            let Some((inside, behind)) = reference else {
                out.push_str("{{");
                continue;
            };
            let size = inside.strip_prefix("size:");
            let name = size.or_else(|| inside.strip_prefix("asset:")).unwrap_or(inside);
            let url = self.resolve(name, waiting).with_context(|| format!("in {}", path.display()))?;
            if size.is_none() {
                out.push_str(up);
                out.push_str(&url);
            } else {
                out.push_str(&self.done.get(name).map_or(0, |asset| asset.bytes.len()).to_string());
            }
            rest = behind;
        }
        out.push_str(rest);
        Ok(out.into_bytes())
    }

    /// All assets as a JSON object that is safe inside a `<script>`.
    fn list(&self) -> String {
        let entry =
            |(name, asset): (&String, &Asset)| (name.clone(), json!({ "url": asset.url, "bytes": asset.bytes.len() }));
        let list: serde_json::Map<String, serde_json::Value> = self.done.iter().map(entry).collect();
        serde_json::Value::Object(list).to_string().replace("</", "<\\/")
    }
}

/// Puts `.br` and `.gz` beside each file that gains by it. Results are kept by content, so only new content costs.
fn compress(dist: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<PathBuf>> {
    let cache = work_dir().join("compressed");
    std::fs::create_dir_all(&cache)?;
    let mut jobs = Vec::new();
    let mut wanted = Vec::new();
    for (name, bytes) in files.iter().filter(|(name, bytes)| bytes.len() > 256 && has_extension(name, &COMPRESSIBLE)) {
        let key = hash(bytes);
        let (br, gz) = (cache.join(format!("{key}.br")), cache.join(format!("{key}.gz")));
        let from = dist.join(name);
        if !br.is_file() || !gz.is_file() {
            // `index.html` is not in its place yet, so it is compressed from a copy.
            let from = if name == "index.html" {
                let copy = cache.join("index.html");
                std::fs::write(&copy, bytes)?;
                copy
            } else {
                from.clone()
            };
            jobs.push(json!({ "from": from, "br": br, "gz": gz }));
        }
        wanted.push((from, br, gz));
    }
    if !jobs.is_empty() {
        let mut command = node();
        command.arg("xtask/compress.mjs").stdin(Stdio::piped());
        let mut child = command.spawn().context("cannot start node")?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(serde_json::Value::Array(jobs).to_string().as_bytes())?;
        }
        let status = child.wait()?;
        if !status.success() {
            bail!("`{}` ended with {status}", line_of(&command));
        }
    }
    let mut written = Vec::new();
    for (from, br, gz) in &wanted {
        for (packed, extension) in [(br, "br"), (gz, "gz")] {
            let mut name = from.clone().into_os_string();
            name.push(".");
            name.push(extension);
            let path = PathBuf::from(name);
            put(&path, &read(packed)?)?;
            written.push(path);
        }
    }
    forget_old(&cache, &wanted)?;
    Ok(written)
}

/// Removes what the last build did not use and no build of the last days made.
fn forget_old(cache: &Path, used: &[(PathBuf, PathBuf, PathBuf)]) -> Result<()> {
    const DAYS: u64 = 3;
    for (_, path) in files_below(cache)? {
        let in_use = used.iter().any(|(_, br, gz)| *br == path || *gz == path);
        let age = path.metadata()?.modified()?.elapsed().unwrap_or_default();
        if !in_use && age.as_secs() > DAYS * 86_400 {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// All files below a folder (none when it is missing), with their paths relative to it, `/` between the parts.
pub fn files_below(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), folder.to_path_buf())];
    while let Some((prefix, folder)) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
            let file_name = entry.file_name().to_string_lossy().into_owned();
            if file_name.starts_with('.') || file_name.ends_with('~') {
                continue;
            }
            let name = format!("{prefix}{file_name}");
            if entry.path().is_dir() {
                open.push((format!("{name}/"), entry.path()));
            } else {
                found.push((name, entry.path()));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn has_extension(name: &str, list: &[&str]) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| list.contains(&extension))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file unless it already holds these bytes.
fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    if std::fs::read(path).is_ok_and(|have| have == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(name: &str, files: &[(&str, &str)]) -> Site {
        let folder = std::env::temp_dir().join(format!("rushlight-dist-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut sources = BTreeMap::new();
        for (name, text) in files {
            let path = folder.join(name.replace('/', "_"));
            std::fs::write(&path, text).unwrap();
            sources.insert(name.to_string(), path);
        }
        Site { sources, done: BTreeMap::new(), templates: folder }
    }

    #[test]
    fn a_change_deep_down_renames_everything_that_leads_to_it() {
        let old = [("a.js", "import '{{asset:b.js}}'"), ("b.js", "fetch('{{c.wasm}}')"), ("c.wasm", "one")];
        let mut new = old;
        new[2].1 = "two";
        let (first, second) =
            (site("old", &old).resolve("a.js", &mut vec![]), site("new", &new).resolve("a.js", &mut vec![]));
        assert_ne!(first.unwrap(), second.unwrap());
    }

    #[test]
    fn addresses_are_relative_to_the_file_they_stand_in() {
        let mut site =
            site("relative", &[("deep/a.css", "url({{b.svg}}) /* {{size:b.svg}} {{ x }} */"), ("b.svg", "<svg/>")]);
        let url = site.resolve("deep/a.css", &mut vec![]).unwrap();
        assert!(url.starts_with("assets/deep/a-") && url.ends_with(".css"), "{url}");
        let text = String::from_utf8(site.done["deep/a.css"].bytes.clone()).unwrap();
        assert_eq!(text, format!("url(../../{}) /* 6 {{{{ x }}}} */", site.done["b.svg"].url));
    }

    #[test]
    fn a_missing_asset_and_a_circle_are_named() {
        let missing = site("missing", &[("a.js", "{{gone.js}}")]).resolve("a.js", &mut vec![]).unwrap_err();
        assert!(format!("{missing:#}").contains("there is no asset `gone.js`, which a.js asks for"), "{missing:#}");
        let circle =
            site("circle", &[("a.js", "{{b.js}}"), ("b.js", "{{a.js}}")]).resolve("a.js", &mut vec![]).unwrap_err();
        assert!(format!("{circle:#}").contains("a.js → b.js → a.js"), "{circle:#}");
    }
}
