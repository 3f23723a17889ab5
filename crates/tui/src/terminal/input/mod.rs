//! What is typed and what the terminal answers: from bytes to [`Event`]s.
//!
//! A [`Decoder`] is fed what was read. It splits bytes into sequences and pastes, tells keys from answers and reports, and
//! decides by time where the bytes alone do not say enough.

mod decoder;
mod event;
mod mouse;
mod paste;
mod reply;
mod splitter;
mod timing;

#[cfg(test)]
mod tests;

pub use decoder::{CursorReports, Decoder};
pub use event::{End, Event, Paste, PasteKind};
pub use mouse::{Button, Mouse, MouseKind, Wheel};
pub use reply::{ModeState, Reply};
pub use timing::Timing;
