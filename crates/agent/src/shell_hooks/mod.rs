//! Shell hooks: programs that run before and after tools and at other moments of a session, and say by their exit code
//! and by JSON what is to happen.
//!
//! A program is an extension of its own, under the rules of its own dialect. [`ShellHook`] says what is run and for which
//! calls, `input.rs` its input, `process.rs` how it runs, `answer.rs` how its output is read, and `before.rs`,
//! `after.rs` and `session.rs` what that means. The moments are a table in `found/moment.rs`. Nothing that a model or a tool wrote ever becomes part of a command line.

mod after;
mod answer;
mod before;
pub(crate) mod claude_settings;
mod input;
mod load;
mod process;
mod scene;
mod session;

pub use crate::found::{Calls, Moment, Program, ShellHook, Tools};
pub(crate) use load::{LoadContext, load};
