//! How the model and other tools reach a tool, and what a tool says about itself beyond its schema.

use serde::{Deserialize, Serialize};

/// Who can call a tool. Requests declare the active tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exposure {
    /// The model and other tools, while the tool is active.
    #[default]
    Direct,
    /// The model alone, while the tool is active.
    ModelOnly,
    /// Other tools always; the model while the tool was activated by name.
    Codemode,
    /// As [`Exposure::Codemode`]; the tool is found by a search and listed nowhere.
    Deferred,
    /// Nobody.
    Hidden,
}

impl Exposure {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Direct, Self::ModelOnly, Self::Codemode, Self::Deferred, Self::Hidden];

    /// The name in a tool's definition.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::ModelOnly => "model-only",
            Self::Codemode => "codemode",
            Self::Deferred => "deferred",
            Self::Hidden => "hidden",
        }
    }

    /// Whether such a tool can be active without being named.
    pub fn is_declared(self) -> bool {
        matches!(self, Self::Direct | Self::ModelOnly)
    }
}

/// A group of tools that belong together, such as those of one server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolNamespace {
    /// The name of the group.
    pub name: String,
    /// Other names by which it is found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What the group is for, in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How to use the group; shown on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
}

/// Hints of a tool's author about what the tool does. Nobody checks them, so they never loosen a gate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolAnnotations {
    /// It changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// It may delete or overwrite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Calling it again with the same arguments changes nothing more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// It reaches things outside of a closed domain, such as the web.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

/// Whether a name belongs to a tool of an MCP server, or to one of the tools that read resources of such servers.
pub fn is_mcp_tool(name: &str) -> bool {
    name.starts_with("mcp__")
        || matches!(name, "list_mcp_resources" | "list_mcp_resource_templates" | "read_mcp_resource")
}

/// Which tools a call may reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Any.
    All,
    /// Those of which one of these words contains the name, or the name of the namespace.
    Words(Vec<String>),
}

impl Reach {
    /// Whether a namespace or a tool of this name can be reached.
    pub fn wants(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Words(words) => words.iter().any(|word| word.contains(name)),
        }
    }
}
