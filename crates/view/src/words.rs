//! Where word movement stops.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::characters::{is_punctuation, is_space};

/// A piece of text that word movement treats as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment<'a> {
    pub(crate) text: &'a str,
    pub(crate) kind: SegmentKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SegmentKind {
    /// Letters and digits.
    Word,
    Space,
    /// Punctuation, symbols, emoji.
    Other,
    /// Something that cannot be entered, like a paste marker.
    Atom,
}

/// The word segments of plain text.
pub(crate) fn segments(text: &str) -> impl DoubleEndedIterator<Item = Segment<'_>> {
    text.split_word_bounds().map(|text| {
        let kind = if text.contains(is_space) {
            SegmentKind::Space
        } else if text.contains(char::is_alphanumeric) {
            SegmentKind::Word
        } else {
            SegmentKind::Other
        };
        Segment { text, kind }
    })
}

/// How many bytes a move one word to the left goes back from the end of the segments: over spaces, then over one
/// word up to its last punctuation, one run of punctuation, or one atom.
pub(crate) fn backward<'a>(segments: impl DoubleEndedIterator<Item = Segment<'a>>) -> usize {
    let mut segments = segments.rev().peekable();
    let mut moved = 0;
    while let Some(space) = segments.next_if(|segment| segment.kind == SegmentKind::Space) {
        moved += space.text.len();
    }
    let Some(first) = segments.next() else { return moved };
    moved
        + match first.kind {
            SegmentKind::Word => {
                let stop = first.text.rfind(is_punctuation).map_or(0, |index| index + 1);
                first.text.len() - stop
            }
            SegmentKind::Other => first.text.len() + other_run(segments),
            SegmentKind::Space | SegmentKind::Atom => first.text.len(),
        }
}

/// How many bytes a move one word to the right goes from the start of the segments; the mirror of [`backward`].
pub(crate) fn forward<'a>(segments: impl Iterator<Item = Segment<'a>>) -> usize {
    let mut segments = segments.peekable();
    let mut moved = 0;
    while let Some(space) = segments.next_if(|segment| segment.kind == SegmentKind::Space) {
        moved += space.text.len();
    }
    let Some(first) = segments.next() else { return moved };
    moved
        + match first.kind {
            SegmentKind::Word => first.text.find(is_punctuation).unwrap_or(first.text.len()),
            SegmentKind::Other => first.text.len() + other_run(segments),
            SegmentKind::Space | SegmentKind::Atom => first.text.len(),
        }
}

fn other_run<'a>(segments: impl Iterator<Item = Segment<'a>>) -> usize {
    segments.take_while(|segment| segment.kind == SegmentKind::Other).map(|segment| segment.text.len()).sum()
}

/// The byte offset one word to the left of `cursor` in `text`.
pub fn word_left(text: &str, cursor: usize) -> usize {
    let before = &text[..text.floor_char_boundary(cursor)];
    before.len() - backward(segments(before))
}

/// The byte offset one word to the right of `cursor` in `text`.
pub fn word_right(text: &str, cursor: usize) -> usize {
    let cursor = text.floor_char_boundary(cursor);
    cursor + forward(segments(&text[cursor..]))
}
