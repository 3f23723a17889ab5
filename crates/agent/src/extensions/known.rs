//! A file that could be used.

use std::path::PathBuf;

use serde::Serialize;

use crate::origin::ExtensionOrigin;
use crate::settings::ResourceKind;

/// A file that was found, used or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Known {
    /// What it is.
    pub kind: ResourceKind,
    /// The file.
    pub path: PathBuf,
    /// Where it, or its package, was found.
    pub origin: ExtensionOrigin,
    /// The folder that patterns about it start at.
    pub base: PathBuf,
    /// The package as settings name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Whether it is used.
    pub enabled: bool,
}

impl Known {
    /// What a pattern in settings calls it.
    pub fn pattern(&self) -> String {
        let relative = self.path.strip_prefix(&self.base).unwrap_or(&self.path);
        relative.to_string_lossy().replace('\\', "/")
    }
}
