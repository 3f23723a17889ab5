//! Markers that stand for long pasted texts.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::buffer::Buffer;
use super::parts::ENTRY;

/// The texts that markers stand for, by their number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pastes(pub(super) BTreeMap<u32, Arc<str>>);

/// A piece of text: plain, or a marker that cannot be entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chunk<'a> {
    Text(&'a str),
    Marker(&'a str, u32),
}

/// Splits `text` at the markers whose number is known; others are plain text.
pub(crate) fn chunks(text: &str, known: impl Fn(u32) -> bool) -> Vec<Chunk<'_>> {
    let mut chunks = Vec::new();
    let (mut plain, mut from) = (0, 0);
    while let Some(found) = text[from..].find(START) {
        let start = from + found;
        match parse(&text[start..]).filter(|(number, _)| known(*number)) {
            Some((number, length)) => {
                if start > plain {
                    chunks.push(Chunk::Text(&text[plain..start]));
                }
                chunks.push(Chunk::Marker(&text[start..start + length], number));
                plain = start + length;
                from = plain;
            }
            None => from = start + START.len(),
        }
    }
    if plain < text.len() {
        chunks.push(Chunk::Text(&text[plain..]));
    }
    chunks
}

const START: &str = "[paste #";

/// Number and length of the marker `text` starts with: `[paste #1]`, `[paste #1 +12 lines]`, `[paste #1 1234 chars]`.
fn parse(text: &str) -> Option<(u32, usize)> {
    let (body, _) = text.strip_prefix(START)?.split_once(']')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (number, size) = match body.split_once(' ') {
        Some((number, size)) => (number, Some(size)),
        None => (body, None),
    };
    let size_is_valid = size.is_none_or(|size| {
        size.strip_prefix('+').and_then(|size| size.strip_suffix(" lines")).is_some_and(digits)
            || size.strip_suffix(" chars").is_some_and(digits)
    });
    (digits(number) && size_is_valid).then_some(())?;
    Some((number.parse().ok()?, START.len() + body.len() + 1))
}

impl Pastes {
    pub(super) fn contains(&self, number: u32) -> bool {
        self.0.contains_key(&number)
    }

    /// About how much these hold that `others` do not hold too, in bytes.
    pub(super) fn held_beside(&self, others: Option<&Self>) -> usize {
        let is_shared = |number: &u32, text: &Arc<str>| {
            others.and_then(|others| others.0.get(number)).is_some_and(|other| Arc::ptr_eq(other, text))
        };
        self.0.iter().map(|(number, text)| if is_shared(number, text) { ENTRY } else { text.len() + ENTRY }).sum()
    }

    /// Keeps `text` and gives the marker for it.
    pub(super) fn add(&mut self, text: String) -> String {
        let number = self.0.keys().next_back().map_or(1, |last| last + 1);
        let lines = text.split('\n').count();
        let size = if lines > MAX_LINES { format!("+{lines} lines") } else { format!("{} chars", char_count(&text)) };
        self.0.insert(number, text.into());
        format!("{START}{number} {size}]")
    }

    /// Forgets a text; later ones move up, in the markers of the buffer too.
    pub(super) fn remove(&mut self, number: u32, buffer: &mut Buffer) {
        let known = self.clone();
        self.0 = std::mem::take(&mut self.0)
            .into_iter()
            .filter(|(other, _)| *other != number)
            .map(|(other, text)| (if other > number { other - 1 } else { other }, text))
            .collect();
        let renumber = |text: &str| -> String {
            let renumbered = |chunk| match chunk {
                Chunk::Marker(marker, other) if other > number => {
                    let size = marker.trim_start_matches(START).trim_start_matches(|ch: char| ch.is_ascii_digit());
                    format!("{START}{}{size}", other - 1)
                }
                Chunk::Marker(text, _) | Chunk::Text(text) => text.to_owned(),
            };
            chunks(text, |number| known.contains(number)).into_iter().map(renumbered).collect()
        };
        // A number may lose a digit, and the cursor moves with what stands before it.
        buffer.cursor.column = renumber(buffer.before()).len();
        for line in buffer.lines.iter_mut().filter(|line| line.contains(START)) {
            *line = renumber(line);
        }
    }

    /// `text` with its markers replaced by what they stand for.
    pub(super) fn expand(&self, text: &str) -> String {
        self.expanded(text).collect()
    }

    /// The parts of `text`, with what they stand for in place of markers.
    pub(super) fn expanded<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a str> {
        chunks(text, |number| self.contains(number)).into_iter().map(|chunk| match chunk {
            Chunk::Marker(marker, number) => self.0.get(&number).map_or(marker, |text| text),
            Chunk::Text(text) => text,
        })
    }
}

/// Pastes of more lines or characters than these become a marker.
const MAX_LINES: usize = 10;
const MAX_CHARS: usize = 1000;

/// Whether a pasted text is better shown as a marker.
pub(crate) fn is_large(text: &str) -> bool {
    text.split('\n').count() > MAX_LINES || char_count(text) > MAX_CHARS
}

/// Characters as editors written in JavaScript count them.
fn char_count(text: &str) -> usize {
    text.encode_utf16().count()
}
