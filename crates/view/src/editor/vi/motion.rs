//! Where motions go.

use super::command::{Find, Motion, Operator};
use super::text::Text;
use super::{search, word};

/// What of the text lies between the cursor and where a motion goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Span {
    /// All before the later place.
    Exclusive,
    /// The character there too.
    Inclusive,
    /// Whole lines.
    Lines,
}

/// Where a motion goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) to: usize,
    pub(super) span: Span,
}

/// What a motion depends on beside the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Going {
    pub(super) at: usize,
    pub(super) count: Option<usize>,
    /// The operator that waits for it.
    pub(super) operator: Option<Operator>,
    /// What was looked for last.
    pub(super) found: Option<Find>,
}

/// Where a motion goes; nothing where it cannot.
pub(super) fn reach(text: &Text<'_>, motion: Motion, going: Going) -> Option<Reach> {
    let Going { at, operator, .. } = going;
    let count = going.count.unwrap_or(1);
    let line = text.line(at);
    let (start, end) = (text.start(line), text.end(line));
    let exclusive = |to| Some(Reach { to, span: Span::Exclusive });
    let inclusive = |to| Some(Reach { to, span: Span::Inclusive });
    let lines = |line: usize| Some(Reach { to: text.first_non_blank(line), span: Span::Lines });
    let below = |count: usize| {
        let last = text.lines() - 1;
        (line < last || count == 0).then_some((line + count).min(last))
    };
    match motion {
        Motion::Left => exclusive(at.saturating_sub(count).max(start)),
        Motion::Right => exclusive((at + count).min(end)),
        Motion::Back => exclusive(back(text, at, count)),
        Motion::On => exclusive(on(text, at, count)),
        Motion::Up | Motion::LineUp => lines(line.checked_sub(1).map(|_| line.saturating_sub(count))?),
        Motion::Down | Motion::LineDown => lines(below(count)?),
        Motion::ThisLine => lines(below(count - 1)?),
        Motion::LineStart => exclusive(start),
        Motion::FirstNonBlank => exclusive(text.first_non_blank(line)),
        Motion::LineEnd => inclusive(text.on_character(text.end(below(count - 1)?))),
        Motion::LastNonBlank => {
            let line = below(count - 1)?;
            let (start, end) = (text.start(line), text.end(line));
            inclusive((start..end).rev().find(|at| !text.is_blank(*at)).unwrap_or(start))
        }
        Motion::Column => exclusive((start + count - 1).min(text.on_character(end))),
        Motion::FirstLine => lines((count - 1).min(text.lines() - 1)),
        Motion::LastLine => lines(going.count.unwrap_or(usize::MAX).saturating_sub(1).min(text.lines() - 1)),
        // What is changed is the word, without the blanks behind it.
        Motion::Word(kind) if operator == Some(Operator::Change) && !text.is_blank(at) => {
            inclusive(word::end(text, at, count, kind, true))
        }
        Motion::Word(kind) => exclusive(word::forward(text, at, count, kind, operator.is_some())),
        Motion::WordBack(_) | Motion::WordEndBack(_) if at == 0 => None,
        Motion::WordBack(kind) => exclusive(word::backward(text, at, count, kind)),
        Motion::WordEnd(kind) => inclusive(word::end(text, at, count, kind, false)),
        Motion::WordEndBack(kind) => inclusive(word::end_backward(text, at, count, kind)),
        Motion::Paragraph => {
            let to = search::paragraph(text, at, count)?;
            if to == text.last() && !text.is_empty_at(to) { inclusive(to - 1) } else { exclusive(to) }
        }
        Motion::ParagraphBack => exclusive(search::paragraph_back(text, at, count)?),
        // A count is a part of the text, in percent.
        Motion::Match => match going.count {
            None => inclusive(search::matching(text, at)?),
            Some(percent) if percent <= 100 => lines(((percent * text.lines()).div_ceil(100)).saturating_sub(1)),
            Some(_) => None,
        },
        Motion::Find(find) => looked_for(text, at, find, count, false),
        Motion::Again { turned } => {
            let find = going.found?;
            looked_for(text, at, Find { back: find.back != turned, ..find }, count, true)
        }
    }
}

fn looked_for(text: &Text<'_>, at: usize, find: Find, count: usize, again: bool) -> Option<Reach> {
    let to = search::in_line(text, at, find, count, again)?;
    Some(Reach { to, span: if find.back { Span::Exclusive } else { Span::Inclusive } })
}

/// So many characters on. The end of a line is none, unless the line is empty.
fn on(text: &Text<'_>, mut at: usize, count: usize) -> usize {
    for _ in 0..count {
        if at == text.last() {
            break;
        }
        at += 1;
        if text.is_end(at) && !text.is_empty_at(at) && at < text.last() {
            at += 1;
        }
    }
    at
}

fn back(text: &Text<'_>, mut at: usize, count: usize) -> usize {
    for _ in 0..count {
        at = at.saturating_sub(1);
        at = text.on_character(at);
    }
    at
}
