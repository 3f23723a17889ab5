//! The keys of vi for an editor: a machine that takes keys, and does with an [`Editor`] what they say.
//!
//! While text is inserted the machine takes none but escape: the editor is used as it is without it, and is asked afterwards
//! what was typed. Registers have one name: what is deleted and copied is in the kill ring of the editor. `"_` keeps nothing;
//! other names of registers are read and make no difference.

mod command;
mod edit;
mod extent;
mod insert;
mod motion;
mod object;
mod run;
mod search;
mod table;
mod text;
mod typing;
mod visual;
mod word;

use super::{Editor, Position};
use command::{Command, Find, Motion, Operator, Select, Where};
use edit::Kept;
use insert::{Change, Session};
use motion::{Going, Reach, reach};
use text::Text;
use typing::{Typed, Typing};

/// What keys do at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// They are commands.
    Normal,
    /// They type text.
    Insert,
    /// They are commands for the characters between two places.
    Visual,
    /// They are commands for the lines between two places.
    VisualLines,
}

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// One that types this character.
    Character(char),
    /// Ends what is under way.
    Escape,
    /// To the left; while something is selected too.
    Backspace,
    /// Deletes the character at the cursor.
    Delete,
    /// Does again what was taken back.
    Redo,
}

/// What became of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Did {
    /// It changed the text.
    Changed,
    /// It did something else, or is a part of a command.
    Moved,
    /// It goes up from the first row: to an earlier prompt, where there is one.
    Above,
    /// It goes down from the last row.
    Below,
    /// It has no meaning here: it is for the editor, or for nobody.
    Nothing,
}

/// The state of the machine. A new one inserts.
#[derive(Debug, Clone)]
pub struct Vi {
    mode: Mode,
    typing: Typing,
    /// What was looked for last in a line.
    found: Option<Find>,
    /// What of the kill ring is lines.
    lines: Option<String>,
    /// What `.` does again.
    last: Option<Change>,
    /// The other end of the selection.
    anchor: Position,
    session: Option<Session>,
}

impl Default for Vi {
    fn default() -> Self {
        Self {
            mode: Mode::Insert,
            typing: Typing::default(),
            found: None,
            lines: None,
            last: None,
            anchor: Position::default(),
            session: None,
        }
    }
}

impl Vi {
    /// One that inserts.
    pub fn new() -> Self {
        Self::default()
    }

    /// What keys do now.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether a command was begun that needs more keys.
    pub fn is_pending(&self) -> bool {
        !self.typing.is_empty()
    }

    /// Takes a key.
    pub fn key(&mut self, editor: &mut Editor, key: Key) -> Did {
        self.settle(editor);
        match self.mode {
            Mode::Insert if key == Key::Escape => {
                self.end_insert(editor);
                self.settle(editor);
                Did::Moved
            }
            Mode::Insert => {
                self.typing(editor);
                Did::Nothing
            }
            Mode::Normal => self.normal(editor, key),
            Mode::Visual | Mode::VisualLines => self.visual(editor, key),
        }
    }

    fn normal(&mut self, editor: &mut Editor, key: Key) -> Did {
        let typed = match key {
            Key::Character(key) => self.typing.normal(key),
            Key::Backspace => self.typing.motion(Motion::Back),
            Key::Delete => self.typing.alone(Command::Operate(Operator::Delete, command::Target::To(Motion::Right))),
            Key::Redo => self.typing.alone(Command::Redo),
            Key::Escape if self.is_pending() => {
                self.typing = Typing::default();
                return Did::Moved;
            }
            Key::Escape => return Did::Nothing,
        };
        let did = match typed {
            Typed::More | Typed::Nothing => Did::Moved,
            Typed::All { command, count, keeps } => self.run(editor, Change { command, count, keeps, typed: None }),
        };
        self.settle(editor);
        did
    }

    /// The cursor was moved by other keys: what is typed now begins elsewhere. Called in insert mode.
    pub fn moved(&mut self, editor: &mut Editor) {
        if self.mode == Mode::Insert
            && let Some(session) = self.session.take()
        {
            let typed = session.typed(editor);
            let cursor = editor.buffer.cursor;
            let goal = editor.goal;
            self.last = Some(session.end(editor, typed));
            (editor.buffer.cursor, editor.goal) = (cursor, goal);
        }
    }

