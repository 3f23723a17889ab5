//! Files. Every operation exists twice: `fsX` blocks, `fsXAsync` works on another thread and gives a promise.
//!
//! Names of files are resolved against the engine's own working directory, and errors name them as they were given.

mod call;
mod constants;
mod content;
mod directory;
mod handle;
mod inspect;
mod links;
mod open;
mod remove;

pub(in crate::ops) use call::{Arg, while_working};
pub(in crate::ops) use handle::FileArg;

use super::Ops;

pub(super) fn install<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    constants::install(ops)?;
    content::install(ops)?;
    directory::install(ops)?;
    handle::install(ops)?;
    inspect::install(ops)?;
    links::install(ops)?;
    remove::install(ops)
}
