//! Changes of a text as rows to show: numbered lines with their signs, and which words of a changed line are new.
//!
//! The text of the rows is cleaned, see [`crate::untrusted::plain`], and tabs are spaces. Indentation stays as it is.
//! The cost is bounded: long lines are cut, and what is too large to be compared line by line counts as replaced.

mod lines;
mod read;
mod words;

use crate::truncate::truncate_to_width;
use crate::untrusted::plain;
use crate::width::visible_width;
use crate::wrap::wrap_text;

/// The most rows that are kept.
const MAX_ROWS: usize = 20_000;
/// The longest text of a row, in bytes; more is cut off.
const MAX_TEXT: usize = 4096;
/// The narrowest room for the text of a row in which it is broken beside its number.
const MIN_TEXT_WIDTH: usize = 8;
const TAB: &str = "   ";

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A line that is in both texts.
    Context,
    /// A line of the new text.
    Added,
    /// A line of the old text.
    Removed,
    /// Stands for lines of both texts that are left out.
    Gap,
}

/// A piece of the text of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The text.
    pub text: String,
    /// Whether the line that this one replaces has something else there.
    pub changed: bool,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What it is.
    pub kind: Kind,
    /// The number of the line in the text it is from, counted from 1; that of the new text for a line of both.
    pub number: Option<usize>,
    /// Its text.
    pub parts: Vec<Part>,
}

/// The rows of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    /// The rows in their order.
    pub rows: Vec<Row>,
    /// How many rows are not among them because there are too many.
    pub left_out: usize,
    /// How many lines were added, and how many removed, with those that are left out.
    pub added: usize,
    /// See [`Diff::added`].
    pub removed: usize,
}

/// What a theme styles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// An added line.
    Added,
    /// A removed line.
    Removed,
    /// A line of both texts, or a gap.
    Context,
    /// The changed words of an added line.
    AddedWords,
    /// The changed words of a removed line.
    RemovedWords,
}

impl Diff {
    /// Compares two texts, and keeps `context` lines around each change.
    pub fn between(old: &str, new: &str, context: usize) -> Self {
        let mut diff = Self::default();
        lines::compare(old, new, context, &mut diff);
        diff.finish()
    }

    /// Reads lines such as `+12 text`, as the edit tool reports them, with `...` for gaps.
    pub fn from_numbered(text: &str) -> Self {
        let mut diff = Self::default();
        read::numbered(text, &mut diff);
        diff.finish()
    }

    fn push(&mut self, kind: Kind, number: Option<usize>, text: &str) {
        match kind {
            Kind::Added => self.added += 1,
            Kind::Removed => self.removed += 1,
            Kind::Context | Kind::Gap => {}
        }
        if self.rows.len() >= MAX_ROWS {
            self.left_out += 1;
            return;
        }
        let text = Part { text: shown(text), changed: false };
        self.rows.push(Row { kind, number, parts: vec![text] });
    }

    fn finish(mut self) -> Self {
        words::mark(&mut self.rows);
        self
    }

    /// The rows as lines of at most `width` columns. A line that is too long goes on under its text. `paint` styles.
    pub fn lines(&self, width: usize, mut paint: impl FnMut(Style, &str) -> String) -> Vec<String> {
        let digits = self.rows.iter().filter_map(|row| row.number).max().unwrap_or(0).to_string().len();
        let mut lines = Vec::new();
        for row in &self.rows {
            row.lines(digits, width, &mut paint, &mut lines);
        }
        if self.left_out > 0 {
            let note = format!("... ({} more lines)", self.left_out);
            lines.push(paint(Style::Context, &truncate_to_width(&note, width, "", false)));
        }
        lines
    }
}

impl Row {
    fn lines(
        &self,
        digits: usize,
        width: usize,
        paint: &mut impl FnMut(Style, &str) -> String,
        lines: &mut Vec<String>,
    ) {
        let (sign, style, words) = match self.kind {
            Kind::Added => ('+', Style::Added, Style::AddedWords),
            Kind::Removed => ('-', Style::Removed, Style::RemovedWords),
            Kind::Context | Kind::Gap => (' ', Style::Context, Style::Context),
        };
        let number = self.number.map(|number| number.to_string()).unwrap_or_default();
        let head = format!("{sign}{number:>digits$} ");
        let mut body = String::new();
        for part in &self.parts {
            body.push_str(&paint(if part.changed { words } else { style }, &part.text));
        }
        let room = width.saturating_sub(visible_width(&head));
        if room < MIN_TEXT_WIDTH {
            lines.extend(wrap_text(&(paint(style, &head) + &body), width.max(1)));
            return;
        }
        for (index, line) in wrap_text(&body, room).into_iter().enumerate() {
            let begin = if index == 0 { head.clone() } else { " ".repeat(visible_width(&head)) };
            lines.push(paint(style, &begin) + &line);
        }
    }
}

/// The text of a row, cut if it is too long.
fn shown(text: &str) -> String {
    let text = text.strip_suffix('\n').unwrap_or(text).trim_end_matches('\r');
    let cut = if text.len() > MAX_TEXT { &text[..text.floor_char_boundary(MAX_TEXT)] } else { text };
    let mut shown = plain(cut).replace('\n', " ").replace('\t', TAB);
    if cut.len() < text.len() {
        shown.push('…');
    }
    shown
}
