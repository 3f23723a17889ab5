//! The choice of model and thinking level, and the cache.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tau_ai::{Model, ThinkingLevel};

use super::{Output, Stop};

/// Another model was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelSelectEvent {
    /// The new model.
    pub model: Arc<Model>,
    /// The model before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_model: Option<Arc<Model>>,
    /// How it was chosen.
    pub source: ModelSelectSource,
}

/// How a model was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModelSelectSource {
    /// By name.
    Set,
    /// By cycling.
    Cycle,
    /// From a session.
    Restore,
}

/// Another thinking level was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingLevelSelectEvent {
    /// The new level.
    pub level: ThinkingLevel,
    /// The level before.
    pub previous_level: ThinkingLevel,
}

/// The prompt of the last request is about to leave the provider's cache. The same request with an answer of one token
/// keeps it there.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CacheWarmingDecisionEvent {
    /// What the refresh costs, in US dollars.
    pub warm_cost: f64,
    /// What the next request costs more without it, in US dollars.
    pub miss_cost: f64,
    /// How likely the next request comes in time, 0 to 1. During a run it is 1.
    pub continuation_probability: f64,
    /// What tau would do.
    pub action: CacheWarmingAction,
}

/// Whether to refresh the provider's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CacheWarmingAction {
    /// Refresh it.
    Warm,
    /// Let it expire, until the next request.
    Stop,
}

/// A decision on the cache.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CacheWarmingDecisionResult {
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<CacheWarmingAction>,
}

impl Output<CacheWarmingDecisionEvent> for CacheWarmingDecisionResult {
    const STOPS: Option<Stop<Self>> = None;

    fn is_empty(&self) -> bool {
        self.action.is_none()
    }
}

#[cfg(feature = "samples")]
mod samples {
    use super::*;
    use crate::payload::sample::{Sample, model};

    impl Sample for ModelSelectEvent {
        fn sample() -> Self {
            Self { model: model(), previous_model: None, source: ModelSelectSource::Set }
        }
    }

    impl Sample for ThinkingLevelSelectEvent {
        fn sample() -> Self {
            Self { level: ThinkingLevel::High, previous_level: ThinkingLevel::Off }
        }
    }

    impl Sample for CacheWarmingDecisionEvent {
        fn sample() -> Self {
            Self { warm_cost: 0.1, miss_cost: 0.2, continuation_probability: 0.5, action: CacheWarmingAction::Warm }
        }
    }
}
