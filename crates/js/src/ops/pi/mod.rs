//! Ops under the modules of pi: what its packages do that is not plain JavaScript.

pub(super) mod arguments;
pub(super) mod bash;
pub(super) mod diff;
pub(super) mod files;
pub(super) mod hooks;
pub(super) mod image;
pub(super) mod models;
mod operations;
mod pieces;
pub(super) mod port;
pub(super) mod session;
pub(super) mod session_files;
pub(super) mod stream;
mod stream_event;
pub(super) mod text;
pub(super) mod tools;

pub(crate) use session::{Numbered, session_of};

use super::table::ops;

ops! {
    /// The agent that scripts run in.
    pub(crate) static OPS: watched;

    /// The version of tau.
    let piVersion = version, Pure;
}

fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
