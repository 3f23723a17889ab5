//! What child sessions need beside a session: the way of their questions to a front end, and the gates of sessions in
//! other processes.
//!
//! A child is a session like any other, with three things on top. Its hooks know those of its parent, so that gates are
//! asked there too (`tau_hooks`, `dispatch/above.rs`). What it may do is bounded by what its parent may do
//! (`session/children/bounds.rs`). And it belongs to a family: it ends with its parent, with the extension that opened it,
//! and with the run in which it was opened when that is aborted (`session/children/open.rs`, `parts/family.rs`).

mod dialogs;
mod process;

pub(crate) use dialogs::hand_on;
pub(crate) use process::{Announced, Announcement, ParentGate};

pub(crate) use process::DEEPEST;
pub use process::too_deep;
