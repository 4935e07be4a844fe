//! Markdown prose to safe HTML.
//!
//! A lesson may come from anywhere, so nothing an author writes reaches the page as markup of their own: raw HTML is
//! a fault that is reported, addresses are limited to harmless schemes, and everything else is escaped.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Parser, Tag, TagEnd, html};

use crate::maths;
use crate::model::LessonLink;
use crate::problem::Report;

/// How a lesson's links and pictures are addressed on the page that shows it.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Put before relative addresses of pictures and files, for example `courses/first-steps/01-broadcasting/`.
    pub base: String,
    /// Put before the ID in links of the form `lesson:ID`, for example `#/first-steps/`.
    pub lesson_base: String,
}

/// The Markdown we read: CommonMark with tables, strikethrough, maths and `> [!NOTE]` quotes.
pub(crate) fn markdown() -> pulldown_cmark::Options {
    pulldown_cmark::Options::ENABLE_TABLES
        | pulldown_cmark::Options::ENABLE_STRIKETHROUGH
        | pulldown_cmark::Options::ENABLE_MATH
        | pulldown_cmark::Options::ENABLE_GFM
}

/// From a byte's place in the Markdown to its line in the file.
pub(crate) struct Lines {
    starts: Vec<usize>,
    first: u32,
}

impl Lines {
    /// `first` is the file's line on which `text` begins.
    pub fn new(text: &str, first: u32) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(index, _)| index + 1)).collect();
        Self { starts, first }
    }

    pub fn at(&self, byte: usize) -> u32 {
        let index = self.starts.partition_point(|&start| start <= byte).saturating_sub(1);
        self.first.saturating_add(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// Collects Markdown events and gives them back as HTML.
pub(crate) struct Writer<'o, 'e> {
    options: &'o Options,
    events: Vec<Event<'e>>,
    /// Line of the first event kept.
    line: Option<u32>,
    /// Raw HTML of the block being read, and its line.
    raw: Option<(String, u32)>,
    /// Where the heading being read starts among the events, and its text so far.
    heading: Option<(usize, String)>,
    /// Ids given to headings, so that each is given once.
    slugs: Vec<String>,
    pub links: Vec<LessonLink>,
}

impl<'o, 'e> Writer<'o, 'e> {
    pub fn new(options: &'o Options) -> Self {
        Self { options, events: Vec::new(), line: None, raw: None, heading: None, slugs: Vec::new(), links: Vec::new() }
    }

    /// The HTML of the events since the last call, and the line on which they began.
    pub fn take(&mut self) -> Option<(String, u32)> {
        let events = std::mem::take(&mut self.events);
        let line = self.line.take()?;
        let mut text = String::new();
        html::push_html(&mut text, events.into_iter());
        (!text.trim().is_empty()).then_some((text, line))
    }

    pub fn push(&mut self, event: Event<'e>, line: u32, report: &mut Report) {
        self.line.get_or_insert(line);
        match event {
            Event::Start(Tag::HtmlBlock) => self.raw = Some((String::new(), line)),
            Event::Html(text) => match &mut self.raw {
                Some((raw, _)) => raw.push_str(&text),
                None => refuse_html(&text, line, report),
            },
            Event::End(TagEnd::HtmlBlock) => {
                if let Some((raw, line)) = self.raw.take() {
                    refuse_html(&raw, line, report);
                }
            }
            Event::InlineHtml(text) => refuse_html(&text, line, report),
            Event::InlineMath(latex) => self.maths(&latex, false, line, report),
            Event::DisplayMath(latex) => self.maths(&latex, true, line, report),
            Event::Start(Tag::Heading { level, .. }) => {
                if level == HeadingLevel::H1 {
                    report.add(
                        line,
                        "a lesson's text has no heading of the first level",
                        "Begin sections with `##`; the lesson's own title stands in course.yaml.",
                    );
                }
                self.heading = Some((self.events.len(), String::new()));
                self.events.push(Event::Start(Tag::Heading {
                    level,
                    id: None,
                    classes: Vec::new(),
                    attrs: Vec::new(),
                }));
            }
            Event::End(TagEnd::Heading(level)) => {
                self.name_heading();
                self.events.push(Event::End(TagEnd::Heading(level)));
            }
            Event::Start(Tag::Link { dest_url, title, .. }) => self.link(&dest_url, &title, line, report),
            Event::End(TagEnd::Link) => self.html("</a>"),
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let dest_url = CowStr::from(self.picture(&dest_url, line, report));
                self.events.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
            }
            Event::End(TagEnd::Image) => {
                if matches!(self.events.last(), Some(Event::Start(Tag::Image { .. }))) {
                    report.add(
                        line,
                        "this picture has no description",
                        "Write in the brackets what it shows: `![what it shows](file.png)`.",
                    );
                }
                self.events.push(Event::End(TagEnd::Image));
            }
            // Wide code and tables scroll sideways, so the keyboard must reach them.
            Event::Start(Tag::CodeBlock(kind)) => {
                let class = match kind {
                    CodeBlockKind::Fenced(info) => {
                        let language: String =
                            info.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '+')).collect();
                        if language.is_empty() {
                            String::new()
                        } else {
                            format!(" class=\"language-{}\"", escape(&language))
                        }
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                self.html(format!("<pre tabindex=\"0\"><code{class}>"));
            }
            Event::End(TagEnd::CodeBlock) => self.html("</code></pre>\n"),
            Event::Start(Tag::Table(columns)) => {
                self.html("<div class=\"table\" tabindex=\"0\">");
                self.events.push(Event::Start(Tag::Table(columns)));
            }
            Event::End(TagEnd::Table) => {
                self.events.push(Event::End(TagEnd::Table));
                self.html("</div>\n");
            }
            Event::Text(text) => {
                if let Some((_, heading)) = &mut self.heading {
                    heading.push_str(&text);
                }
                self.join_lines(&text);
                self.events.push(Event::Text(text));
            }
            Event::Code(text) => {
                if let Some((_, heading)) = &mut self.heading {
                    heading.push_str(&text);
                }
                self.events.push(Event::Code(text));
            }
            other => self.events.push(other),
        }
    }

    fn html(&mut self, text: impl Into<String>) {
        self.events.push(Event::InlineHtml(CowStr::from(text.into())));
    }

    fn maths(&mut self, latex: &str, display: bool, line: u32, report: &mut Report) {
        match maths::mathml(latex, display) {
            Ok(mathml) => self.html(mathml),
            Err(fault) => report.add(
                line,
                format!("this formula cannot be set: {fault}"),
                format!(
                    "Look at `{}`; a dollar sign that is no formula is written `\\$`.",
                    latex.trim().chars().take(60).collect::<String>()
                ),
            ),
        }
    }

    /// A line break between two Chinese or Japanese characters is no space.
    fn join_lines(&mut self, next: &str) {
        let [.., Event::Text(before), Event::SoftBreak] = self.events.as_slice() else { return };
        if before.chars().next_back().is_some_and(is_wide) && next.chars().next().is_some_and(is_wide) {
            self.events.pop();
        }
    }

    fn name_heading(&mut self) {
        let Some((index, text)) = self.heading.take() else { return };
        let mut slug = String::from("section");
        for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            slug.push('-');
            slug.push_str(word);
        }
        let mut name = slug.clone();
        for number in 2.. {
            if !self.slugs.contains(&name) {
                break;
            }
            name = format!("{slug}-{number}");
        }
        self.slugs.push(name.clone());
        if let Some(Event::Start(Tag::Heading { id, .. })) = self.events.get_mut(index) {
            *id = Some(CowStr::from(name));
        }
    }

    fn link(&mut self, url: &str, title: &str, line: u32, report: &mut Report) {
        let mut outside = "";
        let address = match scheme(url) {
            Some(scheme) if scheme.eq_ignore_ascii_case("lesson") => {
                let id = url.get(scheme.len() + 1..).unwrap_or_default().to_owned();
                let address = format!("{}{id}", self.options.lesson_base);
                self.links.push(LessonLink { id, line });
                address
            }
            Some("http" | "https" | "mailto") => {
                outside = " rel=\"noopener\" target=\"_blank\"";
                url.to_owned()
            }
            Some(scheme) => {
                report.add(
                    line,
                    format!("links cannot go to `{scheme}:` addresses"),
                    "Use https:, mailto:, `lesson:ID`, `#section-…` or a file beside the lesson.",
                );
                String::new()
            }
            None => self.relative(url),
        };
        let title = if title.is_empty() { String::new() } else { format!(" title=\"{}\"", escape(title)) };
        self.html(format!("<a href=\"{}\"{title}{outside}>", escape(&address)));
    }

    fn picture(&self, url: &str, line: u32, report: &mut Report) -> String {
        match scheme(url) {
            Some("https") => url.to_owned(),
            Some(scheme) => {
                report.add(
                    line,
                    format!("pictures cannot come from `{scheme}:` addresses"),
                    "Put the file beside the lesson and write its name, or use https:.",
                );
                String::new()
            }
            None => self.relative(url),
        }
    }

    fn relative(&self, url: &str) -> String {
        if url.starts_with(['#', '/', '?']) { url.to_owned() } else { format!("{}{url}", self.options.base) }
    }
}

