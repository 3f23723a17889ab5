//! What commands do.

use super::command::{Command, Motion, Operator, Target, Where};
use super::edit::{self, Kept, Part};
use super::extent::extent;
use super::insert::{Change, Session};
use super::motion::Going;
use super::text::Text;
use super::{Did, Mode, Vi};
use crate::editor::{Editor, Position};

impl Vi {
    /// Runs a command that is complete.
    pub(super) fn run(&mut self, editor: &mut Editor, change: Change) -> Did {
        let count = change.count.unwrap_or(1);
        match change.command {
            Command::Move(motion) => return self.go(editor, motion, change.count),
            Command::Operate(operator, target) => return self.operate(editor, operator, target, change),
            Command::Insert(place) => {
                self.begin_insert(editor, place, change);
                return Did::Changed;
            }
            Command::Select(what) => {
                self.select(editor, what);
                return Did::Moved;
            }
            Command::Undo => {
                (0..count.min(editor.undo.len())).for_each(|_| editor.undo());
                return Did::Changed;
            }
            Command::Redo => {
                (0..count.min(editor.redo.len())).for_each(|_| editor.redo());
                return Did::Changed;
            }
            Command::Repeat => return self.repeat(editor, change.count),
            Command::ToggleCase => {
                let Some(part) = self.part(editor, Target::To(Motion::Right), change.count, Operator::Toggle) else {
                    return Did::Moved;
                };
                let Part::Characters(_, to) = part else { return Did::Moved };
                if part.is_empty() {
                    return Did::Moved;
                }
                editor.begin(None);
                let length = editor.buffer.line().len();
                edit::change_case(editor, part, Operator::Toggle);
                // Letters may be longer in the other case.
                editor.buffer.cursor.column = (to.column + editor.buffer.line().len()).saturating_sub(length);
            }
            Command::Replace(with) => {
                let Some(part) = self.part(editor, Target::To(Motion::Right), change.count, Operator::Change) else {
                    return Did::Moved;
                };
                if edit::text_of(editor, part).text.is_empty() || self.units(editor, part) < count {
                    return Did::Moved;
                }
                editor.begin(None);
                edit::fill(editor, part, with);
                editor.buffer.cursor.column += with.len_utf8() * (count - 1);
                self.onto_boundary(editor);
            }
            Command::ReplaceShape(with, shape) => {
                let Some(part) = self.part(editor, Target::Shape(shape), None, Operator::Change) else {
                    return Did::Moved;
                };
                editor.begin(None);
                edit::fill(editor, part, with);
                self.onto_boundary(editor);
            }
            Command::Join { spaced } => {
                let line = editor.cursor().line;
                if line + count.max(2) > editor.buffer.lines.len() && line + 1 >= editor.buffer.lines.len() {
                    return Did::Moved;
                }
                editor.begin(None);
                edit::join(editor, line, count, spaced);
                self.onto_boundary(editor);
            }
            Command::Put { before } => {
                let Some(kept) = self.kept(editor) else { return Did::Moved };
                editor.begin(None);
                edit::put(editor, &kept, before, count);
                self.onto_boundary(editor);
            }
        }
        self.last = Some(change);
        Did::Changed
    }

    /// The part that an operator gets.
    fn part(&self, editor: &Editor, target: Target, count: Option<usize>, operator: Operator) -> Option<Part> {
        let text = Text::of(editor);
        let going = Going { at: text.at(editor.cursor()), count, operator: Some(operator), found: self.found };
        Some(Part::of(&text, extent(&text, target, going)?))
    }

    fn units(&self, editor: &Editor, part: Part) -> usize {
        let text = edit::text_of(editor, part).text;
        crate::editor::layout::units(&text, |number| editor.pastes.contains(number)).len()
    }

    fn operate(&mut self, editor: &mut Editor, operator: Operator, target: Target, change: Change) -> Did {
        let part = self.part(editor, target, change.count, operator);
        if let Target::To(motion) = target {
            self.remember(motion);
        }
        let Some(part) = part else { return Did::Moved };
        let Position { line, column } = editor.cursor();
        let is_case = matches!(operator, Operator::Toggle | Operator::Lower | Operator::Upper);
        let column = match (target, part) {
            (Target::Lines, Part::Lines(first, last)) if is_case && first == last => {
                first_non_blank(editor, first).min(column)
            }
            (Target::Lines | Target::To(Motion::Up | Motion::Down), _) => column,
            (Target::To(_), Part::Lines(first, last)) if first == line && last > line => column,
            (Target::To(_), Part::Lines(first, _)) if first == line => first_non_blank(editor, first).min(column),
            (Target::To(_), Part::Lines(first, _)) => first_non_blank(editor, first),
            _ => 0,
        };
        self.apply(editor, operator, part, 1, change, column)
    }

