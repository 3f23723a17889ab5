//! Tokens and money.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{JsonMap, ModelCost};

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
    /// For [`Usage::input`].
    pub input: f64,
    /// For [`Usage::output`].
    pub output: f64,
    /// For [`Usage::cache_read`].
    pub cache_read: f64,
    /// For [`Usage::cache_write`].
    pub cache_write: f64,
    /// The sum.
    pub total: f64,
}

impl Usage {
    /// Fills [`Usage::cost`] from the token counts and a model's prices (dollars per million tokens).
    pub fn price(&mut self, prices: &ModelCost) {
        let cost = |tokens: u64, price: f64| tokens as f64 * price / 1_000_000.0;
        self.cost = Cost {
            input: cost(self.input, prices.input),
            output: cost(self.output, prices.output),
            cache_read: cost(self.cache_read, prices.cache_read),
            cache_write: cost(self.cache_write, prices.cache_write),
            total: 0.0,
        };
        self.cost.total = self.cost.input + self.cost.output + self.cost.cache_read + self.cost.cache_write;
    }
}
