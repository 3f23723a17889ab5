//! Files. Every operation exists twice: `fsX` blocks, `fsXAsync` works on another thread and gives a promise.
//!
//! Names of files are resolved against the engine's own working directory, and errors name them as they were given.

mod call;
pub(super) mod constants;
pub(super) mod content;
pub(super) mod directory;
pub(super) mod handle;
pub(super) mod inspect;
pub(super) mod links;
mod open;
pub(super) mod remove;

pub use handle::FileArg;
