//! Which text an operator gets.

use super::command::{Operator, Shape, Target};
use super::motion::{Going, Reach, Span, reach};
use super::object::{Piece, object};
use super::text::Text;

/// The text that is meant; nothing where a motion cannot be made or an object is not there.
pub(super) fn extent(text: &Text<'_>, target: Target, going: Going) -> Option<Piece> {
    let at = going.at;
    let count = going.count.unwrap_or(1);
    let last = text.lines() - 1;
    let line = text.line(at);
    match target {
        Target::Lines => (line + count - 1 <= last || line < last || count == 1)
            .then(|| Piece::Lines(line, (line + count - 1).min(last))),
        Target::Object(wanted) => {
            let piece = object(text, at, wanted, count)?;
            Some(match piece {
                Piece::Characters(from, to) => adjusted(text, from, to),
                lines => lines,
            })
        }
        Target::Shape(shape) => Some(shaped(text, at, shape)),
        Target::To(motion) => {
            let Reach { to, span } = reach(text, motion, going)?;
            let (from, to) = (at.min(to), at.max(to));
            let piece = match span {
                Span::Lines => return Some(Piece::Lines(text.line(from), text.line(to))),
                Span::Inclusive => Piece::Characters(from, (to + 1).min(text.end(text.line(to)).max(from))),
                Span::Exclusive => adjusted(text, from, to),
            };
            Some(match piece {
                Piece::Characters(from, to) if going.operator == Some(Operator::Delete) => deleted(text, from, to),
                piece => piece,
            })
        }
    }
}

/// Text that ends where a line begins ends with the line before; where it begins in an indent, it is lines.
fn adjusted(text: &Text<'_>, from: usize, to: usize) -> Piece {
    let (first, last) = (text.line(from), text.line(to));
    if first == last || to != text.start(last) {
        return Piece::Characters(from, to);
    }
    if text.is_indent(from) { Piece::Lines(first, last - 1) } else { Piece::Characters(from, text.end(last - 1)) }
}

/// What is deleted of several lines is whole lines, where only blanks would be left.
fn deleted(text: &Text<'_>, from: usize, to: usize) -> Piece {
    let (first, last) = (text.line(from), text.line(to));
    let is_all = first != last && text.is_indent(from) && (to..text.end(last)).all(|at| text.is_blank(at));
    if is_all { Piece::Lines(first, last) } else { Piece::Characters(from, to) }
}

fn shaped(text: &Text<'_>, at: usize, shape: Shape) -> Piece {
    let line = text.line(at);
    match shape {
        Shape::Lines(count) => Piece::Lines(line, (line + count - 1).min(text.lines() - 1)),
        Shape::Characters(count) => Piece::Characters(at, (at + count).min(text.end(line))),
        Shape::Across(lines, count) => {
            let last = (line + lines).min(text.lines() - 1);
            Piece::Characters(at, (text.start(last) + count).min(text.end(last)).max(at))
        }
    }
}
