//! A line of the screen: styled text that cannot do anything but be shown.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use tau_view::untrusted::{Token, tokens};
use tau_view::width::{TAB_WIDTH, grapheme_width, graphemes, is_combining};

use super::style::Style;
use crate::picture::{How, Slice, placeholder};

/// The longest that one character may be, with its marks and joiners, in bytes: the longest emoji of Unicode fit, and a
/// megabyte of combining marks does not reach the terminal.
const LONGEST_CHARACTER: usize = 48;

/// A line of styled text: characters, colours and links, nothing else.
///
/// A line holds no control character, no line break and nothing that moves the cursor. It begins and ends in the
/// terminal's default style with no link open, spaces that cannot be seen at its end are cut off, and its width is known. It
/// is cheap to copy.
#[derive(Clone, PartialEq, Eq)]
pub struct Line {
    text: Arc<str>,
    width: u32,
    /// Whether all terminals agree about the width: each column is one character of its own.
    exact: bool,
    mark: Option<Mark>,
    /// Columns at its start that are layout and no text.
    margin: u8,
    /// The row of a picture that lies over it.
    picture: Option<Slice>,
}

/// How a line is marked for the terminal (OSC 133), so that it can jump from prompt to prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A prompt begins with this line.
    Start,
    /// The prompt ends with this line, and what it leads to begins.
    End,
    /// Both.
    Whole,
}

impl Line {
    /// The line without anything in it.
    pub fn empty() -> Line {
        Line { text: Arc::from(""), width: 0, exact: true, mark: None, margin: 0, picture: None }
    }

    /// The first line of `text`, with its colours, styles and links, as far as it fits into `width` columns. A wide
    /// character that the edge would cut becomes a space, a tab three.
    ///
    /// Everything else a terminal would obey is left out, so `text` need not be trusted. Colours and links are kept,
    /// though: text from elsewhere goes through [`tau_view::untrusted::output`] before it gets styles of its own.
    pub fn new(text: &str, width: usize) -> Line {
        if text.bytes().all(|byte| (0x20..=0x7e).contains(&byte)) {
            let text = text[..text.len().min(width)].trim_end_matches(' ');
            let width = text.len() as u32;
            return Line { text: Arc::from(text), width, exact: true, mark: None, margin: 0, picture: None };
        }
        let mut builder = Builder::new(width);
        builder.push_text(text);
        builder.finish()
    }

    /// A row of a picture.
    pub fn picture(slice: Slice) -> Line {
        let (picture, fit) = (&slice.picture, slice.picture.fit());
        let (text, width) = match picture.how() {
            How::Kitty | How::Iterm => (String::new(), 0),
            How::Placeholders => {
                let text = placeholder::row(picture.id(), fit, slice.row, picture.left());
                (text, u32::from(picture.left()) + u32::from(fit.columns))
            }
        };
        Line { exact: text.is_empty(), text: Arc::from(text), width, mark: None, margin: 0, picture: Some(slice) }
    }

    /// The row of a picture that this is.
    pub(super) fn slice(&self) -> Option<&Slice> {
        self.picture.as_ref()
    }

    /// Whether more rows of its picture come behind it.
    pub(super) fn is_followed_by_picture(&self) -> bool {
        self.picture.as_ref().is_some_and(|Slice { picture, row }| row + 1 < picture.fit().rows)
    }

    /// What stands in the place of a row of a picture: in the first one what is said of it, in others nothing.
    pub(super) fn without_picture(&self, columns: usize) -> Line {
        let text = match &self.picture {
            Some(Slice { picture, row: 0 }) => {
                let left = " ".repeat(picture.left().into());
                Line::new(&format!("{left}\x1b[2m{}", picture.image().label()), columns)
            }
            _ => Line::empty(),
        };
        Line { mark: self.mark, ..text }
    }