/// Renders a piece of Markdown that stands on its own, such as a hint; `first` is its line in the file.
pub(crate) fn render(
    text: &str,
    first: u32,
    options: &Options,
    links: &mut Vec<LessonLink>,
    report: &mut Report,
) -> String {
    let lines = Lines::new(text, first);
    let mut writer = Writer::new(options);
    for (event, range) in Parser::new_ext(text, markdown()).into_offset_iter() {
        writer.push(event, lines.at(range.start), report);
    }
    let html = writer.take().map(|(html, _)| html).unwrap_or_default();
    links.append(&mut writer.links);
    html
}

/// The scheme of an absolute address, as browsers see it: they skip spaces and control characters.
fn scheme(url: &str) -> Option<&str> {
    let (scheme, _) = url.split_once(':')?;
    (!scheme.contains(['/', '?', '#'])).then_some(scheme)
}

fn refuse_html(text: &str, line: u32, report: &mut Report) {
    let text = text.trim();
    if text.starts_with("<!--") && text.ends_with("-->") {
        return;
    }
    let shown: String = text.lines().next().unwrap_or_default().chars().take(40).collect();
    report.add(
        line,
        format!("HTML such as `{shown}` is not taken over into a lesson"),
        "Write it in Markdown; put backticks around text that only looks like a tag, or write `\\<`.",
    );
}

fn is_wide(c: char) -> bool {
    matches!(c, '\u{2018}'..='\u{201d}' | '\u{2026}' | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}

/// The text as HTML that shows it, also inside an attribute.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}
