//! What a call of git does.
//!
//! `step` takes one call, and what the script did to repositories before it:
//!
//! - `program` and `globals` find the command, `place` the repository, `settings` what applies there, `alias` what a word
//!   stands for,
//! - `options` reads the arguments by the tables in `commands`, which say what the command does,
//! - `hooks` and `runs` find what keeps hooks from running, and programs that settings name; `pathspec` what names of files
//!   select,
//! - `state` is what the script did, `forge` the same for `gh`,
//! - `checks` are facts about branches and files that rules ask for.

mod alias;
mod checks;
mod commands;
mod forge;
mod globals;
mod options;
mod paths;
mod pathspec;
mod place;
mod program;
mod settings;
mod state;
mod step;
#[cfg(test)]
mod tests;
mod words;

pub use checks::{BranchState, branch_state, ignored, protected};
pub(crate) use state::Repositories;
pub(crate) use step::{Runs, Step, step};

pub use crate::git_use::{Effect, GitEffect, GitPlace, GitUse, Head, Target};