    /// How many columns of the screen have something in them.
    pub(super) fn reach(&self) -> usize {
        let picture = self
            .picture
            .as_ref()
            .map_or(0, |Slice { picture, .. }| usize::from(picture.left()) + usize::from(picture.fit().columns));
        self.width().max(picture)
    }

    /// The same line with a mark.
    pub fn marked(self, mark: Mark) -> Line {
        Line { mark: Some(mark), ..self }
    }

    /// The mark of this line.
    pub fn mark(&self) -> Option<Mark> {
        self.mark
    }

    /// The same line, of which so many columns at the start are layout: they are not copied with the text.
    pub fn with_margin(self, columns: usize) -> Line {
        Line { margin: u8::try_from(columns).unwrap_or(u8::MAX), ..self }
    }

    /// How many columns at the start are layout.
    pub fn margin(&self) -> usize {
        self.margin.into()
    }

    /// The text as it is written to a terminal.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How many columns the line takes.
    pub fn width(&self) -> usize {
        self.width as usize
    }

    /// Whether nothing of the line can be seen.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.picture.is_none()
    }

    /// Whether terminals cannot disagree about the columns.
    pub(super) fn is_exact(&self) -> bool {
        self.exact
    }

    /// The characters without colours and links.
    pub fn plain(&self) -> String {
        tau_view::ansi::strip(&self.text)
    }

    /// The characters in some columns, without colours and links. A wide character is in all of its columns.
    pub fn plain_in(&self, columns: Range<usize>) -> String {
        let (mut text, mut column) = (String::new(), 0);
        each_cell(&self.text, |cell, width, _| {
            // Marks stay with the character before them.
            let from = column.min((column + width).saturating_sub(1));
            if from < columns.end && (column + width > columns.start || (width == 0 && !text.is_empty())) {
                text.push_str(cell);
            }
            column += width;
            column <= columns.end
        });
        text
    }

    /// The address of the link in a column.
    pub fn link_at(&self, column: usize) -> Option<String> {
        let (mut found, mut at) = (None, 0);
        each_cell(&self.text, |_, width, style| {
            at += width;
            if at > column {
                found =
                    style.link.as_deref().and_then(|link| link.split_once(';')).map(|(_, address)| address.to_owned());
            }
            at <= column
        });
        found
    }

    /// As much of the line as fits into `width` columns.
    pub fn clamped(&self, width: usize) -> Line {
        if self.reach() <= width {
            return self.clone();
        }
        let line = if self.picture.is_some() { self.without_picture(width) } else { Line::new(&self.text, width) };
        Line { mark: self.mark, margin: self.margin, ..line }
    }

    /// The line with other styles in some columns: what `restyle` gives for a column, if it gives something.
    pub(super) fn restyled(&self, restyle: impl Fn(usize, &Style) -> Option<Style>) -> Line {
        let mut builder = Builder::new(self.width());
        let mut column = 0;
        each_cell(&self.text, |text, width, style| {
            match restyle(column, style) {
                Some(style) => builder.push(text, width, &style),
                None => builder.push(text, width, style),
            };
            column += width;
            true
        });
        Line { mark: self.mark, margin: self.margin, picture: self.picture.clone(), ..builder.finish() }
    }

    /// The line with `end` at a column behind its own end.
    pub(super) fn followed(&self, column: usize, end: &Line) -> Line {
        let gap = column.saturating_sub(self.width());
        let mut text = String::with_capacity(self.text.len() + gap + end.text.len());
        text.push_str(&self.text);
        text.extend(std::iter::repeat_n(' ', gap));
        text.push_str(&end.text);
        Line {
            text: Arc::from(text),
            width: (self.width() + gap + end.width()) as u32,
            exact: self.exact && end.exact,
            mark: self.mark,
            margin: self.margin,
            picture: self.picture.clone(),
        }
    }

    /// The line in pieces of at most `width` columns, broken anywhere.
    pub(crate) fn broken(&self, width: usize) -> Vec<Line> {
        let width = width.max(1);
        if self.reach() <= width || self.picture.is_some() {
            return vec![self.clamped(width)];
        }
        let mut lines = Vec::new();
        let mut builder = Builder::new(width);
        each_cell(&self.text, |text, columns, style| {
            // A character that is wider than the screen becomes a space, as in a line that is cut.
            if builder.width() + columns.min(width) > width {
                lines.push(std::mem::replace(&mut builder, Builder::new(width)).finish());
            }
            builder.push(text, columns, style);
            true
        });
        lines.push(builder.finish());
        if let Some(first) = lines.first_mut() {
            first.mark = self.mark;
        }
        lines
    }

    /// How many rows a terminal that wraps long lines again needs for this one at `width` columns; where terminals
    /// disagree about widths, the fewest.
    pub(super) fn wrapped_rows(&self, width: usize) -> usize {
        self.wrapped_position(usize::MAX, width).0 + 1
    }

    /// The row and the column at which `column` is once a terminal has wrapped this line at `width` columns.
    pub(super) fn wrapped_position(&self, column: usize, width: usize) -> (usize, usize) {
        let width = width.max(1);
        if self.text.len() == self.width() {
            let column = column.min(self.width());
            // The cell after the last one of a full row is still in that row.
            let row = if column == self.width() { column.saturating_sub(1) / width } else { column / width };
            return (row, column - row * width);
        }
        let (mut row, mut used, mut seen) = (0, 0, 0);
        each_cell(&self.text, |text, cell_width, _| {
            if seen >= column {
                return false;
            }
            let columns = if text.chars().count() == 1 { cell_width } else { cell_width.min(1) };
            if used + columns > width {
                (row, used) = (row + 1, 0);
            }
            used += columns;
            seen += cell_width;
            true
        });
        if used >= width && seen < self.width() { (row + 1, 0) } else { (row, used) }
    }
}

