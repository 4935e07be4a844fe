//! What a course is once it has been read: the types the page and `rushlight check` work with.

use std::collections::BTreeMap;

/// A text per language; the key is a language tag such as `en` or `zh-CN`, or empty for a text that serves all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text(pub BTreeMap<String, String>);

impl Text {
    /// The text in `language`, else in a related language (`zh` for `zh-TW`), else the first there is.
    pub fn get(&self, language: &str) -> &str {
        let primary = |tag: &str| tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        self.0
            .get(language)
            .or_else(|| self.0.get(""))
            .or_else(|| self.0.iter().find(|(tag, _)| primary(tag) == primary(language)).map(|(_, text)| text))
            .or_else(|| self.0.get("en"))
            .or_else(|| self.0.values().next())
            .map_or("", String::as_str)
    }
}

/// A course: the contents of `course.yaml`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Course {
    pub title: Text,
    /// A sentence or two about the course; empty where `course.yaml` has none.
    pub summary: Text,
    /// Language tags; the first is the one shown where a reader's own is missing.
    pub languages: Vec<String>,
    /// A course to look things up in: it is not begun, and not gone through in order.
    pub reference: bool,
    /// In reading order.
    pub lessons: Vec<LessonRef>,
}

impl Course {
    /// The course's language that suits a reader who prefers `wanted`: itself, a related one, else the first.
    pub fn language_for(&self, wanted: &str) -> &str {
        let primary = |tag: &str| tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        self.languages
            .iter()
            .find(|tag| tag.eq_ignore_ascii_case(wanted))
            .or_else(|| self.languages.iter().find(|tag| primary(tag) == primary(wanted)))
            .or_else(|| self.languages.first())
            .map_or("en", String::as_str)
    }
}

/// One entry of a course's contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonRef {
    /// The lesson's folder, for example `01-broadcasting`; also its name in links and in saved progress.
    pub id: String,
    pub title: Text,
    /// How long a learner needs, where the course says so.
    pub minutes: Option<u32>,
    /// Line of this entry in `course.yaml`, from 1.
    pub line: u32,
}

impl LessonRef {
    /// Where the lesson's text in `language` lies, relative to the course's folder.
    pub fn path(&self, language: &str) -> String {
        format!("{}/lesson.{language}.md", self.id)
    }
}

/// One lesson in one language.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lesson {
    /// A sentence or two, plain text.
    pub summary: String,
    /// What a learner can do afterwards, as safe HTML, one entry a goal.
    pub goals: Vec<String>,
    /// Prose, cells and widgets in the order they are shown.
    pub blocks: Vec<Block>,
    /// Links of the form `lesson:ID`, so that a caller who knows the course can check them.
    pub links: Vec<LessonLink>,
}

impl Lesson {
    /// The cells, in the order they are shown.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Cell(cell) => Some(cell.as_ref()),
            _ => None,
        })
    }

    /// The exercises, in the order they are shown.
    pub fn exercises(&self) -> impl Iterator<Item = &Cell> {
        self.cells().filter(|cell| cell.kind == CellKind::Exercise)
    }
}

/// A link from one lesson to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonLink {
    pub id: String,
    /// Line in the lesson's file, from 1.
    pub line: u32,
}

/// A piece of a lesson as it is shown, top to bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// Safe HTML: no scripts, no event attributes, no foreign tags, whoever wrote the lesson.
    Prose {
        html: String,
        line: u32,
    },
    Cell(Box<Cell>),
    Widget(Widget),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Runs as it stands; the learner may change it.
    Example,
    /// The learner writes; has a solution and checks.
    Exercise,
}

/// An editable cell with all that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Unique in the lesson, the same in every language; `example-1`, `example-2` … where the lesson gives none.
    pub id: String,
    pub kind: CellKind,
    /// The text the editor starts with.
    pub starter: Code,
    /// Hidden code, run first, in this order: the `setup` blocks the cell names.
    pub setup: Vec<Setup>,
    /// The inputs of an exercise: shown above the editor, read-only, run after `setup`.
    pub given: Option<Code>,
    /// Always there for an exercise, never for an example.
    pub solution: Option<Code>,
    /// Always there for an exercise, never for an example.
    pub check: Option<Code>,
    /// From the gentlest to the plainest.
    pub hints: Vec<Hint>,
    /// It is made for a GPU: where there is none, the page says that it runs without.
    pub gpu: bool,
    /// Line of the cell's opening fence, from 1.
    pub line: u32,
}

impl Cell {
    /// The name tracebacks give to the learner's text, for example `outer.py`.
    pub fn file(&self) -> String {
        format!("{}.py", self.id)
    }
}

/// A hidden block that cells name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    pub id: String,
    pub code: Code,
}

/// Python text and where it stands in the lesson's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// Ends with a newline unless empty.
    pub text: String,
    /// Line of the text's first line in the lesson's file, from 1: line `n` of the text is line `line + n - 1` there.
    pub line: u32,
}

/// Help with an exercise, as safe HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    pub html: String,
    pub line: u32,
}

/// An interactive picture; the page shows those it knows and leaves out the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Widget {
    pub name: String,
    /// In the order written.
    pub args: Vec<(String, WidgetValue)>,
    pub line: u32,
}

impl Eq for Widget {}

#[derive(Debug, Clone, PartialEq)]
pub enum WidgetValue {
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<WidgetValue>),
}
