//! Paths, and what extensions are called by them, as people read them.

use std::path::Path;

use tau_agent::settings::Environment;

/// A folder as people write it: with `~` for the user's home.
pub(crate) fn short(path: &Path, env: &Environment) -> String {
    match path.strip_prefix(&env.home) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Ok(rest) => format!("~/{}", rest.display()),
        Err(_) => path.display().to_string(),
    }
}

/// What people call an extension: the name of its file.
pub(crate) fn short_owner(owner: &str) -> String {
    let path = Path::new(owner);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or(owner);
    match (name, path.parent().and_then(|folder| folder.file_name()).and_then(|name| name.to_str())) {
        ("index.ts" | "index.js" | "index.mjs", Some(folder)) => folder.to_owned(),
        _ => name.to_owned(),
    }
}
