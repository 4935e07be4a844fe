//! The first line of a fence, such as `python exercise id=outer setup=data`, read and judged.

use crate::WidgetValue;
use crate::course::is_id;
use crate::problem::Report;
use crate::yaml::closest;

/// What a fence of the course format is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Example,
    Exercise,
    Solution,
    Check,
    Given,
    Setup,
    Hint,
    Widget,
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Kind::Example => "example",
            Kind::Exercise => "exercise",
            Kind::Solution => "solution",
            Kind::Check => "check",
            Kind::Given => "given",
            Kind::Setup => "setup",
            Kind::Hint => "hint",
            Kind::Widget => "widget",
        }
    }

    fn python(word: &str) -> Option<Self> {
        [Kind::Example, Kind::Exercise, Kind::Solution, Kind::Check, Kind::Given, Kind::Setup]
            .into_iter()
            .find(|kind| kind.word() == word)
    }

    /// The keys it takes: the one it cannot do without first, where there is one.
    fn keys(self) -> (&'static [&'static str], Option<&'static str>) {
        match self {
            Kind::Example => (&["id", "setup", "device"], None),
            Kind::Exercise => (&["id", "setup", "device"], Some("id")),
            Kind::Setup => (&["id"], Some("id")),
            Kind::Solution | Kind::Check | Kind::Given | Kind::Hint => (&["for"], Some("for")),
            Kind::Widget => (&[], None),
        }
    }
}

/// The kinds written after `python`.
const PYTHON_KINDS: [&str; 6] = ["example", "exercise", "solution", "check", "given", "setup"];

/// A fence's first line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Info {
    pub kind: Kind,
    pub id: Option<String>,
    /// The exercise it belongs to.
    pub target: Option<String>,
    /// Setup blocks to run first.
    pub setup: Vec<String>,
    /// Whether it asks for a GPU.
    pub gpu: bool,
    /// A widget's name and arguments.
    pub widget: Option<(String, Vec<(String, WidgetValue)>)>,
}

/// What a fence turned out to be.
pub(crate) enum Fence {
    /// Code to look at, of whatever language.
    Plain,
    Ours(Info),
    /// Meant for us, but faulty: already reported.
    Faulty,
}

/// Reads the text after a fence's backticks.
pub(crate) fn read(info: &str, line: u32, report: &mut Report) -> Fence {
    let words = words(info);
    let mut words = words.iter().map(String::as_str);
    let first = words.next().unwrap_or_default();
    let kind = match first {
        "python" => match words.next() {
            None => return Fence::Plain,
            Some(word) => match Kind::python(word) {
                Some(kind) => kind,
                None => {
                    let help = match closest(word, &PYTHON_KINDS) {
                        Some(near) => format!("Did you mean `{near}`?"),
                        None if word.contains('=') => {
                            "Say what it is before its keys, for example `python exercise id=outer`.".to_owned()
                        }
                        None if word == "hint" || word == "widget" => format!("Write `{word}` without `python`."),
                        None => format!(
                            "Write one of {}, or nothing after `python` for code that is only shown.",
                            PYTHON_KINDS.join(", ")
                        ),
                    };
                    report.add(line, format!("there is no cell of the kind `{word}`"), help);
                    return Fence::Faulty;
                }
            },
        },
        "hint" => Kind::Hint,
        "widget" => return widget(words, line, report),
        _ => {
            let second = words.next().unwrap_or_default();
            if Kind::python(first).is_some() {
                report.add(line, format!("`{first}` needs its language"), format!("Write `python {first} …`."));
                return Fence::Faulty;
            }
            if Kind::python(second).is_some() {
                report.add(
                    line,
                    format!("cells are written in `python`, not in `{first}`"),
                    format!("Write `python {second} …`."),
                );
                return Fence::Faulty;
            }
            return Fence::Plain;
        }
    };
    keys(kind, words, line, report)
}

