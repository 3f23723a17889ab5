//! What an answer cost.

use serde::Deserialize;
use serde_json::Value;

use crate::wire::count::count;
use crate::wire::reported_cost::{ReportedCost, is_open_router};
use crate::{Model, Usage};

/// The counts as a server sends them.
#[derive(Deserialize)]
pub(in crate::wire) struct RawUsage {
    #[serde(default, deserialize_with = "count")]
    prompt_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
    #[serde(default, deserialize_with = "count")]
    prompt_cache_hit_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    cached_tokens: Option<u64>,
    // Of OpenRouter.
    cost: Option<Value>,
    is_byok: Option<Value>,
    cost_details: Option<Value>,
}

#[derive(Deserialize)]
struct PromptDetails {
    #[serde(default, deserialize_with = "count")]
    cached_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    cache_write_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct CompletionDetails {
    #[serde(default, deserialize_with = "count")]
    reasoning_tokens: Option<u64>,
}

/// Counts in our terms: cached tokens are not part of the input.
pub(in crate::wire) fn usage(raw: &RawUsage, model: &Model) -> Usage {
    let details = raw.prompt_tokens_details.as_ref();
    let cache_read = details.and_then(|details| details.cached_tokens);
    let cache_read = cache_read.or(raw.prompt_cache_hit_tokens).or(raw.cached_tokens).unwrap_or(0);
    let cache_write = details.and_then(|details| details.cache_write_tokens).unwrap_or(0);
    let input = raw.prompt_tokens.unwrap_or(0).saturating_sub(cache_read.saturating_add(cache_write));
    let output = raw.completion_tokens.unwrap_or(0);
    let reasoning = raw.completion_tokens_details.as_ref().and_then(|details| details.reasoning_tokens);
    let mut usage = Usage {
        input,
        output,
        cache_read,
        cache_write,
        reasoning: Some(reasoning.unwrap_or(0)),
        total_tokens: input.saturating_add(output).saturating_add(cache_read).saturating_add(cache_write),
        ..Usage::default()
    };
    usage.price(&model.cost);
    if is_open_router(model) {
        let (cost, is_byok, details) = (raw.cost.as_ref(), raw.is_byok.as_ref(), raw.cost_details.as_ref());
        ReportedCost { cost, is_byok, details }.apply(&mut usage);
    }
    usage
}
