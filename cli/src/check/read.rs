//! Finds courses on the disk and reads their files, with every problem they have.

use rushlight_lessons::{Course, Lesson, LessonRef, Options, Problem, parse_course, parse_lesson};
use std::path::{Path, PathBuf};

/// A course whose files could be read, as far as they could.
pub struct Loaded {
    pub title: String,
    pub lessons: Vec<LoadedLesson>,
}

/// One lesson in one language.
pub struct LoadedLesson {
    pub id: String,
    pub language: String,
    /// As messages name it.
    pub file: String,
    pub lesson: Lesson,
}

/// The folders that hold courses: `path` itself, or those directly in it.
pub fn course_folders(path: &Path) -> Result<Vec<PathBuf>, String> {
    if path.join("course.yaml").is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = std::fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.join("course.yaml").is_file()).collect();
    folders.sort();
    if folders.is_empty() {
        return Err(format!(
            "{}: no course.yaml here, nor in a folder directly below.\n    Give the folder of a course.",
            path.display()
        ));
    }
    Ok(folders)
}

/// Reads a course in all its languages. `only` keeps one lesson.
pub fn load(folder: &Path, only: Option<&str>, problems: &mut Vec<Problem>) -> Option<Loaded> {
    let file = shown(&folder.join("course.yaml"));
    let text = read(&folder.join("course.yaml"), &file, 1, "Put a course.yaml into the course's folder.", problems)?;
    let course = match parse_course(&file, &text) {
        Ok(course) => course,
        Err(found) => {
            problems.extend(found.0);
            return None;
        }
    };
    let mut lessons = Vec::new();
    for reference in &course.lessons {
        if only.is_none_or(|only| only == reference.id) {
            load_lesson(folder, &file, &course, reference, &mut lessons, problems);
        }
    }
    Some(Loaded { title: course.title.get("en").to_owned(), lessons })
}

fn load_lesson(
    folder: &Path,
    course_file: &str,
    course: &Course,
    reference: &LessonRef,
    lessons: &mut Vec<LoadedLesson>,
    problems: &mut Vec<Problem>,
) {
    let mut first: Option<(Vec<String>, String)> = None;
    for language in &course.languages {
        let path = folder.join(reference.path(language));
        let file = shown(&path);
        let help = format!("Write that file, or change the entry at {course_file}:{}.", reference.line);
        let Some(text) = read(&path, &file, 1, &help, problems) else { continue };
        let lesson = match parse_lesson(&file, &text, &Options::default()) {
            Ok(lesson) => lesson,
            Err(found) => {
                problems.extend(found.0);
                continue;
            }
        };
        for link in lesson.links.iter().filter(|link| course.lessons.iter().all(|other| other.id != link.id)) {
            problems.push(Problem {
                file: file.clone(),
                line: link.line,
                message: format!("this links to the lesson `{}`, which the course doesn't have", link.id),
                help: format!(
                    "The lessons are: {}.",
                    course.lessons.iter().map(|lesson| lesson.id.as_str()).collect::<Vec<_>>().join(", ")
                ),
            });
        }
        let ids: Vec<String> = lesson.cells().map(|cell| cell.id.clone()).collect();
        match &first {
            None => first = Some((ids, file.clone())),
            Some((others, other)) => {
                if let Some(problem) = differing(&lesson, &ids, others, &file, other) {
                    problems.push(problem);
                }
            }
        }
        lessons.push(LoadedLesson { id: reference.id.clone(), language: language.clone(), file, lesson });
    }
}

/// Learners keep their work when they change the language, so a lesson's cells are the same in all of them.
fn differing(lesson: &Lesson, ids: &[String], others: &[String], file: &str, other: &str) -> Option<Problem> {
    if ids == others {
        return None;
    }
    let index = ids.iter().zip(others).take_while(|(a, b)| a == b).count();
    let line = lesson.cells().nth(index).map_or(1, |cell| cell.line);
    let message = match (ids.get(index), others.get(index)) {
        (Some(id), Some(wanted)) => format!("the cell here is `{id}`; in {other} it is `{wanted}`"),
        (Some(id), None) => format!("the cell `{id}` is not in {other}"),
        (None, Some(wanted)) => format!("the cell `{wanted}` of {other} is missing"),
        (None, None) => return None,
    };
    let help = "Give both files the same cells, with the same ids, in the same order.".to_owned();
    Some(Problem { file: file.to_owned(), line, message, help })
}

fn read(path: &Path, file: &str, line: u32, help: &str, problems: &mut Vec<Problem>) -> Option<String> {
    let fault = match std::fs::read(path).map(String::from_utf8) {
        Ok(Ok(text)) => return Some(text),
        Ok(Err(error)) => {
            let before = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            problems.push(Problem {
                file: file.to_owned(),
                line: u32::try_from(line).unwrap_or(u32::MAX),
                message: "this line is not UTF-8 text".to_owned(),
                help: "Save the file as UTF-8.".to_owned(),
            });
            return None;
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "this file is missing".to_owned(),
        Err(error) => format!("this file cannot be read: {error}"),
    };
    problems.push(Problem { file: file.to_owned(), line, message: fault, help: help.to_owned() });
    None
}

/// A path as messages show it: relative to the current folder where it lies in it.
fn shown(path: &Path) -> String {
    let current = std::env::current_dir().ok();
    let short = current.as_deref().and_then(|current| path.strip_prefix(current).ok()).unwrap_or(path);
    let short = short.strip_prefix(".").unwrap_or(short);
    short.display().to_string()
}
