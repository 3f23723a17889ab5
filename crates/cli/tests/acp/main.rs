//! `tau acp` as an editor sees it: the real program, and the protocol's own client on the other side.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod cancel;
mod commands;
mod editor;
mod errors;
mod garbage;
mod gates;
mod load;
mod options;
#[expect(dead_code, reason = "these tests need a place to run in, and little else of what runs tau once")]
#[path = "../process/support.rs"]
mod place;
mod prompts;
mod providers;
mod sessions;
mod shown;
mod slow;
