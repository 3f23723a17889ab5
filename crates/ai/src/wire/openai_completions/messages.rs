//! The conversation in the form of the Chat Completions interface.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::compat::Compat;
use super::reasoning;
use crate::wire::body::Pieces;
use crate::wire::strict::Grammars;
use crate::wire::turns::{Part, Reply, Said, Turn, narrow_id, turns};
use crate::{JsonMap, Model, StreamRequest, ThinkingBlock, WrittenMessages};

const MAX_ID: usize = 40;
const ONLY_IMAGES: &str = "(see attached image)";
const NO_OUTPUT: &str = "(no tool output)";
const IMAGES_FOLLOW: &str = "Attached image(s) from tool result:";
const BRIDGE: &str = "Tool results received.";
/// Fields in which servers send reasoning as text, and expect it back.
const REASONING_FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

/// All messages, instructions first. `marker` is Anthropic's for caches: it goes on the instructions and on the last message
/// with text.
///
/// # Errors
/// When a message has no JSON form.
pub(super) fn convert(
    request: &StreamRequest,
    compat: &Compat,
    grammars: &Grammars<'_>,
    marker: Option<&Value>,
) -> Result<Pieces, serde_json::Error> {
    let model = &*request.model;
    let mut pieces = Pieces::default();
    if let Some(system) = request.system.as_deref().filter(|system| !system.is_empty()) {
        let role = if model.reasoning && compat.supports_developer_role { "developer" } else { "system" };
        let mut instructions = json!({"role": role, "content": system});
        if let Some(marker) = marker {
            mark_text(&mut instructions, marker);
        }
        pieces.push(&instructions)?;
    }
    // Ids of the Responses interface hold a separator and hundreds of characters. Servers other than OpenAI
    // take any id back that they gave out.
    let strict = model.provider == "openai" || compat.is_openai;
    let clean_id = |id| if strict { narrow_id(id, MAX_ID) } else { foreign_id(id) };
    let mut after_result = false;
    // What was written is known by the model alone, and calls of tools with grammars depend on the tools.
    let anew = WrittenMessages::default();
    let written = if grammars.is_empty() { &request.options.written } else { &anew };
    let mut writing = written.begin(model)?;
    for step in &turns(&request.messages, model, clean_id) {
        let is_user = matches!(step.turn, Turn::User(_) | Turn::UserText(_));
        if is_user && after_result && compat.requires_assistant_after_tool_result {
            pieces.push(&json!({"role": "assistant", "content": BRIDGE}))?;
        }
        let wire = writing.step(step.key(), || match &step.turn {
            Turn::UserText(text) => vec![json!({"role": "user", "content": text})],
            Turn::User(parts) => {
                let content: Vec<Value> = parts.iter().map(part).collect();
                vec![json!({"role": "user", "content": content})]
            }
            Turn::Assistant(said) => assistant(said, model, compat, grammars).into_iter().collect(),
            Turn::Results(replies) => results(replies, compat),
        })?;
        // An answer of which nothing is sent changes nothing.
        if !wire.messages.is_empty() {
            after_result = wire.ends_with_result;
        }
        pieces.extend(wire.messages);
    }
    writing.finish();
    if let Some(marker) = marker {
        let speaks = |message: &Value| matches!(message["role"].as_str(), Some("user" | "assistant" | "tool"));
        pieces.change_last(|message| speaks(message) && mark_text(message, marker))?;
    }
    Ok(pieces)
}

fn mark_text(message: &mut Value, marker: &Value) -> bool {
    let content = &mut message["content"];
    if let Value::String(text) = content {
        if text.is_empty() {
            return false;
        }
        *content = json!([{"type": "text", "text": text}]);
    }
    let parts = content.as_array_mut().map(Vec::as_mut_slice).unwrap_or_default();
    let Some(Value::Object(part)) = parts.iter_mut().rev().find(|part| part["type"] == "text") else { return false };
    part.insert("cache_control".to_owned(), marker.clone());
    true
}

fn foreign_id(id: &str) -> Cow<'_, str> {
    if id.is_empty() || id.contains('|') { narrow_id(id, MAX_ID) } else { Cow::Borrowed(id) }
}

fn part(part: &Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Image(image) => {
            let url = format!("data:{};base64,{}", image.mime_type, image.data);
            json!({"type": "image_url", "image_url": {"url": url}})
        }
    }
}

