//! The request body of Mistral's chat interface.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::wire::body::{Body, Pieces};
use crate::wire::error::{self, WireError};
use crate::wire::estimate::answer_limit;
use crate::wire::strict;
use crate::wire::turns::{Part, Reply, Said, Turn, turns};
use crate::{JsonMap, StreamRequest, ThinkingLevel, ToolDeclaration};

/// The interface takes ids of exactly so many letters and digits.
const ID: usize = 9;
const ONLY_IMAGES: &str = "(see attached image)";
const NO_OUTPUT: &str = "(no tool output)";
const FAILED: &str = "[tool error] ";

/// Builds the body. Keys that stay the same over a conversation come first.
///
/// # Errors
/// When a tool insists on a strict schema that it cannot have, or a message has no JSON form.
pub(super) fn build(request: &StreamRequest) -> Result<Body, WireError> {
    let (model, options) = (&*request.model, &request.options);
    let mut body = JsonMap::new();
    let mut put = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    put("model", json!(model.id));
    put("stream", json!(true));
    if let Some(session) = super::session(request) {
        put("prompt_cache_key", json!(session));
    }
    let limit = answer_limit(request, options.max_tokens.unwrap_or(model.max_tokens));
    if limit > 0 {
        put("max_tokens", json!(limit));
    }
    if let Some(temperature) = options.temperature {
        put("temperature", json!(temperature));
    }
    if let Some((key, value)) = thinking(request) {
        put(key, json!(value));
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(declaration).collect::<Result<Vec<_>, _>>()?;
        put("tools", Value::Array(tools));
    }
    Ok(Body::new(body, "messages", messages(request).map_err(error::no_json)?))
}

/// Models with names for their levels take an effort; the others only think or do not.
fn thinking(request: &StreamRequest) -> Option<(&'static str, &str)> {
    let model = &*request.model;
    if !model.reasoning {
        return None;
    }
    let level = match request.options.thinking {
        ThinkingLevel::Off => ThinkingLevel::Off,
        wanted => model.clamp_thinking(wanted),
    };
    let Some(names) = &model.thinking_level_map else {
        return (level != ThinkingLevel::Off).then_some(("prompt_mode", "reasoning"));
    };
    let name = names.get(&level).and_then(|name| name.as_deref());
    let name = name.or_else(|| (level != ThinkingLevel::Off).then_some("high"));
    name.map(|name| ("reasoning_effort", name))
}

fn declaration(tool: &ToolDeclaration) -> Result<Value, WireError> {
    let (name, description) = (&tool.name, &tool.description);
    let schema = strict::schema(tool, true)?;
    let strict = schema.is_some();
    let parameters = schema.unwrap_or_else(|| tool.parameters.clone());
    Ok(json!({
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters, "strict": strict},
    }))
}

fn messages(request: &StreamRequest) -> Result<Pieces, serde_json::Error> {
    let mut pieces = Pieces::default();
    if let Some(system) = request.system.as_deref().filter(|system| !system.is_empty()) {
        pieces.push(&json!({"role": "system", "content": system}))?;
    }
    let mut writing = request.options.written.begin(&request.model)?;
    for step in &turns(&request.messages, &request.model, short_id) {
        let wire = writing.step(step.key(), || match &step.turn {
            Turn::UserText(text) => vec![json!({"role": "user", "content": text})],
            Turn::User(parts) => {
                let content: Vec<Value> = parts.iter().map(part).collect();
                vec![json!({"role": "user", "content": content})]
            }
            Turn::Assistant(said) => assistant(said).into_iter().collect(),
            Turn::Results(replies) => replies.iter().map(result).collect(),
        })?;
        pieces.extend(wire.messages);
    }
    writing.finish();
    Ok(pieces)
}

/// An id that the interface takes. It depends on nothing but the other one, so that a call keeps its id for good.
fn short_id(id: &str) -> Cow<'_, str> {
    if id.len() == ID && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Cow::Borrowed(id);
    }
    const LETTERS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut rest = xxhash_rust::xxh3::xxh3_64(id.as_bytes());
    let mut digit = || {
        let letter = LETTERS[usize::try_from(rest % 36).unwrap_or_default()];
        rest /= 36;
        char::from(letter)
    };
    Cow::Owned((0..ID).map(|_| digit()).collect())
}

fn part(part: &Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Image(image) => {
            let url = format!("data:{};base64,{}", image.mime_type, image.data);
            json!({"type": "image_url", "image_url": url})
        }
    }
}

fn assistant(said: &[Said<'_>]) -> Option<Value> {
    let (mut content, mut calls) = (Vec::new(), Vec::new());
    for said in said {
        match said {
            Said::Text(text) => content.push(json!({"type": "text", "text": text})),
            Said::Thinking(block) if !block.thinking.trim().is_empty() => {
                let text = &block.thinking;
                content.push(json!({"type": "thinking", "thinking": [{"type": "text", "text": text}]}));
            }
            Said::Signed(block) if !block.text.trim().is_empty() => {
                content.push(json!({"type": "text", "text": block.text}));
            }
            Said::Signed(_) | Said::Thinking(_) => {}
            Said::Call { id, call } => {
                let function = json!({"name": call.name, "arguments": call.replayed_arguments().to_string()});
                calls.push(json!({"id": id, "type": "function", "function": function, "index": 0}));
            }
        }
    }
    if content.is_empty() && calls.is_empty() {
        return None;
    }
    let mut message = JsonMap::new();
    message.insert("role".to_owned(), json!("assistant"));
    message.insert("prefix".to_owned(), json!(false));
    if !content.is_empty() {
        message.insert("content".to_owned(), Value::Array(content));
    }
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    Some(Value::Object(message))
}

fn result(reply: &Reply<'_>) -> Value {
    let texts = reply.parts.iter().filter_map(|part| if let Part::Text(text) = part { Some(*text) } else { None });
    let text = texts.collect::<Vec<_>>().join("\n");
    let images: Vec<Value> = reply.parts.iter().filter(|part| matches!(part, Part::Image(_))).map(part).collect();
    let text = match text.trim() {
        "" if images.is_empty() => NO_OUTPUT,
        "" => ONLY_IMAGES,
        text => text,
    };
    let failed = if reply.is_error { FAILED } else { "" };
    let mut content = vec![json!({"type": "text", "text": format!("{failed}{text}")})];
    content.extend(images);
    json!({"role": "tool", "name": reply.name, "content": content, "tool_call_id": reply.id})
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ids_that_fit_stay_as_they_are() {
        assert_eq!(short_id("aB3dE6gH9"), "aB3dE6gH9");
        assert_ne!(short_id("call_1"), short_id("call_2"));
        // What is left of it would be the id of another call.
        assert_ne!(short_id("aB3-dE6-gH9"), "aB3dE6gH9");
    }

    proptest! {
        #[test]
        fn all_ids_are_nine_letters_and_digits(id in ".{0,40}") {
            let short = short_id(&id);
            prop_assert!(short.len() == ID && short.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{short}");
        }
    }
}
