//! The parts of the `tau` program that other code can use and test: so far the command-line arguments.
//!
//! Nothing here prints or ends the process; `main` does.

pub mod args;
