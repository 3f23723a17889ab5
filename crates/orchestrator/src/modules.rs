//! The table of the modules, in the order in which they work.

use tau_hooks::Extension;

use crate::module::Module;
use crate::{
    ask_user, autocomplete, btw, enforcement, git_ssh, github_autocomplete, nvim, project_settings, prompts, rules,
    session_validation, status, status_line,
};

/// The name of the package.
pub const PACKAGE: &str = "builtin:orchestrator";

/// All of them. The agent knows their names, too, to say what a misspelt one means.
pub const MODULES: &[Module] = &[
    autocomplete::MODULE,
    ask_user::MODULE,
    project_settings::MODULE,
    enforcement::MODULE,
    rules::MODULE,
    status_line::MODULE,
    btw::MODULE,
    Module { make: validation, ..session_validation::MODULE },
    github_autocomplete::MODULE,
    status::MODULE,
    nvim::MODULE,
    prompts::MODULE,
    git_ssh::MODULE,
];

/// It looks for what all of them need.
fn validation() -> Box<dyn Extension> {
    Box::new(session_validation::SessionValidation::of(MODULES))
}
