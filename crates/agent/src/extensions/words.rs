//! The files that a command line names.

use std::path::{Path, PathBuf};

use crate::settings::Environment;

/// What stands between words for a shell. A word that is a file may also stand behind `=`.
const BETWEEN: &[char] = &[' ', '\t', '\r', '\n', ';', '|', '&', '(', ')', '{', '}', '<', '>', '`', '=', ','];
/// Variables that hold folders.
const PROJECT: [&str; 2] = ["$CLAUDE_PROJECT_DIR", "$PWD"];
const PLUGIN: [&str; 1] = ["$CLAUDE_PLUGIN_ROOT"];

/// The files inside the project, or inside a `plugin`, that are words of a command line. What a program finds without
/// being given its name, as in a script of a package manager, is not among them.
pub(super) fn files_named_in(command: &str, env: &Environment, plugin: Option<&Path>) -> Vec<PathBuf> {
    // Neither quotes nor the braces of `${NAME}` are places where words end.
    let mut command = command.replace(['"', '\''], "");
    for name in PROJECT.into_iter().chain(PLUGIN) {
        command = command.replace(&format!("${{{}}}", &name[1..]), name);
    }
    let inside = |path: &PathBuf| {
        let folders = [Some(env.cwd.as_path()), plugin];
        path.is_file() && folders.into_iter().flatten().any(|folder| path.starts_with(folder))
    };
    let path = |word: &str| {
        let below = |names: &[&str], folder: &Path| {
            let rest = names.iter().find_map(|name| word.strip_prefix(*name))?;
            Some(folder.join(rest.trim_start_matches('/')))
        };
        let in_plugin = plugin.and_then(|root| below(&PLUGIN, root));
        in_plugin.or_else(|| below(&PROJECT, &env.cwd)).unwrap_or_else(|| env.resolve(word, &env.cwd))
    };
    command.split(BETWEEN).filter(|word| !word.is_empty()).map(path).filter(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_files_of_the_project_are_found() {
        let dir = tempfile::tempdir().expect("a folder");
        let (project, plugin) = (dir.path().join("project"), dir.path().join("plugin"));
        for file in ["project/h.sh", "project/a/b.py", "plugin/p.sh", "other.sh"] {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            std::fs::write(path, "").expect("a file");
        }
        let env = Environment::new(dir.path(), &project);
        for (command, files) in [
            ("sh ./h.sh", &["project/h.sh"][..]),
            ("h.sh;a/b.py|cat", &["project/h.sh", "project/a/b.py"]),
            ("\"$CLAUDE_PROJECT_DIR\"/h.sh --rules='a/b.py'", &["project/h.sh", "project/a/b.py"]),
            ("\"${CLAUDE_PROJECT_DIR}/h.sh\" x", &["project/h.sh"]),
            ("$PWD/h.sh", &["project/h.sh"]),
            ("${CLAUDE_PLUGIN_ROOT}/p.sh", &["plugin/p.sh"]),
            ("sh ../other.sh a nothing.sh", &[]),
        ] {
            let found = files_named_in(command, &env, Some(&plugin));
            let files: Vec<PathBuf> = files.iter().map(|file| dir.path().join(file)).collect();
            assert_eq!(found, files, "{command}");
        }
        assert!(files_named_in("${CLAUDE_PLUGIN_ROOT}/p.sh", &env, None).is_empty());
    }
}
