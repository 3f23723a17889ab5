//! The suite `builtin:orchestrator`: extensions of the program that are off until a user switches them on.
//!
//! Each [`Module`] is an extension of its own, with a name, a trace and settings of its own; [`MODULES`] lists them. They
//! share what is in [`shared`], and reach tau by the same interface as extensions of other people.
//!
//! Architecture Invariant: nothing here knows the agent, a terminal or JavaScript; a module works alone.

mod ask_user;
mod autocomplete;
mod btw;
mod enforcement;
mod git_ssh;
mod github_autocomplete;
mod module;
mod modules;
mod nvim;
mod project_settings;
mod prompts;
mod rules;
mod session_validation;
pub mod shared;
mod status;
mod status_line;

pub use module::{Alone, Module, Needed};
pub use modules::{MODULES, PACKAGE};
