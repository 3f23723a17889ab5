//! The MCP servers that extensions register: checked, owned, listed. Nothing here connects one; an extension that handles
//! `mcp_servers_change` does.

mod config;

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

pub use config::{McpConfigError, check_mcp_server};

/// A server that an extension registered.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct McpServer {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// Its entry, in the form of `mcp.json`.
    pub config: Value,
    /// The extension that registered it.
    pub extension_path: Arc<str>,
}

/// A server that the program around tau hands over for the session, such as an editor.
#[derive(Clone, PartialEq)]
pub struct HostedMcpServer {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// Its entry, in the form of `mcp.json`. Values stand for themselves: nothing is filled in, and no command runs.
    pub config: Value,
    /// Who hands it over.
    pub host: Arc<str>,
}

/// Why a server cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum McpRegistrationError {
    /// The name or the entry is not usable.
    #[error("Invalid MCP server registered by extension \"{extension}\": {problem}")]
    Invalid {
        /// The extension.
        extension: Arc<str>,
        /// What is wrong.
        problem: McpConfigError,
    },
    /// Another extension has the name.
    #[error("MCP server \"{name}\" is already registered by extension \"{owner}\"")]
    Taken {
        /// The name.
        name: String,
        /// Who has it.
        owner: Arc<str>,
    },
    /// Tools of both would have the same names.
    #[error("MCP server \"{name}\" conflicts with registered server \"{other}\"")]
    Conflict {
        /// The new name.
        name: String,
        /// The registered one; the two differ only in `-` and `_`.
        other: String,
    },
}

impl McpServer {
    /// A server of an extension; exposures get their current names.
    ///
    /// # Errors
    /// When the name or the entry is not usable.
    pub fn new(name: &str, config: Value, extension: &Arc<str>) -> Result<Self, McpRegistrationError> {
        let config = check_mcp_server(name, config)
            .map_err(|problem| McpRegistrationError::Invalid { extension: Arc::clone(extension), problem })?;
        Ok(Self { name: name.to_owned(), config, extension_path: Arc::clone(extension) })
    }

    /// Whether this server can be registered beside, or in the place of, one that is registered.
    ///
    /// # Errors
    /// When the other one has the name and another owner, or its tools would have the same names.
    pub fn check_beside(&self, other: &Self) -> Result<(), McpRegistrationError> {
        if self.name == other.name {
            if self.extension_path == other.extension_path {
                return Ok(());
            }
            let owner = Arc::clone(&other.extension_path);
            return Err(McpRegistrationError::Taken { name: self.name.clone(), owner });
        }
        if namespace(&self.name) == namespace(&other.name) {
            return Err(McpRegistrationError::Conflict { name: self.name.clone(), other: other.name.clone() });
        }
        Ok(())
    }
}

/// What the names of a server's tools have in common.
fn namespace(name: &str) -> String {
    name.replace('-', "_")
}
