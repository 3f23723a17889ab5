//! Changes of the text, by places of the editor.

use super::command::Operator;
use super::object::Piece;
use super::text::Text;
use crate::editor::layout::units;
use crate::editor::{Editor, Position};

/// The columns that a step of indentation takes: as many as a tab of the editor.
const STEP: usize = 4;

/// A piece of text by places of the editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Characters(Position, Position),
    Lines(usize, usize),
}

/// What an operator took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) text: String,
    pub(super) lines: bool,
}

impl Part {
    pub(super) fn of(text: &Text<'_>, piece: Piece) -> Self {
        match piece {
            Piece::Characters(from, to) => Self::Characters(text.place(from), text.place(to)),
            Piece::Lines(first, last) => Self::Lines(first, last),
        }
    }

    /// The first and the last line.
    fn lines(self) -> (usize, usize) {
        match self {
            Self::Characters(from, to) => (from.line, to.line),
            Self::Lines(first, last) => (first, last),
        }
    }

    pub(super) fn is_empty(self) -> bool {
        matches!(self, Self::Characters(from, to) if from >= to)
    }
}

/// The text of a part; lines each with their end.
pub(super) fn text_of(editor: &Editor, part: Part) -> Kept {
    match part {
        Part::Characters(from, to) => Kept { text: editor.between(from, to), lines: false },
        Part::Lines(first, last) => Kept { text: editor.buffer.lines[first..=last].join("\n") + "\n", lines: true },
    }
}

/// Deletes a part; the cursor goes where it was. Where lines are `emptied`, one is left for them.
pub(super) fn delete(editor: &mut Editor, part: Part, emptied: bool) {
    match part {
        Part::Characters(from, to) => {
            let text = editor.between(from, to);
            editor.buffer.cursor = to;
            editor.buffer.delete_text_before(&text);
        }
        Part::Lines(first, last) => {
            let lines = &mut editor.buffer.lines;
            drop(lines.drain(first..=last));
            if emptied || lines.is_empty() {
                lines.insert(first, String::new());
            }
            to_first_non_blank(editor, first);
        }
    }
}

/// Puts the cursor onto the first character of a line that is no blank.
pub(super) fn to_first_non_blank(editor: &mut Editor, line: usize) {
    let line = line.min(editor.buffer.lines.len() - 1);
    let text = Text::of(editor);
    let place = text.place(text.first_non_blank(line));
    editor.buffer.cursor = place;
}

/// Moves lines by so many steps.
pub(super) fn shift(editor: &mut Editor, part: Part, operator: Operator, steps: usize) {
    let (first, last) = part.lines();
    for line in &mut editor.buffer.lines[first..=last] {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let wanted = match operator {
            Operator::Indent if line.is_empty() => 0,
            Operator::Indent => (indent / STEP + steps) * STEP,
            _ => (indent.div_ceil(STEP).saturating_sub(steps)) * STEP,
        };
        line.replace_range(..indent, &" ".repeat(wanted));
    }
    to_first_non_blank(editor, first);
}

/// Changes the case of what is not a paste marker.
pub(super) fn change_case(editor: &mut Editor, part: Part, operator: Operator) {
    let part = match part {
        Part::Lines(first, last) => {
            let from = Position { line: first, column: 0 };
            Part::Characters(from, Position { line: last, column: editor.buffer.lines[last].len() })
        }
        part => part,
    };
    let Part::Characters(from, _) = part else { return };
    let changed = mapped(editor, part, |unit| cased(unit, operator));
    delete(editor, part, false);
    editor.buffer.insert(&changed);
    editor.buffer.cursor = from;
}

/// Puts a character in the place of each, but for line ends.
pub(super) fn fill(editor: &mut Editor, part: Part, with: char) {
    let part = match part {
        Part::Lines(first, last) => {
            let from = Position { line: first, column: 0 };
            Part::Characters(from, Position { line: last, column: editor.buffer.lines[last].len() })
        }
        part => part,
    };
    let Part::Characters(from, _) = part else { return };
    let filled = every(editor, part, |_| with.to_string());
    delete(editor, part, false);
    editor.buffer.insert(&filled);
    editor.buffer.cursor = from;
}

fn mapped(editor: &Editor, part: Part, change: impl Fn(&str) -> String) -> String {
    let text = text_of(editor, part).text;
    let units = units(&text, |number| editor.pastes.contains(number));
    units.into_iter().map(|unit| if unit.marker.is_some() { unit.text.to_owned() } else { change(unit.text) }).collect()
}

fn every(editor: &Editor, part: Part, change: impl Fn(&str) -> String) -> String {
    let text = text_of(editor, part).text;
    let units = units(&text, |number| editor.pastes.contains(number));
    units.into_iter().map(|unit| if unit.text == "\n" { "\n".to_owned() } else { change(unit.text) }).collect()
}

fn cased(text: &str, operator: Operator) -> String {
    match operator {
        Operator::Lower => text.to_lowercase(),
        Operator::Upper => text.to_uppercase(),
        _ if text.chars().any(char::is_lowercase) => text.to_uppercase(),
        _ => text.to_lowercase(),
    }
}

/// Joins a line with so many that follow; the cursor goes to the last seam. Whether there were as many.
pub(super) fn join(editor: &mut Editor, line: usize, count: usize, spaced: bool) {
    for _ in 1..count.max(2) {
        if line + 1 >= editor.buffer.lines.len() {
            break;
        }
        let next = editor.buffer.lines.remove(line + 1);
        let joined = &mut editor.buffer.lines[line];
        let mut column = joined.len();
        if spaced {
            let next = next.trim_start_matches(' ');
            let needs_space =
                !joined.is_empty() && !joined.ends_with(' ') && !next.is_empty() && !next.starts_with(')');
            if needs_space {
                joined.push(' ');
            } else if joined.ends_with(' ') {
                column = joined.len();
            }
            joined.push_str(next);
        } else {
            joined.push_str(&next);
        }
        editor.buffer.cursor = Position { line, column };
    }
}

/// Puts text before or behind the cursor, so many times.
pub(super) fn put(editor: &mut Editor, kept: &Kept, before: bool, count: usize) {
    let text = repeated(&kept.text, count);
    if kept.lines {
        let line = editor.buffer.cursor.line + usize::from(!before);
        let lines: Vec<String> = text.strip_suffix('\n').unwrap_or(&text).split('\n').map(str::to_owned).collect();
        drop(editor.buffer.lines.splice(line..line, lines));
        return to_first_non_blank(editor, line);
    }
    if !before {
        editor.buffer.cursor.column += editor.unit_after();
    }
    let from = editor.buffer.cursor;
    editor.buffer.insert(&text);
    if text.contains('\n') {
        editor.buffer.cursor = from;
    } else if !text.is_empty() {
        step_back(editor);
    }
}

/// A character to the left, in its line.
pub(super) fn step_back(editor: &mut Editor) {
    let unit = units(editor.buffer.before(), |number| editor.pastes.contains(number)).pop().map(|unit| unit.text.len());
    editor.buffer.cursor.column -= unit.unwrap_or(0);
}

/// The most bytes that a count makes of a text.
const MOST: usize = 1 << 20;

/// A text so many times, or as often as memory allows.
pub(super) fn repeated(text: &str, count: usize) -> String {
    text.repeat(count.min(MOST / text.len().max(1)).max(1))
}
