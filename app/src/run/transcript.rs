//! What a run printed and drew, in order, kept within bounds.

use rushlight_protocol::Stream;

/// Characters of text a cell keeps. Beyond it the middle is dropped: the beginning and the latest lines stay.
const LIMIT: usize = 100_000;
/// Of these, the beginning.
const HEAD: usize = 25_000;
/// Figures a cell keeps.
const FIGURES: usize = 60;

/// A stretch of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text {
        stream: Stream,
        text: String,
    },
    /// The value of the last expression.
    Value(String),
    Figure {
        svg: String,
        alt: String,
    },
    /// So many characters were left out here.
    Cut(usize),
}

/// The output of one run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript {
    pieces: Vec<Piece>,
    characters: usize,
    /// A carriage return came last: what follows overwrites the line.
    overwrite: bool,
}

impl Transcript {
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Adds printed text; a carriage return starts its line over, as a progress bar wants it.
    pub fn print(&mut self, stream: Stream, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            if self.overwrite {
                self.overwrite = false;
                if !rest.starts_with('\n') {
                    self.drop_line(stream);
                }
            }
            match rest.find('\r') {
                Some(at) => {
                    self.append(stream, &rest[..at]);
                    self.overwrite = true;
                    rest = &rest[at + 1..];
                }
                None => {
                    self.append(stream, rest);
                    rest = "";
                }
            }
        }
        self.trim();
    }

    pub fn value(&mut self, text: String) {
        self.pieces.push(Piece::Value(text));
    }

    pub fn figure(&mut self, svg: String, alt: String) {
        if self.pieces.iter().filter(|piece| matches!(piece, Piece::Figure { .. })).count() >= FIGURES
            && let Some(first) = self.pieces.iter().position(|piece| matches!(piece, Piece::Figure { .. }))
        {
            self.pieces.remove(first);
        }
        self.pieces.push(Piece::Figure { svg, alt });
    }

    fn append(&mut self, stream: Stream, text: &str) {
        if text.is_empty() {
            return;
        }
        self.characters += text.chars().count();
        match self.pieces.last_mut() {
            Some(Piece::Text { stream: last, text: all }) if *last == stream => all.push_str(text),
            _ => self.pieces.push(Piece::Text { stream, text: text.to_owned() }),
        }
    }

    fn drop_line(&mut self, stream: Stream) {
        if let Some(Piece::Text { stream: last, text }) = self.pieces.last_mut()
            && *last == stream
        {
            let keep = text.rfind('\n').map_or(0, |at| at + 1);
            self.characters -= text[keep..].chars().count();
            text.truncate(keep);
            if text.is_empty() {
                self.pieces.pop();
            }
        }
    }

    /// Drops text from the middle once there is too much; a little slack, so that this is rare.
    fn trim(&mut self) {
        if self.characters <= LIMIT + LIMIT / 10 {
            return;
        }
        let mut surplus = self.characters - LIMIT;
        let mut skip = HEAD;
        let mut cut = 0;
        let mut at_cut = None;
        let mut kept = Vec::with_capacity(self.pieces.len());
        for piece in self.pieces.drain(..) {
            match piece {
                Piece::Cut(count) => {
                    at_cut.get_or_insert(kept.len());
                    cut += count;
                    // All text before an earlier cut is the head.
                    skip = 0;
                }
                Piece::Text { stream, text } => {
                    let count = text.chars().count();
                    let head = skip.min(count);
                    skip -= head;
                    let gone = surplus.min(count - head);
                    surplus -= gone;
                    if gone == 0 {
                        kept.push(Piece::Text { stream, text });
                        continue;
                    }
                    cut += gone;
                    let before: String = text.chars().take(head).collect();
                    let after: String = text.chars().skip(head + gone).collect();
                    if !before.is_empty() {
                        kept.push(Piece::Text { stream, text: before });
                    }
                    at_cut.get_or_insert(kept.len());
                    if !after.is_empty() {
                        kept.push(Piece::Text { stream, text: after });
                    }
                }
                other => kept.push(other),
            }
        }
        if let Some(at) = at_cut {
            kept.insert(at.min(kept.len()), Piece::Cut(cut));
        }
        self.pieces = kept;
        self.characters = self
            .pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text { text, .. } => text.chars().count(),
                _ => 0,
            })
            .sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(transcript: &Transcript) -> String {
        transcript
            .pieces()
            .iter()
            .map(|piece| match piece {
                Piece::Text { text, .. } => text.clone(),
                Piece::Cut(count) => format!("[{count}]"),
                _ => "?".into(),
            })
            .collect()
    }

    #[test]
    fn text_of_one_stream_joins_and_streams_stay_in_order() {
        let mut all = Transcript::default();
        all.print(Stream::Stdout, "a");
        all.print(Stream::Stdout, "b\n");
        all.print(Stream::Stderr, "warn\n");
        all.print(Stream::Stdout, "c\n");
        assert_eq!(all.pieces().len(), 3);
        assert_eq!(text(&all), "ab\nwarn\nc\n");
    }

    #[test]
    fn a_carriage_return_starts_the_line_over() {
        let mut all = Transcript::default();
        all.print(Stream::Stdout, "start\n 10%\r 20%");
        all.print(Stream::Stdout, "\r");
        all.print(Stream::Stdout, "100%\n");
        assert_eq!(text(&all), "start\n100%\n");
        all.print(Stream::Stdout, "dos line\r\nnext");
        assert_eq!(text(&all), "start\n100%\ndos line\nnext");
    }

    #[test]
    fn endless_output_keeps_its_beginning_and_its_end() {
        let mut all = Transcript::default();
        for line in 0..100_000 {
            all.print(Stream::Stdout, &format!("line {line}\n"));
        }
        let shown = text(&all);
        assert!(shown.starts_with("line 0\nline 1\n"));
        assert!(shown.ends_with("line 99999\n"));
        assert!(shown.chars().count() < LIMIT + LIMIT / 5);
        let printed: usize = (0..100_000).map(|line| format!("line {line}\n").len()).sum();
        let cut: usize = all.pieces().iter().map(|piece| if let Piece::Cut(count) = piece { *count } else { 0 }).sum();
        let kept: usize =
            all.pieces().iter().map(|piece| if let Piece::Text { text, .. } = piece { text.len() } else { 0 }).sum();
        assert_eq!(cut + kept, printed);
        assert_eq!(all.pieces().iter().filter(|piece| matches!(piece, Piece::Cut(_))).count(), 1);
    }

    #[test]
    fn figures_are_bounded() {
        let mut all = Transcript::default();
        for number in 0..200 {
            all.figure(format!("<svg>{number}</svg>"), String::new());
        }
        assert_eq!(all.pieces().len(), FIGURES);
        assert!(matches!(all.pieces().last(), Some(Piece::Figure { svg, .. }) if svg.contains("199")));
    }
}
