//! What the commands show while they work: one line a step, with its seconds, and errors that say how to mend.

use anyhow::{Context, Result, bail};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Announces a step, runs it, and says how long it took.
pub fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    println!("▸ {name}");
    let _ = std::io::stdout().flush();
    let done = work();
    match &done {
        Ok(_) => println!("  {name}: {}", seconds(start.elapsed())),
        Err(_) => println!("  {name}: failed after {}", seconds(start.elapsed())),
    }
    done
}

pub fn seconds(time: Duration) -> String {
    let s = time.as_secs_f64();
    if s < 60.0 { format!("{s:.1} s") } else { format!("{} min {:02} s", (s / 60.0) as u64, s as u64 % 60) }
}

/// Runs a program with its output shown; `mend` says what a person can do when it fails.
pub fn show(command: &mut Command, mend: &str) -> Result<()> {
    let text = line_of(command);
    let status = command.stdin(Stdio::null()).status().with_context(|| format!("cannot start `{text}`. {mend}"))?;
    if !status.success() {
        bail!("`{text}` ended with {status}. {mend}");
    }
    Ok(())
}

/// Runs a program and returns what it printed.
pub fn read(command: &mut Command, mend: &str) -> Result<String> {
    let text = line_of(command);
    let done = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{text}`. {mend}"))?;
    if !done.status.success() {
        bail!("`{text}` ended with {}. {mend}", done.status);
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// The command as a person would type it.
pub fn line_of(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for arg in command.get_args() {
        text.push(' ');
        text.push_str(&arg.to_string_lossy());
    }
    text
}
