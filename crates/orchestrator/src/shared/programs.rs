//! Programs on the path of the session.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use tau_hooks::{ActionError, Api};

/// Where a program is that the session would start under this name.
///
/// # Errors
/// When the session is gone.
pub fn find(api: &Api, name: &str) -> Result<Option<PathBuf>, ActionError> {
    Ok(find_in(&api.variables()?, name))
}

/// Where a program is, by the variable `PATH` among these. Relative folders of the path do not count: what they hold depends
/// on where somebody is.
pub fn find_in(variables: &BTreeMap<String, String>, name: &str) -> Option<PathBuf> {
    let path = variables.get("PATH")?;
    let is_program =
        |path: &PathBuf| path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0);
    std::env::split_paths(path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(name)).find(is_program)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_first_that_can_be_run_is_found() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = |name: &str, mode: u32| {
            let folder = root.path().join(name);
            std::fs::create_dir(&folder).expect("a folder");
            std::fs::write(folder.join("gh"), "").expect("a file");
            std::fs::set_permissions(folder.join("gh"), std::fs::Permissions::from_mode(mode)).expect("a mode");
            folder
        };
        let (text, program) = (folder("a", 0o644), folder("b", 0o755));
        let path = std::env::join_paths([PathBuf::from("b"), text, program.clone()]).expect("a path");
        let variables = BTreeMap::from([("PATH".to_owned(), path.into_string().expect("text"))]);
        assert_eq!(find_in(&variables, "gh"), Some(program.join("gh")));
        assert_eq!(find_in(&variables, "git"), None);
        assert_eq!(find_in(&BTreeMap::new(), "gh"), None);
    }
}
