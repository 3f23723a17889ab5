//! The built-in tools (read, bash, edit, write, grep, find, ls) behind swappable operations, and the trait
//! every tool implements.
//!
//! A tool gets validated arguments and returns content for the model and details for renderers. This crate
//! must not know hooks or models: whoever calls a tool decides whether it may run and what becomes of its
//! result.

mod tool;

pub use tool::{ExecutionMode, Invocation, Progress, Tool, ToolFailure, ToolOutput, ToolSpec};
