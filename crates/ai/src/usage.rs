//! Tokens and money.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{JsonMap, ModelCost};

/// Key in [`Usage::extra`] of the cache writes that live for an hour.
const LONG_WRITES: &str = "cacheWrite1h";

/// More tokens than any request has: a provider that counts more has counted wrong.
const MOST_TOKENS: u64 = 1 << 40;

/// Tokens of one request, as the provider counted them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Prompt tokens that were neither read from nor written to the cache.
    pub input: u64,
    /// Generated tokens, reasoning included.
    pub output: u64,
    /// Prompt tokens read from the provider's cache.
    pub cache_read: u64,
    /// Prompt tokens written to the provider's cache.
    pub cache_write: u64,
    /// Generated tokens that were reasoning, where the provider counts them; part of `output`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// All tokens of the request.
    pub total_tokens: u64,
    /// What they cost, in US dollars.
    pub cost: Cost,
    /// Fields this version does not know.
    #[serde(flatten)]
    pub extra: JsonMap,
}

/// Money, in US dollars.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Cost {
    /// For prompt tokens outside the cache.
    pub input: f64,
    /// For generated tokens.
    pub output: f64,
    /// For prompt tokens read from the cache.
    pub cache_read: f64,
    /// For prompt tokens written to the cache.
    pub cache_write: f64,
    /// The sum, or what the provider says it charged.
    pub total: f64,
    /// Whether `total` is the provider's; absent where nobody knows the price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_from_provider: Option<bool>,
}

impl Usage {
    /// Prompt tokens, wherever the provider had them from.
    pub fn prompt(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// All tokens of prompt and answer, summed up here.
    pub fn sum(&self) -> u64 {
        self.prompt().saturating_add(self.output)
    }

    /// Lowers counts that no request can have, so that sums of many stay right.
    pub fn bound(&mut self) {
        let counts =
            [&mut self.input, &mut self.output, &mut self.cache_read, &mut self.cache_write, &mut self.total_tokens];
        for count in counts {
            *count = (*count).min(MOST_TOKENS);
        }
        self.reasoning = self.reasoning.map(|count| count.min(MOST_TOKENS));
        if let Some(long) = self.extra.get_mut(LONG_WRITES)
            && long.as_f64().is_some_and(|count| count > MOST_TOKENS as f64)
        {
            *long = MOST_TOKENS.into();
        }
    }

    /// Fills [`Usage::cost`] from the token counts and a model's prices (dollars per million tokens).
    ///
    /// Cache writes that live for an hour (`cacheWrite1h` in [`Usage::extra`], part of
    /// [`Usage::cache_write`]) cost twice the price of plain prompt tokens.
    pub(crate) fn price(&mut self, prices: &ModelCost) {
        let prompt = self.prompt();
        let tier = prices.tiers.iter().filter(|tier| prompt > tier.input_tokens_above);
        let (input, output, cache_read, cache_write) = match tier.max_by_key(|tier| tier.input_tokens_above) {
            Some(tier) => (tier.input, tier.output, tier.cache_read, tier.cache_write),
            None => (prices.input, prices.output, prices.cache_read, prices.cache_write),
        };
        let cost = |tokens: u64, price: f64| tokens as f64 * price / 1_000_000.0;
        let long = self.extra.get(LONG_WRITES).and_then(serde_json::Value::as_u64).unwrap_or(0).min(self.cache_write);
        self.cost = Cost {
            input: cost(self.input, input),
            output: cost(self.output, output),
            cache_read: cost(self.cache_read, cache_read),
            cache_write: cost(self.cache_write - long, cache_write) + cost(long, input * 2.0),
            total: 0.0,
            total_from_provider: Some(false),
        };
        self.cost.total = self.cost.input + self.cost.output + self.cost.cache_read + self.cost.cache_write;
    }
}

impl Usage {
    /// The tokens and the money of both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let extra = |usage: &Self, key: &str| usage.extra.get(key).and_then(serde_json::Value::as_u64);
        let mut sum = Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            reasoning: match (self.reasoning, other.reasoning) {
                (None, None) => None,
                (one, two) => Some(one.unwrap_or_default().saturating_add(two.unwrap_or_default())),
            },
            total_tokens: self.total_tokens.saturating_add(other.total_tokens),
            cost: Cost {
                input: self.cost.input + other.cost.input,
                output: self.cost.output + other.cost.output,
                cache_read: self.cost.cache_read + other.cost.cache_read,
                cache_write: self.cost.cache_write + other.cost.cache_write,
                total: self.cost.total + other.cost.total,
                total_from_provider: match (self.cost.total_from_provider, other.cost.total_from_provider) {
                    (None, None) => None,
                    (one, two) => Some(one == Some(true) && two == Some(true)),
                },
            },
            extra: JsonMap::new(),
        };
        let long = [extra(self, LONG_WRITES), extra(other, LONG_WRITES)];
        if long.iter().any(Option::is_some) {
            sum.extra.insert(LONG_WRITES.to_owned(), long.into_iter().flatten().fold(0, u64::saturating_add).into());
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CostTier;
    use serde_json::json;

    #[test]
    fn usage_adds_up() {
        let mut one = Usage { input: 1, output: 2, total_tokens: 3, reasoning: Some(1), ..Usage::default() };
        one.extra.insert("cacheWrite1h".to_owned(), json!(5));
        one.cost.total = 0.5;
        let two = Usage { input: 10, cache_read: 4, cost: Cost { total: 1.0, ..Cost::default() }, ..Usage::default() };
        let mut sum = Usage { input: 11, output: 2, cache_read: 4, total_tokens: 3, reasoning: Some(1), ..one.clone() };
        sum.cost.total = 1.5;
        assert_eq!(one.plus(&two), sum);
        assert_eq!(Usage::default().plus(&Usage::default()), Usage::default());
    }

    #[test]
    fn counts_that_no_request_has_neither_overflow_nor_stay() {
        let most = u64::MAX;
        let mut wrong = Usage { input: most, output: most, cache_read: most, total_tokens: most, ..Usage::default() };
        wrong.extra.insert("cacheWrite1h".to_owned(), json!(most));
        let sum = wrong.plus(&wrong);
        assert_eq!((sum.input, sum.sum(), &sum.extra["cacheWrite1h"]), (most, most, &json!(most)));
        wrong.bound();
        let sum = wrong.plus(&wrong);
        assert_eq!((sum.input, sum.sum(), &sum.extra["cacheWrite1h"]), (1 << 41, 3 << 41, &json!(1_u64 << 41)));
    }

    #[test]
    fn cost_follows_tier_and_cache_lifetime() {
        let prices = ModelCost {
            input: 2.0,
            output: 10.0,
            cache_read: 0.5,
            cache_write: 2.5,
            tiers: vec![CostTier { input_tokens_above: 1_000_000, input: 4.0, output: 20.0, ..CostTier::default() }],
        };
        let mut usage = Usage { input: 500_000, output: 1_000_000, cache_write: 400_000, ..Usage::default() };
        usage.extra.insert("cacheWrite1h".to_owned(), json!(200_000));
        usage.price(&prices);
        let (cache_write, total) = (0.5 + 0.8, 12.3);
        let total_from_provider = Some(false);
        let cost = Cost { input: 1.0, output: 10.0, cache_read: 0.0, cache_write, total, total_from_provider };
        assert_eq!(usage.cost, cost);

        let mut long = Usage { input: 1_000_001, output: 1_000_000, ..Usage::default() };
        long.price(&prices);
        assert_eq!((long.cost.input, long.cost.output), (4.000_004, 20.0));
    }
}
