//! Motions by words. An empty line is a word. Where there are no more, they end at the edge of the text.

use super::command::Word;
use super::text::{Class, Text};

/// To the start of the next word. Under an operator the last one ends with its line.
pub(super) fn forward(text: &Text<'_>, mut at: usize, count: usize, word: Word, operated: bool) -> usize {
    for left in (0..count).rev() {
        let ends_here = |at| operated && left == 0 && text.is_end(at);
        let class = text.class(at, word);
        let was_end = ends_here(at);
        if at == text.last() || (at + 1 == text.last() && !text.is_empty_at(at + 1)) {
            return text.last();
        }
        at += 1;
        if was_end || ends_here(at) {
            return at;
        }
        if class != Class::Blank {
            at = behind(text, at, class, word);
            if ends_here(at) {
                return at;
            }
        }
        while text.is_blank(at) && !text.is_empty_at(at) {
            if at == text.last() || ends_here(at) {
                return at;
            }
            at += 1;
        }
    }
    at
}

/// To the end of a word. With `stays` the word at the cursor is one, also where the cursor stands on its end.
pub(super) fn end(text: &Text<'_>, mut at: usize, count: usize, word: Word, stays: bool) -> usize {
    for done in 0..count {
        let class = text.class(at, word);
        if at == text.last() {
            return at;
        }
        at += 1;
        if class != Class::Blank && text.class(at, word) == class {
            at = behind(text, at, class, word);
        } else if class == Class::Blank || !stays || done > 0 {
            while text.is_blank(at) {
                if at == text.last() {
                    return at;
                }
                at += 1;
            }
            at = behind(text, at, text.class(at, word), word);
        }
        at -= 1;
    }
    at
}

/// To the start of a word before.
pub(super) fn backward(text: &Text<'_>, mut at: usize, count: usize, word: Word) -> usize {
    for _ in 0..count {
        at = at.saturating_sub(1);
        while at > 0 && text.is_blank(at) && !text.is_empty_at(at) {
            at -= 1;
        }
        let class = text.class(at, word);
        while at > 0 && !text.is_empty_at(at) && text.class(at - 1, word) == class {
            at -= 1;
        }
    }
    at
}

/// To the end of a word before.
pub(super) fn end_backward(text: &Text<'_>, mut at: usize, count: usize, word: Word) -> usize {
    for _ in 0..count {
        let class = text.class(at, word);
        at = at.saturating_sub(1);
        while at > 0 && class != Class::Blank && text.class(at, word) == class {
            at -= 1;
        }
        while at > 0 && text.is_blank(at) && !text.is_empty_at(at) {
            at -= 1;
        }
    }
    at
}

/// The first place that is not of a class.
fn behind(text: &Text<'_>, at: usize, class: Class, word: Word) -> usize {
    (at..text.last()).find(|at| text.class(*at, word) != class).unwrap_or(text.last())
}