    /// Does with a part what an operator says. Where the part is lines that stay, the cursor goes to a `column` of the first.
    pub(super) fn apply(
        &mut self,
        editor: &mut Editor,
        operator: Operator,
        part: Part,
        steps: usize,
        change: Change,
        column: usize,
    ) -> Did {
        if operator == Operator::Yank {
            self.yank(editor, part, change.keeps, column);
            return Did::Moved;
        }
        if operator == Operator::Change {
            return self.change(editor, part, change);
        }
        if part.is_empty() && operator == Operator::Delete {
            return Did::Moved;
        }
        editor.begin(None);
        match operator {
            Operator::Delete => {
                let kept = edit::text_of(editor, part);
                edit::delete(editor, part, false);
                self.keep(editor, kept, change.keeps);
            }
            Operator::Indent | Operator::Dedent => edit::shift(editor, part, operator, steps),
            _ => {
                edit::change_case(editor, part, operator);
                if let Part::Lines(line, _) = part {
                    editor.buffer.cursor = Position { line, column };
                }
            }
        }
        self.onto_boundary(editor);
        self.last = Some(change);
        Did::Changed
    }

    fn yank(&mut self, editor: &mut Editor, part: Part, keeps: bool, column: usize) {
        let kept = edit::text_of(editor, part);
        self.keep(editor, kept, keeps);
        editor.last = None;
        editor.buffer.cursor = match part {
            Part::Characters(from, _) => from,
            Part::Lines(line, _) => Position { line, column },
        };
        editor.goal = None;
        self.onto_boundary(editor);
    }

    /// Deletes a part, and inserts what is typed then.
    fn change(&mut self, editor: &mut Editor, part: Part, change: Change) -> Did {
        let (before, depth) = (editor.state(), editor.undo.len());
        if !part.is_empty() {
            editor.begin(None);
            let kept = edit::text_of(editor, part);
            edit::delete(editor, part, true);
            self.keep(editor, kept, change.keeps);
        }
        self.mode = Mode::Insert;
        self.session = Some(Session::begin(editor, change, before, depth));
        Did::Changed
    }

    fn begin_insert(&mut self, editor: &mut Editor, place: Where, change: Change) {
        let (before, depth) = (editor.state(), editor.undo.len());
        let Position { line, .. } = editor.cursor();
        match place {
            Where::Here => {}
            Where::Behind => editor.buffer.cursor.column += editor.unit_after(),
            Where::FirstNonBlank => {
                let indent = editor.buffer.line().len() - editor.buffer.line().trim_start_matches(' ').len();
                editor.buffer.cursor.column = indent;
            }
            Where::LineEnd => editor.buffer.cursor.column = editor.buffer.line().len(),
            Where::LineBelow | Where::LineAbove => {
                editor.begin(None);
                let line = line + usize::from(place == Where::LineBelow);
                editor.buffer.lines.insert(line, String::new());
                editor.buffer.cursor = Position { line, column: 0 };
            }
        }
        editor.last = None;
        editor.goal = None;
        self.mode = Mode::Insert;
        self.session = Some(Session::begin(editor, change, before, depth));
    }

    /// Does the last change again, with its count or another one.
    fn repeat(&mut self, editor: &mut Editor, count: Option<usize>) -> Did {
        let Some(mut change) = self.last.clone() else { return Did::Moved };
        change.count = count.or(change.count);
        let typed = change.typed.take();
        let did = self.run(editor, change);
        if self.mode == Mode::Insert {
            if let Some(typed) = typed {
                typed.apply(editor);
            }
            self.end_insert(editor);
        }
        did
    }

    /// Puts the cursor where characters begin, if it is elsewhere: what was changed may have joined some.
    pub(super) fn onto_boundary(&mut self, editor: &mut Editor) {
        let text = Text::of(editor);
        let place = text.place(text.at(editor.cursor()));
        editor.buffer.cursor = place;
        editor.goal = None;
    }

    /// Replaces a part by what was kept, and keeps the part.
    pub(super) fn exchange(&mut self, editor: &mut Editor, part: Part, count: usize, keeps: bool) -> Did {
        let Some(new) = self.kept(editor) else { return Did::Moved };
        let old = edit::text_of(editor, part);
        editor.begin(None);
        let at_end = matches!(part, Part::Lines(_, last) if last + 1 == editor.buffer.lines.len());
        let is_all = matches!(part, Part::Lines(0, _)) && at_end;
        match (part, new.lines) {
            (Part::Lines(first, _), _) => {
                edit::delete(editor, part, false);
                let text = if new.lines { new.text } else { format!("{}\n", new.text) };
                editor.buffer.cursor = Position { line: editor.buffer.lines.len().min(first + 1) - 1, column: 0 };
                edit::put(editor, &Kept { text, lines: true }, !at_end || is_all, count);
                if is_all {
                    editor.buffer.lines.pop();
                }
            }
            (Part::Characters(..), true) => {
                edit::delete(editor, part, false);
                let line = editor.cursor().line;
                editor.buffer.insert("\n");
                editor.buffer.cursor = Position { line, column: 0 };
                edit::put(editor, &new, false, count);
            }
            (Part::Characters(..), false) => {
                edit::delete(editor, part, false);
                edit::put(editor, &new, true, count);
            }
        }
        self.keep(editor, old, keeps);
        self.onto_boundary(editor);
        Did::Changed
    }
}

/// The column of the first character of a line that is no blank.
fn first_non_blank(editor: &Editor, line: usize) -> usize {
    let text = Text::of(editor);
    text.place(text.first_non_blank(line)).column
}
