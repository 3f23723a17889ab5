//! The dialect table.
//!
//! A dialect is a set of rules under which a group of extensions runs: which events there are and what they are
//! called, which fold, failure rule and deadline apply to one, and how its payload looks. The dispatcher knows
//! dialects only as rows of this table. Groups nest: before a tool they are asked from the outermost to the
//! innermost, after it the other way round, and each group sees what the ones before it made of the event.
//!
//! The files beside this one hold a dialect each: its events with what differs from the event table, and the rules
//! that hold for all of them.

mod moments;
mod older_input;
mod omp;
mod original;
mod pi;
mod reader;
mod rule;
pub mod script;
mod shell;

use crate::events::EventId;
use crate::mode::Mode;

pub use crate::occasion::Occasion;
pub use older_input::{OLDER_EDIT, OlderInput};
pub use omp::OMP;
pub use original::ORIGINAL;
pub use pi::PI;
pub use reader::Reader;
pub use rule::{Counts, Part, Project, Rule, Terms};
pub use script::ScriptRules;
pub use shell::SHELL;

/// All dialects, the outermost first.
pub static DIALECTS: &[&Dialect] = &[&PI, &OMP, &ORIGINAL, &SHELL];

/// One row: the rules of one dialect.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// The short name that people write in a pragma or a setting.
    pub id: &'static str,
    /// Other short names for it.
    pub aliases: &'static [&'static str],
    /// The name shown to people.
    pub name: &'static str,
    /// What people call its extensions.
    pub title: &'static str,
    /// Place in the nesting, 0 is outermost.
    pub layer: u8,
    /// The event that extensions of this dialect call by a name.
    pub event: fn(&str) -> Option<EventId>,
    /// Whether handlers of names that are no events are taken without a word, and never called.
    pub any_event: bool,
    /// The rules for an event; `None` when the dialect does not know it.
    pub rule: fn(EventId) -> Option<Rule>,
    /// What the model reads, before the name of the extension, when a handler blocks without giving a reason.
    pub default_block_reason: &'static str,
    /// What a handler's change to the input of a tool does.
    pub tool_input: ToolInput,
    /// The tool whose arguments handlers also see, and may change, in the form that they once had.
    pub older_input: Option<&'static OlderInput>,
    /// What `skipConversationRestore` of a result means.
    pub skip_restore: SkipRestore,
    /// What a dialog gives when the user closes it without an answer, and where nobody can be asked.
    pub closed_dialog: ClosedDialog,
    /// Whether extensions are told that there is a user interface where a client shows the dialogs.
    pub ui_in_rpc: bool,
    /// Whether extensions stay as they are when another session takes the place of the one before. Others begin anew.
    pub stays: bool,
    /// What a failure of a handler is called.
    pub failures: Failures,
    /// What becomes of commands of one name.
    pub commands: Commands,
    /// Whether a component made for a dialog gets the keybindings only when it takes four arguments.
    pub keybindings_if_asked: bool,
    /// Whether its extensions are modules, which get more events than those of tools.
    pub modules: bool,
    /// Whether a module must export its factory as its default.
    pub default_export_only: bool,
    /// What only extensions in a scripting language notice.
    pub script: &'static ScriptRules,
}

/// What becomes of a tool's input that a handler changed in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolInput {
    /// The tool gets it as the handler left it.
    Live,
    /// Handlers get a copy.
    Copy,
}

/// What `skipConversationRestore: true` asks for when the session is about to be forked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipRestore {
    /// The session is forked and the conversation stays as it is.
    Fork,
    /// The session is not forked.
    Abort,
}

/// What becomes of commands of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commands {
    /// All can be reached: each gets a number behind its name.
    Numbered,
    /// The first can be reached, and those of other dialects keep theirs.
    First,
}

/// What a dialog that was closed gives in JavaScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosedDialog {
    /// `undefined`
    Undefined,
    /// `null`
    Null,
}

/// How people and clients are told that a handler failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failures {
    /// `Extension error (<path>): <text>`; the record `extension_error` with `extensionPath`.
    Extension,
    /// `Hook error (<path>): <text>`; the record `hook_error` with `hookPath`.
    Hook,
}

impl Failures {
    /// How the line that tells of one begins.
    pub fn label(self) -> &'static str {
        match self {
            Self::Extension => "Extension error",
            Self::Hook => "Hook error",
        }
    }

    /// The type of the record that tells clients of one.
    pub fn record(self) -> &'static str {
        match self {
            Self::Extension => "extension_error",
            Self::Hook => "hook_error",
        }
    }
}

impl Dialect {
    /// The dialect that people call by a short name.
    pub fn parse(id: &str) -> Option<&'static Self> {
        DIALECTS.iter().copied().find(|dialect| dialect.id == id || dialect.aliases.contains(&id))
    }

    /// Whether extensions are told of a user interface that there is.
    pub fn shows_ui(&self, mode: Mode) -> bool {
        self.ui_in_rpc || mode != Mode::Rpc
    }

    /// What extensions of this dialect call an event.
    pub fn name_of(&self, event: EventId) -> &'static str {
        (self.rule)(event).map_or(event.name(), |rule| rule.name)
    }
}
