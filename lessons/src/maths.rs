//! LaTeX to MathML.

use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};

/// MathML of one formula. The error is one line that says what the formula's fault is.
pub(crate) fn mathml(latex: &str, display: bool) -> Result<String, String> {
    too_much(latex)?;
    let storage = Storage::new();
    let mut events = Vec::new();
    for event in Parser::new(latex, &storage) {
        match event {
            Ok(event) => events.push(Ok::<_, std::fmt::Error>(event)),
            Err(error) => {
                let text = error.to_string();
                let first = text.lines().next().unwrap_or("unknown fault");
                return Err(first.strip_prefix("parsing error: ").unwrap_or(first).to_owned());
            }
        }
    }
    let config = RenderConfig {
        display_mode: if display { DisplayMode::Block } else { DisplayMode::Inline },
        ..RenderConfig::default()
    };
    let mut html = String::new();
    push_mathml(&mut html, events.into_iter(), config).map_err(|error| error.to_string())?;
    Ok(html)
}

/// More characters than this in one formula are refused: reading takes time that grows with the square of them.
const LONGEST: usize = 4000;

/// More commands than this, each the argument of the one before, are refused: reading them is recursive.
const DEEPEST: usize = 30;

/// Refuses what no formula for people needs and what could bring the page down.
fn too_much(latex: &str) -> Result<(), String> {
    if latex.chars().count() > LONGEST {
        return Err(format!("it is longer than {LONGEST} characters"));
    }
    let mut depth = 0;
    let mut option = false;
    let mut chars = latex.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                depth += 1;
                if depth > DEEPEST {
                    return Err(format!("more than {DEEPEST} commands follow one another without an argument"));
                }
                while chars.next_if(char::is_ascii_alphabetic).is_some() {}
            }
            '[' => option = true,
            ']' => option = false,
            _ if option || c.is_whitespace() => {}
            _ => depth = 0,
        }
    }
    Ok(())
}
