//! The `tau` program: its front ends (print, JSON and RPC mode, the mode for editors), its subcommands, signals.
//!
//! [`run`] is all of `main`, with the extensions to load as its argument: a program that wants tau with extensions
//! of its own, written in Rust, is one call. [`run_with`] also takes what runs scripts.

mod acp;
mod builtins;
mod commands;
mod diagnostics;
mod exit;
mod log;
mod mcp_options;
mod modes;
mod one_session;
mod output;
mod pages;
mod pick;
mod print;
mod rpc;
mod run;
mod runtime;
mod setup;
mod signals;

pub use run::{run, run_with};
pub use setup::Setup;
pub use tau_launch::args;
