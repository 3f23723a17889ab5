//! Locks between programs.
//!
//! [`FileLock`] is a directory beside a file, which is what programs agree on that share an agent folder. [`Exclusive`] is a
//! lock that the system holds and gives back when the process ends, however it ends.

mod directory;
mod file;

pub use directory::{FileLock, LockError};
pub use file::Exclusive;
