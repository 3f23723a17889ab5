//! The request body.
//!
//! Hooks see it as clients of Google's own library write it: `model`, `contents` and one `config`. That is what extensions
//! of the ecosystem read and change. What is sent is the form of the interface.

use serde_json::{Value, json};

use super::{contents, models, schema, thinking};
use crate::wire::body::Body;
use crate::wire::error::{self, WireError};
use crate::wire::estimate::answer_limit;
use crate::wire::strict;
use crate::{JsonMap, StreamRequest, ToolDeclaration};

/// Keys of `config` that are keys of the body itself. The others stand in `generationConfig`.
const OUTER: [&str; 6] = ["systemInstruction", "tools", "toolConfig", "safetySettings", "cachedContent", "serviceTier"];
/// The labels of a request, which only Vertex has.
const LABELS: &str = "labels";
/// Keys of `config` that are for the library alone.
const NOT_SENT: [&str; 2] = ["httpOptions", "abortSignal"];

/// Builds the body as hooks see it.
///
/// # Errors
/// When the configuration makes none, a tool insists on a strict schema that it cannot have, or a message has no JSON
/// form.
pub(super) fn build(request: &StreamRequest) -> Result<Body, WireError> {
    let (model, options) = (&*request.model, &request.options);
    let mut config = JsonMap::new();
    let mut put = |key: &str, value: Value| {
        config.insert(key.to_owned(), value);
    };
    if let Some(system) = request.system.as_deref().filter(|system| !system.is_empty()) {
        put("systemInstruction", json!(system));
    }
    if !request.tools.is_empty() {
        let mut any_strict = false;
        let mut declarations = Vec::with_capacity(request.tools.len());
        for tool in request.tools.iter() {
            let strict = strict::schema(tool, models::has_strict_tools(&model.id))?;
            any_strict |= strict.is_some();
            declarations.push(declaration(tool, strict.as_ref().unwrap_or(&tool.parameters)));
        }
        put("tools", json!([{ "functionDeclarations": declarations }]));
        if any_strict {
            // It holds for all calls: the interface has no strict tools beside others.
            put("toolConfig", json!({"functionCallingConfig": {"mode": "VALIDATED"}}));
        }
    }
    if let Some(temperature) = options.temperature {
        put("temperature", json!(temperature));
    }
    let limit = answer_limit(request, options.max_tokens.unwrap_or(model.max_tokens));
    if limit > 0 {
        put("maxOutputTokens", json!(limit));
    }
    if let Some(thinking) = thinking::config(request)? {
        put("thinkingConfig", thinking);
    }
    let mut fields = JsonMap::new();
    fields.insert("model".to_owned(), json!(model.id));
    fields.insert("config".to_owned(), Value::Object(config));
    Ok(Body::new(fields, "contents", contents::convert(request).map_err(error::no_json)?))
}

fn declaration(tool: &ToolDeclaration, parameters: &Value) -> Value {
    json!({
        "name": tool.name,
        "description": tool.description,
        "parametersJsonSchema": schema::without_const(parameters),
    })
}

/// The body as it is sent. Keys that stay the same over a conversation come first.
pub(super) fn sent(mut fields: JsonMap) -> JsonMap {
    // The address names the model.
    fields.shift_remove("model");
    let Some(Value::Object(config)) = fields.shift_remove("config") else { return fields };
    let mut body = JsonMap::new();
    let mut generation = JsonMap::new();
    for (key, value) in config {
        match key.as_str() {
            "systemInstruction" => {
                body.insert(key, instruction(value));
            }
            name if OUTER.contains(&name) || name == LABELS => {
                body.insert(key, value);
            }
            name if NOT_SENT.contains(&name) => {}
            _ => {
                generation.insert(key, value);
            }
        }
    }
    if !generation.is_empty() {
        body.insert("generationConfig".to_owned(), Value::Object(generation));
    }
    body.extend(fields);
    body
}

/// Instructions may be a text, a part, several, or a whole content.
fn instruction(given: Value) -> Value {
    let parts = match given {
        Value::String(text) => json!([{ "text": text }]),
        Value::Array(parts) => {
            parts.into_iter().map(|part| if part.is_string() { json!({ "text": part }) } else { part }).collect()
        }
        content if content.get("parts").is_some() => return content,
        part => json!([part]),
    };
    json!({"role": "user", "parts": parts})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(value: Value) -> JsonMap {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn what_hooks_make_of_it_is_sent_in_the_form_of_the_interface() {
        let given = json!({"model": "m", "contents": null, "config": {"temperature": 1, "systemInstruction": "Hi",
            "tools": [], "topK": 3, "abortSignal": {}, "labels": {"a": "b"}, "httpOptions": {}}});
        let body = json!({"systemInstruction": {"role": "user", "parts": [{"text": "Hi"}]}, "tools": [],
            "labels": {"a": "b"}, "generationConfig": {"temperature": 1, "topK": 3}, "contents": null});
        let whole = Value::Object(sent(fields(given)));
        assert_eq!(whole.to_string(), body.to_string(), "in this order");
        let native = json!({"contents": [], "generationConfig": {"topP": 1}});
        assert_eq!(sent(fields(native.clone())), fields(native));
    }

    #[test]
    fn instructions_have_several_forms() {
        let whole = |parts: Value| json!({"role": "user", "parts": parts});
        for (given, expected) in [
            (json!("a"), whole(json!([{"text": "a"}]))),
            (json!(["a", {"text": "b"}]), whole(json!([{"text": "a"}, {"text": "b"}]))),
            (json!({"text": "a"}), whole(json!([{"text": "a"}]))),
            (json!({"parts": [{"text": "a"}]}), json!({"parts": [{"text": "a"}]})),
        ] {
            assert_eq!(instruction(given), expected);
        }
    }

    /// Google's interfaces read no key of `compat`.
    #[test]
    fn the_keys_of_the_table_are_those_that_are_read() {
        for key in crate::COMPAT_KEYS {
            assert!(!key.apis.iter().any(|api| api.starts_with("google-")), "{}", key.name);
        }
    }
}