    /// The text is another one, which nobody typed. Keys insert, and nothing is under way.
    pub fn reset(&mut self) {
        (self.mode, self.session) = (Mode::Insert, None);
        self.typing = Typing::default();
    }

    /// The text was replaced by somebody else; the mode stays.
    pub fn replaced(&mut self) {
        self.session = None;
        self.typing = Typing::default();
        if self.selects() {
            self.mode = Mode::Normal;
        }
    }

    /// Begins to insert at the cursor, as `i` does.
    pub fn insert(&mut self, editor: &mut Editor) {
        self.typing = Typing::default();
        let change = Change { command: Command::Insert(Where::Here), count: None, keeps: true, typed: None };
        self.run(editor, change);
    }

    /// Puts the cursor onto a character, unless text is inserted. Called when the text may be another one.
    pub fn settle(&mut self, editor: &mut Editor) {
        if self.mode == Mode::Insert {
            return;
        }
        let text = Text::of(editor);
        let on_character = |place| text.place(text.on_character(text.at(place)));
        let (cursor, anchor) = (on_character(editor.cursor()), on_character(self.anchor));
        editor.buffer.cursor = cursor;
        self.anchor = anchor;
    }

    fn selects(&self) -> bool {
        matches!(self.mode, Mode::Visual | Mode::VisualLines)
    }

    /// A key is about to type something. Called in insert mode, where what is typed need not have been begun by a command.
    pub fn typing(&mut self, editor: &mut Editor) {
        if self.session.is_none() {
            let change = Change { command: Command::Insert(Where::Here), count: None, keeps: true, typed: None };
            self.session = Some(Session::begin(editor, change, editor.state(), editor.undo.len()));
        }
    }

    /// Ends inserting: the count of its command applies, and the cursor goes onto the last character.
    fn end_insert(&mut self, editor: &mut Editor) {
        self.mode = Mode::Normal;
        if let Some(session) = self.session.take() {
            let typed = session.typed(editor);
            session.repeat(editor, &typed);
            self.last = Some(session.end(editor, typed));
        }
        edit::step_back(editor);
    }

    /// Keeps what was deleted or copied.
    fn keep(&mut self, editor: &mut Editor, kept: Kept, keeps: bool) {
        if keeps && !kept.text.is_empty() {
            editor.kill_ring.push(&kept.text, crate::kill_ring::KillSide::After, false);
            self.lines = kept.lines.then_some(kept.text);
        }
    }

    /// What was kept last.
    fn kept(&self, editor: &Editor) -> Option<Kept> {
        let text = editor.kill_ring.newest()?.to_owned();
        let lines = self.lines.as_ref() == Some(&text);
        Some(Kept { text, lines })
    }

    /// Moves the cursor, if the motion goes anywhere.
    fn go(&mut self, editor: &mut Editor, motion: Motion, count: Option<usize>) -> Did {
        let rows = isize::try_from(count.unwrap_or(1)).unwrap_or(isize::MAX);
        match motion {
            Motion::Up if editor.is_on_first_row() => return Did::Above,
            Motion::Down if editor.is_on_last_row() => return Did::Below,
            Motion::Up => editor.move_rows(-rows),
            Motion::Down => editor.move_rows(rows),
            _ => {
                let text = Text::of(editor);
                let going = Going { at: text.at(editor.cursor()), count, operator: None, found: self.found };
                let to = reach(&text, motion, going).map(|Reach { to, .. }| text.place(to));
                self.remember(motion);
                let Some(to) = to else { return Did::Moved };
                editor.last = None;
                editor.buffer.cursor = to;
                // From the end of a line, rows are left at their ends.
                editor.goal = (motion == Motion::LineEnd).then_some(usize::MAX);
            }
        }
        Did::Moved
    }

    fn remember(&mut self, motion: Motion) {
        if let Motion::Find(find) = motion {
            self.found = Some(find);
        }
    }

    /// Begins or ends selecting.
    fn select(&mut self, editor: &Editor, what: Select) {
        let mode = match what {
            Select::Characters => Mode::Visual,
            Select::Lines => Mode::VisualLines,
        };
        if !self.selects() {
            self.anchor = editor.cursor();
        }
        self.mode = if self.mode == mode { Mode::Normal } else { mode };
    }
}
