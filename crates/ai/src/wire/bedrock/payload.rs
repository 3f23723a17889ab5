//! The request body of ConverseStream.

use serde_json::{Value, json};

use super::families;
use super::target::Target;
use crate::wire::body::{Body, Pieces};
use crate::wire::error::WireError;
use crate::wire::estimate::answer_limit;
use crate::wire::strict;
use crate::wire::turns::{IMAGES_FOLLOW, Part, Reply, Said, Turn, narrow_id, turns};
use crate::{
    CacheRetention, ContentBlock, JsonMap, Message, MessageContent, StreamRequest, ThinkingLevel, ToolDeclaration,
};

const MAX_ID: usize = 64;
const MIN_BUDGET: u64 = 1024;
/// Left for the answer when a thinking budget shares its limit.
const MIN_ANSWER: u64 = 1024;
/// Stands for text that would be blank, which the interface refuses.
const EMPTY: &str = "<empty>";

/// Refuses pictures that the interface does not take, and tools that insist on a strict schema that they cannot have.
///
/// # Errors
/// When the conversation has one.
pub(super) fn check(request: &StreamRequest) -> Result<(), WireError> {
    for tool in request.tools.iter() {
        strict_schema(request, tool)?;
    }
    if !request.model.accepts_images() {
        return Ok(());
    }
    let blocks = request.messages.iter().flat_map(|message| match &**message {
        Message::User(user) => match &user.content {
            MessageContent::Blocks(blocks) => &blocks[..],
            MessageContent::Text(_) => &[],
        },
        Message::ToolResult(result) => &result.content,
        _ => &[],
    });
    let mut kinds =
        blocks.filter_map(|block| if let ContentBlock::Image(image) = block { Some(&image.mime_type) } else { None });
    match kinds.find(|kind| image_format(kind).is_none()) {
        Some(kind) => Err(WireError::Config(format!("Unknown image type: {kind}"))),
        None => Ok(()),
    }
}

fn image_format(mime_type: &str) -> Option<&'static str> {
    match mime_type {
        "image/jpeg" | "image/jpg" => Some("jpeg"),
        "image/png" => Some("png"),
        "image/gif" => Some("gif"),
        "image/webp" => Some("webp"),
        _ => None,
    }
}

/// Builds the body. Keys that stay the same over a conversation come first.
///
/// # Errors
/// When a message has no JSON form.
pub(super) fn build(request: &StreamRequest, target: &Target) -> Result<Body, serde_json::Error> {
    let options = &request.options;
    let marker = cache_point(request);
    let limits = limits(request);
    let mut body = JsonMap::new();
    if let Some(system) = request.system.as_deref().filter(|system| !system.is_empty()) {
        let mut blocks = vec![json!({"text": system})];
        blocks.extend(marker.clone());
        body.insert("system".to_owned(), Value::Array(blocks));
    }
    if !request.tools.is_empty() {
        let strict = |tool| strict_schema(request, tool).ok().flatten();
        let tools: Vec<Value> = request.tools.iter().map(|tool| declaration(tool, strict(tool))).collect();
        body.insert("toolConfig".to_owned(), json!({"tools": tools}));
    }
    let mut inference = JsonMap::new();
    if limits.max_tokens > 0 {
        inference.insert("maxTokens".to_owned(), json!(limits.max_tokens));
    }
    if let Some(temperature) = options.temperature {
        inference.insert("temperature".to_owned(), json!(temperature));
    }
    body.insert("inferenceConfig".to_owned(), Value::Object(inference));
    if let Some(fields) = families::own_fields(request, target, limits.level, limits.budget) {
        body.insert("additionalModelRequestFields".to_owned(), fields);
    }
    Ok(Body::new(body, "messages", messages(request, marker.as_ref())?))
}

/// How much is thought and said.
struct Limits {
    level: ThinkingLevel,
    max_tokens: u64,
    /// Tokens to think with, for models that think within a budget.
    budget: u64,
}

fn limits(request: &StreamRequest) -> Limits {
    let (model, options) = (&*request.model, &request.options);
    let wanted = options.max_tokens.unwrap_or(model.max_tokens);
    let limits = |level| Limits { level, max_tokens: answer_limit(request, wanted), budget: 0 };
    let level = match options.thinking {
        ThinkingLevel::Off => ThinkingLevel::Off,
        wanted => model.clamp_thinking(wanted),
    };
    if level == ThinkingLevel::Off || !families::is_claude(model) || families::is_adaptive(model) {
        return limits(level);
    }
    let own = options.thinking_budgets.get(&level.min(ThinkingLevel::High)).copied();
    let budget: u64 = own.unwrap_or(match level {
        ThinkingLevel::Off | ThinkingLevel::Minimal => 1024,
        ThinkingLevel::Low => 2048,
        ThinkingLevel::Medium => 8192,
        ThinkingLevel::High | ThinkingLevel::Xhigh | ThinkingLevel::Max => 16384,
    });
    let max_tokens = answer_limit(request, wanted.saturating_add(budget).min(model.max_tokens.max(wanted)));
    let budget = budget.min(max_tokens.saturating_sub(MIN_ANSWER));
    // The model refuses a budget that is smaller.
    if budget < MIN_BUDGET { limits(ThinkingLevel::Off) } else { Limits { level, max_tokens, budget } }
}

fn cache_point(request: &StreamRequest) -> Option<Value> {
    let point = match request.options.cache_retention {
        CacheRetention::None => return None,
        CacheRetention::Short => json!({"type": "default"}),
        CacheRetention::Long => json!({"type": "default", "ttl": "1h"}),
    };
    families::caches(request).then(|| json!({"cachePoint": point}))
}

