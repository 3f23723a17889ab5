//! Shell hooks: programs that run before and after tools and at other moments of a session, and say by their exit code
//! and by JSON what is to happen.
//!
//! A program is an extension of its own, under the rules of its own dialect. [`ShellHook`] says what is run and for which
//! calls, `input.rs` its input, `process.rs` how it runs, `answer.rs` how its output is read, and `before.rs`,
//! `after.rs` and `session.rs` what that means. The moments are a table in `moment.rs`. Nothing that a model or a tool wrote ever becomes part of a command line.

mod after;
mod answer;
mod before;
pub(crate) mod claude_settings;
mod condition;
mod hook;
mod identity;
mod input;
mod interpreter;
mod load;
mod moment;
mod names;
mod process;
mod session;
mod told;

pub use condition::Condition;
pub(crate) use hook::misspelt;
pub use hook::{Calls, Program, ShellHook, Tools};
pub(crate) use load::load;
pub use moment::{Moment, SessionMoment};
