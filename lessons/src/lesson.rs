//! Reads a lesson's file: front matter, then prose and fences in order.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::assemble::{Piece, Raw, assemble};
use crate::fence::{self, Fence};
use crate::problem::Report;
use crate::prose::{self, Lines, Options, Writer};
use crate::{Lesson, Problems, yaml};

/// Reads one lesson's Markdown; `file` is its name in messages. Gives every problem it has, not only the first.
pub fn parse_lesson(file: &str, text: &str, options: &Options) -> Result<Lesson, Problems> {
    let mut report = Report::new(file);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let mut lesson = Lesson::default();
    let (body, first) = front_matter(&text, &mut lesson, options, &mut report);
    let pieces = walk(body, first, &mut lesson, options, &mut report);
    assemble(pieces, &mut lesson, options, &mut report);
    report.finish(lesson)
}

const FRONT_HELP: &str =
    "Begin the file with `---`, then `summary: What it is about`, then `---`, each on a line of its own.";

/// Reads the front matter; gives the rest and the line it begins on.
fn front_matter<'t>(text: &'t str, lesson: &mut Lesson, options: &Options, report: &mut Report) -> (&'t str, u32) {
    let Some(rest) = text.strip_prefix("---\n") else {
        report.add(1, "this lesson has no front matter", FRONT_HELP);
        return (text, 1);
    };
    let mut end = 0;
    let mut line = 2;
    let mut closed = None;
    for row in rest.split_inclusive('\n') {
        if row.trim_end() == "---" {
            closed = Some(end + row.len());
            break;
        }
        end += row.len();
        line += 1;
    }
    let Some(body) = closed else {
        report.add(1, "the front matter is never closed", FRONT_HELP);
        return ("", line);
    };
    let front = rest.get(..end).unwrap_or_default();
    if let Some(root) = yaml::load(front, 1, report) {
        let fields = root.fields("front matter", &["summary", "goals"], report);
        if root.is_mapping() && !fields.iter().any(|(key, _)| key == "summary") {
            report.add(1, "the front matter has no `summary`", "Add `summary: A sentence about the lesson`.");
        }
        for (key, value) in fields {
            match key.as_str() {
                "summary" => lesson.summary = value.text("summary", report).unwrap_or_default(),
                _ => {
                    for item in value.items("goals", report) {
                        let Some(goal) = item.text("goals", report) else { continue };
                        let html = prose::render(&goal, item.line(), options, &mut lesson.links, report);
                        let html = html.trim();
                        let inner = html.strip_prefix("<p>").and_then(|html| html.strip_suffix("</p>"));
                        lesson.goals.push(inner.unwrap_or(html).to_owned());
                    }
                }
            }
        }
    }
    (rest.get(body..).unwrap_or_default(), line + 1)
}

/// Goes through the Markdown once and cuts it at the fences that are ours.
fn walk(body: &str, first: u32, lesson: &mut Lesson, options: &Options, report: &mut Report) -> Vec<Piece> {
    let lines = Lines::new(body, first);
    let mut writer = Writer::new(options);
    let mut pieces = Vec::new();
    let mut depth = 0usize;
    // The fence being read: what it is (`None` when faulty) and its text so far.
    let mut open: Option<(Option<Raw>, String)> = None;
    for (event, range) in Parser::new_ext(body, prose::markdown()).into_offset_iter() {
        let line = lines.at(range.start);
        if let Some((_, text)) = &mut open {
            match event {
                Event::End(TagEnd::CodeBlock) => {
                    if let Some((Some(mut raw), text)) = open.take() {
                        raw.code.text = text;
                        pieces.push(Piece::Fence(raw));
                    }
                }
                Event::Text(part) => text.push_str(&part),
                _ => {}
            }
            continue;
        }
        if let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) = &event {
            if !is_closed(body.get(range.clone()).unwrap_or_default()) {
                report.add(
                    line,
                    "this fence is never closed",
                    "Add a line with the same backticks after its last line.",
                );
            }
            let found = fence::read(info, line, report);
            if depth > 0 && matches!(found, Fence::Ours(_)) {
                report.add(line, "a cell cannot stand inside a list or a quote", "Begin its lines at the left margin.");
            }
            match found {
                Fence::Plain => {}
                Fence::Faulty => {
                    open = Some((None, String::new()));
                    continue;
                }
                Fence::Ours(info) => {
                    if let Some((html, line)) = writer.take() {
                        pieces.push(Piece::Prose { html, line });
                    }
                    open = Some((Some(Raw::new(info, line)), String::new()));
                    continue;
                }
            }
        }
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        writer.push(event, line, report);
    }
    if let Some((html, line)) = writer.take() {
        pieces.push(Piece::Prose { html, line });
    }
    lesson.links.append(&mut writer.links);
    pieces
}

/// Whether a fenced block ends with a fence, rather than with the end of what contains it.
fn is_closed(block: &str) -> bool {
    let mut lines = block.trim_end().lines();
    let Some(first) = lines.next() else { return true };
    let Some(last) = lines.next_back() else { return false };
    let Some(mark) = first.trim_start().chars().next() else { return true };
    let opening = first.trim_start().chars().take_while(|&c| c == mark).count();
    let last = last.trim_start_matches(|c: char| c.is_whitespace() || c == '>').trim_end();
    last.chars().all(|c| c == mark) && last.chars().count() >= opening
}
