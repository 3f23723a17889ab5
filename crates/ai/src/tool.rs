//! Tools as models know them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ConstrainedSampling;

/// A tool in the form that providers get.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDeclaration {
    /// Name.
    pub name: String,
    /// When and how to use it.
    pub description: String,
    /// JSON schema of the arguments; key order is kept on the wire.
    pub parameters: Value,
    /// What the provider holds the arguments to, where it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constrained_sampling: Option<ConstrainedSampling>,
}
