//! What a model is and can do.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::JsonMap;

/// A model of a provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The id sent to the provider.
    pub id: String,
    /// The name shown to people.
    #[serde(default)]
    pub name: String,
    /// The wire format, for example `anthropic-messages`.
    #[serde(default)]
    pub api: String,
    /// The provider's name.
    #[serde(default)]
    pub provider: String,
    /// Root of the provider's HTTP interface.
    #[serde(default)]
    pub base_url: String,
    /// The model can think before it answers.
    #[serde(default)]
    pub reasoning: bool,
    /// Level names the provider uses; `null` marks a level it does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_level_map: Option<BTreeMap<ThinkingLevel, Option<String>>>,
    /// What a prompt may contain.
    #[serde(default)]
    pub input: Vec<InputKind>,
    /// Prices.
    #[serde(default)]
    pub cost: ModelCost,
    /// Size of the context, in tokens.
    #[serde(default)]
    pub context_window: u64,
    /// Most tokens of one answer.
    #[serde(default)]
    pub max_tokens: u64,
    /// Headers sent with every request to this model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<BTreeMap<String, String>>,
    /// Fields this version does not know, `compat` among them.
    #[serde(flatten)]
    pub extra: JsonMap,
}

/// Prices in US dollars per million tokens.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelCost {
    /// Prompt tokens.
    pub input: f64,
    /// Generated tokens.
    pub output: f64,
    /// Prompt tokens read from the cache.
    pub cache_read: f64,
    /// Prompt tokens written to the cache.
    pub cache_write: f64,
    /// Prices that replace the ones above once a prompt grows past a size.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<CostTier>,
}

/// Prices of long prompts, in US dollars per million tokens.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CostTier {
    /// The tier applies to prompts of more tokens than this, cached ones included.
    pub input_tokens_above: u64,
    /// Prompt tokens.
    pub input: f64,
    /// Generated tokens.
    pub output: f64,
    /// Prompt tokens read from the cache.
    pub cache_read: f64,
    /// Prompt tokens written to the cache.
    pub cache_write: f64,
}

/// What a prompt may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InputKind {
    /// Text.
    Text,
    /// Pictures.
    Image,
}

/// How much a model thinks before it answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingLevel {
    /// Not at all.
    #[default]
    Off,
    /// Barely.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// Very much.
    Xhigh,
    /// As much as the model can.
    Max,
}

impl ThinkingLevel {
    /// All levels, rising.
    pub const ALL: [Self; 7] = [Self::Off, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::Xhigh, Self::Max];

    /// The name used in settings, flags and session files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Max => "max",
        }
    }

    /// The level of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == name)
    }
}

impl std::fmt::Display for ThinkingLevel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Model {
    /// The levels this model offers, rising; just `off` when it cannot think.
    pub fn thinking_levels(&self) -> Vec<ThinkingLevel> {
        if !self.reasoning {
            return vec![ThinkingLevel::Off];
        }
        ThinkingLevel::ALL
            .into_iter()
            .filter(|level| match self.thinking_level_map.as_ref().and_then(|map| map.get(level)) {
                Some(mapped) => mapped.is_some(),
                // The two highest levels exist only where a model names them.
                None => !matches!(level, ThinkingLevel::Xhigh | ThinkingLevel::Max),
            })
            .collect()
    }

    /// The nearest level this model offers: the wanted one, else the next higher, else the next lower.
    pub fn clamp_thinking(&self, wanted: ThinkingLevel) -> ThinkingLevel {
        let levels = self.thinking_levels();
        levels.iter().copied().find(|level| *level >= wanted).or_else(|| levels.last().copied()).unwrap_or_default()
    }

    /// The host that is asked, with its port when the address names one.
    pub fn host(&self) -> Option<String> {
        let url = reqwest::Url::parse(&self.base_url).ok()?;
        let host = url.host_str()?;
        Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
    }

    /// Whether prompts may contain pictures.
    pub fn accepts_images(&self) -> bool {
        self.input.contains(&InputKind::Image)
    }
}
