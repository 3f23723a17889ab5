//! Which shell runs commands, and in which environment.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use tau_sys::{variable, variables};

use crate::OpError;

/// Variables of a process, sorted by name.
pub type Environment = BTreeMap<String, String>;

/// Variables that describe the session of whoever started us; a command must not take them for its own.
const SESSION_VARIABLES: [&str; 5] =
    ["PI_SESSION_ID", "PI_SESSION_FILE", "PI_PROVIDER", "PI_MODEL", "PI_REASONING_LEVEL"];

/// The shell to use: `custom` if given, else `/bin/bash`, else `bash` from the `PATH`, else `sh`.
pub fn find_shell(custom: Option<&Path>) -> Result<PathBuf, OpError> {
    if let Some(custom) = custom {
        return if custom.exists() {
            Ok(custom.to_owned())
        } else {
            Err(OpError::new(format!("Custom shell path not found: {}", custom.display())))
        };
    }
    let standard = Path::new("/bin/bash");
    if standard.exists() {
        return Ok(standard.to_owned());
    }
    let on_path = variable("PATH")
        .and_then(|path| env::split_paths(&path).map(|entry| entry.join("bash")).find(|candidate| candidate.is_file()));
    Ok(on_path.unwrap_or_else(|| PathBuf::from("sh")))
}

/// Our own environment without the session variables, with `bin_dir` first on the `PATH` and `extra` on top: there
/// `None` removes a variable.
pub fn shell_environment(bin_dir: Option<&Path>, extra: Vec<(String, Option<String>)>) -> Environment {
    let mut environment: Environment =
        variables().filter(|(name, _)| !SESSION_VARIABLES.contains(&name.as_str())).collect();
    for (name, value) in extra {
        match value {
            Some(value) => environment.insert(name, value),
            None => environment.remove(&name),
        };
    }
    if let Some(bin_dir) = bin_dir {
        let path = environment.entry("PATH".to_owned()).or_default();
        if !env::split_paths(path.as_str()).any(|entry| entry == bin_dir) {
            *path =
                if path.is_empty() { bin_dir.display().to_string() } else { format!("{}:{path}", bin_dir.display()) };
        }
    }
    environment
}
