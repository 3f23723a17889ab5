//! Breaking styled text into lines.

use crate::ansi::{Piece, StyleState, pieces};
use crate::characters::{is_cjk, is_space, trim_end};
use crate::width::{Cell, cells, graphemes, visible_width};

/// `text` as lines of at most `width` columns, broken between words where possible, inside them where not, and
/// anywhere between Chinese, Japanese and Korean characters.
///
/// Styles and links that are on at the end of a line are switched on again in the next. Lines are not padded. A
/// character wider than `width` still gets a line. Empty text is one empty line.
pub fn wrap_text(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut state = StyleState::default();
    for line in split_lines(text) {
        let styled = if lines.is_empty() { line.to_owned() } else { state.active_codes() + line };
        wrap_line(styled, width, &mut lines);
        state.process_text(line);
    }
    lines
}

/// The lines of `text`, which end in `\r\n`, `\r` or `\n`; at least one.
fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let current = rest?;
        let Some(end) = current.find(['\r', '\n']) else { return rest.take() };
        let tail = &current[end..];
        rest = Some(tail.strip_prefix("\r\n").unwrap_or(&tail[1..]));
        Some(&current[..end])
    })
}

fn wrap_line(line: String, width: usize, lines: &mut Vec<String>) {
    if visible_width(&line) <= width {
        lines.push(line);
        return;
    }
    let mut wrapper = Wrapper::new(width);
    for token in tokens(&line) {
        wrapper.push(&token);
    }
    lines.extend(wrapper.finish());
}

/// [`wrap_text`] for text that arrives in parts: what is broken already is not looked at again.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    width: usize,
    lines: Vec<String>,
    /// What the text so far leaves on.
    state: StyleState,
    /// The current line of the text while it fits.
    line: String,
    /// The current line of the text since it does not fit any more.
    wrapper: Option<Wrapper>,
}

impl Flow {
    pub(crate) fn new(width: usize) -> Self {
        Self { width, lines: Vec::new(), state: StyleState::default(), line: String::new(), wrapper: None }
    }

    /// Adds text. It must begin with a word if text was added before, and that must have ended with a space.
    pub(crate) fn push(&mut self, text: &str) {
        for (index, part) in split_lines(text).enumerate() {
            if index > 0 {
                self.end_line();
                self.line = self.state.active_codes();
            }
            self.add(part);
        }
    }

    fn add(&mut self, part: &str) {
        self.state.process_text(part);
        if let Some(wrapper) = &mut self.wrapper {
            tokens(part).iter().for_each(|token| wrapper.push(token));
            return;
        }
        self.line.push_str(part);
        if visible_width(&self.line) > self.width {
            let mut wrapper = Wrapper::new(self.width);
            tokens(&self.line).iter().for_each(|token| wrapper.push(token));
            self.wrapper = Some(wrapper);
            self.line.clear();
        }
    }

    fn end_line(&mut self) {
        match self.wrapper.take() {
            Some(wrapper) => self.lines.extend(wrapper.finish()),
            None => self.lines.push(std::mem::take(&mut self.line)),
        }
    }

    /// Takes the lines that no later text changes.
    pub(crate) fn take_lines(&mut self) -> Vec<String> {
        let mut lines = std::mem::take(&mut self.lines);
        lines.extend(self.wrapper.iter_mut().flat_map(Wrapper::take_lines));
        lines
    }

    /// The lines that were not taken.
    pub(crate) fn finish(mut self) -> Vec<String> {
        self.end_line();
        self.lines
    }
}

#[derive(Debug, Clone)]
struct Wrapper {
    width: usize,
    lines: Vec<String>,
    state: StyleState,
    line: String,
    used: usize,
}

impl Wrapper {
    fn new(width: usize) -> Self {
        Self { width, lines: Vec::new(), state: StyleState::default(), line: String::new(), used: 0 }
    }

    fn push(&mut self, token: &str) {
        let columns = visible_width(token);
        let blank = token.chars().all(is_space);
        if columns > self.width && !blank {
            if !self.line.is_empty() {
                self.line.push_str(&self.state.line_end());
                self.lines.push(std::mem::take(&mut self.line));
            }
            self.break_word(token);
            self.used = visible_width(&self.line);
            return;
        }
        if self.used + columns > self.width && self.used > 0 {
            self.line.truncate(trim_end(&self.line).len());
            self.line.push_str(&self.state.line_end());
            self.lines.push(std::mem::replace(&mut self.line, self.state.active_codes()));
            self.used = 0;
            if !blank {
                self.line.push_str(token);
                self.used = columns;
            }
        } else {
            self.line.push_str(token);
            self.used += columns;
        }
        self.state.process_text(token);
    }

    /// Fills lines with the clusters of a word that is wider than a line; its last part becomes the current line.
    fn break_word(&mut self, word: &str) {
        self.line = self.state.active_codes();
        let mut used = 0;
        for cell in cells(word) {
            match cell {
                Cell::Escape(escape) => {
                    self.line.push_str(escape);
                    self.state.process(escape);
                }
                Cell::Grapheme(cluster, columns) => {
                    if used + columns > self.width {
                        self.line.push_str(&self.state.line_end());
                        self.lines.push(std::mem::replace(&mut self.line, self.state.active_codes()));
                        used = 0;
                    }
                    self.line.push_str(cluster);
                    used += columns;
                }
            }
        }
    }

    fn take_lines(&mut self) -> Vec<String> {
        let mut lines = std::mem::take(&mut self.lines);
        for line in &mut lines {
            line.truncate(trim_end(line).len());
        }
        lines
    }

    fn finish(mut self) -> Vec<String> {
        if !self.line.is_empty() {
            self.lines.push(std::mem::take(&mut self.line));
        }
        self.take_lines()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Spaces,
    Word,
}

/// Words, runs of spaces and single CJK clusters, each with the escape sequences before it.
fn tokens(line: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut pending = String::new();
    let mut current: Option<Kind> = None;
    for piece in pieces(line) {
        let run = match piece {
            Piece::Escape(escape) => {
                pending.push_str(escape);
                continue;
            }
            Piece::Text(run) => run,
        };
        for cluster in graphemes(run) {
            let kind = if cluster == " " { Kind::Spaces } else { Kind::Word };
            let alone = kind == Kind::Word && cluster.chars().any(is_cjk);
            let escapes = std::mem::take(&mut pending);
            match tokens.last_mut() {
                Some(token) if !alone && current == Some(kind) => {
                    token.push_str(&escapes);
                    token.push_str(cluster);
                }
                _ => tokens.push(escapes + cluster),
            }
            current = (!alone).then_some(kind);
        }
    }
    if !pending.is_empty() {
        match tokens.last_mut() {
            Some(token) => token.push_str(&pending),
            None => tokens.push(pending),
        }
    }
    tokens
}
