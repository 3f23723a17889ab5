//! What is typed between a command that inserts and the key that ends it.

use super::command::{Command, Where};
use super::edit::repeated;
use crate::editor::buffer::Buffer;
use crate::editor::layout::units;
use crate::editor::{Editor, Position, Snapshot};

/// A command that changed something, to be repeated.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) command: Command,
    pub(super) count: Option<usize>,
    /// Whether what it deletes is kept.
    pub(super) keeps: bool,
    /// What was typed, where it inserts.
    pub(super) typed: Option<Typed>,
}

/// What typing did at one place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Typed {
    /// Characters that were deleted before the place.
    back: usize,
    pub(super) text: String,
    /// Characters that were deleted behind it.
    forward: usize,
}

/// Typing that goes on.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) change: Change,
    /// The text before the command, and how much of the past there was.
    before: Snapshot,
    depth: usize,
    /// The text where typing began.
    base: Buffer,
}

impl Session {
    /// Begins: the command has done what it does before anything is typed.
    pub(super) fn begin(editor: &Editor, change: Change, before: Snapshot, depth: usize) -> Self {
        Self { change, before, depth, base: editor.buffer.clone() }
    }

    /// What was typed so far.
    pub(super) fn typed(&self, editor: &Editor) -> Typed {
        let (head, tail) = halves(&self.base);
        let (now_head, now_tail) = halves(&editor.buffer);
        let known = |number| editor.pastes.contains(number);
        let same = units(&head, known).into_iter().zip(units(&now_head, known)).take_while(|(one, other)| one == other);
        let same: usize = same.map(|(unit, _)| unit.text.len()).sum();
        let forward = tail.strip_suffix(now_tail.as_str()).map_or(0, |gone| units(gone, known).len());
        Typed { back: units(&head[same..], known).len(), text: now_head[same..].to_owned(), forward }
    }

    /// Repeats what was typed as the count of the command says.
    pub(super) fn repeat(&self, editor: &mut Editor, typed: &Typed) {
        let (Command::Insert(place), Some(more)) =
            (self.change.command, self.change.count.and_then(|n| n.checked_sub(1)))
        else {
            return;
        };
        if more > 0 {
            let breaks = matches!(place, Where::LineBelow | Where::LineAbove);
            let text = if breaks { format!("\n{}", typed.text) } else { typed.text.clone() };
            editor.buffer.insert(&repeated(&text, more));
        }
    }

    /// Ends: all that was typed is one step of the past.
    pub(super) fn end(self, editor: &mut Editor, typed: Typed) -> Change {
        if editor.undo.len() >= self.depth {
            editor.undo.truncate(self.depth);
            if editor.buffer.lines != self.before.buffer.lines || editor.pastes != self.before.pastes {
                editor.undo.push(self.before);
                editor.redo.clear();
            }
        }
        editor.last = None;
        editor.goal = None;
        Change { typed: Some(typed), ..self.change }
    }
}

impl Typed {
    /// Does the same here.
    pub(super) fn apply(&self, editor: &mut Editor) {
        for _ in 0..self.back {
            let before = editor.buffer.before();
            let length = units(before, |number| editor.pastes.contains(number)).pop().map_or(0, |unit| unit.text.len());
            editor.buffer.delete_before(length);
        }
        editor.buffer.insert(&self.text);
        for _ in 0..self.forward {
            let length = editor.unit_after();
            editor.buffer.delete_after(length);
        }
    }
}

/// The text before and behind the cursor.
fn halves(buffer: &Buffer) -> (String, String) {
    let Position { line, .. } = buffer.cursor;
    let mut head = buffer.lines[..line].iter().map(|line| format!("{line}\n")).collect::<String>();
    head.push_str(buffer.before());
    let mut tail = buffer.after().to_owned();
    tail.extend(buffer.lines[line + 1..].iter().map(|line| format!("\n{line}")));
    (head, tail)
}
