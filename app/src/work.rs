//! A learner's work on one lesson as it is kept: texts, what passed, which help was used. Pure data; see `store`.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Raised whenever kept data changes its meaning. Data of another version is set aside, never overwritten.
pub const VERSION: u32 = 1;

/// What is kept for one lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LessonWork {
    pub version: u32,
    /// How many exercises the lesson had when it was last open, for the contents.
    pub exercises: usize,
    pub cells: BTreeMap<String, CellWork>,
}

impl Default for LessonWork {
    fn default() -> Self {
        Self { version: VERSION, exercises: 0, cells: BTreeMap::new() }
    }
}

/// What is kept for one cell.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct CellWork {
    /// The learner's text, where it differs from the lesson's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The text before the last reset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_reset: Option<String>,
    /// Whether it ran at least once.
    pub tried: bool,
    pub passed: bool,
    /// How many hints are open.
    pub hints: usize,
    /// Whether the solution was shown.
    pub solution: bool,
}

impl LessonWork {
    /// Reads kept data.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let value: Value = serde_json::from_str(text).map_err(|_| Unreadable)?;
        if value["version"].as_u64() != Some(u64::from(VERSION)) {
            return Err(Unreadable);
        }
        let cells = value["cells"].as_object().into_iter().flatten();
        Ok(Self {
            version: VERSION,
            exercises: count(&value["exercises"]),
            cells: cells.map(|(id, cell)| (id.clone(), CellWork::read(cell))).collect(),
        })
    }

    /// The text to keep.
    pub fn write(&self) -> String {
        // Maps with string keys and plain values always serialise.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// How many exercises passed.
    pub fn passed(&self) -> usize {
        self.cells.values().filter(|cell| cell.passed).count()
    }

    /// Whether the learner did anything here.
    pub fn touched(&self) -> bool {
        self.cells.values().any(|cell| *cell != CellWork::default())
    }

    /// Whether the lesson has exercises and all have passed.
    pub fn complete(&self) -> bool {
        self.exercises > 0 && self.passed() >= self.exercises
    }
}

impl CellWork {
    /// Reads a cell's data; what is missing takes its default. By hand, for the size of the page.
    fn read(value: &Value) -> Self {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let flag = |name: &str| value[name].as_bool().unwrap_or_default();
        Self {
            text: text("text"),
            before_reset: text("before_reset"),
            tried: flag("tried"),
            passed: flag("passed"),
            hints: count(&value["hints"]),
            solution: flag("solution"),
        }
    }
}

fn count(value: &Value) -> usize {
    value.as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or_default()
}

/// Kept data of another version, or damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_survives_being_kept() {
        let mut work = LessonWork { exercises: 2, ..LessonWork::default() };
        work.cells.insert(
            "outer".into(),
            CellWork { text: Some("a\u{2028}\"b\"\n".into()), passed: true, hints: 1, ..CellWork::default() },
        );
        assert_eq!(LessonWork::read(&work.write()), Ok(work.clone()));
        assert_eq!(work.passed(), 1);
        assert!(!work.complete());
    }

    #[test]
    fn other_versions_and_damaged_data_are_not_guessed_at() {
        assert_eq!(LessonWork::read(r#"{"version":2,"cells":{}}"#), Err(Unreadable));
        assert_eq!(LessonWork::read(r#"{"version":1,"cells":"#), Err(Unreadable));
        assert_eq!(LessonWork::read(""), Err(Unreadable));
    }

    #[test]
    fn fields_that_are_missing_take_their_defaults() {
        let work = LessonWork::read(r#"{"version":1,"cells":{"a":{"text":"x"}}}"#).expect("readable");
        assert_eq!(work.cells["a"].text.as_deref(), Some("x"));
        assert!(!work.cells["a"].tried);
    }
}
