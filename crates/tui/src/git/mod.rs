//! The branch of the working folder, read from git's own files and watched instead of asked for.

mod head;
mod watch;

pub use head::Branch;
pub use watch::BranchWatch;

pub use crate::watch::Pace;

#[cfg(test)]
mod tests;
