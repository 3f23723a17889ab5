//! The way of a prompt, a file a stage.
//!
//! `command` → `input` → built-in commands → `expand` → `before_start` → the run: for each turn `context`, `request`, `tools`
//! → `boundary` → `settle`. A stage is a function of a [`Turn`](turn::Turn), or of the [parts](crate::parts) of a session
//! where there is no run; it knows no session as a whole and holds no lock while it waits.

pub(crate) mod bash;
pub(crate) mod before_start;
pub(crate) mod beside;
mod boundary;
pub(crate) mod command;
pub(crate) mod compaction;
mod context;
pub(crate) mod context_files;
pub(crate) mod convert;
pub(crate) mod credentials;
pub(crate) mod expand;
pub(crate) mod images;
pub(crate) mod input;
pub(crate) mod last;
pub(crate) mod limited;
pub(crate) mod messages;
pub(crate) mod model;
pub(crate) mod prompt;
mod provider_hooks;
pub(crate) mod record;
mod recover;
mod request;
pub(crate) mod retry;
pub(crate) mod routing;
mod rules;
pub(crate) mod run;
mod run_count;
pub(crate) mod run_state;
pub(crate) mod settle;
pub(crate) mod state_entry;
pub(crate) mod system_prompt;
pub(crate) mod tell;
mod todo;
mod tool_call;
mod tools;
pub(crate) mod turn;
pub(crate) mod upcoming;
pub(crate) mod warming;

pub use bash::{BashError, UserCommand};
pub use prompt::{Prompt, PromptError};
pub use record::recorded_model;
pub use upcoming::Prepared;

#[cfg(test)]
mod tests;
