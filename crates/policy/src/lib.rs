//! What a shell command would do, and whether it may: for a gate that asks before a command runs.
//!
//! - [`evaluate`] reads a command as a shell would and returns every program it can start, with its arguments as far as they
//!   are known: an [`Evaluation`],
//! - `git` says what a call of git does to a repository,
//! - `rules` are data, and judge all of that: a `Verdict`.
//!
//! What cannot be known is never guessed: it is [`Opaque`], and a rule decides about it.
//!
//! Architecture Invariant: nothing here starts a program, writes a file or knows an agent. Facts come from a [`World`].

mod argument;
mod arguments;
mod evaluation;
pub mod git;
mod git_use;
mod invocation;
mod machine;
mod paths;
mod policy;
mod programs;
pub mod rules;
mod shell;
mod show;
mod site;
mod text;
mod truth;
mod world;

pub use argument::Arg;
pub use evaluation::{Evaluation, Opaque, Reason, Script, ScriptKind};
pub use invocation::{Dir, Invocation, Redirect, RedirectKind, Stdin, Via};
pub use machine::{AskMerged, AskProtected, Machine, usual_branches};
pub use paths::{Class, FileUse, UseKind, classes};
pub use policy::{Listed, Policy, catalogue};
pub use rules::{Action, Narrow, RuleFile, narrow};
pub use shell::evaluate;
pub use show::show;
pub use site::{Site, Span};
pub use text::{Piece, Source, Text};
pub use world::{File, Protected, World};
