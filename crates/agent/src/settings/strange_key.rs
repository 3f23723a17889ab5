//! A key of a settings file that has no effect.

use std::fmt;
use std::path::PathBuf;

use super::key::KeyPath;

/// A key that has no effect where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrangeKey {
    /// The file.
    pub path: PathBuf,
    /// The key as it stands there.
    pub key: KeyPath,
    /// What is wrong with it.
    pub problem: KeyProblem,
}

/// What is wrong with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyProblem {
    /// Nobody knows it; with the known key or section that is nearest, if one is near.
    Unknown(Option<&'static str>),
    /// It is one name with a dot in it, where this known key needs objects inside each other.
    Dotted(&'static str),
    /// It is there twice, and only the last one is used.
    Twice,
}

impl fmt::Display for StrangeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, key) = (self.path.display(), self.key.written());
        match self.problem {
            KeyProblem::Unknown(Some(meant)) => {
                write!(f, "{path}: {key} is not a setting and has no effect; did you mean {meant}?")
            }
            KeyProblem::Unknown(None) => write!(f, "{path}: {key} is not a setting and has no effect"),
            KeyProblem::Dotted(meant) => {
                write!(f, "{path}: {key} has a dot in a name and has no effect; write {}", nested(meant))
            }
            KeyProblem::Twice => write!(f, "{path}: {key} is there twice, and only the last one is used; remove one"),
        }
    }
}

/// A dotted key as objects inside each other.
fn nested(key: &str) -> String {
    key.rsplit('.').fold("…".to_owned(), |inner, name| format!("{{\"{name}\": {inner}}}"))
}
