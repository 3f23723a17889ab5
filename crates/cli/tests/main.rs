//! The real program, from outside: one program of tests, so that it is linked once.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod acp;
mod building;
mod documents;
mod hooks;
mod licences;
mod modules;
mod process;
mod rpc;
mod terminal;

// What several of them use goes by a short name.
use acp::{editor, shown};
use process::support as place;
use process::{auth, guards, packages, signals, support};
