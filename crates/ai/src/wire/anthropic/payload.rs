//! The request body of the Messages interface.

use serde_json::{Value, json};

use super::compat::Compat;
use super::messages::{Told, convert, mark_last, marked};
use super::thinking::Thinking;
use super::tools::{declaration, placeholder};
use crate::preamble::{Change, Preamble};
use crate::wire::body::Body;
use crate::wire::error::{self, WireError};
use crate::{CacheRetention, JsonMap, StreamRequest};

/// A request body.
pub(super) struct Payload {
    pub body: Body,
    /// Whether the model is asked to think within a budget.
    pub budgets: bool,
    /// Whether messages say how the tools change.
    pub inline_tools: bool,
    /// The effort of the answer, where messages say it.
    pub effort: Option<String>,
}

/// Builds the body. Keys that stay the same over a conversation come first.
///
/// # Errors
/// When a message has no JSON form, or a tool insists on a strict schema that it cannot have.
pub(super) fn build(request: &StreamRequest, compat: &Compat) -> Result<Payload, WireError> {
    let (model, options) = (&*request.model, &request.options);
    for tool in request.tools.iter() {
        compat.strict_schema(tool)?;
    }
    let marker = cache_marker(options.cache_retention, compat);
    let marker = marker.as_ref();
    let thinking = Thinking::of(request, compat);
    let Standing { preamble, changes, inline_tools } = standing(request, compat);

    let mut body = JsonMap::new();
    body.insert("model".to_owned(), json!(model.id));
    body.insert("max_tokens".to_owned(), json!(thinking.max_tokens));
    body.insert("stream".to_owned(), json!(true));
    if let Some(system) = preamble.system.filter(|system| !system.trim().is_empty()) {
        body.insert("system".to_owned(), Value::Array(vec![marked(json!({"type": "text", "text": system}), marker)]));
    }
    if !preamble.tools.is_empty() {
        let mut tools: Vec<Value> = preamble.tools.iter().map(|tool| declaration(tool, compat)).collect();
        mark_last(&mut tools, marker.filter(|_| compat.marks_tools()));
        tools.extend(inline_tools.then(placeholder));
        body.insert("tools".to_owned(), Value::Array(tools));
    }
    if let Some(settings) = thinking.settings {
        body.insert("thinking".to_owned(), settings);
    }
    if let Some(effort) = thinking.effort {
        body.insert("output_config".to_owned(), json!({"effort": effort}));
    }
    if let Some(temperature) = options.temperature
        && !thinking.on
        && compat.temperature()
    {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    let fallbacks = compat.fallbacks();
    if !fallbacks.is_empty() {
        let fallbacks = fallbacks.iter().map(|fallback| json!({"model": fallback.model}));
        body.insert("fallbacks".to_owned(), fallbacks.collect());
    }
    let told = Told { changes: &changes, tools: inline_tools, effort: thinking.marked.as_deref() };
    let body = Body::new(body, "messages", convert(request, compat, marker, &told).map_err(error::no_json)?);
    let budgets = thinking.on && !compat.adaptive() && !compat.effort_in_messages();
    Ok(Payload { body, budgets, inline_tools, effort: thinking.marked })
}

/// What a request declares at its beginning, and how its messages change that.
struct Standing {
    preamble: Preamble,
    changes: Vec<Change>,
    inline_tools: bool,
}

fn standing(request: &StreamRequest, compat: &Compat) -> Standing {
    let now = Preamble { system: request.system.clone(), tools: request.tools.clone() };
    if !compat.system_messages() {
        return Standing { preamble: now, changes: Vec::new(), inline_tools: false };
    }
    let history = request.options.written.preamble(now.clone(), &request.messages);
    // Without a tool at the beginning there is none that could have the mark of the cache.
    let inline_tools = compat.tool_changes() && !history.first.tools.is_empty();
    let tools = if inline_tools { history.first.tools } else { now.tools };
    let preamble = Preamble { system: history.first.system, tools };
    Standing { preamble, changes: history.changes, inline_tools }
}

fn cache_marker(retention: CacheRetention, compat: &Compat) -> Option<Value> {
    match retention {
        CacheRetention::None => None,
        CacheRetention::Long if compat.long_cache() => Some(json!({"type": "ephemeral", "ttl": "1h"})),
        CacheRetention::Short | CacheRetention::Long => Some(json!({"type": "ephemeral"})),
    }
}
