//! Reads `course.yaml`.

use std::collections::BTreeSet;

use crate::problem::Report;
use crate::yaml::{self, Node};
use crate::{Course, LessonRef, Problems};

/// Reads `course.yaml`; `file` is its name in messages. Gives every problem it has, not only the first.
pub fn parse_course(file: &str, text: &str) -> Result<Course, Problems> {
    let mut report = Report::new(file);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut course = Course::default();
    if let Some(root) = yaml::load(text, 0, &mut report) {
        read(&root, &mut course, &mut report);
    }
    report.finish(course)
}

fn read(root: &Node, course: &mut Course, report: &mut Report) {
    let mut texts = Vec::new();
    let fields = root.fields("course.yaml", &["title", "summary", "languages", "reference", "lessons"], report);
    for (key, help) in [
        ("title", "Add `title: Name of the course`."),
        ("languages", "Add `languages: [en]`."),
        ("lessons", "Add `lessons:` and below it one `- id: 01-name` a lesson."),
    ] {
        if root.is_mapping() && !fields.iter().any(|(name, _)| name == key) {
            report.add(1, format!("course.yaml has no `{key}`"), help);
        }
    }
    for (key, value) in fields {
        match key.as_str() {
            "title" | "summary" => {
                let Some((text, line)) = value.translated(&key, report) else { continue };
                texts.push((key.clone(), text.clone(), line));
                if key == "title" {
                    course.title = text;
                } else {
                    course.summary = text;
                }
            }
            "languages" => {
                for item in value.items("languages", report) {
                    let Some(tag) = item.text("languages", report) else { continue };
                    if !is_language(&tag) {
                        report.add(
                            item.line(),
                            format!("`{tag}` is not a language tag"),
                            "Write for example `en` or `zh-CN`.",
                        );
                    } else if course.languages.contains(&tag) {
                        report.add(item.line(), format!("the language `{tag}` is listed twice"), "Remove one of them.");
                    } else {
                        course.languages.push(tag);
                    }
                }
            }
            "reference" => course.reference = value.truth("reference", report).unwrap_or_default(),
            _ => {
                let mut seen = BTreeSet::new();
                for item in value.items("lessons", report) {
                    let Some((lesson, title_line)) = read_lesson(&item, report) else { continue };
                    if !seen.insert(lesson.id.clone()) {
                        report.add(
                            item.line(),
                            format!("the lesson `{}` is listed twice", lesson.id),
                            "Remove one of them.",
                        );
                    }
                    texts.push(("title".to_owned(), lesson.title.clone(), title_line));
                    course.lessons.push(lesson);
                }
            }
        }
    }
    if course.languages.is_empty() {
        return;
    }
    for (key, text, line) in texts {
        for tag in text.0.keys().filter(|tag| !tag.is_empty() && !course.languages.contains(tag)) {
            report.add(
                line,
                format!("`{key}` has a text for `{tag}`, which is not among `languages`"),
                format!("Add `{tag}` to `languages`, or remove it here."),
            );
        }
        for tag in course.languages.iter().filter(|tag| !text.0.contains_key(*tag) && !text.0.contains_key("")) {
            report.add(line, format!("`{key}` has no text for `{tag}`"), format!("Add `{tag}: …` below it."));
        }
    }
}

/// One entry of `lessons`, and the line its title stands on.
fn read_lesson(item: &Node, report: &mut Report) -> Option<(LessonRef, u32)> {
    let mut id = None;
    let mut title = None;
    let mut minutes = None;
    let fields = item.fields("a lesson", &["id", "title", "minutes"], report);
    for key in ["id", "title"] {
        if item.is_mapping() && !fields.iter().any(|(name, _)| name == key) {
            report.add(item.line(), format!("this lesson has no `{key}`"), format!("Add `{key}: …` to it."));
        }
    }
    for (key, value) in fields {
        match key.as_str() {
            "id" => id = value.text("id", report).map(|text| (text, value.line())),
            "title" => title = value.translated("title", report),
            _ => minutes = value.positive("minutes", report),
        }
    }
    let (id, line) = id?;
    if !is_id(&id) {
        report.add(
            line,
            format!("`{id}` cannot be a lesson's id"),
            "Use letters a to z, digits, `-` and `_`: it is the folder's name.",
        );
        return None;
    }
    let (title, title_line) = title?;
    Some((LessonRef { id, title, minutes, line: item.line() }, title_line))
}

/// What serves as a name in files, addresses and saved progress alike.
pub(crate) fn is_id(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// A BCP 47 tag as far as it concerns us: `en`, `zh-CN`, `zh-Hans`.
fn is_language(text: &str) -> bool {
    let mut parts = text.split('-');
    parts.next().is_some_and(|part| (2..=3).contains(&part.len()) && part.chars().all(|c| c.is_ascii_lowercase()))
        && parts.all(|part| (1..=8).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphanumeric()))
}
