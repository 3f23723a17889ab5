//! The request body of the Messages interface.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::wire::body::{Body, Pieces};
use crate::wire::estimate::answer_limit;
use crate::wire::turns::{Part, Reply, Said, Turn, narrow_id, turns};
use crate::{CacheRetention, JsonMap, Model, StreamRequest, ThinkingLevel, ToolDeclaration};

const MAX_ID: usize = 64;
const MIN_BUDGET: u64 = 1024;
/// Left for the answer when a thinking budget shares its limit.
const MIN_ANSWER: u64 = 1024;
const ONLY_IMAGES: &str = "(see attached image)";
const NO_OUTPUT: &str = "(no tool output)";

/// How a provider differs from Anthropic: the `compat` object of a model.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Compat {
    supports_eager_tool_input_streaming: Option<bool>,
    supports_long_cache_retention: Option<bool>,
    supports_cache_control_on_tools: Option<bool>,
    supports_temperature: Option<bool>,
    force_adaptive_thinking: Option<bool>,
    supports_mid_convo_effort: Option<bool>,
    allow_empty_signature: Option<bool>,
    /// Send a header that names the session; on for routers that are known to use it.
    pub send_session_affinity_headers: Option<bool>,
}

impl Compat {
    pub fn of(model: &Model) -> Self {
        let compat = model.extra.get("compat").cloned().unwrap_or_default();
        serde_json::from_value(compat).unwrap_or_default()
    }

    /// Tool arguments stream by a flag on the tool; otherwise a beta does it.
    pub fn eager_tool_input(&self) -> bool {
        self.supports_eager_tool_input_streaming.unwrap_or(true)
    }

    /// The model decides itself how long to think, within an effort.
    pub fn adaptive(&self) -> bool {
        self.force_adaptive_thinking.unwrap_or(false)
    }

    /// The model binds its thinking to everything before it, and can be asked to drop thinking that no longer fits
    /// instead of refusing the request for good.
    pub fn binds_thinking(&self) -> bool {
        self.supports_mid_convo_effort.unwrap_or(false)
    }
}

/// A request body.
pub(super) struct Payload {
    pub body: Body,
    /// Whether the model is asked to think.
    pub thinks: bool,
    /// Whether the request says what to do with thinking that no longer fits.
    pub binds: bool,
}

