//! A learner's work on one lesson as it is kept: texts, what passed, which help was used. Pure data; see `store`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Raised whenever kept data changes its meaning. Data of another version is set aside, never overwritten.
pub const VERSION: u32 = 1;

/// What is kept for one lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonWork {
    pub version: u32,
    /// How many exercises the lesson had when it was last open, for the contents.
    #[serde(default)]
    pub exercises: usize,
    #[serde(default)]
    pub cells: BTreeMap<String, CellWork>,
}

impl Default for LessonWork {
    fn default() -> Self {
        Self { version: VERSION, exercises: 0, cells: BTreeMap::new() }
    }
}

/// What is kept for one cell.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CellWork {
    /// The learner's text, where it differs from the lesson's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The text before the last reset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_reset: Option<String>,
    /// Whether it ran at least once.
    #[serde(default)]
    pub tried: bool,
    #[serde(default)]
    pub passed: bool,
    /// How many hints are open.
    #[serde(default)]
    pub hints: usize,
    /// Whether the solution was shown.
    #[serde(default)]
    pub solution: bool,
}

impl LessonWork {
    /// Reads kept data.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let work: Self = serde_json::from_str(text).map_err(|_| Unreadable)?;
        if work.version == VERSION { Ok(work) } else { Err(Unreadable) }
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
