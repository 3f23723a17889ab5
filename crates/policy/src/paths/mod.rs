//! Files that matter more than others: classes of paths, and where a word points to.

use std::path::PathBuf;

mod class;
mod data;
mod destinations;
mod kind;
mod locate;
mod places;
mod readers;

pub use class::classes;
pub(crate) use class::named;
pub(crate) use destinations::into_folders;
pub use kind::Class;
pub(crate) use locate::{Located, locate};
pub(crate) use places::{Places, Scene};
pub(crate) use readers::{only_reads, takes_text, written};

/// The use of a file by a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileUse {
    /// The tool, as `write`.
    pub tool: String,
    /// The path as the tool got it: absolute, with `~`, or from the directory of the session.
    pub path: PathBuf,
    /// What the tool does with it.
    pub kind: UseKind,
}

/// What a tool does with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UseKind {
    /// It reads it.
    Read,
    /// It writes it.
    Write,
    /// Nobody knows: it counts as a write.
    Unknown,
}
