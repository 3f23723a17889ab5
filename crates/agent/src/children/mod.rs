//! Child sessions: sessions that extensions of a session open.
//!
//! A child is an [`AgentSession`] like any other, with three things on top. Its hooks know those of its parent, so that
//! gates are asked there too (`tau_hooks`, `dispatch/above.rs`). What it may do is bounded by what its parent may do
//! (`bounds.rs`). And it belongs to a tree: it ends with its parent, with the extension that opened it, and with the run
//! in which it was opened when that is aborted (`tree.rs`).

mod bounds;
mod dialogs;
mod handle;
mod open;
mod process;
mod tree;

pub use process::VARIABLE as PARENT_GATES;
pub(crate) use process::{Announced, ParentGate};
pub(crate) use tree::{Children, Lineage};

/// How deep child sessions nest at most: an extension that opens a child for each call of a child must not fill the memory.
const DEPTH: usize = 8;

/// How many child sessions are open at most below one session that nobody opened.
const OPEN: usize = 256;
