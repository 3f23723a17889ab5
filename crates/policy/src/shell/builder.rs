//! What a word becomes, part by part.

use super::state::{Field, bounded};
use crate::text::{Piece, Source, Text};

/// How a word is expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Into words of a command: it is split, and patterns look for files.
    Words,
    /// Into one string: an assignment, a redirection, a word of `case`.
    String,
    /// As a pattern: quoted characters stand for themselves.
    Pattern,
}

/// The words that a word becomes, while it does.
pub(super) struct Builder {
    pub(super) done: Vec<Field>,
    pub(super) now: Text,
    pub(super) is_many: bool,
    /// Whether there is a word even if it is empty.
    pub(super) is_there: bool,
    pub(super) mode: Mode,
}

impl Builder {
    pub(super) fn new(mode: Mode) -> Self {
        Self { done: Vec::new(), now: Text::default(), is_many: false, is_there: false, mode }
    }

    /// Characters that stand for themselves.
    pub(super) fn quoted(&mut self, text: &str) {
        self.is_there = true;
        match self.mode {
            Mode::Pattern => {
                let escaped: String = text.chars().flat_map(|ch| escaped(ch).chain([ch])).collect();
                self.now.push(Piece::Known(escaped));
            }
            Mode::Words | Mode::String => self.now.push(Piece::Known(text.to_owned())),
        }
    }

    /// Characters outside of quotes: some are patterns.
    pub(super) fn bare(&mut self, text: &str) {
        self.is_there |= !text.is_empty();
        if self.mode != Mode::Words {
            self.now.push(Piece::Known(text.to_owned()));
            return;
        }
        let mut rest = text;
        while let Some(at) = rest.find(['*', '?', '[']) {
            let (before, pattern) = rest.split_at(at);
            self.now.push(Piece::Known(before.to_owned()));
            let length = if pattern.starts_with('[') {
                pattern.char_indices().skip(2).find(|(_, ch)| *ch == ']').map(|(end, _)| end + 1)
            } else {
                Some(1)
            };
            let (glob, after) = pattern.split_at(length.unwrap_or(1));
            self.now.push(match length {
                Some(_) => Piece::Glob(glob.to_owned()),
                None => Piece::Known(glob.to_owned()),
            });
            rest = after;
        }
        self.now.push(Piece::Known(rest.to_owned()));
    }

    /// A value inside of quotes.
    pub(super) fn quoted_value(&mut self, value: &Text) {
        self.is_there = true;
        for piece in value.pieces() {
            match piece {
                Piece::Known(text) | Piece::Glob(text) => self.quoted(text),
                Piece::Unknown(_) => self.now.push(piece.clone()),
            }
        }
    }

    /// A value outside of quotes: it is split.
    pub(super) fn bare_value(&mut self, value: &Text, separators: Option<&str>) {
        if self.mode != Mode::Words {
            self.is_there = true;
            self.now.append(value);
            return;
        }
        for piece in value.pieces() {
            match piece {
                Piece::Unknown(_) => {
                    self.now.push(piece.clone());
                    self.is_many = true;
                    self.is_there = true;
                }
                Piece::Known(text) | Piece::Glob(text) => self.split(text, separators),
            }
        }
    }

    pub(super) fn split(&mut self, text: &str, separators: Option<&str>) {
        let Some(separators) = separators else {
            // By what it is split is unknown.
            self.now.push(Piece::Unknown(Source::Local));
            (self.is_many, self.is_there) = (true, true);
            return;
        };
        let is_blank = |ch: char| separators.contains(ch) && matches!(ch, ' ' | '\t' | '\n');
        let mut rest = text;
        while let Some(at) = rest.find(|ch| separators.contains(ch)) {
            let (word, after) = rest.split_at(at);
            self.bare(word);
            let blanks = after.len() - after.trim_start_matches(is_blank).len();
            rest = &after[blanks..];
            // One separator that is no blank, with the blanks around it, ends a word even if that is empty.
            let mut ends_empty = false;
            if let Some(ch) = rest.chars().next().filter(|ch| separators.contains(*ch)) {
                ends_empty = true;
                rest = rest[ch.len_utf8()..].trim_start_matches(is_blank);
            }
            self.is_there |= ends_empty;
            self.end_word();
        }
        self.bare(rest);
    }

    pub(super) fn end_word(&mut self) {
        let text = std::mem::take(&mut self.now);
        if self.is_there || !text.pieces().is_empty() {
            self.done.push(Field { text: bounded(text), is_many: self.is_many, is_literal: false });
        }
        (self.is_many, self.is_there) = (false, false);
    }
}

fn escaped(ch: char) -> impl Iterator<Item = char> {
    matches!(ch, '*' | '?' | '[' | ']' | '\\' | '!' | '-').then_some('\\').into_iter()
}
