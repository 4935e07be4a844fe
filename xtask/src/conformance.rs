//! Runs the conformance corpus with the native tool and holds it to its floors: each area, and all of them together.

use crate::step::line_of;
use crate::test::rushlight;
use crate::tools::{root, work_dir};
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// At least this share of an area's scripts is exact, and none crashed.
const FLOOR_PERCENT: f64 = 90.0;
/// At least this share of all scripts is exact.
const FLOOR_OF_ALL: f64 = 97.0;
const AREAS: [&str; 15] = [
    "autograd",
    "broadcasting",
    "creation_dtype",
    "data",
    "errors",
    "indexing",
    "math_reduce",
    "nn",
    "numpy_interop",
    "optim",
    "printing",
    "python_lang",
    "random",
    "training",
    "views_strides",
];

/// One line of the report: an area and how its scripts did.
#[derive(Debug, PartialEq, Eq)]
struct Area {
    name: String,
    exact: u32,
    close: u32,
    different: u32,
    crashed: u32,
}

impl Area {
    /// Reads a line such as `nn   exact  12  close   0  different   3  crashed   1`.
    fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, "exact", exact, "close", close, "different", different, "crashed", crashed] = words[..] else {
            return None;
        };
        Some(Self {
            name: name.to_string(),
            exact: exact.parse().ok()?,
            close: close.parse().ok()?,
            different: different.parse().ok()?,
            crashed: crashed.parse().ok()?,
        })
    }

    fn total(&self) -> u32 {
        self.exact + self.close + self.different + self.crashed
    }

    fn percent(&self) -> f64 {
        100.0 * f64::from(self.exact) / f64::from(self.total().max(1))
    }

    fn fault(&self, floor: f64) -> Option<String> {
        if self.crashed > 0 {
            return Some(format!("{}: {} crashed", self.name, self.crashed));
        }
        (self.percent() < floor).then(|| format!("{}: {:.1} % exact, {floor} % wanted", self.name, self.percent()))
    }
}

pub fn run() -> Result<()> {
    let native = rushlight()?;
    let mut command = Command::new("python3");
    command
        .current_dir(root())
        .args(["tests/conformance/compare.py", "--jobs", &jobs().to_string(), "--run"])
        .arg(format!("'{}' run {{script}}", native.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let text = line_of(&command);
    let mut child = command.spawn().with_context(|| format!("cannot start `{text}`: Python 3 is needed"))?;
    let mut areas = Vec::new();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines() {
            let line = line?;
            println!("{line}");
            areas.extend(Area::parse(&line));
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("`{text}` ended with {status}");
    }
    std::fs::create_dir_all(work_dir())?;
    let table = work_dir().join("conformance.md");
    std::fs::write(&table, markdown(&areas))?;
    println!("The README's table: {}", table.display());
    let mut faults: Vec<String> = areas.iter().filter_map(|area| area.fault(FLOOR_PERCENT)).collect();
    faults.extend(sum(&areas).fault(FLOOR_OF_ALL));
    faults.extend(
        AREAS
            .iter()
            .filter(|name| !areas.iter().any(|area| area.name == **name))
            .map(|name| format!("{name}: no figures")),
    );
    if !faults.is_empty() {
        bail!("{}", faults.join("; "));
    }
    Ok(())
}

fn jobs() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

fn sum(areas: &[Area]) -> Area {
    let mut all = Area { name: "all".into(), exact: 0, close: 0, different: 0, crashed: 0 };
    for area in areas {
        all.exact += area.exact;
        all.close += area.close;
        all.different += area.different;
        all.crashed += area.crashed;
    }
    all
}

fn markdown(areas: &[Area]) -> String {
    let mut text =
        String::from("| Area | scripts | exact | close | different | crashed |\n|---|--:|--:|--:|--:|--:|\n");
    for area in areas.iter().chain([&sum(areas)]) {
        let _ = writeln!(
            text,
            "| {} | {} | {} ({:.0} %) | {} | {} | {} |",
            area.name,
            area.total(),
            area.exact,
            area.percent(),
            area.close,
            area.different,
            area.crashed
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_is_held_to_its_floor() {
        let area = |line| Area::parse(line).unwrap();
        let fault = |line| area(line).fault(FLOOR_PERCENT);
        assert_eq!(fault("autograd exact  9 close 1 different 0 crashed 0"), None);
        assert!(fault("autograd exact 89 close 11 different 0 crashed 0").is_some());
        assert!(fault("nn exact 99 close 0 different 0 crashed 1").is_some());
        let all =
            sum(&[area("a exact 99 close 1 different 0 crashed 0"), area("b exact 92 close 8 different 0 crashed 0")]);
        assert!(all.fault(FLOOR_OF_ALL).is_some());
        assert_eq!(all.fault(95.0), None);
        assert_eq!(Area::parse("conformance: 1 exact, 0 close, 0 different, 0 crashed of 1"), None);
    }
}
