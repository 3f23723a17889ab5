//! Ops under the modules of pi: what its packages do that is not plain JavaScript.

mod arguments;
mod bash;
mod diff;
mod files;
mod hooks;
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

use super::Ops;

pub(crate) use session::{session_handle, session_of};

pub(super) fn install(ops: &Ops<'_>) -> rquickjs::Result<()> {
    ops.constant("piVersion", env!("CARGO_PKG_VERSION"))?;
    port::install(ops)?;
    tools::install(ops)?;
    arguments::install(ops)?;
    diff::install(ops)?;
    bash::install(ops)?;
    text::install(ops)?;
    files::install(ops)?;
    hooks::install(ops)?;
    image::install(ops)?;
    models::install(ops)?;
    stream::install(ops)?;
    session::install(ops)?;
    session_files::install(ops)
}
