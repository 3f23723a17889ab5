//! What the transcript and the dock show: messages, tool calls, notes, the footer.
//!
//! Everything here is a view of plain data: it knows texts, JSON values and durations, but no session. A block implements
//! [`Content`](crate::screen::Content), is laid out for a width when it is asked for, and never changes; the owner of the
//! data makes a new one. Only [`Growing`] has a state, that of a message which is still arriving.
//!
//! - Everything from models, tools, files and extensions is cleaned before it gets a style.
//! - A word or a sign shows a state, never a colour alone.
//! - What people copy has no frame: code and the output of tools begin in the first column, end where their text ends and
//!   have no background. The background of a tool's title lies behind its text only. Messages of the user and boxes for
//!   summaries are filled to the edge.

mod bash;
mod boxes;
mod changes;
mod footer;
mod growing;
mod message;
mod notes;
mod own;
mod paint;
mod pending;
mod picture;
mod start;
mod tool;

#[cfg(test)]
mod tests;

pub use bash::{UserCommand, UserCommandState};
pub use boxes::{Summary, SummaryKind};
pub use changes::{Change, Changes};
pub use footer::{Context, Footer, Totals, count};
pub use growing::Growing;
pub use message::{Custom, EndNote, HiddenThinking, Kind, Message, Skill, User};
pub use notes::{Note, NoteKind, SessionRule, earlier_messages, left_out};
pub use own::{Own, OwnImage, OwnPart};
pub use pending::{Pending, Waiting, Working};
pub use start::{Group, Header, Hint, Listing, Section};
pub use tool::{Blocked, Edited, EditedPart, FailedHandler, OwnRows, Places, Slow, Tool, ToolView};
