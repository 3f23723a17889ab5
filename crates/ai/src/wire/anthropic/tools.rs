//! Tools as the Messages interface declares them: in the request, or where they came and went.

use serde_json::{Value, json};

use super::compat::Compat;
use crate::preamble::Difference;
use crate::{JsonMap, ToolDeclaration};

/// The keywords that the outermost level of a tool's schema may have. The provider refuses some others there, such as
/// `anyOf`; tau itself checks arguments against the whole schema.
const SCHEMA_KEYWORDS: [&str; 5] = ["type", "properties", "required", "$defs", "definitions"];

/// A tool that is never there. A request that declares one whose definition comes later is cached as one of those that
/// do, also before there is any.
const PLACEHOLDER: &str = "__tau_placeholder__";

/// A tool as the provider takes it. Whether one that insists on a strict schema can have it was found out before.
pub(super) fn declaration(tool: &ToolDeclaration, compat: &Compat) -> Value {
    let strict = compat.strict_schema(tool).ok().flatten();
    let is_strict = strict.is_some();
    let mut schema = match strict.as_ref().unwrap_or(&tool.parameters) {
        Value::Object(schema) => schema.clone(),
        _ => JsonMap::new(),
    };
    schema.retain(|keyword, _| is_strict || SCHEMA_KEYWORDS.contains(&keyword.as_str()));
    schema.entry("type").or_insert_with(|| json!("object"));
    schema.entry("properties").or_insert_with(|| json!({}));
    schema.entry("required").or_insert_with(|| json!([]));
    let mut entry = JsonMap::new();
    entry.insert("name".to_owned(), json!(tool.name));
    entry.insert("description".to_owned(), json!(tool.description));
    if compat.eager_tool_input() {
        entry.insert("eager_input_streaming".to_owned(), json!(true));
    }
    if is_strict {
        entry.insert("strict".to_owned(), json!(true));
    }
    entry.insert("input_schema".to_owned(), Value::Object(schema));
    Value::Object(entry)
}

/// The tool that keeps the place of those that come later.
pub(super) fn placeholder() -> Value {
    json!({
        "name": PLACEHOLDER,
        "description": "Keeps a place. It cannot be called.",
        "input_schema": {"type": "object", "properties": {}, "required": []},
        "defer_loading": true,
    })
}

/// The message that says what changed; none where there is nothing to say.
pub(super) fn change_message(difference: &Difference, compat: &Compat, with_tools: bool) -> Option<Value> {
    let mut content = Vec::new();
    if !difference.text.is_empty() {
        content.push(json!({"type": "text", "text": difference.text}));
    }
    if with_tools {
        let removed = difference.removed.iter();
        content.extend(
            removed.map(|name| json!({"type": "tool_removal", "tool": {"type": "tool_reference", "name": name}})),
        );
        content.extend(difference.added.iter().map(|tool| {
            let definition = declaration(tool, compat);
            json!({"type": "tool_addition", "tool": {"type": "tool_definition", "definition": definition}})
        }));
    }
    (!content.is_empty()).then(|| json!({"role": "system", "content": content}))
}
