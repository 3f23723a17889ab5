//! Ops under the modules of pi: what its packages do that is not plain JavaScript.

mod arguments;
mod bash;
mod diff;
mod files;
mod image;
mod models;
mod operations;
mod pieces;
mod port;
mod session;
mod session_files;
mod stream;
mod stream_event;
mod text;
mod tools;
mod view;

pub(crate) use session::{Numbered, session_of};

use crate::ops::table::{Area, ops};

ops! {
    /// The agent that scripts run in.
    pub(crate) static OPS: watched;

    /// The version of tau.
    let piVersion = version, Pure;
}

fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The ops under the packages of pi.
pub(crate) static AREAS: &[&Area] = &[
    &OPS,
    &arguments::OPS,
    &bash::OPS,
    &diff::OPS,
    &files::OPS,
    &image::OPS,
    &models::OPS,
    &port::OPS,
    &session::OPS,
    &session_files::OPS,
    &stream::OPS,
    &text::OPS,
    &tools::OPS,
    &view::OPS,
];