fn assistant(said: &[Said<'_>], model: &Model, compat: &Compat, grammars: &Grammars<'_>) -> Option<Value> {
    let thinking: Vec<&ThinkingBlock> =
        said.iter().filter_map(|said| if let Said::Thinking(block) = said { Some(*block) } else { None }).collect();
    let spoken: Vec<&str> =
        thinking.iter().map(|block| &*block.thinking).filter(|text| !text.trim().is_empty()).collect();
    let mut text = String::new();
    if compat.requires_thinking_as_text && !spoken.is_empty() {
        text.push_str(&spoken.join("\n\n"));
        text.push_str("\n\n");
    }
    for said in said {
        match said {
            Said::Text(part) => text.push_str(part),
            Said::Signed(block) => text.push_str(&block.text),
            _ => {}
        }
    }
    let text = text.trim_end_matches("\n\n");
    let calls: Vec<Value> = said.iter().filter_map(|said| call(said, grammars)).collect();
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let mut message = JsonMap::new();
    message.insert("role".to_owned(), json!("assistant"));
    let never_null = compat.requires_assistant_after_tool_result || compat.requires_non_null_assistant_content;
    let no_text = if never_null { json!("") } else { Value::Null };
    message.insert("content".to_owned(), if text.is_empty() { no_text } else { json!(text) });
    if !compat.requires_thinking_as_text {
        give_back_reasoning(&mut message, said, model, &spoken);
    }
    if compat.requires_reasoning_content_on_assistant_messages && model.reasoning {
        message.entry("reasoning_content").or_insert_with(|| json!(""));
    }
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    Some(Value::Object(message))
}

/// Reasoning goes back in the field it came in: opaque details as such, text under its old name.
fn give_back_reasoning(message: &mut JsonMap, said: &[Said<'_>], model: &Model, spoken: &[&str]) {
    let signature = |said: &'_ Said<'_>| match said {
        Said::Thinking(block) => block.thinking_signature.clone(),
        _ => None,
    };
    let signatures: Vec<String> = said.iter().filter_map(signature).collect();
    let mut details: Vec<Value> =
        signatures.iter().filter_map(|signature| reasoning::from_signature(signature)).flatten().collect();
    if details.is_empty() {
        // Files of earlier versions keep what is encrypted with the calls.
        let of_call = |said: &Said<'_>| match said {
            Said::Call { call, .. } => reasoning::of_call(call.thought_signature.as_deref()?),
            _ => None,
        };
        details.extend(said.iter().filter_map(of_call));
    }
    if !details.is_empty() {
        message.insert("reasoning_details".to_owned(), Value::Array(details));
    } else if let Some(field) =
        signatures.iter().map(|field| reasoning::field(model, field)).find(|field| REASONING_FIELDS.contains(field))
        && !spoken.is_empty()
    {
        message.insert(field.to_owned(), json!(spoken.join("\n")));
    }
}

fn call(said: &Said<'_>, grammars: &Grammars<'_>) -> Option<Value> {
    let Said::Call { id, call } = said else { return None };
    if let Some(argument) = grammars.argument(&call.name) {
        let input = call.arguments[argument].as_str().unwrap_or_default();
        return Some(json!({"id": id, "type": "custom", "custom": {"name": call.name, "input": input}}));
    }
    let arguments = call.replayed_arguments().to_string();
    Some(json!({"id": id, "type": "function", "function": {"name": call.name, "arguments": arguments}}))
}

/// One message a result; pictures follow in a user message, since results take text only.
fn results(replies: &[Reply<'_>], compat: &Compat) -> Vec<Value> {
    let mut list = Vec::new();
    let mut images = Vec::new();
    for reply in replies {
        let mut texts = Vec::new();
        let before = images.len();
        for piece in &reply.parts {
            match piece {
                Part::Text(text) => texts.push(*text),
                Part::Image(_) => images.push(part(piece)),
            }
        }
        let text = match texts.as_slice() {
            [] if images.len() > before => ONLY_IMAGES.to_owned(),
            [] => NO_OUTPUT.to_owned(),
            texts => texts.join("\n"),
        };
        let mut message = JsonMap::new();
        message.insert("role".to_owned(), json!("tool"));
        message.insert("content".to_owned(), json!(text));
        message.insert("tool_call_id".to_owned(), json!(reply.id));
        if compat.requires_tool_result_name && !reply.name.is_empty() {
            message.insert("name".to_owned(), json!(reply.name));
        }
        list.push(Value::Object(message));
    }
    if images.is_empty() {
        return list;
    }
    if compat.requires_assistant_after_tool_result {
        list.push(json!({"role": "assistant", "content": BRIDGE}));
    }
    images.insert(0, json!({"type": "text", "text": IMAGES_FOLLOW}));
    list.push(json!({"role": "user", "content": images}));
    list
}
