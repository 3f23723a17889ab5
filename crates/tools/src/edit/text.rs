//! Text as the search sees it, and the way back to the file's own bytes.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// One line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line<'t> {
    /// Without its ending.
    pub(super) text: &'t str,
    /// `\n`, `\r\n`, `\r`, or nothing at the end of the file.
    pub(super) ending: &'t str,
}

/// Splits text at all three kinds of line endings.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        let length = if after.starts_with("\r\n") { 2 } else { after.len().min(1) };
        lines.push(Line { text, ending: &after[..length] });
        rest = &after[length..];
    }
    lines
}

/// The text with `\n` for every line ending.
pub(super) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { Cow::Borrowed(text) }
}

/// The kind of line ending that comes first, which new lines get too.
pub(super) fn first_ending(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        None if text.contains('\r') => "\r",
        _ => "\n",
    }
}

/// The text with everything evened out that a model is likely to get wrong: compatibility forms, spaces at the
/// end of lines, curly quotes, dashes, and unusual spaces. Lines stay lines.
pub(super) fn loosened(text: &str) -> String {
    let normal: Cow<'_, str> = match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfkc().collect()),
    };
    let mut out = String::with_capacity(normal.len());
    for (index, line) in normal.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.extend(line.trim_end_matches(is_space).chars().map(plain));
    }
    out
}

/// White space as JavaScript trims it.
fn is_space(c: char) -> bool {
    c == '\u{FEFF}' || (c.is_whitespace() && c != '\u{85}')
}

fn plain(c: char) -> char {
    match c {
        '\u{2018}'..='\u{201B}' => '\'',
        '\u{201C}'..='\u{201F}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{A0}' | '\u{2002}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        c => c,
    }
}

/// Byte ranges of the lines of a text that has only line feeds, endings included.
pub(super) fn line_ranges(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let range = start..start + line.len();
            start = range.end;
            range
        })
        .collect()
}
