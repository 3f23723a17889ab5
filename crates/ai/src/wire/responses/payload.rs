//! The bodies of OpenAI's own interface and of Microsoft's.

use serde_json::{Value, json};

use super::compat::{CacheKey, Compat, Dialect};
use super::effort::{self, Reasoning};
use super::input::{self, Form};
use super::tools::{self, Lax, Toolset};
use crate::wire::azure;
use crate::wire::body::Body;
use crate::wire::error::WireError;
use crate::wire::estimate::answer_limit;
use crate::wire::sampling;
use crate::wire::strict::Grammars;
use crate::{CacheRetention, JsonMap, Model, StreamRequest};

/// The least that the interface takes as a limit of an answer, in tokens.
const MIN_OUTPUT: u64 = 16;
const MAX_CACHE_KEY: usize = 64;
/// Providers that know the items of calls of their models.
const KEEPS_ITEMS: [&str; 3] = ["openai", "openai-codex", "opencode"];

/// Builds the body. Keys that stay the same over a conversation come first.
///
/// # Errors
/// When a message has no JSON form, or a tool needs what the server does not have.
pub(super) fn build(request: &StreamRequest, compat: &Compat, dialect: Dialect) -> Result<Body, WireError> {
    let (model, options) = (&*request.model, &request.options);
    let sign_in = is_chatgpt_sign_in(request);
    let mut body = JsonMap::new();
    let mut put = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    put("model", json!(if dialect == Dialect::Azure { azure::deployment(request) } else { &model.id }));
    put("stream", json!(true));
    put("store", json!(false));
    let caches = dialect == Dialect::Azure || options.cache_retention != CacheRetention::None;
    if let Some(key) = cache_key(request)
        && caches
        && compat.prompt_cache_key_mode != CacheKey::Disabled
    {
        put("prompt_cache_key", json!(key));
    }
    if dialect == Dialect::OpenAi && !sign_in {
        retention(options.cache_retention, compat, &mut put);
    }
    let updates = effort_in_conversation(request, compat).filter(|_| dialect == Dialect::OpenAi);
    if let Some(Reasoning { settings, encrypted }) = effort::in_request(request, dialect, updates.is_some()) {
        if let Some(settings) = settings {
            put("reasoning", settings);
        }
        if encrypted {
            put("include", json!(["reasoning.encrypted_content"]));
        }
    }
    let limit = answer_limit(request, options.max_tokens.unwrap_or(model.max_tokens));
    if limit > 0 && compat.supports_max_output_tokens && !sign_in {
        put("max_output_tokens", json!(limit.max(MIN_OUTPUT)));
    }
    if let Some(temperature) = options.temperature.filter(|_| !sign_in) {
        put("temperature", json!(temperature));
    }
    let lax = Lax::False;
    let steps = input::steps(request);
    let tools = Toolset::of(request, &steps, compat, lax);
    if !tools.in_request.is_empty() {
        let declared = tools.in_request.iter().map(|tool| tools::declaration(tool, compat, lax));
        put("tools", Value::Array(declared.collect::<Result<_, _>>()?));
    }
    let grammars = Grammars::of(&request.tools, compat.supports_grammar_tools)?;
    let form = Form {
        compat,
        tools: &tools,
        grammars: &grammars,
        effort: updates.as_deref(),
        instructs: true,
        keeps_items: keeps_items(model, dialect),
    };
    let mut body = Body::new(body, "input", input::convert(request, &steps, &form)?);
    // Last, so that a user's own parameters win.
    sampling::add(&mut body, model, options.thinking);
    Ok(body)
}

/// The effort, where it stands inside the conversation.
pub(super) fn effort_in_conversation(request: &StreamRequest, compat: &Compat) -> Option<String> {
    effort::in_conversation(request, compat).filter(|_| !is_chatgpt_sign_in(request))
}

/// Whether the key is a login of ChatGPT at its own address, which takes fewer fields.
fn is_chatgpt_sign_in(request: &StreamRequest) -> bool {
    let model = &request.model;
    let is_token = request.options.api_key.as_ref().is_some_and(|key| !key.expose().starts_with("sk-"));
    model.provider == "openai" && model.base_url == "https://api.openai.com/v1" && is_token
}

/// Whether the provider knows the items of calls of its other models.
pub(super) fn keeps_items(model: &Model, dialect: Dialect) -> bool {
    KEEPS_ITEMS.contains(&&*model.provider) || (dialect == Dialect::Azure && azure::is_azure(model))
}

/// What the session is called where a name may not be long.
pub(super) fn cache_key(request: &StreamRequest) -> Option<String> {
    request.options.session_id.as_ref().map(|session| session.chars().take(MAX_CACHE_KEY).collect())
}

fn retention(wanted: CacheRetention, compat: &Compat, put: &mut impl FnMut(&str, Value)) {
    let long = wanted == CacheRetention::Long && compat.supports_long_cache_retention;
    match (compat.supports_explicit_prompt_cache_mode, wanted) {
        (true, CacheRetention::None) => put("prompt_cache_options", json!({"mode": "explicit"})),
        (true, _) if long => put("prompt_cache_options", json!({"ttl": "30m"})),
        (false, _) if long => put("prompt_cache_retention", json!("24h")),
        _ => {}
    }
}
