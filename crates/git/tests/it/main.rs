//! Repositories that the git program made, and what is known of them.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod broken;
mod facts;
mod helpers;
mod hostile;
mod random;
mod service;
mod status;
mod support;
mod surroundings;
