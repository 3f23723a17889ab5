//! The request body of the Chat Completions interface.

use serde_json::{Value, json};

use super::compat::{Compat, MaxTokensField};
use super::{messages, thinking};
use crate::wire::body::Body;
use crate::wire::estimate::answer_limit;
use crate::{CacheRetention, JsonMap, Message, StreamRequest};

const MAX_CACHE_KEY: usize = 64;

/// Builds the body. Keys that stay the same over a conversation come first.
///
/// # Errors
/// When a message has no JSON form.
pub(super) fn build(request: &StreamRequest, compat: &Compat) -> Result<Body, serde_json::Error> {
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
    let marks = compat.anthropic_cache_control && options.cache_retention != CacheRetention::None;
    let marker = if long { json!({"type": "ephemeral", "ttl": "1h"}) } else { json!({"type": "ephemeral"}) };
    let marker = marks.then_some(marker);
    let messages = messages::convert(request, compat, marker.as_ref())?;
    if let (Some(Value::Object(tool)), Some(marker)) = (tools.last_mut(), &marker) {
        tool.insert("cache_control".to_owned(), marker.clone());
    }
    // Gateways to Anthropic want the key as soon as the history has calls; OpenAI refuses an empty list.
    if !tools.is_empty() || (!compat.is_openai && has_tool_history(request)) {
        body.insert("tools".to_owned(), Value::Array(tools));
    }
    let mut body = Body::new(body, messages);
    // Last, so that a user's own parameters win; those of the level win over those of the model.
    let level = model.clamp_thinking(options.thinking).as_str();
    let of_level = model.extra.get("samplingParamsByThinkingLevel").and_then(|levels| levels.get(level));
    for own in [model.extra.get("samplingParams"), of_level].into_iter().flatten().filter_map(Value::as_object) {
        body.extend(own.clone());
    }
    Ok(body)
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