/// The strict schema of a tool; `None` for one that gets its own.
///
/// # Errors
/// When the tool insists on one, and cannot have it.
pub(super) fn strict_schema(request: &StreamRequest, tool: &ToolDeclaration) -> Result<Option<Value>, WireError> {
    if request.options.written.strict_was_refused() && strict::prefers(tool) {
        return Ok(None);
    }
    let compat = request.model.extra.get("compat");
    strict::schema(tool, compat.is_some_and(|compat| compat["supportsStrictMode"] == true))
}

/// A tool as the provider takes it, with its strict schema if it has one.
fn declaration(tool: &ToolDeclaration, strict: Option<Value>) -> Value {
    let (name, description) = (&tool.name, &tool.description);
    let is_strict = strict.is_some();
    let schema = strict.unwrap_or_else(|| tool.parameters.clone());
    let mut spec = json!({"name": name, "description": description, "inputSchema": {"json": schema}});
    if is_strict {
        spec["strict"] = json!(true);
    }
    json!({"toolSpec": spec})
}

fn messages(request: &StreamRequest, marker: Option<&Value>) -> Result<Pieces, serde_json::Error> {
    let is_claude = families::is_claude(&request.model);
    let steps = turns(&request.messages, &request.model, |id| narrow_id(id, MAX_ID));
    let mut pieces = Pieces::default();
    let mut writing = request.options.written.begin(&request.model)?;
    let last = steps.len().saturating_sub(1);
    for (at, step) in steps.iter().enumerate() {
        if let Some(marker) = marker.filter(|_| at == last && !matches!(step.turn, Turn::Assistant(_))) {
            // The next request has its marker elsewhere.
            if let Some(marked) = message(&step.turn, is_claude, Some(marker)) {
                pieces.push(&marked)?;
            }
        } else {
            let wire = writing.step(step.key(), || message(&step.turn, is_claude, None).into_iter().collect())?;
            pieces.extend(wire.messages);
        }
    }
    writing.finish();
    Ok(pieces)
}

/// A message, with the marker at its end; nothing where nothing is left of an answer.
fn message(turn: &Turn<'_>, is_claude: bool, marker: Option<&Value>) -> Option<Value> {
    let (role, mut content): (_, Vec<Value>) = match turn {
        Turn::UserText(text) => ("user", vec![json!({"text": text})]),
        Turn::User(parts) => ("user", parts.iter().filter_map(part).collect()),
        Turn::Assistant(said) => ("assistant", said.iter().filter_map(|said| self::said(said, is_claude)).collect()),
        Turn::Results(replies) => ("user", results(replies, is_claude)),
    };
    if content.is_empty() {
        return None;
    }
    content.extend(marker.cloned());
    Some(json!({"role": role, "content": content}))
}

fn part(part: &Part<'_>) -> Option<Value> {
    match part {
        Part::Text(text) => Some(json!({"text": text})),
        Part::Image(image) => {
            Some(json!({"image": {"format": image_format(&image.mime_type)?, "source": {"bytes": image.data}}}))
        }
    }
}

fn said(said: &Said<'_>, is_claude: bool) -> Option<Value> {
    match said {
        Said::Text(text) => Some(json!({"text": text})),
        Said::Signed(block) => (!block.text.trim().is_empty()).then(|| json!({"text": block.text})),
        Said::Call { id, call } => {
            let input = without_empty_keys(call.replayed_arguments());
            Some(json!({"toolUse": {"toolUseId": id, "name": call.name, "input": input}}))
        }
        Said::Thinking(block) => {
            let signature = block.thinking_signature.as_deref().unwrap_or_default();
            if block.redacted == Some(true) {
                let is_sealed = !signature.is_empty() && is_base64(signature);
                return is_sealed.then(|| json!({"reasoningContent": {"redactedContent": signature}}));
            }
            let text = &block.thinking;
            if text.trim().is_empty() {
                return None;
            }
            Some(match (is_claude, signature.trim().is_empty()) {
                (true, true) => json!({"text": text}),
                (true, false) => json!({"reasoningContent": {"reasoningText": {"text": text, "signature": signature}}}),
                (false, _) => json!({"reasoningContent": {"reasoningText": {"text": text}}}),
            })
        }
    }
}

fn is_base64(text: &str) -> bool {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).is_ok()
}

/// The interface refuses objects with a key that is empty.
fn without_empty_keys(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(without_empty_keys).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(key, _)| !key.is_empty());
            Value::Object(fields.map(|(key, value)| (key, without_empty_keys(value))).collect())
        }
        other => other,
    }
}

/// All results, and behind them the pictures of those that failed: Claude refuses pictures in such a result.
fn results(replies: &[Reply<'_>], is_claude: bool) -> Vec<Value> {
    let mut list = Vec::new();
    let mut images = Vec::new();
    for reply in replies {
        let splits = is_claude && reply.is_error;
        let mut content = Vec::new();
        let mut own_images = Vec::new();
        for piece in &reply.parts {
            match piece {
                Part::Image(_) if splits => {
                    let notice = json!({"text": IMAGES_FOLLOW});
                    if content.last() != Some(&notice) {
                        content.push(notice);
                    }
                    own_images.extend(part(piece));
                }
                piece => content.extend(part(piece)),
            }
        }
        if content.is_empty() {
            content.push(json!({"text": EMPTY}));
        }
        if !own_images.is_empty() {
            images.push(json!({"text": reply.caption()}));
            images.append(&mut own_images);
        }
        let status = if reply.is_error { "error" } else { "success" };
        list.push(json!({"toolResult": {"toolUseId": reply.id, "content": content, "status": status}}));
    }
    list.append(&mut images);
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_lose_keys_that_are_empty() {
        let value = json!({"a": [{"": 1, "b": {"": 2}}], "": null});
        assert_eq!(without_empty_keys(value), json!({"a": [{"b": {}}]}));
    }
}