impl Default for Line {
    fn default() -> Line {
        Line::empty()
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.picture {
            Some(slice) => write!(f, "Line({:?}, {}, {slice:?})", self.text, self.width),
            None => write!(f, "Line({:?}, {})", self.text, self.width),
        }
    }
}

/// Calls `take` with the characters of `text`, their widths and styles, until it returns false. Text after a line break
/// is left out.
pub(super) fn each_cell<'t>(text: &'t str, mut take: impl FnMut(&'t str, usize, &Style) -> bool) {
    let mut style = Style::default();
    for token in tokens(text) {
        match token {
            Token::Style(parameters) => style.apply(parameters),
            Token::Link(link) => style.link = link.map(Arc::from),
            Token::Newline | Token::Return => return,
            Token::Tab => {
                for _ in 0..TAB_WIDTH {
                    if !take(" ", 1, &style) {
                        return;
                    }
                }
            }
            Token::Text(run) => {
                for cluster in graphemes(run) {
                    let text = shortened(cluster);
                    let width = if text.len() == 1 { 1 } else { grapheme_width(text) };
                    if !take(text, width, &style) {
                        return;
                    }
                }
            }
        }
    }
}

/// The first line of `text` without what is left out of it, if something is left out within a run of characters: what
/// stood on both sides may be one character now.
fn joined(text: &str) -> Cow<'_, str> {
    let is_text = |token: &Token<'_>| matches!(token, Token::Text(_));
    let in_line = || tokens(text).take_while(|token| !matches!(token, Token::Newline | Token::Return));
    let mut before = false;
    let is_parted = in_line().any(|token| std::mem::replace(&mut before, is_text(&token)) && is_text(&token));
    if !is_parted {
        return Cow::Borrowed(text);
    }
    let mut joined = String::with_capacity(text.len());
    for token in in_line() {
        match token {
            Token::Text(run) => joined.push_str(run),
            Token::Tab => joined.push('\t'),
            Token::Style(parameters) => joined.extend(["\x1b[", parameters, "m"]),
            Token::Link(link) => joined.extend(["\x1b]8;", link.unwrap_or(";"), "\x1b\\"]),
            Token::Newline | Token::Return => {}
        }
    }
    Cow::Owned(joined)
}

