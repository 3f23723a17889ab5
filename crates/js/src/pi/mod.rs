//! Ops under the modules of pi: what its packages do that is not plain JavaScript.

mod arguments;
mod bash;
mod diff;
pub(crate) mod editor;
mod files;
mod image;
mod models;
mod one_answer;
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

pub(crate) use one_answer::{Answering, one_answer};
pub(crate) use session::{Numbered, session_of};
pub(crate) use stream::open_over;
pub(crate) use view::{Columns, rows_room};

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
    &editor::OPS,
    &editor::PARTS,
    &bash::OPS,
    &diff::OPS,
    &files::OPS,
    &image::OPS,
    &models::OPS,
    &one_answer::OPS,
    &port::OPS,
    &session::OPS,
    &session_files::OPS,
    &stream::OPS,
    &text::OPS,
    &tools::OPS,
    &view::OPS,
];
