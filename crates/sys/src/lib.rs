//! What a program asks of the operating system: processes, terminals, locks, signals and variables.
//!
//! This crate must not know tau: no settings, sessions, hooks or models. It is the only one that starts processes, and the
//! place of what differs between systems. It works on Linux and macOS; `cargo check -p tau-sys --target
//! aarch64-apple-darwin` checks the second on the first.
//!
//! [`process`] runs programs: each leads a group of its own, and whatever is left of a group ends with its session or with
//! the program. [`lock`] keeps other programs out, [`pty`] opens terminals, [`terminal`] and [`stdio`] set up the one that
//! the user sits at, [`signals`] sends and receives, [`watch`] reports changes of files, and
//! [`replace`] writes one in one step, and [`within`] says where links lead.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests look at the system they run on"))]

pub mod lock;
mod private;
pub mod process;
pub mod pty;
pub mod replace;
pub mod rotated;
pub mod signals;
mod starting;
pub mod stdio;
pub mod terminal;
mod variables;
pub mod watch;
pub mod within;

pub use private::{claim, is_users, private_folder, remove_left_folders};
pub use variables::{other_variables, variable, variables};
