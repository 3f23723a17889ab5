//! The events of the Responses interface.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use crate::wire::count::count;
use crate::{Model, Usage};

/// Text that borrows from the event unless it has escapes.
#[derive(Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// One event. What its kind does not have is absent.
#[derive(Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Option<Text<'a>>,
    /// The place of the item it is about.
    pub output_index: Option<u64>,
    #[serde(borrow)]
    pub delta: Option<Text<'a>>,
    /// Of a function, when they are complete.
    pub arguments: Option<String>,
    /// Of a tool that takes a text, when it is complete.
    pub input: Option<String>,
    pub item: Option<Value>,
    pub response: Option<Response>,
    pub code: Option<Value>,
    pub message: Option<Value>,
    pub error: Option<Value>,
}

/// The answer as a whole, as far as it is of interest.
#[derive(Deserialize, Default)]
pub(super) struct Response {
    pub id: Option<String>,
    pub status: Option<String>,
    pub usage: Option<RawUsage>,
    pub service_tier: Option<String>,
    pub incomplete_details: Option<Incomplete>,
    pub error: Option<Value>,
    pub output: Option<Vec<Value>>,
    /// Whether the model wants no further turn.
    pub end_turn: Option<Value>,
}

/// Why an answer is not complete.
#[derive(Deserialize)]
pub(super) struct Incomplete {
    pub reason: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct RawUsage {
    #[serde(default, deserialize_with = "count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    total_tokens: Option<u64>,
    input_tokens_details: Option<InputDetails>,
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize)]
struct InputDetails {
    #[serde(default, deserialize_with = "count")]
    cached_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    cache_write_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct OutputDetails {
    #[serde(default, deserialize_with = "count")]
    reasoning_tokens: Option<u64>,
}

impl RawUsage {
    /// Counts in our terms: cached tokens are not part of the input.
    pub fn counted(&self) -> Usage {
        let details = self.input_tokens_details.as_ref();
        let cache_read = details.and_then(|details| details.cached_tokens).unwrap_or(0);
        let cache_write = details.and_then(|details| details.cache_write_tokens).unwrap_or(0);
        let reasoning = self.output_tokens_details.as_ref().and_then(|details| details.reasoning_tokens);
        Usage {
            input: self.input_tokens.unwrap_or(0).saturating_sub(cache_read.saturating_add(cache_write)),
            output: self.output_tokens.unwrap_or(0),
            cache_read,
            cache_write,
            reasoning: Some(reasoning.unwrap_or(0)),
            total_tokens: self.total_tokens.unwrap_or(0),
            ..Usage::default()
        }
    }
}

/// Prices an answer of a service tier.
pub(super) fn price(usage: &mut Usage, model: &Model, tier: Option<&str>) {
    usage.price(&model.cost);
    let factor = match tier {
        Some("flex") => 0.5,
        Some("priority" | "fast") if model.id == "gpt-5.5" => 2.5,
        Some("priority" | "fast") => 2.0,
        _ => return,
    };
    let cost = &mut usage.cost;
    for part in [&mut cost.input, &mut cost.output, &mut cost.cache_read, &mut cost.cache_write] {
        *part *= factor;
    }
    cost.total = cost.input + cost.output + cost.cache_read + cost.cache_write;
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_service_tier_has_its_price() {
        let price_of = |id: &str, tier: Option<&str>| {
            let model = json!({"id": id, "cost": {"input": 1.0, "output": 2.0, "cacheRead": 0.5, "cacheWrite": 3.0}});
            let million = 1_000_000;
            let mut usage = Usage {
                input: million,
                output: million,
                cache_read: million,
                cache_write: million,
                ..Usage::default()
            };
            price(&mut usage, &serde_json::from_value(model).expect("a model"), tier);
            (usage.cost.cache_write, usage.cost.total)
        };
        for (id, tier, expected) in [
            ("gpt-5.5", None, (3.0, 6.5)),
            ("gpt-5.5", Some("default"), (3.0, 6.5)),
            ("gpt-5.5", Some("flex"), (1.5, 3.25)),
            ("gpt-5.5", Some("priority"), (7.5, 16.25)),
            ("gpt-6", Some("priority"), (6.0, 13.0)),
            ("gpt-6", Some("fast"), (6.0, 13.0)),
        ] {
            assert_eq!(price_of(id, tier), expected, "{id} {tier:?}");
        }
    }
}
