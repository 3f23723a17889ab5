//! The table of the modules, in the order in which they work.

use crate::module::Module;
use crate::{ask_user, autocomplete, btw, github_autocomplete, status_line};

/// The name of the package.
pub const PACKAGE: &str = "builtin:orchestrator";

/// All of them. The agent knows their names, too, to say what a misspelt one means.
pub const MODULES: &[Module] =
    &[autocomplete::MODULE, ask_user::MODULE, status_line::MODULE, btw::MODULE, github_autocomplete::MODULE];
