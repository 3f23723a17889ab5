//! How a tool that calls or finds others has them shown to the model.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ToolSpec;

/// The tools of a session, for a tool that wants to say how they are shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Loadout {
    /// The names of the active tools, in their order.
    pub declared: Vec<String>,
    /// The names of the tools that other tools may call.
    pub callable: Vec<String>,
    /// Every tool that is registered.
    pub registered: Vec<ToolSpec>,
}

/// What a tool says about how others are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LoadoutChanges {
    /// What the model reads of these tools in place of their descriptions, by name.
    pub descriptions: BTreeMap<String, String>,
    /// The names of active tools that requests, the tool list and its rules leave out. They can be called all the same.
    pub hidden_declarations: Vec<String>,
}
