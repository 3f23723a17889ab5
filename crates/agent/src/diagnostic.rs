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

/// Two resources that want one name.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Collision {
    /// What they are: `skill`, `prompt` or `theme`.
    pub resource_type: &'static str,
    /// The name.
    pub name: String,
    /// The file that has it.
    pub winner_path: PathBuf,
    /// The file that is not used.
    pub loser_path: PathBuf,
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
    /// Who took whose name, when that is what is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collision: Option<Collision>,
}

impl Diagnostic {
    pub(crate) fn warning(path: &Path, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, path: path.into(), line: None, message: message.into(), collision: None }
    }

    pub(crate) fn error(path: &Path, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, ..Self::warning(path, message) }
    }

    pub(crate) fn at_line(mut self, line: Option<usize>) -> Self {
        self.line = line;
        self
    }

    /// Two resources want the same name.
    pub(super) fn collision(resource_type: &'static str, name: &str, winner: &Path, loser: &Path) -> Self {
        let message = format!("the {resource_type} {name} is not used: {} has that name", winner.display());
        let collision = Collision {
            resource_type,
            name: name.to_owned(),
            winner_path: winner.to_path_buf(),
            loser_path: loser.to_path_buf(),
        };
        Self { collision: Some(collision), ..Self::warning(loser, message) }
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
