//! `tau acp` as an editor sees it: the real program, and the protocol's own client on the other side.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod cancel;
mod commands;
pub mod editor;
mod errors;
mod garbage;
mod gates;
mod load;
mod options;
mod prompts;
mod providers;
mod servers;
mod sessions;
pub mod shown;
mod slow;
mod suite;
