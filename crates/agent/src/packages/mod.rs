//! Packages as settings name them: installing, updating and removing one changes the files and the settings together.
//!
//! What packages are on disk is the business of `tau-packages`; what they bring to a session that of
//! [`extensions`](crate::extensions). Here the two are kept in step.

mod entries;
mod manage;
mod switch;

pub use manage::{Done, Listed, Packages, PackagesError, Updated};
pub use switch::{SwitchError, switch};

#[cfg(test)]
mod tests;
