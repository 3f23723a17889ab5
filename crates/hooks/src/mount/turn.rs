//! What a component is told and asked at a time, and what it gives.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use tau_view::editor::Editor;

use super::layout::OverlayOptions;
use crate::error::HandlerError;

/// What happened since the last turn, and whether lines are wanted.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    /// What happened, the oldest first.
    pub signals: Vec<Signal>,
    /// Where it is to draw itself; nothing when its lines are not wanted.
    pub space: Option<Space>,
}

/// Something that happens to a component.
#[derive(Debug, Clone, PartialEq)]
pub enum Signal {
    /// A key, undecoded as the terminal sent it. A paste is one key, in its brackets.
    Key(Arc<str>),
    /// The mouse, over the component.
    Mouse(Mouse),
    /// It has the keys now, or no more.
    Focus(bool),
    /// Colours or other things that it may have kept have changed.
    Invalidate,
    /// The output of tools is shown in full, or folded.
    Expand(bool),
    /// Another branch is checked out.
    Branch,
    /// The editor that it stands for gets this text.
    Text(String),
    /// The text, the history and everything else that the editor had which it takes the place of. One that has a model of
    /// the same kind works on it from then on; others only take the text.
    Model(SharedModel),
    /// This is put into the editor that it stands for, at the cursor.
    Insert(String),
    /// What is under way, for one that shows it itself; nothing when nothing is.
    Working(Option<WorkingStatus>),
}

/// What is under way, in words and colours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkingStatus {
    /// The part that moves.
    pub indicator: String,
    /// What is done.
    pub message: String,
}

/// The model of an editor that both sides work on.
#[derive(Clone)]
pub struct SharedModel(pub Arc<Mutex<Editor>>);

impl fmt::Debug for SharedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedModel")
    }
}

/// Compared by identity.
impl PartialEq for SharedModel {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Something that the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    /// What.
    pub kind: MouseKind,
    /// The row of the component, from zero. A button that went down in it is followed outside of it, too; then this is the
    /// nearest one.
    pub row: usize,
    /// The column of the component, from zero.
    pub column: usize,
    /// The row of the screen, from zero.
    pub screen_row: usize,
    /// The column of the screen, from zero.
    pub screen_column: usize,
    /// The columns of the component.
    pub width: usize,
    /// The rows of the component.
    pub height: usize,
    /// With which keys.
    pub shift: bool,
    /// With which keys.
    pub alt: bool,
    /// With which keys.
    pub ctrl: bool,
}

/// What a mouse does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    /// A button goes down: left, middle, right from zero.
    Press(u8),
    /// A button comes up.
    Release(u8),
    /// A button came up where it went down, for the so many-th time in a row.
    Click(u8, u8),
    /// It moves while a button is down.
    Drag(u8),
    /// It moves.
    Move,
    /// The wheel turns: lines, up if negative.
    Wheel(i8),
}

/// Where a component draws itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// The columns that it has; at least one.
    pub width: usize,
    /// The columns of the screen.
    pub columns: usize,
    /// The rows of the screen.
    pub rows: usize,
}

/// What a turn gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawn {
    /// Its lines, as it gave them: of any width, with anything in them. Nothing when they were not wanted.
    pub lines: Option<Vec<String>>,
    /// There were more lines than anybody shows, and these are the first.
    pub is_cut: bool,
    /// How it lies over the screen, if it does.
    pub overlay: Option<OverlayOptions>,
    /// It also wants to be told when keys are released.
    pub wants_releases: bool,
    /// In the place of the editor: the keys that scroll the conversation are for it, too.
    pub takes_scroll_keys: bool,
    /// It can be told of the mouse.
    pub takes_mouse: bool,
    /// An editor: it shows itself what is under way.
    pub embeds_working: bool,
    /// The last thing that the mouse did meant something to it.
    pub took_mouse: bool,
    /// How many of the last signals it was not told, because it was done before, or gave the keys to another one.
    pub untold: usize,
    /// The last key that it was told gave the keys to another one: those behind it are not for this one.
    pub gave_keys_away: bool,
}

/// A turn that came to no end.
#[derive(Debug, Clone, PartialEq)]
pub struct Interrupted {
    /// How many signals the component was told, the one that it failed at among them.
    pub told: usize,
    /// Why.
    pub error: HandlerError,
}

impl Interrupted {
    /// One that failed with the signal of this place, from zero.
    pub fn at(signal: usize, error: HandlerError) -> Self {
        Self { told: signal + 1, error }
    }

    /// One that failed when it drew.
    pub fn drawing(signals: usize, error: HandlerError) -> Self {
        Self { told: signals, error }
    }
}
