//! The course format: `course.yaml` and lesson Markdown, parsed and validated into a model that the page shows and
//! `rushlight check` runs. No Python, no DOM, no files: callers hand over the texts they read.
//!
//! ```
//! let lesson = rushlight_lessons::parse_lesson(
//!     "lesson.en.md",
//!     "---\nsummary: Adding.\n---\n\nTry it.\n\n```python example\nprint(1 + 1)\n```\n",
//!     &rushlight_lessons::Options::default(),
//! );
//! assert_eq!(lesson.map(|lesson| lesson.cells().count()), Ok(1));
//! ```

mod assemble;
mod course;
mod fence;
mod lesson;
mod maths;
mod model;
mod problem;
mod prose;
mod yaml;

pub use course::parse_course;
pub use lesson::parse_lesson;
pub use model::{
    Block, Cell, CellKind, Code, Course, Hint, Lesson, LessonLink, LessonRef, Setup, Text, Widget, WidgetValue,
};
pub use problem::{Problem, Problems};
pub use prose::{Options, escape};
