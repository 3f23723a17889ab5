//! The suite `builtin:orchestrator`: extensions of the program that are off until a user switches them on.
//!
//! Each [`Module`] is an extension of its own, with a name, a trace and settings of its own; [`MODULES`] lists them. They
//! share what is in [`shared`], and reach tau by the same interface as extensions of other people.
//!
//! Architecture Invariant: nothing here knows the agent, a terminal or JavaScript; a module works alone.

mod ask_user;
mod autocomplete;

mod btw;
mod github_autocomplete;
mod module;
mod modules;
pub mod shared;
mod status_line;

pub use module::{Alone, Module};
pub use modules::{MODULES, PACKAGE};
