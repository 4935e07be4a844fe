//! Puts fences that belong together into cells: an exercise with its given, solution, check and hints.

use std::collections::BTreeMap;

use crate::fence::{Info, Kind};
use crate::model::{Block, Cell, CellKind, Code, Hint, Lesson, Setup, Widget};
use crate::problem::Report;
use crate::prose::{self, Options};

/// What a lesson's file is made of, in its order.
pub(crate) enum Piece {
    Prose { html: String, line: u32 },
    Fence(Raw),
}

/// A fence of ours with its text.
pub(crate) struct Raw {
    info: Info,
    pub code: Code,
    line: u32,
}

impl Raw {
    pub fn new(info: Info, line: u32) -> Self {
        Self { info, code: Code { text: String::new(), line: line.saturating_add(1) }, line }
    }
}

/// Marks a place the learner fills in.
const BLANK: &str = "______";

/// Turns the pieces into the lesson's blocks and reports what does not fit together.
pub(crate) fn assemble(pieces: Vec<Piece>, lesson: &mut Lesson, options: &Options, report: &mut Report) {
    let mut parts = Vec::new();
    let mut setups: BTreeMap<String, Setup> = BTreeMap::new();
    let mut cells: BTreeMap<String, (CellKind, u32)> = BTreeMap::new();
    // The setups each cell names; resolved once all are known.
    let mut wanted: Vec<(usize, Vec<String>)> = Vec::new();
    let mut examples = 0;
    for piece in pieces {
        let raw = match piece {
            Piece::Prose { html, line } => {
                lesson.blocks.push(Block::Prose { html, line });
                continue;
            }
            Piece::Fence(raw) => raw,
        };
        let line = raw.line;
        let empty = raw.code.text.trim().is_empty();
        if raw.info.kind == Kind::Widget {
            if !empty {
                report.add(
                    line,
                    "a widget's fence holds nothing",
                    "Write its arguments on the first line, after its name.",
                );
            }
        } else if empty {
            report.add(
                line,
                format!("this `{}` is empty", raw.info.kind.word()),
                "Write something into it, or remove it.",
            );
        }
        match raw.info.kind {
            Kind::Widget => {
                if let Some((name, args)) = raw.info.widget {
                    lesson.blocks.push(Block::Widget(Widget { name, args, line }));
                }
            }
            Kind::Setup => {
                let id = raw.info.id.unwrap_or_default();
                let setup = Setup { id: id.clone(), code: raw.code };
                if let Some(other) = setups.insert(id.clone(), setup) {
                    report.add(
                        line,
                        format!("there is a `setup id={id}` already, at line {}", other.code.line.saturating_sub(1)),
                        "Give one of them another id.",
                    );
                }
            }
            Kind::Example | Kind::Exercise => {
                let kind = if raw.info.kind == Kind::Example { CellKind::Example } else { CellKind::Exercise };
                if kind == CellKind::Example {
                    examples += 1;
                }
                let id = raw.info.id.unwrap_or_else(|| format!("example-{examples}"));
                if let Some((_, other)) = cells.insert(id.clone(), (kind, line)) {
                    report.add(
                        line,
                        format!("there is a cell `{id}` already, at line {other}"),
                        "Give one of them another id.",
                    );
                }
                wanted.push((lesson.blocks.len(), raw.info.setup));
                lesson.blocks.push(Block::Cell(Box::new(Cell {
                    id,
                    kind,
                    starter: raw.code,
                    setup: Vec::new(),
                    given: None,
                    solution: None,
                    check: None,
                    hints: Vec::new(),
                    gpu: raw.info.gpu,
                    line,
                })));
            }
            Kind::Solution | Kind::Check | Kind::Given | Kind::Hint => parts.push(raw),
        }
    }
    for (index, names) in wanted {
        let Some(Block::Cell(cell)) = lesson.blocks.get_mut(index) else { continue };
        for name in names {
            match setups.get(&name) {
                Some(setup) => cell.setup.push(setup.clone()),
                None => report.add(
                    cell.line,
                    format!("there is no `setup id={name}`"),
                    "Add that block, or remove the name here.",
                ),
            }
        }
    }
    for part in parts {
        attach(part, &cells, lesson, options, report);
    }
    for cell in lesson.exercises() {
        for (there, word) in [(cell.solution.is_some(), "solution"), (cell.check.is_some(), "check")] {
            if !there {
                report.add(
                    cell.line,
                    format!("the exercise `{}` has no {word}", cell.id),
                    format!("Add a fence that begins with `python {word} for={}`.", cell.id),
                );
            }
        }
    }
}

fn attach(
    part: Raw,
    cells: &BTreeMap<String, (CellKind, u32)>,
    lesson: &mut Lesson,
    options: &Options,
    report: &mut Report,
) {
    let word = part.info.kind.word();
    let target = part.info.target.unwrap_or_default();
    match cells.get(&target) {
        Some((CellKind::Exercise, _)) => {}
        Some((CellKind::Example, line)) => {
            report.add(
                part.line,
                format!("`{target}` is an example, and only exercises have a {word}"),
                format!("Make the cell at line {line} an exercise, or remove this."),
            );
            return;
        }
        None => {
            let known: Vec<&str> =
                cells.iter().filter(|(_, (kind, _))| *kind == CellKind::Exercise).map(|(id, _)| id.as_str()).collect();
            let help = match crate::yaml::closest(&target, &known) {
                Some(near) => format!("Did you mean `for={near}`?"),
                None if known.is_empty() => {
                    "Add the exercise, a fence that begins with `python exercise id=…`.".to_owned()
                }
                None => format!("The exercises of this lesson are: {}.", known.join(", ")),
            };
            report.add(part.line, format!("there is no exercise `{target}`"), help);
            return;
        }
    }
    if part.info.kind == Kind::Solution && part.code.text.contains(BLANK) {
        report.add(part.line, format!("this solution still has a blank, `{BLANK}`"), "Write what belongs there.");
    }
    let hint = (part.info.kind == Kind::Hint).then(|| Hint {
        html: prose::render(&part.code.text, part.code.line, options, &mut lesson.links, report),
        line: part.line,
    });
    let cell = lesson.blocks.iter_mut().find_map(|block| match block {
        Block::Cell(cell) if cell.id == target && cell.kind == CellKind::Exercise => Some(cell),
        _ => None,
    });
    let Some(cell) = cell else { return };
    let place = match part.info.kind {
        Kind::Solution => &mut cell.solution,
        Kind::Check => &mut cell.check,
        Kind::Given => &mut cell.given,
        _ => {
            cell.hints.extend(hint);
            return;
        }
    };
    if let Some(other) = place {
        report.add(
            part.line,
            format!("the exercise `{target}` has a {word} already, at line {}", other.line.saturating_sub(1)),
            "Put both into one fence.",
        );
        return;
    }
    *place = Some(part.code);
}
