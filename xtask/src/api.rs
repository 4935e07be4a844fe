//! The pages of the course `reference`: what is here of PyTorch, NumPy and Python, found by looking into the packages
//! (`docs/api/generate.py`). `cargo xtask api` writes them; the test command proves that they are up to date.

use crate::dist::files_below;
use crate::step::show;
use crate::test::rushlight;
use crate::tools::{root, work_dir};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

const COURSE: &str = "lessons/courses/reference";

/// Writes the pages into the course.
pub fn write() -> Result<()> {
    generate(&root().join(COURSE))?;
    println!("written: {COURSE}");
    Ok(())
}

/// Compares the pages with what would be written now.
///
/// # Errors
/// They differ.
pub fn check() -> Result<()> {
    let fresh = work_dir().join("api");
    if fresh.exists() {
        std::fs::remove_dir_all(&fresh).with_context(|| format!("cannot empty {}", fresh.display()))?;
    }
    generate(&fresh)?;
    let read = |path: &Path| std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    let pages = files_below(&fresh)?;
    for (name, path) in &pages {
        let committed = root().join(COURSE).join(name);
        let (old, new) = (if committed.exists() { read(&committed)? } else { String::new() }, read(path)?);
        if let Some((old, new)) = first_difference(&old, &new) {
            bail!("{COURSE}/{name} is out of date: `cargo xtask api` writes it anew\n  there: {old}\n  now:   {new}");
        }
    }
    println!("xtask: {} pages are up to date", pages.len());
    Ok(())
}

fn generate(into: &Path) -> Result<()> {
    let tool = rushlight()?;
    show(
        Command::new(tool).current_dir(root()).args(["run", "docs/api/generate.py"]).arg(into),
        "The lines above say what the generator could not do.",
    )
}

/// The first lines that differ.
fn first_difference<'a>(old: &'a str, new: &'a str) -> Option<(&'a str, &'a str)> {
    if old == new {
        return None;
    }
    let (mut olds, mut news) = (old.lines(), new.lines());
    loop {
        match (olds.next(), news.next()) {
            (Some(a), Some(b)) if a == b => {}
            (a, b) => return Some((a.unwrap_or("the end"), b.unwrap_or("the end"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_first_differing_line_is_named() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(("b", "c")));
        assert_eq!(first_difference("a\n", "a\nc\n"), Some(("the end", "c")));
    }
}
