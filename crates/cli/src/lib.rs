//! The `tau` program: arguments, start-up, print, JSON and RPC mode, the mode for editors.
//!
//! [`run`] is all of `main`, with the extensions to load as its argument: a program that wants tau with extensions
//! of its own, written in Rust, is one call. [`run_with`] also takes what runs scripts.

mod acp;
pub mod args;
mod commands;
mod rpc;
mod run;
mod runtime;

pub use run::{Setup, run, run_with};
