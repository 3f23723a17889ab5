//! The mode that people work in: an editor at the bottom of the terminal, and what the agent does above it.
//!
//! [`Interactive`] is a front end as any other: it opens a session through [`tau_launch`], listens to it, and gives it what the
//! user types. One task owns all that is shown ([`app`]); sessions, tasks and threads only send it messages ([`told`]).
//!
//! Architecture Invariant: nothing here knows JavaScript, and nothing here waits: not for the terminal, not for a session,
//! not for an extension.
#![expect(clippy::disallowed_methods, reason = "the program has one runtime")]

mod app;
mod chat;
mod dialogs;
mod dock;
mod doctor;
mod end;
mod front_end;
mod kept;
mod known;
mod listing;
mod mounts;
mod opening;
mod paths;
mod pictures;
mod plain;
mod screen;
mod status_line;
mod stray;
mod told;

pub use doctor::examine_terminal;
pub use front_end::{Interactive, Plain};
pub use tau_tui::terminal::restore_now;
