//! The courses that come with Rushlight are sound, in every language.

use std::fs;
use std::path::{Path, PathBuf};

use rushlight_lessons::{Course, Lesson, Options, parse_course, parse_lesson};

fn courses() -> Vec<(PathBuf, Course)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("courses");
    let mut folders: Vec<PathBuf> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("course.yaml").is_file())
        .collect();
    folders.sort();
    folders
        .into_iter()
        .map(|folder| {
            let file = folder.join("course.yaml");
            let text = fs::read_to_string(&file).unwrap();
            let course = parse_course(&file.to_string_lossy(), &text).unwrap_or_else(|problems| panic!("\n{problems}"));
            (folder, course)
        })
        .collect()
}

fn lesson(folder: &Path, path: &str) -> Lesson {
    let file = folder.join(path);
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    parse_lesson(&file.to_string_lossy(), &text, &Options::default()).unwrap_or_else(|problems| panic!("\n{problems}"))
}

#[test]
fn every_lesson_is_sound_in_every_language() {
    let courses = courses();
    assert!(!courses.is_empty());
    for (folder, course) in &courses {
        for reference in &course.lessons {
            for language in &course.languages {
                let lesson = lesson(folder, &reference.path(language));
                assert!(course.reference || lesson.exercises().count() >= 2, "{}", reference.id);
                for exercise in lesson.exercises() {
                    assert!(!exercise.hints.is_empty(), "{}: {} has no hints", reference.id, exercise.id);
                }
                for link in &lesson.links {
                    let known = course.lessons.iter().any(|lesson| lesson.id == link.id);
                    assert!(known, "{} links to {}", reference.id, link.id);
                }
            }
        }
    }
}

/// Code without what people read in it: comments and texts.
fn bare(code: &str) -> String {
    let mut out = String::new();
    for line in code.lines() {
        let mut quote = None;
        let mut kept = String::new();
        for c in line.chars() {
            match quote {
                None if c == '#' => break,
                None if c == '"' => quote = Some(c),
                None => kept.push(c),
                Some(open) if c == open => quote = None,
                Some(_) => {}
            }
        }
        let kept = kept.trim_end();
        if !kept.is_empty() {
            out.push_str(kept);
            out.push('\n');
        }
    }
    out
}

#[test]
fn a_translation_has_the_same_cells_and_code() {
    for (folder, course) in &courses() {
        let Some((first, others)) = course.languages.split_first() else { continue };
        for reference in &course.lessons {
            let original = lesson(folder, &reference.path(first));
            for language in others {
                let translation = lesson(folder, &reference.path(language));
                let ids = |lesson: &Lesson| lesson.cells().map(|cell| cell.id.clone()).collect::<Vec<_>>();
                assert_eq!(ids(&original), ids(&translation), "{} in {language}", reference.id);
                for (a, b) in original.cells().zip(translation.cells()) {
                    assert_eq!(a.hints.len(), b.hints.len(), "{} {}", reference.id, a.id);
                    for (a, b) in [
                        (Some(&a.starter), Some(&b.starter)),
                        (a.given.as_ref(), b.given.as_ref()),
                        (a.solution.as_ref(), b.solution.as_ref()),
                        (a.check.as_ref(), b.check.as_ref()),
                    ] {
                        let text = |code: Option<&rushlight_lessons::Code>| code.map(|code| bare(&code.text));
                        assert_eq!(text(a), text(b), "{} in {language}", reference.id);
                    }
                }
            }
        }
    }
}