/// Builds the body. Keys that stay the same over a conversation come first.
///
/// # Errors
/// When a message has no JSON form.
pub(super) fn build(request: &StreamRequest, compat: &Compat) -> Result<Payload, serde_json::Error> {
    let (model, options) = (&*request.model, &request.options);
    let marker = cache_marker(options.cache_retention, compat);
    let thinking = thinking(request, compat);

    let mut body = JsonMap::new();
    body.insert("model".to_owned(), json!(model.id));
    body.insert("max_tokens".to_owned(), json!(thinking.max_tokens));
    body.insert("stream".to_owned(), json!(true));
    if let Some(system) = request.system.as_deref().filter(|system| !system.trim().is_empty()) {
        body.insert("system".to_owned(), Value::Array(vec![marked(json!({"type": "text", "text": system}), &marker)]));
    }
    if !request.tools.is_empty() {
        let mut tools: Vec<Value> = request.tools.iter().map(|tool| declaration(tool, compat)).collect();
        if compat.supports_cache_control_on_tools.unwrap_or(true) {
            mark_last(&mut tools, &marker);
        }
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
        && !compat.binds_thinking()
        && compat.supports_temperature.unwrap_or(true)
    {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    let binds = body.get("thinking").is_some_and(|settings| settings.get("block_binding").is_some());
    let body = Body::new(body, messages(request, compat, &marker)?);
    Ok(Payload { body, thinks: thinking.on, binds })
}

struct Thinking {
    on: bool,
    max_tokens: u64,
    settings: Option<Value>,
    effort: Option<String>,
}

fn thinking(request: &StreamRequest, compat: &Compat) -> Thinking {
    let (model, options) = (&*request.model, &request.options);
    let wanted = options.max_tokens.unwrap_or(model.max_tokens);
    let mapped = |level: ThinkingLevel| model.thinking_level_map.as_ref().and_then(|map| map.get(&level));
    let off = || Thinking {
        on: false,
        max_tokens: answer_limit(request, wanted),
        // A model that always thinks refuses to be told not to.
        settings: (model.reasoning && mapped(ThinkingLevel::Off) != Some(&None)).then(|| json!({"type": "disabled"})),
        effort: None,
    };
    if !model.reasoning {
        return off();
    }
    // A model that always thinks has to be told what becomes of its earlier thinking, whatever was asked for.
    let level = match options.thinking {
        ThinkingLevel::Off if !compat.binds_thinking() => return off(),
        wanted => model.clamp_thinking(wanted),
    };
    if level == ThinkingLevel::Off {
        return off();
    }
    if compat.adaptive() || compat.binds_thinking() {
        let effort = match mapped(level) {
            Some(Some(name)) => name.clone(),
            _ if level <= ThinkingLevel::Low => "low".to_owned(),
            _ if level == ThinkingLevel::Medium => "medium".to_owned(),
            _ => "high".to_owned(),
        };
        return Thinking {
            on: true,
            max_tokens: answer_limit(request, wanted),
            settings: Some(adaptive(compat)),
            effort: Some(effort),
        };
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
    if budget < MIN_BUDGET {
        return off();
    }
    Thinking {
        on: true,
        max_tokens,
        settings: Some(json!({"type": "enabled", "budget_tokens": budget, "display": "summarized"})),
        effort: None,
    }
}

fn adaptive(compat: &Compat) -> Value {
    let mut settings = json!({"type": "adaptive", "display": "summarized"});
    if compat.binds_thinking() {
        settings["block_binding"] = json!({"prefix_mismatch_behavior": "drop_block"});
    }
    settings
}

fn cache_marker(retention: CacheRetention, compat: &Compat) -> Option<Value> {
    match retention {
        CacheRetention::None => None,
        CacheRetention::Long if compat.supports_long_cache_retention.unwrap_or(true) => {
            Some(json!({"type": "ephemeral", "ttl": "1h"}))
        }
        CacheRetention::Short | CacheRetention::Long => Some(json!({"type": "ephemeral"})),
    }
}

fn marked(mut block: Value, marker: &Option<Value>) -> Value {
    if let (Some(marker), Value::Object(block)) = (marker, &mut block) {
        block.insert("cache_control".to_owned(), marker.clone());
    }
    block
}

fn mark_last(blocks: &mut [Value], marker: &Option<Value>) {
    if let Some(last) = blocks.last_mut() {
        *last = marked(last.take(), marker);
    }
}

/// The keywords that the outermost level of a tool's schema may have. The provider refuses some others there, such as
/// `anyOf`; tau itself checks arguments against the whole schema.
const SCHEMA_KEYWORDS: [&str; 5] = ["type", "properties", "required", "$defs", "definitions"];

fn declaration(tool: &ToolDeclaration, compat: &Compat) -> Value {
    let mut schema = match &tool.parameters {
        Value::Object(schema) => schema.clone(),
        _ => JsonMap::new(),
    };
    schema.retain(|keyword, _| SCHEMA_KEYWORDS.contains(&keyword.as_str()));
    schema.entry("type").or_insert_with(|| json!("object"));
    schema.entry("properties").or_insert_with(|| json!({}));
    schema.entry("required").or_insert_with(|| json!([]));
    let mut entry = JsonMap::new();
    entry.insert("name".to_owned(), json!(tool.name));
    entry.insert("description".to_owned(), json!(tool.description));
    if compat.eager_tool_input() {
        entry.insert("eager_input_streaming".to_owned(), json!(true));
    }
    entry.insert("input_schema".to_owned(), Value::Object(schema));
    Value::Object(entry)
}

fn messages(request: &StreamRequest, compat: &Compat, marker: &Option<Value>) -> Result<Pieces, serde_json::Error> {
    let steps = turns(&request.messages, &request.model, |id| narrow_id(id, MAX_ID));
    let mut pieces = Pieces::default();
    let mut writing = request.options.written.begin(&request.model)?;
    let last = steps.len().saturating_sub(1);
    for (at, step) in steps.iter().enumerate() {
        if at == last && marker.is_some() && !matches!(step.turn, Turn::Assistant(_)) {
            // The next request has its marker elsewhere.
            pieces.push(&message(&step.turn, compat, marker))?;
        } else {
            pieces.extend(writing.step(step.key(), || vec![message(&step.turn, compat, &None)])?.messages);
        }
    }
    writing.finish();
    Ok(pieces)
}

/// A message, with the marker on its last block.
fn message(turn: &Turn<'_>, compat: &Compat, marker: &Option<Value>) -> Value {
    let (role, mut content): (_, Vec<Value>) = match turn {
        // Only a block can carry the marker.
        Turn::UserText(text) if marker.is_some() => ("user", vec![part(&Part::Text(text))]),
        Turn::UserText(text) => return json!({"role": "user", "content": text}),
        Turn::User(parts) => ("user", parts.iter().map(part).collect()),
        Turn::Assistant(said) => ("assistant", said.iter().map(|said| self::said(said, compat)).collect()),
        Turn::Results(replies) => ("user", replies.iter().map(reply).collect()),
    };
    mark_last(&mut content, marker);
    json!({"role": role, "content": content})
}

fn part(part: &Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Image(image) => {
            json!({"type": "image", "source": {"type": "base64", "media_type": image.mime_type, "data": image.data}})
        }
    }
}

fn said(said: &Said<'_>, compat: &Compat) -> Value {
    match said {
        Said::Text(text) | Said::Foreign(text) => json!({"type": "text", "text": text}),
        Said::Call { id, call } => {
            json!({"type": "tool_use", "id": id, "name": call.name, "input": call.replayed_arguments()})
        }
        Said::Thinking(thinking) => {
            let signature = thinking.thinking_signature.as_deref().unwrap_or_default();
            if thinking.redacted == Some(true) {
                json!({"type": "redacted_thinking", "data": signature})
            } else if !signature.trim().is_empty() || compat.allow_empty_signature.unwrap_or(false) {
                json!({"type": "thinking", "thinking": thinking.thinking, "signature": signature})
            } else {
                json!({"type": "text", "text": thinking.thinking})
            }
        }
    }
}

fn reply(reply: &Reply<'_>) -> Value {
    let texts = || reply.parts.iter().filter_map(|part| if let Part::Text(text) = part { Some(*text) } else { None });
    let content = if reply.parts.iter().any(|part| matches!(part, Part::Image(_))) {
        let mut blocks: Vec<Value> = reply.parts.iter().map(part).collect();
        if texts().next().is_none() {
            blocks.insert(0, json!({"type": "text", "text": ONLY_IMAGES}));
        }
        Value::Array(blocks)
    } else if reply.parts.is_empty() {
        json!(NO_OUTPUT)
    } else {
        json!(texts().collect::<Vec<_>>().join("\n"))
    };
    json!({"type": "tool_result", "tool_use_id": reply.id, "content": content, "is_error": reply.is_error})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the table says about keys is what they do.
    #[test]
    fn the_keys_of_the_table_are_those_that_are_read() {
        let compat = |given: Value| serde_json::from_value::<Compat>(given).expect("an object");
        let plain = format!("{:?}", compat(json!({})));
        for key in crate::COMPAT_KEYS {
            let given = [json!({key.name: true}), json!({key.name: false})];
            let is_read = given.into_iter().any(|given| format!("{:?}", compat(given)) != plain);
            assert_eq!(is_read, key.apis.contains(&"anthropic-messages"), "{}", key.name);
        }
    }
}
