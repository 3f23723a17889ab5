//! What the code may know about the process it runs in.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The folder of a project that holds its settings and resources.
pub(crate) const CONFIG_DIR: &str = ".pi";

/// Home, working directory and environment variables, taken once at the start.
///
/// Passed down instead of read where needed, so that several sessions with different directories live in one process
/// and tests run side by side.
#[derive(Clone, PartialEq, Eq)]
pub struct Environment {
    /// The user's home directory, absolute.
    pub home: PathBuf,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// Environment variables.
    pub vars: BTreeMap<String, String>,
}

impl Environment {
    /// An environment without variables.
    pub fn new(home: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        Self { home: home.into(), cwd: cwd.into(), vars: BTreeMap::new() }
    }

    /// Takes the values of this process. Variables that are not Unicode are left out.
    ///
    /// # Errors
    /// When the working directory does not exist or may not be read.
    pub fn from_process() -> io::Result<Self> {
        let cwd = std::env::current_dir()?;
        let vars: BTreeMap<_, _> = tau_tools::variables().collect();
        let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty()).unwrap_or_else(|| cwd.clone());
        Ok(Self { home, cwd, vars })
    }

    /// Sets a variable.
    #[must_use]
    pub fn with_var(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.vars.insert(name.into(), value.into());
        self
    }

    /// The value of a variable, unless it is unset or empty.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A variable, also where it is set to nothing.
    pub fn given(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str)
    }

    /// The folder of the user's settings, models, sessions and resources: `PI_CODING_AGENT_DIR`, or `~/.pi/agent`.
    pub fn agent_dir(&self) -> PathBuf {
        match self.var("PI_CODING_AGENT_DIR") {
            Some(dir) => self.resolve(dir, &self.cwd),
            None => self.home.join(CONFIG_DIR).join("agent"),
        }
    }

    /// Where things are kept that can be made again.
    pub fn cache_dir(&self) -> PathBuf {
        let folder = self.var("XDG_CACHE_HOME").filter(|folder| folder.starts_with('/')).map(PathBuf::from);
        folder.unwrap_or_else(|| self.home.join(".cache")).join("tau")
    }

    /// What is known of session files.
    pub fn session_index(&self) -> PathBuf {
        self.cache_dir().join("sessions.jsonl")
    }

    /// The settings folder of the project in the working directory.
    pub fn project_dir(&self) -> PathBuf {
        self.cwd.join(CONFIG_DIR)
    }

    /// Makes a path that a person wrote absolute: a leading `~` is the home directory, `file://` is dropped, anything
    /// relative starts at `base`. `.` and `..` are folded without looking at the disk.
    pub fn resolve(&self, input: &str, base: &Path) -> PathBuf {
        let input = input.trim();
        let input = input.strip_prefix("file://").unwrap_or(input);
        let path = match input.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) if rest.starts_with('/') => self.home.join(rest.trim_start_matches('/')),
            _ => base.join(input),
        };
        fold_dots(&path)
    }
}

/// Whether a path that a person wrote starts at a base, see [`Environment::resolve`].
pub(crate) fn is_relative(input: &str) -> bool {
    let input = input.trim();
    let input = input.strip_prefix("file://").unwrap_or(input);
    !(input.starts_with('/') || input == "~" || input.starts_with("~/"))
}

/// Variables hold keys and tokens, so only their names are shown.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("home", &self.home)
            .field("cwd", &self.cwd)
            .field("vars", &self.vars.keys().collect::<Vec<_>>())
            .finish()
    }
}

fn fold_dots(path: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            // At the root `pop` does nothing, which is what `/..` means.
            Component::ParentDir => {
                folded.pop();
            }
            other => folded.push(other),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_dir_comes_from_the_variable_or_home() {
        let env = Environment::new("/home/ada", "/project/app");
        assert_eq!(env.agent_dir(), Path::new("/home/ada/.pi/agent"));
        let cases = [
            ("~/agents/one", "/home/ada/agents/one"),
            ("~", "/home/ada"),
            ("/etc/pi", "/etc/pi"),
            ("../shared", "/project/shared"),
            ("", "/home/ada/.pi/agent"),
        ];
        for (value, expected) in cases {
            let env = env.clone().with_var("PI_CODING_AGENT_DIR", value);
            assert_eq!(env.agent_dir(), Path::new(expected), "{value:?}");
        }
    }

    #[test]
    fn paths_people_write_become_absolute() {
        let env = Environment::new("/home/ada", "/project");
        let cases = [
            ("notes.md", "/base/notes.md"),
            ("./a/../b", "/base/b"),
            (" ~/x ", "/home/ada/x"),
            ("~other/x", "/base/~other/x"),
            ("file:///tmp/x", "/tmp/x"),
            ("/../..", "/"),
        ];
        for (input, expected) in cases {
            assert_eq!(env.resolve(input, Path::new("/base")), Path::new(expected), "{input:?}");
            assert_eq!(is_relative(input), expected.starts_with("/base"), "{input:?}");
        }
    }

    #[test]
    fn values_of_variables_stay_out_of_logs() {
        let env = Environment::new("/h", "/c").with_var("OPENAI_API_KEY", "sk-secret");
        assert_eq!(format!("{env:?}"), r#"Environment { home: "/h", cwd: "/c", vars: ["OPENAI_API_KEY"] }"#);
    }
}
