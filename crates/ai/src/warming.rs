//! When it pays to repeat a request so that its provider keeps the prompt cached, and the request that does it.
//!
//! Who calls this owns the timers; here are the numbers and the rules.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::{CacheRetention, Model, StreamRequest, ThinkingLevel, Usage};

/// How long after a request its prompt is kept warm while a run is under way.
pub const LONGEST_WARMING: Duration = Duration::from_secs(60 * 60);
/// As long while nothing runs.
pub const LONGEST_IDLE_WARMING: Duration = Duration::from_secs(30 * 60);
/// What a refresh must be expected to save, in US dollars.
pub const LEAST_SAVING: f64 = 0.05;
/// How likely another request comes in time while nothing runs, 0 to 1.
pub const IDLE_CONTINUATION: f64 = 0.15;

/// The least time between a refresh and the end of what it refreshes.
const MARGIN: Duration = Duration::from_secs(10);

/// What a session is at while its prompt is kept warm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarmingPhase {
    /// A run is under way, and will ask again.
    Running,
    /// Nothing runs.
    Idle,
}

/// What a refresh of a cached prompt costs, and what it saves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WarmingEstimate {
    /// The price of the refresh, in US dollars.
    pub warm_cost: f64,
    /// What the next request costs more when the prompt is not cached any longer, in US dollars.
    pub miss_cost: f64,
    /// How likely there is a next request in time, 0 to 1.
    pub continuation_probability: f64,
    /// Whether size and prices are known. Without them nothing is saved.
    pub is_known: bool,
}

impl WarmingEstimate {
    /// What a refresh saves on average, in US dollars; less than nothing where it costs more than it saves.
    pub fn saving(&self) -> f64 {
        self.continuation_probability * self.miss_cost - self.warm_cost
    }

    /// Whether the saving is worth a refresh.
    pub fn is_worth_it(&self) -> bool {
        self.is_known && self.saving() >= LEAST_SAVING
    }
}

impl Model {
    /// How long the provider keeps a prompt cached that is sent with this wish; `None` when that is not known.
    pub fn prompt_cache_lifetime(&self, retention: CacheRetention) -> Option<Duration> {
        let key = match retention {
            CacheRetention::None => return None,
            CacheRetention::Short => "short",
            CacheRetention::Long => "long",
        };
        let seconds = self.extra.get("promptCache")?.get(key)?.as_f64()?;
        Duration::try_from_secs_f64(seconds).ok().filter(|lifetime| !lifetime.is_zero())
    }

    /// What it costs to keep a prompt of that many tokens cached, and what that saves.
    pub fn warming_estimate(&self, prompt_tokens: u64, phase: WarmingPhase) -> WarmingEstimate {
        let price = |mut usage: Usage| {
            usage.price(&self.cost);
            usage.cost.total
        };
        let hit = price(Usage { cache_read: prompt_tokens, ..Usage::default() });
        let miss = if self.cost.cache_write > 0.0 {
            price(Usage { cache_write: prompt_tokens, ..Usage::default() })
        } else {
            price(Usage { input: prompt_tokens, ..Usage::default() })
        };
        WarmingEstimate {
            warm_cost: price(Usage { cache_read: prompt_tokens, output: 1, ..Usage::default() }),
            miss_cost: (miss - hit).max(0.0),
            continuation_probability: match phase {
                WarmingPhase::Running => 1.0,
                WarmingPhase::Idle => IDLE_CONTINUATION,
            },
            is_known: prompt_tokens > 0 && (hit > 0.0 || miss > 0.0),
        }
    }
}

impl StreamRequest {
    /// How long after it is sent a refresh of its cached prompt is due, and how long the prompt stays cached. `None` when
    /// it is not cached, nobody knows how long, or a request with a shorter answer is another one for the cache.
    pub fn warming_times(&self) -> Option<(Duration, Duration)> {
        let lifetime = self.model.prompt_cache_lifetime(self.options.cache_retention)?;
        let delay = lifetime.mul_f64(0.9).min(lifetime.checked_sub(MARGIN)?);
        (!delay.is_zero() && self.is_replayable()).then_some((delay, lifetime))
    }

    /// The same request with an answer of one token, for its effect on the provider's cache: what it sends in front of the
    /// answer is the same, it touches no thread, it is not repeated, and the conversation remembers nothing of it. Whoever
    /// is to see it on its way out is set by the caller.
    #[must_use]
    pub fn replay(&self, cancel: CancellationToken) -> Self {
        let mut options = self.options.clone();
        options.max_tokens = Some(1);
        options.repeats = Some(0);
        options.disable_continuation = true;
        options.written = options.written.detached();
        Self { options, hooks: None, cancel, ..self.clone() }
    }

