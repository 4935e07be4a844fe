//! The YAML of `course.yaml` and of front matter, read with the line of every value.

use saphyr::{LoadableYamlNode, MarkedYaml, Scalar, YamlData};

use crate::Text;
use crate::problem::Report;

/// A value and the line it starts on in the file.
#[derive(Clone)]
pub(crate) struct Node<'a> {
    yaml: MarkedYaml<'a>,
    line: u32,
    offset: u32,
}

/// Lists within lists begin further to the right; beyond this column the text is refused, as reading is recursive.
const DEEPEST: usize = 60;

/// Reads one YAML document that starts after `offset` lines of its file. `None` when it was reported as malformed.
pub(crate) fn load<'a>(text: &'a str, offset: u32, report: &mut Report) -> Option<Node<'a>> {
    let deep = |row: &str| row.chars().take_while(|c| matches!(c, ' ' | '\t' | '-' | '?')).count() > DEEPEST;
    if let Some(index) = text.lines().position(|row| deep(row) && !row.trim().is_empty()) {
        let line = offset.saturating_add(u32::try_from(index).unwrap_or(u32::MAX)).saturating_add(1);
        report.add(
            line,
            "this line begins too far to the right",
            "Indent by two spaces a level, at the most three levels.",
        );
        return None;
    }
    match MarkedYaml::load_from_str(text) {
        Ok(documents) => match documents.into_iter().next() {
            Some(yaml) => Some(Node { yaml, line: offset + 1, offset }),
            None => {
                report.add(
                    offset + 1,
                    "there is nothing here",
                    "Write `key: value` lines; docs/lessons.md shows each.",
                );
                None
            }
        },
        Err(error) => {
            let line = offset + u32::try_from(error.marker().line()).unwrap_or(u32::MAX).max(1);
            report.add(
                line,
                format!("this is not valid YAML: {}", error.info()),
                "Look at this line and the one above: indentation with spaces, a space after `:`, quotes around text that has `: ` or begins with a sign.",
            );
            None
        }
    }
}

impl<'a> Node<'a> {
    pub fn line(&self) -> u32 {
        self.line
    }

    fn child(&self, yaml: &MarkedYaml<'a>, fallback: u32) -> Node<'a> {
        // A key without a value has no place of its own: its key's line is meant.
        let line = u32::try_from(yaml.span.start.line()).unwrap_or(0);
        let line = if line == 0 { fallback } else { self.offset + line };
        Node { yaml: yaml.clone(), line, offset: self.offset }
    }

    /// The entries of a mapping whose keys are all among `known`.
    pub fn fields(&self, what: &str, known: &[&str], report: &mut Report) -> Vec<(String, Node<'a>)> {
        let mut fields = self.entries(what, report);
        fields.retain(|(key, value)| {
            let ok = known.contains(&key.as_str());
            if !ok {
                let help = match closest(key, known) {
                    Some(near) => format!("Did you mean `{near}`?"),
                    None => format!("The keys here are: {}.", known.join(", ")),
                };
                report.add(value.line, format!("{what} has no key `{key}`"), help);
            }
            ok
        });
        fields
    }

    /// The entries of a mapping with keys of any name.
    pub fn entries(&self, what: &str, report: &mut Report) -> Vec<(String, Node<'a>)> {
        let YamlData::Mapping(mapping) = &self.yaml.data else {
            report.add(
                self.line,
                format!("{what} should be `key: value` lines"),
                "Write each key on a line of its own.",
            );
            return Vec::new();
        };
        let mut entries = Vec::new();
        for (key, value) in mapping {
            let line = self.child(key, self.line).line;
            match &key.data {
                // The value of a key that stands alone on its line begins later; messages point at the key.
                YamlData::Value(Scalar::String(name)) => {
                    let mut node = self.child(value, line);
                    node.line = line;
                    entries.push((name.to_string(), node));
                }
                _ => report.add(line, format!("a key in {what} is not a plain word"), "Put quotes around the key."),
            }
        }
        entries
    }

    /// The items of a list.
    pub fn items(&self, what: &str, report: &mut Report) -> Vec<Node<'a>> {
        match &self.yaml.data {
            YamlData::Sequence(items) if !items.is_empty() => {
                items.iter().map(|item| self.child(item, self.line)).collect()
            }
            _ => {
                report.add(
                    self.line,
                    format!("`{what}` should be a list"),
                    "Write one `- item` a line, indented by two.",
                );
                Vec::new()
            }
        }
    }

    pub fn is_mapping(&self) -> bool {
        matches!(self.yaml.data, YamlData::Mapping(_))
    }

    /// A text that is not empty.
    pub fn text(&self, what: &str, report: &mut Report) -> Option<String> {
        match &self.yaml.data {
            YamlData::Value(Scalar::String(text)) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            YamlData::Value(Scalar::Null) | YamlData::Value(Scalar::String(_)) => {
                report.add(self.line, format!("`{what}` is empty"), format!("Write `{what}: some text`."));
                None
            }
            YamlData::Value(_) => {
                report.add(self.line, format!("`{what}` should be text"), "Put it in quotes.");
                None
            }
            _ => {
                report.add(self.line, format!("`{what}` should be text"), format!("Write `{what}: some text`."));
                None
            }
        }
    }

    /// `true` or `false`.
    pub fn truth(&self, what: &str, report: &mut Report) -> Option<bool> {
        if let YamlData::Value(Scalar::Boolean(answer)) = &self.yaml.data {
            return Some(*answer);
        }
        report.add(self.line, format!("`{what}` should be true or false"), format!("Write `{what}: true`."));
        None
    }

    /// One text for all languages, or `language: text` entries.
    pub fn translated(&self, what: &str, report: &mut Report) -> Option<(Text, u32)> {
        let mut text = Text::default();
        if self.is_mapping() {
            for (language, value) in self.entries(what, report) {
                if let Some(value) = value.text(&format!("{what} {language}"), report) {
                    text.0.insert(language, value);
                }
            }
        } else {
            text.0.insert(String::new(), self.text(what, report)?);
        }
        Some((text, self.line))
    }

    pub fn positive(&self, what: &str, report: &mut Report) -> Option<u32> {
        let number = match self.yaml.data {
            YamlData::Value(Scalar::Integer(number)) => u32::try_from(number).ok().filter(|&number| number > 0),
            _ => None,
        };
        if number.is_none() {
            report.add(
                self.line,
                format!("`{what}` should be a whole number above 0"),
                format!("Write for example `{what}: 15`."),
            );
        }
        number
    }
}

/// The name among `known` that someone who wrote `word` most likely meant.
pub(crate) fn closest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    known
        .iter()
        .map(|&name| (distance(word, name), name))
        .filter(|&(distance, name)| distance <= 2 && distance < name.len())
        .min()
        .map(|(_, name)| name)
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut last = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (last + 1).min(row[j + 1] + 1).min(row[j] + usize::from(x != *y));
            row[j] = last;
            last = next;
        }
        row[b.len()] = last;
    }
    row[b.len()]
}
