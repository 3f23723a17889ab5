//! Calls of git in real repositories.
#![expect(clippy::disallowed_methods, reason = "tests make repositories with the git program")]

mod aliases;
mod checks;
mod effects;
mod forge;
mod heads;
mod hooks;
mod options;
mod pushes;
mod random;
mod repositories;
mod runs;
mod staging;
mod support;
