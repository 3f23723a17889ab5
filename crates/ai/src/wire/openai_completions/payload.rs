//! The request body of the Chat Completions interface.

use serde_json::{Value, json};

use super::compat::{Compat, MaxTokensField};
use super::{messages, thinking};
use crate::wire::estimate::answer_limit;
use crate::{CacheRetention, JsonMap, Message, StreamRequest};

const MAX_CACHE_KEY: usize = 64;

/// Builds the body. Keys that stay the same over a conversation come first.
pub(super) fn build(request: &StreamRequest, compat: &Compat) -> Value {
    let (model, options) = (&*request.model, &request.options);
    let mut body = JsonMap::new();
    let mut put = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    put("model", json!(model.id));
    put("stream", json!(true));
    if compat.supports_usage_in_streaming {
        put("stream_options", json!({"include_usage": true}));
    }
    if compat.supports_store {
        put("store", json!(false));
    }
    let limit = answer_limit(request, options.max_tokens.unwrap_or(model.max_tokens));
    if limit > 0 {
        let field = match compat.max_tokens_field {
            MaxTokensField::MaxTokens => "max_tokens",
            MaxTokensField::MaxCompletionTokens => "max_completion_tokens",
        };
        put(field, json!(limit));
    }
    if let Some(temperature) = options.temperature {
        put("temperature", json!(temperature));
    }
    let long = options.cache_retention == CacheRetention::Long && compat.supports_long_cache_retention;
    if (long || (compat.is_openai && options.cache_retention != CacheRetention::None))
        && let Some(session) = &options.session_id
    {
        put("prompt_cache_key", json!(session.chars().take(MAX_CACHE_KEY).collect::<String>()));
    }
    if long {
        put("prompt_cache_retention", json!("24h"));
    }
    if let Some(priority) = &compat.vllm_priority {
        put("priority", priority.clone());
    }
    thinking::apply(&mut body, request, compat);
    routing(&mut body, compat);

    let mut tools: Vec<Value> = request.tools.iter().map(declaration).collect();
    let mut messages = messages::convert(request, compat);
    if compat.anthropic_cache_control && options.cache_retention != CacheRetention::None {
        let marker = if long { json!({"type": "ephemeral", "ttl": "1h"}) } else { json!({"type": "ephemeral"}) };
        mark_for_cache(&mut messages, &mut tools, &marker);
    }
    // Gateways to Anthropic want the key as soon as the history has calls; OpenAI refuses an empty list.
    if !tools.is_empty() || (!compat.is_openai && has_tool_history(request)) {
        body.insert("tools".to_owned(), Value::Array(tools));
    }
    body.insert("messages".to_owned(), Value::Array(messages));
    // Last, so that a user's own parameters win; those of the level win over those of the model.
    let level = model.clamp_thinking(options.thinking).as_str();
    let of_level = model.extra.get("samplingParamsByThinkingLevel").and_then(|levels| levels.get(level));
    for own in [model.extra.get("samplingParams"), of_level].into_iter().flatten().filter_map(Value::as_object) {
        body.extend(own.clone());
    }
    Value::Object(body)
}

fn declaration(tool: &crate::ToolDeclaration) -> Value {
    json!({
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    })
}

fn routing(body: &mut JsonMap, compat: &Compat) {
    if let Some(routing) = &compat.open_router_routing {
        body.insert("provider".to_owned(), routing.clone());
    }
    if let Some(routing) = &compat.vercel_gateway_routing {
        let gateway: JsonMap =
            ["only", "order"].into_iter().filter_map(|key| Some((key.to_owned(), routing.get(key)?.clone()))).collect();
        if !gateway.is_empty() {
            body.insert("providerOptions".to_owned(), json!({"gateway": gateway}));
        }
    }
}

fn has_tool_history(request: &StreamRequest) -> bool {
    request.messages.iter().any(|message| match &**message {
        Message::ToolResult(_) => true,
        Message::Assistant(answer) => answer.tool_calls().next().is_some(),
        _ => false,
    })
}

/// Anthropic's cache markers: on the instructions, the last tool and the last message with text.
fn mark_for_cache(messages: &mut [Value], tools: &mut [Value], marker: &Value) {
    let instructs = |message: &&mut Value| matches!(message["role"].as_str(), Some("system" | "developer"));
    if let Some(instructions) = messages.iter_mut().find(instructs) {
        mark_text(instructions, marker);
    }
    if let Some(Value::Object(tool)) = tools.last_mut() {
        tool.insert("cache_control".to_owned(), marker.clone());
    }
    for message in messages.iter_mut().rev() {
        if matches!(message["role"].as_str(), Some("user" | "assistant" | "tool")) && mark_text(message, marker) {
            return;
        }
    }
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
