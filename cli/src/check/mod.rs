//! `rushlight check`: proves that a course does what it says, in every language.
//!
//! Every example runs, every starter fails its checks, every solution passes them; what doesn't is named with file and
//! line. The exit status is 0 when all is well, 1 when something is not, 2 when the command itself is wrong.

mod prove;
mod read;

use prove::{Prover, Tally};
use read::Loaded;
use rushlight_lessons::Problem;
use rushlight_runtime::files::{Errno, MemoryFiles};
use rushlight_runtime::protocol::{CheckLine, Stream};
use rushlight_runtime::{Runtime, Sink, on_big_stack};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Where courses are looked for when none is named.
const HERE: [&str; 2] = ["lessons/courses", "courses"];

/// How many seconds one cell may run, where the command doesn't say.
const LIMIT: u64 = 120;

struct Wanted {
    path: PathBuf,
    lesson: Option<String>,
    /// How long one cell may run.
    limit: Duration,
}

/// Runs the command.
pub fn command(arguments: &[String]) -> ExitCode {
    let wanted = match wanted(arguments) {
        Ok(wanted) => wanted,
        Err(fault) => {
            eprintln!("rushlight check: {fault}\nusage: rushlight check [COURSE] [--lesson ID] [--limit SECONDS]");
            return ExitCode::from(2);
        }
    };
    let folders = match read::course_folders(&wanted.path) {
        Ok(folders) => folders,
        Err(fault) => {
            eprintln!("rushlight check: {fault}");
            return ExitCode::from(2);
        }
    };
    let start = Instant::now();
    let mut problems = Vec::new();
    let courses: Vec<Loaded> =
        folders.iter().filter_map(|folder| read::load(folder, wanted.lesson.as_deref(), &mut problems)).collect();
    if let Some(lesson) = &wanted.lesson
        && problems.is_empty()
        && courses.iter().all(|course| course.lessons.is_empty())
    {
        eprintln!("rushlight check: no lesson `{lesson}` here\n    Give the id as course.yaml writes it.");
        return ExitCode::from(2);
    }
    show(&problems);
    let (tally, found) = on_big_stack(|| run(&courses, wanted.limit));
    let faults = problems.len() + found;
    println!("{}", summary(&courses, &tally, faults, start.elapsed()));
    if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn wanted(arguments: &[String]) -> Result<Wanted, String> {
    let mut path = None;
    let mut lesson = None;
    let mut limit = LIMIT;
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--lesson" => lesson = Some(arguments.next().ok_or("--lesson needs the id of a lesson")?.clone()),
            "--limit" => {
                let seconds = arguments.next().and_then(|text| text.parse().ok()).filter(|&seconds| seconds > 0);
                limit = seconds.ok_or("--limit needs a number of seconds")?;
            }
            flag if flag.starts_with('-') => return Err(format!("no option {flag}")),
            _ if path.is_some() => return Err("one course at a time".to_owned()),
            folder => path = Some(PathBuf::from(folder)),
        }
    }
    let path = path.unwrap_or_else(|| {
        let here = Path::new(".");
        let below = HERE.iter().map(PathBuf::from).find(|folder| folder.is_dir());
        if here.join("course.yaml").is_file() { here.to_owned() } else { below.unwrap_or_else(|| here.to_owned()) }
    });
    Ok(Wanted { path, lesson, limit: Duration::from_secs(limit) })
}

/// Runs all cells of all courses, showing problems as they turn up; gives how many there were.
fn run(courses: &[Loaded], limit: Duration) -> (Tally, usize) {
    let mut tally = Tally::default();
    let mut faults = 0;
    let runtime = match Runtime::new(Rc::new(MemoryFiles::new()), Rc::new(Silent)) {
        Ok(runtime) => runtime,
        Err(error) => {
            println!("rushlight check: the interpreter could not start\n    {error}");
            return (tally, 1);
        }
    };
    let prover = Prover::new(&runtime, limit);
    for course in courses {
        println!("{}", course.title);
        for lesson in &course.lessons {
            let start = Instant::now();
            let mut problems = Vec::new();
            for cell in lesson.lesson.cells() {
                prover.prove(&lesson.file, cell, &mut tally, &mut problems);
            }
            let verdict = if problems.is_empty() { "ok" } else { "PROBLEMS" };
            let seconds = start.elapsed().as_secs_f64();
            println!("  {:28} {:6} {verdict}  {seconds:.1} s", lesson.id, lesson.language);
            show(&problems);
            faults += problems.len();
        }
    }
    (tally, faults)
}

fn show(problems: &[Problem]) {
    for problem in problems {
        println!("{problem}");
    }
}

fn summary(courses: &[Loaded], tally: &Tally, faults: usize, took: Duration) -> String {
    let lessons: usize = courses.iter().map(|course| course.lessons.len()).sum();
    let verdict = match faults {
        0 => "all well".to_owned(),
        1 => "1 problem".to_owned(),
        many => format!("{many} problems"),
    };
    format!(
        "{verdict}: {} in {}; examples that run: {}, starters that fail: {}, solutions that pass: {} ({:.1} s)",
        count(lessons, "lesson file"),
        count(courses.len(), "course"),
        tally.examples,
        tally.starters,
        tally.solutions,
        took.as_secs_f64()
    )
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Takes what cells print and throws it away.
struct Silent;

impl Sink for Silent {
    fn write(&self, _stream: Stream, _bytes: &[u8]) -> Result<(), Errno> {
        Ok(())
    }

    fn value(&self, _text: &str) {}

    fn figure(&self, _svg: &str, _alt: &str) {}

    fn checked(&self, _line: &CheckLine) {}
}
