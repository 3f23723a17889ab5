//! What one step of a conversation becomes.

use serde_json::{Value, json};

use super::Form;
use super::ids::{CUSTOM, FUNCTION, Origin, call_ids, made_id, message_id};
use crate::wire::turns::{Part, Reply};
use crate::{AssistantMessage, ContentBlock, JsonMap, Model, TextBlock, ThinkingBlock, ToolCallBlock};

const NO_OUTPUT: &str = "(no tool output)";

pub(super) fn user_text(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "input_text", "text": text}]})
}

pub(super) fn user(parts: &[Part<'_>]) -> Value {
    let content: Vec<Value> = parts.iter().map(part).collect();
    json!({"role": "user", "content": content})
}

fn part(part: &Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({"type": "input_text", "text": text}),
        Part::Image(image) => {
            let url = format!("data:{};base64,{}", image.mime_type, image.data);
            json!({"type": "input_image", "detail": "auto", "image_url": url})
        }
    }
}

/// The items of an answer, in their order.
pub(super) fn answer(answer: &AssistantMessage, model: &Model, form: &Form<'_>) -> Vec<Value> {
    let origin = Origin::of(answer, model);
    let block = |(at, block): (usize, &ContentBlock)| match block {
        ContentBlock::Thinking(thinking) => reasoning(thinking, origin),
        ContentBlock::Text(block) => {
            text(block, origin, || made_id("msg_", &[&answer.timestamp.to_string(), &at.to_string(), &block.text]))
        }
        ContentBlock::ToolCall(tool) => Some(call(tool, origin, form)),
        _ => None,
    };
    answer.content.iter().enumerate().filter_map(block).collect()
}

/// Reasoning goes back to its model as the item that it came as. Another model can make nothing of it.
fn reasoning(thinking: &ThinkingBlock, origin: Origin) -> Option<Value> {
    let signature = thinking.thinking_signature.as_ref().filter(|_| origin == Origin::Same)?;
    serde_json::from_str(signature).ok().filter(|item: &Value| item["type"] == "reasoning")
}

/// A text with its id and phase. One that the model said stays even when it is empty: reasoning before it needs it.
fn text(block: &TextBlock, origin: Origin, made: impl Fn() -> String) -> Option<Value> {
    let signature = block.text_signature.as_deref().filter(|_| origin == Origin::Same).map(Signature::read);
    if signature.is_none() && block.text.trim().is_empty() {
        return None;
    }
    let (id, phase) = match signature {
        Some(Signature { id, phase }) => (message_id(&id).into_owned(), phase),
        None => (made(), None),
    };
    let mut item = json!({"type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": block.text, "annotations": []}], "status": "completed", "id": id});
    if let Some(phase) = phase {
        item["phase"] = json!(phase);
    }
    Some(item)
}

/// What the signature of a text holds: `{"v": 1, "id", "phase"?}`, or an id alone.
struct Signature {
    id: String,
    phase: Option<String>,
}

impl Signature {
    fn read(text: &str) -> Self {
        let parsed: Option<Value> = serde_json::from_str(text).ok().filter(|parsed: &Value| parsed["v"] == 1);
        let known = |phase: &&str| matches!(*phase, "commentary" | "final_answer");
        match parsed.as_ref().and_then(|parsed| Some((parsed["id"].as_str()?, parsed["phase"].as_str()))) {
            Some((id, phase)) => Self { id: id.to_owned(), phase: phase.filter(known).map(str::to_owned) },
            None => Self { id: text.to_owned(), phase: None },
        }
    }
}

fn call(call: &ToolCallBlock, origin: Origin, form: &Form<'_>) -> Value {
    let plain = form.grammars.argument(&call.name).and_then(|argument| call.arguments.get(argument)?.as_str());
    let prefix = if plain.is_some() { CUSTOM } else { FUNCTION };
    let (call_id, item) = call_ids(&call.id, origin, form.keeps_items, prefix);
    let mut fields = JsonMap::new();
    let mut put = |name: &str, value: Value| {
        fields.insert(name.to_owned(), value);
    };
    put("type", json!(if plain.is_some() { "custom_tool_call" } else { "function_call" }));
    if let Some(item) = item {
        put("id", json!(item));
    }
    put("call_id", json!(call_id));
    put("name", json!(call.name));
    match plain {
        Some(text) => put("input", json!(text)),
        None => put("arguments", json!(call.replayed_arguments().to_string())),
    }
    if let Some(namespace) = call.extra.get("namespace").filter(|_| origin == Origin::Same) {
        put("namespace", namespace.clone());
    }
    Value::Object(fields)
}

/// The results of an answer's calls.
pub(super) fn results(replies: &[Reply<'_>], answer: &AssistantMessage, model: &Model, form: &Form<'_>) -> Vec<Value> {
    let origin = Origin::of(answer, model);
    let result = |reply: &Reply<'_>| {
        let (call_id, _) = call_ids(&reply.id, origin, form.keeps_items, FUNCTION);
        // A call whose arguments are no text went as a function.
        let plain = form.grammars.argument(reply.name).is_some_and(|argument| {
            let call = answer.tool_calls().find(|call| call.id == reply.id);
            call.is_some_and(|call| call.arguments.get(argument).is_some_and(Value::is_string))
        });
        let kind = if plain { "custom_tool_call_output" } else { "function_call_output" };
        json!({"type": kind, "call_id": call_id, "output": output(&reply.parts)})
    };
    replies.iter().map(result).collect()
}

/// A text, or a list when there are images.
fn output(parts: &[Part<'_>]) -> Value {
    let texts: Vec<&str> =
        parts.iter().filter_map(|part| if let Part::Text(text) = part { Some(*text) } else { None }).collect();
    let text = texts.join("\n");
    if texts.len() == parts.len() {
        return json!(if text.is_empty() { NO_OUTPUT } else { &text });
    }
    let text = (!text.is_empty()).then(|| json!({"type": "input_text", "text": text}));
    text.into_iter().chain(parts.iter().filter(|part| matches!(part, Part::Image(_))).map(part)).collect()
}