    /// A budget to think with is part of the limit of the answer, and of what the provider knows a cached prompt by; and a
    /// model with a budget would go on to think.
    fn is_replayable(&self) -> bool {
        if self.options.thinking == ThinkingLevel::Off {
            return true;
        }
        let is_adaptive = || {
            let compat = self.model.extra.get("compat");
            compat.and_then(|compat| compat.get("forceAdaptiveThinking")) == Some(&serde_json::Value::Bool(true))
        };
        match self.model.api.as_str() {
            "anthropic-messages" | "bedrock-converse-stream" => is_adaptive(),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::StreamOptions;

    fn model(changes: &Value) -> Model {
        let mut model = json!({"id": "m", "api": "anthropic-messages", "reasoning": true,
            "cost": {"input": 3.0, "output": 15.0, "cacheRead": 0.3, "cacheWrite": 3.75},
            "promptCache": {"short": 300, "long": 3600}});
        for (key, value) in changes.as_object().into_iter().flatten() {
            model[key] = value.clone();
        }
        serde_json::from_value(model).expect("a model")
    }

    fn request(changes: &Value, options: StreamOptions) -> StreamRequest {
        StreamRequest {
            model: Arc::new(model(changes)),
            system: None,
            messages: Vec::new(),
            tools: Arc::new([]),
            options,
            hooks: None,
            cancel: CancellationToken::new(),
        }
    }

    #[test]
    fn a_refresh_is_due_shortly_before_a_cached_prompt_is_gone() {
        let due = |changes: &Value, retention, thinking| {
            let options = StreamOptions { cache_retention: retention, thinking, ..StreamOptions::default() };
            let times = request(changes, options).warming_times();
            times.map(|(delay, lifetime)| (delay.as_millis(), lifetime.as_secs()))
        };
        use CacheRetention::{Long, None as Never, Short};
        let off = ThinkingLevel::Off;
        assert_eq!(due(&json!({}), Short, off), Some((270_000, 300)));
        assert_eq!(due(&json!({}), Long, off), Some((3_240_000, 3600)));
        assert_eq!(due(&json!({}), Never, off), None);
        for (cache, wanted) in [
            (json!({"short": 20}), Some((10_000, 20))),
            (json!({"short": 10}), None),
            (json!({"short": -1}), None),
            (json!({"short": "5m"}), None),
            (json!({"long": 3600}), None),
            (json!(null), None),
        ] {
            assert_eq!(due(&json!({"promptCache": cache}), Short, off), wanted, "{cache}");
        }
        // With a budget to think with, another limit of the answer is another request.
        assert_eq!(due(&json!({}), Short, ThinkingLevel::High), None);
        assert_eq!(due(&json!({"api": "bedrock-converse-stream"}), Short, ThinkingLevel::High), None);
        let adaptive = json!({"compat": {"forceAdaptiveThinking": true}});
        assert!(due(&adaptive, Short, ThinkingLevel::High).is_some());
        assert!(due(&json!({"api": "openai-completions"}), Short, ThinkingLevel::High).is_some());
    }

    #[test]
    fn a_refresh_pays_for_long_prompts_that_are_likely_to_be_sent_again() {
        let estimate = |changes: &Value, tokens, phase| model(changes).warming_estimate(tokens, phase);
        let large = estimate(&json!({}), 100_000, WarmingPhase::Running);
        let rounded = |dollars: f64| (dollars * 1e6).round();
        assert_eq!((rounded(large.warm_cost), rounded(large.miss_cost)), (30_015.0, 345_000.0));
        assert!(large.is_known && large.is_worth_it());
        let idle = estimate(&json!({}), 100_000, WarmingPhase::Idle);
        assert_eq!((idle.continuation_probability, rounded(idle.saving())), (0.15, 21_735.0));
        assert!(!idle.is_worth_it());
        assert!(estimate(&json!({}), 300_000, WarmingPhase::Idle).is_worth_it());
        assert!(!estimate(&json!({}), 10_000, WarmingPhase::Running).is_worth_it());
        // Where writing has no price of its own, a miss costs what plain tokens cost.
        let plain = json!({"cost": {"input": 3.0, "output": 15.0, "cacheRead": 0.3, "cacheWrite": 0.0}});
        assert_eq!(rounded(estimate(&plain, 100_000, WarmingPhase::Running).miss_cost), 270_000.0);
        for (cost, tokens) in [(json!({}), 100_000), (json!({"input": 3.0}), 0)] {
            let unknown = estimate(&json!({"cost": cost}), tokens, WarmingPhase::Running);
            assert!(!unknown.is_known && !unknown.is_worth_it(), "{cost}");
        }
    }

    #[test]
    fn a_replay_changes_nothing_but_the_answer() {
        let options = StreamOptions {
            session_id: Some("s".to_owned()),
            max_tokens: Some(4096),
            temperature: Some(0.5),
            ..StreamOptions::default()
        };
        let first = request(&json!({}), options);
        let again = first.replay(CancellationToken::new());
        let StreamOptions { max_tokens, repeats, disable_continuation, session_id, temperature, .. } = again.options;
        assert_eq!((max_tokens, repeats, disable_continuation), (Some(1), Some(0), true));
        assert_eq!((session_id, temperature), (first.options.session_id.clone(), Some(0.5)));
        again.cancel.cancel();
        assert!(!first.cancel.is_cancelled());
    }
}
