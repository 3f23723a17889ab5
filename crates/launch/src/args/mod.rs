//! Command-line arguments: one table of flags, a parser in two passes, help, manual, completions and man page.
//!
//! Extensions bring flags of their own, and some flags decide which extensions are loaded. So the first
//! pass ([`parse`]) takes what the table knows and keeps everything else with its position; when extensions
//! have registered theirs, [`Parsed::finish`] judges what was kept. Nothing unknown gets through.
//!
//! This module reads no environment and prints nothing.

mod completions;
mod error;
mod files;
mod finish;
mod flags;
mod help;
mod man;
mod parse;
mod prompts;
mod values;

#[cfg(test)]
mod tests;

pub use completions::{Shell, Subcommand, completions};
pub use error::{ArgsError, nearest};
pub use files::{
    Attached, FileArgError, FileContent, MAX_ATTACHED, attach_as_is, is_binary, process_file_args, resolve_path,
};
pub use finish::{Cli, ExtensionFlag, FileArg, FlagKind, FlagValue};
pub use flags::{Choices, FLAGS, Flag, Group, Modes, Negation, Outranks, Takes, said_of};
pub use help::{help, markdown, wrapped};
pub use man::man;
pub use parse::{Parsed, parse};
pub use prompts::initial_prompts;
pub use values::{Args, ListModels, ToolSelection};
