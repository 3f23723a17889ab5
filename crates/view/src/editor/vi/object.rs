//! Words, quoted and bracketed texts, paragraphs.

use super::command::{Kind, Object, Word};
use super::search::{closing, opening};
use super::text::Text;

/// A piece of text: from one place up to another, or whole lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    Characters(usize, usize),
    /// The first and the last line.
    Lines(usize, usize),
}

/// The object at the cursor, if there is one.
pub(super) fn object(text: &Text<'_>, at: usize, object: Object, count: usize) -> Option<Piece> {
    let Object { kind, around } = object;
    match kind {
        Kind::Word(word) => Some(words(text, at, word, around, count)),
        Kind::Quote(mark) => quoted(text, at, mark, around),
        Kind::Bracket(open, close) => bracketed(text, at, (open, close), around, count),
        Kind::Paragraph => paragraphs(text, text.line(at), around, count),
    }
}

/// Words and the blanks between them each are one; with `around`, a word with its blanks is.
fn words(text: &Text<'_>, at: usize, word: Word, around: bool, count: usize) -> Piece {
    let line = text.line(at);
    let (start, end) = (text.start(line), text.end(line));
    let first = text.class(at, word);
    let from = (start..at).rev().take_while(|at| text.class(*at, word) == first).last().unwrap_or(at);
    let run = |from: usize| {
        let class = text.class(from, word);
        (from..end).find(|at| text.class(*at, word) != class).unwrap_or(end)
    };
    let mut to = from;
    let runs = if around { 2 * count } else { count };
    let mut begins_blank = text.is_blank(from);
    for done in 0..runs {
        if to == end {
            break;
        }
        // Two words may stand side by side: there is nothing around the first.
        let is_word = !text.is_blank(to);
        if around && is_word != ((done % 2 == 0) != begins_blank) {
            begins_blank = !begins_blank;
            continue;
        }
        to = run(to);
    }
    let has_blanks_behind = to > from && text.is_blank(to - 1) && !text.is_blank(from);
    if !around || has_blanks_behind || text.is_blank(from) {
        return Piece::Characters(from, to);
    }
    let before = (start..from).rev().take_while(|at| text.is_blank(*at)).last();
    // The indent of a line stays.
    Piece::Characters(before.filter(|before| *before > start).unwrap_or(from), to)
}

fn quoted(text: &Text<'_>, at: usize, mark: char, around: bool) -> Option<Piece> {
    let line = text.line(at);
    let (start, end) = (text.start(line), text.end(line));
    let mut marks = Vec::new();
    let mut place = start;
    while place < end {
        if text.is(place, '\\') {
            place += 1;
        } else if text.is(place, mark) {
            marks.push(place);
        }
        place += 1;
    }
    let (open, close) = if marks.contains(&at) {
        marks.chunks_exact(2).map(|pair| (pair[0], pair[1])).find(|(open, close)| at == *open || at == *close)?
    } else {
        let behind = marks.partition_point(|mark| *mark < at);
        // What stands between two strings is taken for one, as it is where nobody knows how the line began.
        let pair = if behind == 0 { marks.get(..2) } else { marks.get(behind - 1..=behind) };
        let pair = pair?;
        (pair[0], pair[1])
    };
    if !around {
        return Some(Piece::Characters(open + 1, close));
    }
    let behind = (close + 1..end).find(|at| !text.is_blank(*at)).unwrap_or(end);
    if behind > close + 1 {
        return Some(Piece::Characters(open, behind));
    }
    let before = (start..open).rev().take_while(|at| text.is_blank(*at)).last().unwrap_or(open);
    Some(Piece::Characters(before, close + 1))
}

fn bracketed(text: &Text<'_>, at: usize, (open, close): (char, char), around: bool, count: usize) -> Option<Piece> {
    let is_open = text.is(at, open);
    let start = match (is_open, count) {
        (true, 1) => at,
        (true, _) => opening(text, at, open, close, count - 1)?,
        // Outside of all, the next one is meant.
        (false, _) => {
            opening(text, at, open, close, count).or_else(|| (at..text.last()).find(|at| text.is(*at, open)))?
        }
    };
    let end = closing(text, start, open, close, 1)?;
    if around {
        return Some(Piece::Characters(start, end + 1));
    }
    // Brackets that stand on lines of their own keep these.
    let mut from = start + 1;
    if text.is_end(from) {
        from += 1;
    }
    let indent = (text.start(text.line(end))..end).all(|at| text.is_blank(at));
    let to = if indent { text.start(text.line(end)) } else { end };
    Some(Piece::Characters(from.min(to), to))
}

/// Lines with text, and blank lines between; with `around`, the first with the second.
fn paragraphs(text: &Text<'_>, line: usize, around: bool, count: usize) -> Option<Piece> {
    let run = |from: usize| {
        let is_blank = text.is_blank_line(from);
        (from + 1..text.lines()).find(|line| text.is_blank_line(*line) != is_blank).unwrap_or(text.lines())
    };
    let is_blank = text.is_blank_line(line);
    let first = (0..line).rev().take_while(|line| text.is_blank_line(*line) == is_blank).last().unwrap_or(line);
    let mut behind = first;
    let mut has_blanks_behind = false;
    for done in 0..if around { 2 * count } else { count } {
        if behind == text.lines() {
            // The last paragraph has nothing behind it, but may have something before it.
            if around && done % 2 == 1 && !is_blank {
                break;
            }
            return None;
        }
        has_blanks_behind = text.is_blank_line(behind);
        behind = run(behind);
    }
    let before = (0..first).rev().take_while(|line| text.is_blank_line(*line)).last();
    let takes_before = around && !is_blank && !has_blanks_behind;
    Some(Piece::Lines(before.filter(|_| takes_before).unwrap_or(first), behind - 1))
}
