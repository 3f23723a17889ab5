//! What was found wrong with a file.

use std::fmt;
use std::path::{Path, PathBuf};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The resource loads all the same, or is one of several.
    Warning,
    /// The resource is not there.
    Error,
}

/// Something wrong with a resource file; never fatal.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Diagnostic {
    /// How bad.
    pub severity: Severity,
    /// The file or folder.
    pub path: PathBuf,
    /// Line in it, from 1, when known.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl Diagnostic {
    pub(crate) fn warning(path: &Path, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, path: path.into(), line: None, message: message.into() }
    }

    pub(crate) fn error(path: &Path, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, ..Self::warning(path, message) }
    }

    pub(crate) fn at_line(mut self, line: Option<usize>) -> Self {
        self.line = line;
        self
    }

    /// Two resources want the same name.
    pub(super) fn collision(name: &str, winner: &Path, loser: &Path) -> Self {
        Self::warning(loser, format!("the name {name} is already taken by {}", winner.display()))
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}
