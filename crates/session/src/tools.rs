//! Which tools were active at a place of the tree, as `system` messages say it.
//!
//! pi writes such messages with the prompt and the tools that came and went (`toolsAdded`, `toolsRemoved`). Only the names
//! of the tools are read here.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;
use tau_ai::{JsonMap, Message, MessageContent, SystemMessage, ToolDeclaration};

use crate::{Entry, EntryBody};

const ADDED: &str = "toolsAdded";
const REMOVED: &str = "toolsRemoved";

/// What a branch says about tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedTools {
    /// The active ones, in the order they were added.
    pub active: Vec<String>,
    /// Every tool that was ever added or removed.
    pub mentioned: HashSet<String>,
}

impl RecordedTools {
    /// Takes in a change.
    pub fn change<'a>(&mut self, added: impl IntoIterator<Item = &'a str>, removed: impl IntoIterator<Item = &'a str>) {
        let removed: HashSet<&str> = removed.into_iter().collect();
        self.active.retain(|active| !removed.contains(active.as_str()));
        self.mentioned.extend(removed.iter().map(|&name| name.to_owned()));
        let before: HashSet<String> = self.active.iter().cloned().collect();
        let mut new = HashSet::new();
        for name in added {
            if !before.contains(name) && new.insert(name) {
                self.active.push(name.to_owned());
                self.mentioned.insert(name.to_owned());
            }
        }
    }
}

/// What the path that begins at a root says about tools, entries before a compaction included; `None` when no entry of it
/// can say anything.
pub(crate) fn recorded(path: &[Arc<Entry>]) -> Option<RecordedTools> {
    let mut found: Option<RecordedTools> = None;
    for entry in path.iter().filter(|entry| entry.is_system()) {
        if let EntryBody::Message(body) = &*entry.body()
            && let Message::System(system) = &*body.message
        {
            let names = |key: &str| names(system.extra.get(key));
            found.get_or_insert_default().change(names(ADDED), names(REMOVED));
        }
    }
    found
}

fn names(tools: Option<&Value>) -> Vec<&str> {
    let tools = tools.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    tools.iter().filter_map(|tool| tool.get("name")?.as_str()).collect()
}

impl EntryBody {
    /// A change of the active tools, in the form in which pi reads it.
    pub fn tools_change(added: &[ToolDeclaration], removed: &[String], timestamp: i64) -> Self {
        let declared = |tool: &ToolDeclaration| serde_json::json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
        let mut extra = JsonMap::new();
        if !added.is_empty() {
            extra.insert(ADDED.to_owned(), added.iter().map(declared).collect());
        }
        if !removed.is_empty() {
            let removed = removed.iter().map(|name| serde_json::json!({"name": name}));
            extra.insert(REMOVED.to_owned(), removed.collect());
        }
        let content = MessageContent::Text(String::new());
        Self::message(Message::System(SystemMessage { content, timestamp, extra }))
    }
}
