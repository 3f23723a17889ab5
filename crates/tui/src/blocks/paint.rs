//! Cleaning, wrapping and painting text.

use std::time::Duration;

use tau_view::markdown::{MarkdownStream, Options};
use tau_view::untrusted;
use tau_view::width::visible_width;
use tau_view::wrap::wrap_text;

use crate::look::{Look, MarkdownTheme};
use crate::screen::Line;
use crate::style::bold;

const TAB: &str = "   ";
/// How much of an output is looked at when only some rows of it show, in bytes; of the rest, lines are counted.
const LOOKED_AT: usize = 32 << 10;

/// Text from elsewhere, with nothing in it but characters and line feeds.
pub(super) fn clean(text: &str) -> String {
    untrusted::plain(text).replace('\t', TAB)
}

/// Text from elsewhere on one line.
pub(super) fn one_line(text: &str) -> String {
    clean(text.trim()).replace('\n', " ")
}

/// Text that somebody must judge: what is hidden in it shows.
pub(super) fn visible(text: &str) -> String {
    untrusted::visible(text).replace('\t', TAB)
}

/// [`visible`] on one line.
pub(super) fn visible_line(text: &str) -> String {
    visible(text).replace('\n', "␊")
}

/// The output of a command, with its colours. Line breaks and white space at its end are left out.
pub(super) fn output(text: &str) -> String {
    untrusted::output(text.trim_end()).replace('\t', TAB)
}

/// Which rows of a text show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    All,
    First(usize),
    Last(usize),
}

/// Text without styles, wrapped, each row in the colour of a token.
pub(super) fn wrapped(look: &Look, token: &str, text: &str, width: usize) -> Vec<String> {
    wrap_text(text, width).iter().map(|row| look.styles.fg(token, row)).collect()
}

/// The output of a command, wrapped, in the colour of a token where it has none; and how many rows are left out. What is
/// left out costs little, as commands put out much more than is shown, and it is shown anew each time.
pub(super) fn output_rows(look: &Look, token: &str, text: &str, width: usize, rows: Rows) -> (Vec<String>, usize) {
    let (text, skipped) = part(text.trim_end(), rows);
    let (shown, hidden) = part_rows(look, token, &output(text), width, rows);
    (shown, hidden + skipped)
}

/// The part of a text that is looked at for some of its rows, and how many lines are not in it.
fn part(text: &str, rows: Rows) -> (&str, usize) {
    let lines = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
    match rows {
        Rows::First(_) if text.len() > LOOKED_AT => {
            let end = text.floor_char_boundary(LOOKED_AT);
            let end = text[..end].rfind('\n').unwrap_or(end);
            (&text[..end], lines(&text[end..]))
        }
        Rows::Last(_) if text.len() > LOOKED_AT => {
            let start = text.ceil_char_boundary(text.len() - LOOKED_AT);
            let start = text[start..].find('\n').map_or(start, |end| start + end + 1);
            (&text[start..], lines(&text[..start]))
        }
        Rows::All | Rows::First(_) | Rows::Last(_) => (text, 0),
    }
}

fn part_rows(look: &Look, token: &str, text: &str, width: usize, rows: Rows) -> (Vec<String>, usize) {
    if text.trim().is_empty() {
        return (Vec::new(), 0);
    }
    if text.contains('\x1b') {
        let mut all = wrap_text(&tinted(look, token, text), width);
        let hidden = hidden(all.len(), rows);
        match rows {
            Rows::Last(_) => drop(all.drain(..hidden)),
            Rows::All | Rows::First(_) => all.truncate(all.len() - hidden),
        }
        return (all, hidden);
    }
    // No line has more columns than bytes.
    let count = |line: &str| if line.len() <= width { 1 } else { wrap_text(line, width).len() };
    let hidden = hidden(text.split('\n').map(count).sum(), rows);
    let mut shown = Vec::new();
    match rows {
        Rows::All => shown = wrapped(look, token, text, width),
        Rows::First(limit) => {
            let lines = text.split('\n').flat_map(|line| wrapped(look, token, line, width));
            shown.extend(lines.take(limit));
        }
        Rows::Last(limit) => {
            let lines = text.rsplit('\n').flat_map(|line| wrapped(look, token, line, width).into_iter().rev());
            shown.extend(lines.take(limit));
            shown.reverse();
        }
    }
    (shown, hidden)
}

fn hidden(count: usize, rows: Rows) -> usize {
    match rows {
        Rows::All => 0,
        Rows::First(limit) | Rows::Last(limit) => count.saturating_sub(limit),
    }
}

/// About how many lines a text has.
pub(super) fn estimate(text: &str, width: usize) -> usize {
    let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
    breaks + text.len() / width.max(1) + 1
}

/// How a text lies between the edges of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Margin {
    /// Empty columns at the left.
    pub(super) left: usize,
    /// Columns for the text.
    pub(super) inner: usize,
}

impl Margin {
    /// As many empty columns at both sides as there is room for.
    pub(super) fn new(padding: usize, width: usize) -> Self {
        let left = padding.min(width.saturating_sub(1) / 2);
        Self { left, inner: width.saturating_sub(2 * left).max(1) }
    }

