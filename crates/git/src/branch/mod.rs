//! The branch of the working folder, read from git's own files and watched instead of asked for.

mod head;
mod watch;

pub use head::Branch;
pub(crate) use head::{git_folder, read_text};
pub use watch::BranchWatch;

pub use tau_sys::watch::Pace;

#[cfg(test)]
mod tests;
