//! Where extensions, tools, commands and themes come from.

use serde::{Deserialize, Serialize};

/// Where something that can be used comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceInfo {
    /// The file, or a name in angle brackets.
    pub path: String,
    /// `local`, `auto`, `cli`, `builtin`, or the package as it was named.
    pub source: String,
    /// `user`, `project` or `temporary`.
    pub scope: String,
    /// `top-level` or `package`.
    pub origin: String,
    /// The folder that its entry or package starts at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_dir: Option<String>,
}

impl SourceInfo {
    /// Something of this program or of this run.
    pub fn new(path: impl Into<String>, source: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            source: source.into(),
            scope: "temporary".to_owned(),
            origin: "top-level".to_owned(),
            base_dir: None,
        }
    }
}