    /// A line of text that is at most as wide as there is room.
    pub(super) fn line(self, text: &str) -> Line {
        Line::new(&format!("{}{text}", " ".repeat(self.left)), self.left + self.inner).with_margin(self.left)
    }

    /// Styled text, wrapped.
    pub(super) fn styled(self, text: &str) -> Vec<Line> {
        wrap_text(text, self.inner).iter().map(|line| self.line(line)).collect()
    }

    /// Text without styles, wrapped, in the colour of a token.
    pub(super) fn wrapped(self, look: &Look, token: &str, text: &str) -> Vec<Line> {
        wrapped(look, token, text, self.inner).iter().map(|line| self.line(line)).collect()
    }
}

/// Tells which lines of laid out Markdown are those of code blocks, from line to line. These have no margin: what is copied
/// of them is the code.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Fences {
    is_open: bool,
}

impl Fences {
    /// Whether the next line is one of a code block, or a fence of one.
    pub(super) fn is_code(&mut self, line: &str) -> bool {
        const FENCE: &str = "```";
        if !line.contains(FENCE) {
            return self.is_open;
        }
        let text = tau_view::ansi::strip(line);
        let is_fence = if self.is_open { text == FENCE } else { text.starts_with(FENCE) };
        let was_open = self.is_open;
        self.is_open ^= is_fence;
        was_open || is_fence
    }

    /// A line of Markdown, with its margin if it has one.
    pub(super) fn line(&mut self, line: &str, margin: Margin) -> Line {
        if self.is_code(line) { Line::new(line, margin.left + margin.inner) } else { margin.line(line) }
    }
}

/// `text` after a sequence that turns a colour on, which holds to its end whatever styles are in it.
pub(super) fn held(on: &str, text: &str, off: &str) -> String {
    if on.is_empty() || text.is_empty() {
        return text.to_owned();
    }
    let mut held = String::with_capacity(text.len() + 2 * on.len());
    held.push_str(on);
    let mut rest = text;
    while let Some(at) = rest.find("\x1b[") {
        let Some(end) = rest[at..].find(|ch: char| ch.is_ascii_alphabetic()).map(|end| at + end + 1) else { break };
        let sequence = &rest[at..end];
        held.push_str(&rest[..end]);
        if sequence == "\x1b[0m" || sequence == "\x1b[m" || sequence == off {
            held.push_str(on);
        }
        rest = &rest[end..];
    }
    held.push_str(rest);
    held.push_str(off);
    held
}

/// `text`, which may have colours of its own, in the colour of a token where it has none.
pub(super) fn tinted(look: &Look, token: &str, text: &str) -> String {
    held(look.styles.on(token), text, "\x1b[39m")
}

/// `text` with a background behind it.
pub(super) fn backed(look: &Look, token: &str, text: &str) -> String {
    held(look.styles.on(token), text, "\x1b[49m")
}

/// Lines in a box: an empty row above and below, and a background from edge to edge where there are colours.
pub(super) fn boxed(look: &Look, token: &str, rows: &[String], width: usize) -> Vec<Line> {
    let margin = Margin::new(look.padding, width);
    let coloured = !look.styles.on(token).is_empty();
    let row = |text: &str| {
        if !coloured {
            return margin.line(text);
        }
        let used = margin.left + visible_width(text);
        let filled = format!("{}{text}{}", " ".repeat(margin.left), " ".repeat(width.saturating_sub(used)));
        Line::new(&backed(look, token, &filled), width).with_margin(margin.left)
    };
    let mut lines = vec![Line::empty(), row("")];
    lines.extend(rows.iter().map(|text| row(text)));
    lines.push(row(""));
    lines
}

/// Markdown from elsewhere, wrapped.
pub(super) fn markdown(text: &str, width: usize, options: Options, theme: &mut MarkdownTheme<'_>) -> Vec<String> {
    let mut stream = MarkdownStream::new(width, options);
    stream.push(text);
    stream.finish();
    let Ok(()) = stream.lay_out(theme);
    stream.lines(0..stream.line_count()).map(str::to_owned).collect()
}

/// A name in brackets before what it is the name of.
pub(super) fn tag(look: &Look, name: &str) -> String {
    look.styles.fg("customMessageLabel", &bold(&format!("[{}]", one_line(name))))
}

/// What a key is for, in parentheses.
pub(super) fn hint(look: &Look, text: &str) -> String {
    look.styles.fg("muted", &format!("({text})"))
}

/// What the key that expands is for; nothing when there is no such key.
pub(super) fn to_expand(key: &str) -> Option<String> {
    (!key.is_empty()).then(|| format!("{} to expand", one_line(key)))
}

/// A number of seconds, to a tenth of one.
pub(super) fn seconds(time: Duration) -> String {
    format!("{:.1}s", time.as_secs_f64())
}

/// A number with commas between thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `one` for a count of one, else `many`.
pub(super) fn plural<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}
