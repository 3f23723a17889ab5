//! A machine for tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tau_git::{GitError, Repository};
use tau_policy::{Evaluation, File, Protected, Text, World};

/// A machine with nothing on it but some files.
#[derive(Default)]
pub struct Machine {
    pub directory: Option<PathBuf>,
    pub variables: BTreeMap<String, String>,
    pub files: BTreeMap<PathBuf, String>,
}

impl World for Machine {
    fn directory(&self) -> &Path {
        self.directory.as_deref().unwrap_or(Path::new("/project"))
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn home(&self, user: Option<&str>) -> Option<PathBuf> {
        Some(user.map_or_else(|| PathBuf::from("/home/me"), |user| Path::new("/home").join(user)))
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        Some(Path::new("/usr/bin").join(name))
    }

    fn file(&self, path: &Path, _: u64) -> File {
        if self.directory.as_deref() == Some(path) {
            return File::Folder;
        }
        match self.files.get(path) {
            Some(text) => File::Text(text.clone()),
            None if matches!(path.to_str(), Some("/project" | "/home/me" | "/tmp" | "/")) => File::Folder,
            None => File::Missing,
        }
    }

    fn resolved(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }

    fn repository(&self, _: &Path) -> Result<Option<Rc<Repository>>, GitError> {
        Ok(None)
    }

    fn protected(&self, _: &Repository) -> Protected {
        Protected::default()
    }

    fn merged_pull_request(&self, _: &Repository, _: &str) -> Option<u64> {
        None
    }

    fn has(&self, _: &str) -> bool {
        false
    }
}

/// A text for people, with blanks in it quoted.
fn shown(text: &Text) -> String {
    let text = text.shown();
    if text.is_empty() || text.contains([' ', '\n']) { format!("{text:?}") } else { text }
}

/// All that can run, a line each, and what cannot be known.
pub fn lines(evaluation: &Evaluation) -> Vec<String> {
    let program = |invocation: &tau_policy::Invocation| {
        let words = invocation.argv.iter().map(|argument| {
            let many = if argument.is_many { "…" } else { "" };
            format!("{}{many}", shown(&argument.text))
        });
        words.collect::<Vec<_>>().join(" ")
    };
    let opaque = evaluation.opaque.iter().map(|opaque| {
        let remote = if opaque.is_remote { "remote: " } else { "" };
        format!("? {remote}{}", opaque.reason)
    });
    evaluation.invocations.iter().map(program).chain(opaque).collect()
}
