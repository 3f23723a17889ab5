//! How what stands over the screen looks: Markdown in a frame. Only what every terminal and every theme has is used.

use std::convert::Infallible;

use tau_view::markdown::{Options, Style, Theme, render};
use tau_view::truncate::truncate_to_width;
use tau_view::untrusted::plain;
use tau_view::wrap::wrap_text;

/// Text as lines of at most so many columns, without what could do something to a terminal.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    wrap_text(&plain(text).replace('\t', "    "), width)
}

/// Markdown as lines of at most so many columns.
pub(crate) fn markdown(text: &str, width: usize) -> Vec<String> {
    let text = plain(text).replace('\t', "    ");
    match render(text.trim(), width, &Options::default(), &mut Attributes) {
        Ok(lines) => lines,
        Err(never) => match never {},
    }
}

pub(crate) fn dim(text: &str) -> String {
    format!("\x1b[2m{text}\x1b[22m")
}

pub(crate) fn bold(text: &str) -> String {
    format!("\x1b[1m{text}\x1b[22m")
}

/// A line between the sides of the frame.
pub(crate) fn between(line: &str, width: usize) -> String {
    format!("{} {} {}", dim("│"), truncate_to_width(line, width.saturating_sub(4), "…", true), dim("│"))
}

/// The upper or lower edge of the frame, with a word in it.
pub(crate) fn edge((left, right): (char, char), word: &str, width: usize) -> String {
    let word = truncate_to_width(&format!("─ {word} "), width.saturating_sub(2), "", false);
    let rest = width.saturating_sub(2 + tau_view::width::visible_width(&word));
    dim(&format!("{left}{word}{}{right}", "─".repeat(rest)))
}

/// Bold, italic and the like, and the colours that a terminal has of its own.
struct Attributes;

impl Theme for Attributes {
    type Error = Infallible;

    fn apply(&mut self, style: Style, text: &str) -> Result<String, Infallible> {
        let (on, off) = match style {
            Style::Bold => ("1", "22"),
            Style::Italic => ("3", "23"),
            Style::Underline => ("4", "24"),
            Style::Strikethrough => ("9", "29"),
            Style::Heading | Style::Code | Style::CodeBlock => ("36", "39"),
            Style::LinkUrl | Style::CodeBlockBorder | Style::Quote | Style::QuoteBorder | Style::Rule => ("2", "22"),
            Style::Link | Style::ListBullet | Style::Text => return Ok(text.to_owned()),
        };
        Ok(format!("\x1b[{on}m{text}\x1b[{off}m"))
    }
}
