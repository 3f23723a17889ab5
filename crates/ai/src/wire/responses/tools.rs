//! Tools, in the request and inside the conversation.

use std::sync::Arc;

use serde_json::{Value, json};

use super::compat::{Compat, ToolChanges};
use crate::declared::ToolChange;
use crate::wire::error::WireError;
use crate::wire::strict;
use crate::wire::turns::{Step, Turn};
use crate::{Message, StreamRequest, ToolDeclaration};

/// What a function says of itself when its arguments need not fit its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lax {
    /// `strict: false`.
    False,
    /// `strict: null`, which leaves it to the server.
    Null,
}

/// The tools of a request.
pub(super) struct Toolset {
    /// How those that change are declared.
    pub how: ToolChanges,
    /// What functions say that are not strict.
    pub strict: Lax,
    /// Those beside the conversation.
    pub in_request: Vec<ToolDeclaration>,
    /// Those inside it.
    pub changes: Vec<ToolChange>,
}

impl Toolset {
    /// Finds the places of tools.
    pub fn of(request: &StreamRequest, steps: &[Step<'_>], compat: &Compat, strict: Lax) -> Self {
        let how = compat.tool_changes();
        let mut set = Self { how, strict, in_request: Vec::new(), changes: Vec::new() };
        if how == ToolChanges::InRequest {
            set.in_request = request.tools.to_vec();
            return set;
        }
        let (ends, now) = places(steps);
        let only_additions = how == ToolChanges::Additions;
        set.changes = request.options.written.tools().update(&request.tools, &ends, now, only_additions);
        if only_additions && !set.changes.is_empty() {
            set.in_request = set.changes.remove(0).added;
        }
        set
    }
}

/// The last messages of steps, and the place of a change of tools that is made now: before what the user has said last, so
/// that the model reads it with the tools at hand.
fn places<'s>(steps: &'s [Step<'_>]) -> (Vec<&'s Arc<Message>>, usize) {
    let ends = steps.iter().filter_map(|step| step.from.last()).collect();
    let speaks = |step: &Step<'_>| matches!(step.turn, Turn::User(_) | Turn::UserText(_));
    (ends, steps.len() - usize::from(steps.last().is_some_and(speaks)))
}

/// A tool as a field of the request or of an item.
///
/// # Errors
/// When it needs what the server does not have.
pub(super) fn declaration(tool: &ToolDeclaration, compat: &Compat, lax: Lax) -> Result<Value, WireError> {
    if let Some(grammar) = strict::grammar(tool, compat.supports_grammar_tools)? {
        let format = json!({"type": "grammar", "syntax": grammar.syntax, "definition": grammar.definition});
        return Ok(json!({"type": "custom", "name": tool.name, "description": tool.description, "format": format}));
    }
    let schema = strict::schema(tool, compat.supports_strict_mode)?;
    let strict = match (&schema, lax) {
        (Some(_), _) => json!(true),
        (None, Lax::False) => json!(false),
        (None, Lax::Null) => Value::Null,
    };
    let parameters = schema.unwrap_or_else(|| tool.parameters.clone());
    let mut function =
        json!({"type": "function", "name": tool.name, "description": tool.description, "parameters": parameters});
    if compat.supports_strict_mode {
        function["strict"] = strict;
    }
    Ok(function)
}

/// The items that tell of a change.
///
/// # Errors
/// When a tool needs what the server does not have.
pub(super) fn items(
    change: &ToolChange,
    role: &str,
    how: ToolChanges,
    compat: &Compat,
    lax: Lax,
) -> Result<Vec<Value>, WireError> {
    let tools = change.added.iter().map(|tool| declaration(tool, compat, lax)).collect::<Result<Vec<_>, _>>()?;
    let mut items = Vec::new();
    if how == ToolChanges::Additions {
        return Ok(if tools.is_empty() { items } else { searched(change, tools).into() });
    }
    if !tools.is_empty() {
        if change.at > 0 {
            items.push(json!({"role": role, "content": addition_notice(&change.missing)}));
        }
        items.push(json!({"type": "additional_tools", "role": "developer", "tools": tools}));
    }
    if !change.removed.is_empty() {
        items.push(json!({"role": role, "content": removal_notice(&change.removed)}));
    }
    Ok(items)
}

/// A search for the very tools that are new, and what it found.
fn searched(change: &ToolChange, mut tools: Vec<Value>) -> [Value; 2] {
    let names: Vec<&str> = change.added.iter().map(|tool| &*tool.name).collect();
    let hash = xxhash_rust::xxh3::xxh3_64(format!("{}:{}", change.at, names.join(",")).as_bytes());
    let id = format!("tau_tools_{hash:016x}");
    for tool in &mut tools {
        tool["defer_loading"] = json!(true);
    }
    let arguments = json!({"query": names.join(" "), "limit": names.len()});
    [
        json!({"type": "tool_search_call", "call_id": id, "execution": "client", "status": "completed",
            "arguments": arguments}),
        json!({"type": "tool_search_output", "call_id": id, "execution": "client", "status": "completed",
            "tools": tools}),
    ]
}

fn addition_notice(missing: &[String]) -> String {
    let notice = "The tools that follow are added to those you have. A tool that you already have is replaced by its new \
        definition; one that was removed can be called again.";
    if missing.is_empty() {
        return notice.to_owned();
    }
    format!("{notice} These stay removed: {}.", missing.join(", "))
}

fn removal_notice(removed: &[String]) -> String {
    format!("These tools were removed and cannot be called any more: {}.", removed.join(", "))
}
