//! Completion of what is written in the editor: commands at the start of a prompt and what follows them, files after
//! `@`, paths by the key that completes.
//!
//! [`Completion`] is the list and its keys; what is in it comes from a [`Provider`], of which [`Builtin`] is the
//! innermost. Answers may come later and on other threads: nothing here waits for a file system or for a provider.

mod builtin;
mod choosing;
mod commands;
pub mod files;
mod listing;
mod provider;
mod state;
mod token;

pub use builtin::{Builtin, LateCommands};
pub use commands::{ArgumentReply, Arguments, Command};
pub use listing::Places;
pub use provider::{Edit, EditReply, Provider, Reply, Request, Suggestion, Suggestions};
pub use state::{Became, Completion, LEAST_ROWS, MOST_ROWS, USUAL_ROWS};

#[cfg(test)]
mod tests;