/// A character without most of what is piled up on it.
fn shortened(cluster: &str) -> &str {
    if cluster.len() <= LONGEST_CHARACTER {
        return cluster;
    }
    &cluster[..cluster.floor_char_boundary(LONGEST_CHARACTER)]
}

/// Puts a line together, character by character.
pub(super) struct Builder {
    text: String,
    /// The style that the text so far leaves on.
    written: Style,
    /// Spaces that are only written when something comes after them.
    spaces: usize,
    used: usize,
    limit: usize,
    exact: bool,
    /// Bytes of marks without a character before them.
    loose: usize,
}

impl Builder {
    pub(super) fn new(limit: usize) -> Builder {
        Builder { text: String::new(), written: Style::default(), spaces: 0, used: 0, limit, exact: true, loose: 0 }
    }

    /// The columns so far.
    pub(super) fn width(&self) -> usize {
        self.used + self.spaces
    }

    /// Adds styled text up to the limit.
    fn push_text(&mut self, text: &str) {
        each_cell(&joined(text), |text, width, style| self.push(text, width, style));
    }

    /// Adds one character; false when there is no room for more.
    pub(super) fn push(&mut self, text: &str, width: usize, style: &Style) -> bool {
        let room = self.limit.saturating_sub(self.width());
        if width > room {
            for _ in 0..room {
                self.push(" ", 1, style);
            }
            return false;
        }
        if width == 0 {
            // Marks stay with what they stand on, as long as they are few.
            self.loose += text.len();
            if self.loose <= LONGEST_CHARACTER {
                self.flush();
                self.text.push_str(text);
                self.exact = false;
            }
            return true;
        }
        self.loose = 0;
        if text == " " && style.hides_spaces() {
            self.spaces += 1;
            return true;
        }
        self.flush();
        if *style != self.written {
            style.write_after(&self.written, &mut self.text);
            self.written = style.clone();
        }
        self.text.push_str(text);
        self.used += width;
        // An emoji of one character and a flag's half have no width that all terminals agree about.
        self.exact = self.exact && is_settled(text);
        true
    }

    /// Adds spaces up to a column.
    pub(super) fn fill(&mut self, column: usize) {
        let column = column.min(self.limit);
        self.spaces += column.saturating_sub(self.width());
    }

    fn flush(&mut self) {
        if self.spaces == 0 {
            return;
        }
        if !self.written.hides_spaces() {
            Style::default().write_after(&self.written, &mut self.text);
            self.written = Style::default();
        }
        self.text.extend(std::iter::repeat_n(' ', self.spaces));
        self.used += std::mem::take(&mut self.spaces);
    }

    pub(super) fn finish(mut self) -> Line {
        Style::default().write_after(&self.written, &mut self.text);
        let (text, width) = (Arc::from(self.text), self.used as u32);
        Line { text, width, exact: self.exact, mark: None, margin: 0, picture: None }
    }
}

/// Whether terminals agree about how many columns a character takes.
pub(super) fn is_settled(text: &str) -> bool {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(' '..='~'), None) => true,
        (Some(ch), None) => {
            !matches!(ch, '\u{ad}' | '\u{600}'..='\u{605}' | '\u{200b}'..='\u{200f}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{1f1e6}'..='\u{1f1ff}' | '\u{e0000}'..='\u{e0fff}')
                && !is_combining(ch)
                && match grapheme_width(text) {
                    0 => false,
                    1 => true,
                    _ => is_wide_everywhere(ch),
                }
        }
        _ => false,
    }
}

/// Whether a wide character has always been one. Emoji were narrow before Unicode 9, and are so in terminals with a table
/// from before.
fn is_wide_everywhere(ch: char) -> bool {
    matches!(ch, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}' | '\u{20000}'..='\u{3fffd}')
}
