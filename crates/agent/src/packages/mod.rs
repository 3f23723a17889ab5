//! Packages as settings name them: installing, updating and removing one changes the files and the settings together.
//!
//! What packages are on disk is the business of `tau-packages`; what they bring to a session that of
//! [`extensions`](crate::extensions). Here the two are kept in step.

mod entries;
mod manage;
mod switch;

pub(crate) use manage::PackagesError;
pub use manage::{Done, Packages, Updated};
pub(crate) use switch::SwitchError;
pub use switch::switch;

#[cfg(test)]
mod tests;
