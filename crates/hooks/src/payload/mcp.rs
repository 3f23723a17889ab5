//! Servers of the Model Context Protocol.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The set of MCP servers registered by extensions changed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct McpServersChangeEvent {
    /// All of them, in the order in which they were registered.
    pub servers: Vec<RegisteredMcpServer>,
}

/// A server that an extension registered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegisteredMcpServer {
    /// Its name.
    pub name: String,
    /// How it is reached, as an entry of `mcp.json`.
    pub config: Value,
    /// The file of the extension.
    pub extension_path: String,
}

#[cfg(feature = "samples")]
mod samples {
    use super::*;
    use crate::payload::sample::{Sample, object, text};

    impl Sample for McpServersChangeEvent {
        fn sample() -> Self {
            Self { servers: vec![RegisteredMcpServer { name: text(), config: object(), extension_path: text() }] }
        }
    }
}
