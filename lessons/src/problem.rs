//! What is wrong with a course or lesson, where, and how to mend it.

use std::fmt;

/// One fault in a course's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// As the caller named the file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}\n    {}", self.file, self.line, self.message, self.help)
    }
}

impl std::error::Error for Problem {}

/// All faults of one file, in the order of its lines; never empty when it is an error.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// Collects the problems of one file while it is read to its end.
pub(crate) struct Report<'a> {
    file: &'a str,
    problems: Vec<Problem>,
}

impl<'a> Report<'a> {
    pub fn new(file: &'a str) -> Self {
        Self { file, problems: Vec::new() }
    }

    pub fn add(&mut self, line: u32, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Problem { file: self.file.to_owned(), line, message: message.into(), help: help.into() });
    }

    /// `value` when nothing was wrong.
    pub fn finish<T>(mut self, value: T) -> Result<T, Problems> {
        if self.problems.is_empty() {
            return Ok(value);
        }
        self.problems.sort_by_key(|problem| problem.line);
        Err(Problems(self.problems))
    }
}
