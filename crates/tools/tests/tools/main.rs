//! The tools as a caller sees them.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod arguments;
mod bash;
mod builtin;
mod edit;
mod exec;
mod find;
mod grep;
mod image;
mod ls;
mod read;
mod shutdown;
mod support;
mod todo;
mod truncate;
mod write;
