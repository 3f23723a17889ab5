//! The request body of the Chat Completions interface.

use serde_json::{Value, json};

use super::compat::{CacheKeyMode, Compat, MaxTokensField};
use super::{messages, thinking};
use crate::wire::azure;
use crate::wire::body::Body;
use crate::wire::error::{self, WireError};
use crate::wire::estimate::answer_limit;
use crate::wire::sampling;
use crate::wire::strict::{self, Grammars};
use crate::{CacheRetention, JsonMap, Message, StreamRequest, ToolDeclaration};

const MAX_CACHE_KEY: usize = 64;

/// Builds the body. Keys that stay the same over a conversation come first.
///
/// # Errors
/// When a message has no JSON form, or a tool insists on what the server does not do.
pub(super) fn build(request: &StreamRequest, compat: &Compat) -> Result<Body, WireError> {
    let (model, options) = (&*request.model, &request.options);
    let mut body = JsonMap::new();
    let mut put = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    put("model", json!(if azure::is_azure(model) { azure::deployment(request) } else { &model.id }));
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
    let caches = options.cache_retention != CacheRetention::None;
    let keyed = match compat.prompt_cache_key_mode {
        CacheKeyMode::Auto => long || (caches && compat.is_openai),
        CacheKeyMode::Enabled => caches,
        CacheKeyMode::Disabled => false,
    };
    if keyed && let Some(session) = &options.session_id {
        put("prompt_cache_key", json!(session.chars().take(MAX_CACHE_KEY).collect::<String>()));
    }
    if long {
        put("prompt_cache_retention", json!("24h"));
    }
    if let Some(priority) = &compat.vllm_priority {
        put("priority", priority.clone());
    }
    thinking::apply(&mut body, request, compat, limit);
    routing(&mut body, compat);

    let mut tools = request.tools.iter().map(|tool| declaration(tool, compat)).collect::<Result<Vec<_>, _>>()?;
    let marks = compat.anthropic_cache_control && caches;
    let marker = if long { json!({"type": "ephemeral", "ttl": "1h"}) } else { json!({"type": "ephemeral"}) };
    let marker = marks.then_some(marker);
    let grammars = Grammars::of(&request.tools, compat.supports_openai_grammar_tools)?;
    let messages = messages::convert(request, compat, &grammars, marker.as_ref()).map_err(error::no_json)?;
    if let (Some(Value::Object(tool)), Some(marker)) = (tools.last_mut(), &marker) {
        tool.insert("cache_control".to_owned(), marker.clone());
    }
    if !tools.is_empty() && compat.zai_tool_stream {
        body.insert("tool_stream".to_owned(), json!(true));
    }
    // Some gateways to Anthropic want the list as soon as the history has calls; OpenAI refuses an empty one.
    if !tools.is_empty() || (compat.requires_tools_with_tool_history && has_tool_history(request)) {
        body.insert("tools".to_owned(), Value::Array(tools));
    }
    let mut body = Body::new(body, "messages", messages);
    // Last, so that a user's own parameters win.
    sampling::add(&mut body, model, options.thinking);
    Ok(body)
}

fn declaration(tool: &ToolDeclaration, compat: &Compat) -> Result<Value, WireError> {
    if let Some(grammar) = strict::grammar(tool, compat.supports_openai_grammar_tools)? {
        let format =
            json!({"type": "grammar", "grammar": {"syntax": grammar.syntax, "definition": grammar.definition}});
        let custom = json!({"name": tool.name, "description": tool.description, "format": format});
        return Ok(json!({"type": "custom", "custom": custom}));
    }
    let strict = strict::schema(tool, compat.supports_strict_mode)?;
    let is_strict = strict.is_some();
    let parameters = strict.unwrap_or_else(|| tool.parameters.clone());
    let mut function = json!({"name": tool.name, "description": tool.description, "parameters": parameters});
    if compat.supports_strict_mode {
        function["strict"] = json!(is_strict);
    }
    Ok(json!({"type": "function", "function": function}))
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
