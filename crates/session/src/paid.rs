//! What was paid for.

use tau_ai::Usage;

/// Tokens and money.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Paid {
    /// Prompt tokens outside of caches.
    pub input: u64,
    /// Generated tokens.
    pub output: u64,
    /// Tokens read from a cache.
    pub cache_read: u64,
    /// Tokens written to a cache.
    pub cache_write: u64,
    /// The price in US dollars.
    pub cost: f64,
}

impl From<&Usage> for Paid {
    fn from(usage: &Usage) -> Self {
        let Usage { input, output, cache_read, cache_write, .. } = *usage;
        Self { input, output, cache_read, cache_write, cost: usage.cost.total }
    }
}
