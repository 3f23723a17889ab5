//! The built-in tools (read, bash, edit, write, grep, find, ls) behind swappable operations, and the trait
//! every tool implements.
//!
//! A tool gets validated arguments and returns content for the model and details for renderers. This crate
//! must not know hooks or models: whoever calls a tool decides whether it may run and what becomes of its
//! result.
//!
//! Each tool is a module: the tool, its operations trait with a local implementation, and the logic in between.
//! [`arguments`] checks arguments, [`truncate`] holds the limits, [`MutationQueue`] keeps changes of one file
//! apart, and [`exec_process`] runs a program without a shell. How processes start and end is the matter of `tau-sys`.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests look at the system they run on"))]

pub mod arguments;
pub mod bash;
mod builtin;
pub mod edit;
mod exec;
pub mod find;
mod fs;
pub mod grep;
pub mod image;
pub mod ls;
mod mutation_queue;
mod notices;
mod op_error;
pub mod paths;
mod reach;
pub mod read;
mod support;
pub mod todo;
mod tool;
pub mod truncate;
mod utf8;
mod walk;
pub mod write;

pub use builtin::{BuiltinOptions, DEFAULT_ACTIVE, builtin_tools};
pub use exec::{ExecCommand, ExecOutput, MAX_OUTPUT, OutputRoom, exec_process};
pub use fs::{MAX_SMALL_FILE, read_bounded, read_small_file, read_small_text};
pub use mutation_queue::{MutationGuard, MutationQueue};
pub use op_error::OpError;
pub use reach::{Exposure, Reach, ToolAnnotations, ToolNamespace, is_mcp_tool};
pub use tau_sys::process::{
    IsWhole, Kept, Leftovers, Piped, PipedCommand, PipedEnd, kill_running_processes, run_piped,
};
pub use tau_sys::{variable, variables};
pub use tool::loadout::{Loadout, LoadoutChanges};
pub use tool::nested::{CallTools, NestedAnswer, NestedCall, NestedCalls, NestedOutcome};
pub use tool::{ExecutionMode, Invocation, Progress, Tool, ToolFailure, ToolOutput, ToolSpec, add_further};