fn keys<'w>(kind: Kind, words: impl Iterator<Item = &'w str>, line: u32, report: &mut Report) -> Fence {
    let mut info = Info { kind, id: None, target: None, setup: Vec::new(), gpu: false, widget: None };
    let (known, needed) = kind.keys();
    let mut sound = true;
    let mut seen = Vec::new();
    for word in words {
        let Some((key, value)) = word.split_once('=') else {
            let help = match needed {
                Some(key) => format!("Write `{key}={word}`, if that is what it stands for."),
                None => format!("Write `key=value`; the keys here are: {}.", known.join(", ")),
            };
            report.add(line, format!("`{word}` is not of the form `key=value`"), help);
            sound = false;
            continue;
        };
        if !known.contains(&key) {
            let help = match closest(key, known) {
                Some(near) => format!("Did you mean `{near}`?"),
                None => format!("The keys here are: {}.", known.join(", ")),
            };
            report.add(line, format!("`{}` has no key `{key}`", kind.word()), help);
            sound = false;
            continue;
        }
        if seen.contains(&key) {
            report.add(line, format!("`{key}=` stands here twice"), "Remove one of them.");
            sound = false;
            continue;
        }
        seen.push(key);
        if key == "device" && value != "gpu" && value != "cpu" {
            report.add(
                line,
                format!("there is no device `{value}`"),
                "Write `device=gpu` for a cell that is made for a GPU; it runs without one too.",
            );
            sound = false;
            continue;
        }
        let names: Vec<&str> = if key == "setup" { value.split(',').collect() } else { vec![value] };
        if let Some(bad) = names.iter().find(|name| !is_id(name)) {
            let help =
                "Use letters a to z, digits, `-` and `_`, without spaces; several setups are written `setup=a,b`.";
            report.add(line, format!("`{bad}` in `{word}` cannot be a name"), help);
            sound = false;
            continue;
        }
        match key {
            "id" => info.id = Some(value.to_owned()),
            "device" => info.gpu = value == "gpu",
            "for" => info.target = Some(value.to_owned()),
            _ => info.setup = names.into_iter().map(str::to_owned).collect(),
        }
    }
    if let Some(key) = needed.filter(|key| sound && !seen.contains(key)) {
        let help = match key {
            "for" => format!("Write `{} for=ID` with the id of its exercise.", kind.word()),
            _ => format!("Write for example `{} id=outer`: a name that stays the same in every language.", kind.word()),
        };
        report.add(line, format!("this `{}` has no `{key}=`", kind.word()), help);
        sound = false;
    }
    if sound { Fence::Ours(info) } else { Fence::Faulty }
}

fn widget<'w>(mut words: impl Iterator<Item = &'w str>, line: u32, report: &mut Report) -> Fence {
    let name = words.next().unwrap_or_default();
    if !is_id(name) {
        report.add(line, "this `widget` has no name", "Write for example `widget broadcast a=[3,1] b=[1,4]`.");
        return Fence::Faulty;
    }
    let mut args: Vec<(String, WidgetValue)> = Vec::new();
    let mut sound = true;
    for word in words {
        match word.split_once('=').map(|(key, value)| (key, value_of(value))) {
            Some((key, Some(value))) if is_id(key) && !args.iter().any(|(other, _)| other == key) => {
                args.push((key.to_owned(), value));
            }
            _ => {
                report.add(
                    line,
                    format!("`{word}` is not an argument a widget can take"),
                    "Write `name=value`, each name once; a value is a number, a word, \"a text\" or a list such as [3,1].",
                );
                sound = false;
            }
        }
    }
    if !sound {
        return Fence::Faulty;
    }
    Fence::Ours(Info {
        kind: Kind::Widget,
        id: None,
        target: None,
        setup: Vec::new(),
        gpu: false,
        widget: Some((name.to_owned(), args)),
    })
}

fn value_of(text: &str) -> Option<WidgetValue> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('[') {
        let inner = inner.strip_suffix(']')?.trim();
        if inner.is_empty() {
            return Some(WidgetValue::List(Vec::new()));
        }
        // One level of lists is all that arguments need; a bracket further in is refused by the scalars.
        return inner.split(',').map(scalar).collect::<Option<_>>().map(WidgetValue::List);
    }
    scalar(text)
}

fn scalar(text: &str) -> Option<WidgetValue> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('"') {
        return inner
            .strip_suffix('"')
            .filter(|inner| !inner.contains('"'))
            .map(|inner| WidgetValue::Text(inner.to_owned()));
    }
    if let Ok(number) = text.parse::<i64>() {
        return Some(WidgetValue::Int(number));
    }
    if let Some(number) = text.parse::<f64>().ok().filter(|number| number.is_finite()) {
        return Some(WidgetValue::Float(number));
    }
    (!text.is_empty() && !text.contains(['[', ']', '"'])).then(|| WidgetValue::Text(text.to_owned()))
}

/// Splits at spaces, but not inside quotes or brackets.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut quoted, mut depth) = (false, 0u32);
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c.is_whitespace() && !quoted && depth == 0 {
            words.push(String::new());
        } else if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
