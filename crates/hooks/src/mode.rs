//! How tau was started.

use serde::{Deserialize, Serialize};

/// How tau was started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// In a terminal.
    Tui,
    /// By a client over RPC.
    Rpc,
    /// For one answer as JSON events.
    Json,
    /// For one answer as text.
    #[default]
    Print,
}
