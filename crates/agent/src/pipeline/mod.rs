//! The way of a prompt, a file a stage.
//!
//! `command` → `input` → `builtin` → `expand` → `before_start` → the run: for each turn `context`, `request`, `tools`
//! → `boundary` → `settle`. Everything a stage needs is in [`AgentSession`](crate::AgentSession); a stage holds no
//! lock while it waits.

mod bash;
mod before_start;
mod boundary;
pub(crate) mod builtin;
mod call_site;
mod command;
mod context;
pub(crate) mod convert;
mod expand;
mod images;
mod input;
mod messages;
mod nested;
mod prompt;
mod recover;
mod request;
mod retry;
mod routing;
mod rules;
mod run;
mod session_commands;
mod todo;
mod tool_call;
mod tool_run;
mod tools;

pub use bash::{BashError, UserCommand};
pub(crate) use before_start::custom_message;
pub(crate) use builtin::aside;
pub use builtin::{BUILTINS, Builtin, outcome};
pub(crate) use images::image_limits;
pub(crate) use nested::Lines;
pub use prompt::{Prepared, Prompt, PromptError, Prompted, Submitted, Upcoming};
pub(crate) use recover::{Last, Recovery};
pub(crate) use retry::retry_plan;
pub(crate) use routing::{Routed, RouterMemory, RoutersAsked};
pub(crate) use rules::RuleBreak;
pub use session_commands::session_line;
pub(crate) use todo::Reminders;
