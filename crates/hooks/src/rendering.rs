//! How extensions change what front ends draw; live objects that a front end calls.

use serde::{Deserialize, Serialize};

use crate::handle::Handle;
use crate::in_a_row::InARow;

/// How a tool's calls and results are shown.
#[derive(Debug, Clone, Default)]
pub struct ToolRenderers {
    /// Shows the call.
    pub call: Option<Handle>,
    /// Shows the result.
    pub result: Option<Handle>,
}

/// What Markdown is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MarkdownKind {
    /// A message of the user.
    User,
    /// Text of the model.
    Assistant,
    /// Thinking of the model.
    AssistantThinking,
    /// A message of an extension.
    Custom,
    /// The summary of a compaction or a branch.
    Summary,
    /// News of a version.
    Changelog,
}

impl MarkdownKind {
    /// What a transformer works on when it does not say.
    pub const USUAL: [Self; 3] = [Self::User, Self::Assistant, Self::AssistantThinking];
}

/// Changes Markdown before it is drawn.
#[derive(Debug, Clone)]
pub struct MarkdownTransformer {
    /// The function.
    pub handle: Handle,
    /// What it works on.
    pub kinds: Vec<MarkdownKind>,
    /// Its failures.
    pub failures: InARow,
}
