//! Commands for what is selected.

use super::command::{Command, Kind, Object, Operator, Selected, Shape, Target, Where};
use super::edit::{self, Part};
use super::insert::Change;
use super::object::{Piece, object};
use super::text::Text;
use super::typing::{Typed, Typing};
use super::{Did, Key, Mode, Vi};
use crate::editor::{Editor, Position};

impl Vi {
    /// The first place of what is selected, and the one behind it.
    pub fn selected(&self, editor: &Editor) -> Option<(Position, Position)> {
        let text = Text::of(editor);
        Some(match Part::of(&text, self.piece(editor, &text)?) {
            Part::Characters(from, to) => (from, to),
            Part::Lines(first, last) => {
                let column = editor.buffer.lines[last].len();
                (Position { line: first, column: 0 }, Position { line: last, column })
            }
        })
    }

    fn piece(&self, editor: &Editor, text: &Text<'_>) -> Option<Piece> {
        let (anchor, cursor) = (text.at(self.anchor), text.at(editor.cursor()));
        let (from, to) = (anchor.min(cursor), anchor.max(cursor));
        match self.mode {
            Mode::VisualLines => Some(Piece::Lines(text.line(from), text.line(to))),
            Mode::Visual => {
                // Behind `$` the line break is selected too.
                let with_break = editor.goal == Some(usize::MAX) && cursor == to && text.is_end(to + 1);
                let to = to + 1 + usize::from(with_break && !text.is_end(to));
                Some(Piece::Characters(from, to.min(text.last())))
            }
            Mode::Normal | Mode::Insert => None,
        }
    }

    pub(super) fn visual(&mut self, editor: &mut Editor, key: Key) -> Did {
        let typed = match key {
            Key::Character(key) => self.typing.visual(key),
            Key::Backspace => self.typing.alone(Selected::Move(super::Motion::Back)),
            Key::Delete => self.typing.alone(Selected::Operate(Operator::Delete, false)),
            Key::Redo => Typed::Nothing,
            Key::Escape if self.is_pending() => {
                self.typing = Typing::default();
                Typed::More
            }
            Key::Escape => {
                self.mode = Mode::Normal;
                Typed::More
            }
        };
        let did = match typed {
            Typed::More | Typed::Nothing => Did::Moved,
            Typed::All { command, count, keeps } => self.with_selection(editor, command, count, keeps),
        };
        self.settle(editor);
        did
    }

    fn with_selection(&mut self, editor: &mut Editor, command: Selected, count: Option<usize>, keeps: bool) -> Did {
        match command {
            Selected::Move(motion) => {
                self.go(editor, motion, count);
                return Did::Moved;
            }
            Selected::Object(wanted) => {
                self.grow(editor, wanted, count.unwrap_or(1));
                return Did::Moved;
            }
            Selected::Swap => {
                (self.anchor, editor.buffer.cursor) = (editor.cursor(), self.anchor);
                editor.goal = None;
                return Did::Moved;
            }
            Selected::Select(what) => {
                self.select(editor, what);
                return Did::Moved;
            }
            _ => {}
        }
        if matches!(command, Selected::Operate(_, true) | Selected::Join { .. }) {
            self.mode = Mode::VisualLines;
        }
        let text = Text::of(editor);
        let Some(piece) = self.piece(editor, &text) else { return Did::Moved };
        let (part, shape) = (Part::of(&text, piece), shape(&text, piece));
        let first = editor.cursor().min(self.anchor);
        let column = if first < self.anchor { first.column } else { 0 };
        self.mode = Mode::Normal;
        let change = |command, count| Change { command, count, keeps, typed: None };
        match command {
            Selected::Operate(operator, _) => {
                let again = change(Command::Operate(operator, Target::Shape(shape)), None);
                self.apply(editor, operator, part, count.unwrap_or(1), again, column)
            }
            Selected::Replace(with) => {
                editor.begin(None);
                edit::fill(editor, part, with);
                self.onto_boundary(editor);
                self.last = Some(change(Command::ReplaceShape(with, shape), None));
                Did::Changed
            }
            Selected::Join { spaced } => {
                let Shape::Lines(lines) = shape else { return Did::Moved };
                editor.buffer.cursor = first;
                self.run(editor, change(Command::Join { spaced }, Some(lines)))
            }
            Selected::Put => self.exchange(editor, part, count.unwrap_or(1), keeps),
            Selected::Insert { before } => {
                let (from, to) = match part {
                    Part::Characters(from, to) => (from, to),
                    Part::Lines(first, last) => {
                        let column = editor.buffer.lines[last].len();
                        (Position { line: first, column: 0 }, Position { line: last, column })
                    }
                };
                editor.buffer.cursor = if before { from } else { to };
                self.run(editor, change(Command::Insert(Where::Here), count))
            }
            Selected::Move(_) | Selected::Object(_) | Selected::Swap | Selected::Select(_) => Did::Moved,
        }
    }

    /// Selects an object, or more of the same kind where some are selected.
    fn grow(&mut self, editor: &mut Editor, wanted: Object, count: usize) {
        let text = Text::of(editor);
        let (anchor, cursor) = (text.at(self.anchor), text.at(editor.cursor()));
        let found = match wanted.kind {
            _ if anchor == cursor => object(&text, cursor, wanted, count),
            Kind::Bracket(..) => (count..count + 64).find_map(|count| {
                let found = object(&text, cursor, wanted, count)?;
                let Piece::Characters(from, to) = found else { return None };
                (from < anchor.min(cursor) || to > anchor.max(cursor) + 1).then_some(found)
            }),
            _ => object(&text, cursor + 1, wanted, count).map(|found| match found {
                Piece::Characters(_, to) => Piece::Characters(anchor, to),
                Piece::Lines(_, last) => Piece::Lines(text.line(anchor), last),
            }),
        };
        let (from, to) = match found {
            Some(Piece::Characters(from, to)) if from < to => (from, to - 1),
            Some(Piece::Lines(first, last)) => (text.start(first), text.start(last)),
            _ => return,
        };
        let places = (text.place(from), text.place(to));
        (self.anchor, editor.buffer.cursor) = places;
        if matches!(found, Some(Piece::Lines(..))) && self.mode == Mode::Visual {
            self.mode = Mode::VisualLines;
        }
        if matches!(found, Some(Piece::Characters(..))) {
            self.mode = Mode::Visual;
        }
        editor.goal = None;
    }
}

fn shape(text: &Text<'_>, piece: Piece) -> Shape {
    match piece {
        Piece::Lines(first, last) => Shape::Lines(last - first + 1),
        Piece::Characters(from, to) => {
            let (first, last) = (text.line(from), text.line(to));
            if first == last {
                Shape::Characters(to - from)
            } else {
                Shape::Across(last - first, to - text.start(last))
            }
        }
    }
}
