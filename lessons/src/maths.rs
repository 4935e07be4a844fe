//! LaTeX to MathML.

use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};

/// MathML of one formula, with its LaTeX as the annotation that copying and assistive tools use.
/// The error is one line that says what the formula's fault is.
pub(crate) fn mathml(latex: &str, display: bool) -> Result<String, String> {
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
