//! RPC mode: the real program, driven by a client.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod dialogs;
mod end;
mod garbage;
mod pidash;
mod providers;
mod reference;
mod session;
mod slow;
mod stuck;
pub(crate) mod support;
mod talk;
mod trust;
