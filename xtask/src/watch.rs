//! Watches the sources by looking at their times a few times a second, and builds again the parts that changed.
//! Looking costs a millisecond for a few hundred files and works on every file system.

use crate::dist::files_below;
use crate::site::{self, Parts};
use crate::step::seconds;
use crate::tools::root;
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

const EVERY: Duration = Duration::from_millis(250);
const WATCHED: [&str; 6] = ["app", "engine", "lessons", "runtime", "static", ".cargo"];

/// Builds again on every change; returns only when the person ends the program.
pub fn run(release: bool) -> Result<()> {
    let mut before = look()?;
    loop {
        std::thread::sleep(EVERY);
        let now = look()?;
        let changed = differences(&before, &now);
        if changed.is_empty() {
            continue;
        }
        before = now;
        let parts = changed.iter().fold(Parts::default(), |parts, path| add(parts, path));
        println!("\nChanged: {}", summary(&changed));
        let start = Instant::now();
        match site::build_parts(parts, release, release) {
            Ok(_) => println!("Rebuilt in {}; reload the page.", seconds(start.elapsed())),
            Err(error) => eprintln!("failed: {error:#}\nThe last good build is still served."),
        }
    }
}

/// Which parts a changed file belongs to. A file that is only copied belongs to none.
fn add(parts: Parts, path: &str) -> Parts {
    let is = |prefix: &str| path.starts_with(prefix);
    let shared = is("runtime/protocol/") || is(".cargo/") || path == "Cargo.toml" || path == "Cargo.lock";
    Parts {
        page: parts.page || shared || is("app/") || (is("lessons/") && !is("lessons/courses/")),
        runtime: parts.runtime || shared || is("runtime/") || is("engine/"),
        bundle: parts.bundle || is("static/editor/") || is("static/styles/") || path == "package-lock.json",
    }
}

type Times = BTreeMap<String, Option<SystemTime>>;

fn look() -> Result<Times> {
    let mut times = Times::new();
    let time = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).ok();
    for folder in WATCHED {
        for (name, path) in files_below(&root().join(folder))? {
            times.insert(format!("{folder}/{name}"), time(&path));
        }
    }
    for name in ["Cargo.toml", "Cargo.lock", "package-lock.json"] {
        times.insert(name.to_string(), time(&root().join(name)));
    }
    Ok(times)
}

fn differences(before: &Times, now: &Times) -> Vec<String> {
    let changed = now.iter().filter(|(name, time)| before.get(*name) != Some(time)).map(|(name, _)| name.clone());
    let gone = before.keys().filter(|name| !now.contains_key(*name)).cloned();
    changed.chain(gone).collect()
}

fn summary(changed: &[String]) -> String {
    match changed {
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_builds_what_depends_on_it_and_no_more() {
        let parts = |path| add(Parts::default(), path);
        assert_eq!(parts("lessons/courses/first/01/lesson.en.md"), Parts::default());
        assert_eq!(parts("static/worker.js"), Parts::default());
        assert_eq!(parts("app/src/main.rs"), Parts { page: true, ..Parts::default() });
        assert_eq!(parts("lessons/src/lib.rs"), Parts { page: true, ..Parts::default() });
        assert_eq!(parts("engine/src/lib.rs"), Parts { runtime: true, ..Parts::default() });
        assert_eq!(parts("runtime/protocol/src/lib.rs"), Parts { page: true, runtime: true, bundle: false });
        assert_eq!(parts("static/styles/index.css"), Parts { bundle: true, ..Parts::default() });
    }

    #[test]
    fn new_changed_and_removed_files_count() {
        let at = |s| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(s));
        let before = Times::from([("a".into(), at(1)), ("b".into(), at(1)), ("c".into(), at(1))]);
        let now = Times::from([("a".into(), at(1)), ("b".into(), at(2)), ("d".into(), at(1))]);
        assert_eq!(differences(&before, &now), ["b", "d", "c"]);
    }
}
