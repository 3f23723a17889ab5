//! Compaction: a summary takes the place of the older part of a conversation.
//!
//! `cut` finds where, `prepare` says what would happen, `summarise` writes the summary over `ask`, `perform` takes all
//! steps with their handlers. `auto` is one reason to do it, the user is the other.

mod ask;
mod auto;
mod cut;
mod files;
pub(crate) mod perform;
mod prepare;
mod serialize;
mod summarise;
mod wording;

pub(crate) use ask::{AskError, AskedBy, Question, ask_for_summary, summariser};
pub(crate) use auto::{check_room, keep_room_between, keep_room_for};
pub(crate) use files::{FileLists, note_calls, note_details};
pub use perform::CompactError;
pub(crate) use serialize::serialize_conversation;
