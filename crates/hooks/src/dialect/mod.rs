//! The dialect table.
//!
//! A dialect is a set of rules under which a group of extensions runs: which fold, failure rule and deadline
//! apply to an event, and how its payload looks to them. The dispatcher knows dialects only as rows of this
//! table. Groups nest: before a tool they are asked from the outermost to the innermost, after it the other way
//! round, and each group sees what the ones before it made of the event.

mod omp;
mod original;
mod pi;
mod shell;

use serde_json::Value;

use crate::context::Ctx;
use crate::events::EventId;
use crate::table::{Deadline, Failure, Fold};

pub use omp::OMP;
pub use original::ORIGINAL;
pub use pi::PI;
pub use shell::SHELL;

/// All dialects, the outermost first.
pub static DIALECTS: &[&Dialect] = &[&PI, &OMP, &ORIGINAL, &SHELL];

/// One row: the rules of one dialect.
#[derive(Debug)]
pub struct Dialect {
    /// The short name that people write in a pragma or a setting.
    pub id: &'static str,
    /// Other short names for it.
    pub aliases: &'static [&'static str],
    /// The name shown to people.
    pub name: &'static str,
    /// Place in the nesting, 0 is outermost.
    pub layer: u8,
    /// The event that extensions of this dialect call by a name.
    pub event: fn(&str) -> Option<EventId>,
    /// Whether handlers of names that are no events are taken without a word, and never called.
    pub any_event: bool,
    /// The rules for an event; `None` when the dialect does not know it.
    pub rule: fn(EventId) -> Option<Rule>,
    /// Reshapes a JSON payload for handlers of this dialect; `None` when they get it as it is.
    pub project: Option<Project>,
    /// What the model reads when a handler blocks without giving a reason.
    pub default_block_reason: &'static str,
    /// What a handler's change to the input of a tool does.
    pub tool_input: ToolInput,
    /// What a dialog gives when the user closes it without an answer, and where nobody can be asked.
    pub closed_dialog: ClosedDialog,
    /// Whether extensions are told that there is a user interface where a client shows the dialogs.
    pub ui_in_rpc: bool,
    /// Whether a component made for a dialog gets the keybindings only when it takes four arguments.
    pub keybindings_if_asked: bool,
    /// Whether a module must export its factory as its default.
    pub default_export_only: bool,
}

/// Shows a JSON payload, with its `type`, as handlers of a dialect know it; `None` when they are not told of it.
pub type Project = fn(EventId, Value, &Ctx) -> Option<Value>;

/// The rules of one dialect for one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// How results add up.
    pub fold: Fold,
    /// What a failing handler means.
    pub failure: Failure,
    /// How long a handler may take.
    pub deadline: Deadline,
}

/// What becomes of a tool's input that a handler changed in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolInput {
    /// The tool gets it as the handler left it.
    Live,
    /// Handlers get a copy.
    Copy,
}

/// What a dialog that was closed gives in JavaScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosedDialog {
    /// `undefined`
    Undefined,
    /// `null`
    Null,
}

impl Dialect {
    /// The dialect that people call by a short name.
    pub fn parse(id: &str) -> Option<&'static Self> {
        DIALECTS.iter().copied().find(|dialect| dialect.id == id || dialect.aliases.contains(&id))
    }
}
