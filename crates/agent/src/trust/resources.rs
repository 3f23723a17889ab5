//! Which files of a project need trust.

use std::fs;
use std::path::{Path, PathBuf};

use crate::hook_folders;
use crate::package_entry::{has_command_rules, has_prompt_rules};
use crate::rules::rules_of_project;
use crate::settings::{Environment, Settings};

/// What of the project's settings folder needs trust.
const IN_PROJECT_DIR: &[&str] =
    &["settings.json", "extensions", "skills", "prompts", "themes", "SYSTEM.md", "APPEND_SYSTEM.md", "mcp.json"];

/// The project's rules about commands, in the same folder.
const COMMAND_RULES: &str = "policy.json";

/// The project files and folders that exist and load only in a trusted project.
///
/// Folders of hooks count when something in them would be loaded. So does what the user's own settings name by a path that
/// starts at the working directory: it is another file in each project.
///
/// Skills shared between agents are also looked for in the parent folders; the user's own, in their home, need none. Of
/// the rules that other programs share with tau only stream rules count, the others are not read. Rules for the system
/// prompt count while the user has the extension that reads them, and so do rules about commands: without trust they only
/// forbid more.
pub fn resources_needing_trust(env: &Environment) -> Vec<PathBuf> {
    let cwd = real(&env.cwd);
    let project_dir = cwd.join(crate::settings::CONFIG_DIR);
    let mut found: Vec<_> =
        IN_PROJECT_DIR.iter().map(|name| project_dir.join(name)).filter(|path| path.exists()).collect();
    let of_user = real(&env.home).join(".agents").join("skills");
    let shared = cwd.ancestors().map(|dir| dir.join(".agents").join("skills"));
    found.extend(shared.filter(|dir| *dir != of_user && dir.exists()));
    let env = Environment { cwd, ..env.clone() };
    let settings = Settings::load(&env, false);
    found.extend(hook_folders::in_project(&env, &settings));
    found.extend(settings.shell_in_project().filter(|shell| shell.is_file()));
    found.extend(rules_of_project(&env, has_prompt_rules(&settings)));
    if has_command_rules(&settings) {
        found.extend(command_rules_of(&env));
    }
    found
}

/// The project's rules about commands, if there are some.
pub(crate) fn command_rules_of(env: &Environment) -> Option<PathBuf> {
    Some(env.cwd.join(crate::settings::CONFIG_DIR).join(COMMAND_RULES)).filter(|rules| rules.is_file())
}

/// The path without symbolic links; as it is when it does not exist.
pub(crate) fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}
