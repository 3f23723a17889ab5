//! What the scripted model claims to be.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{InputKind, JsonMap, Model, ModelCost, ThinkingLevel};

/// The `model` key of a script. Everything has a default.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ScriptModel {
    id: Option<String>,
    name: Option<String>,
    #[serde(alias = "context_window")]
    context_window: Option<u64>,
    #[serde(alias = "max_tokens")]
    max_tokens: Option<u64>,
    #[serde(default)]
    reasoning: bool,
    #[serde(alias = "thinking_level_map")]
    thinking_level_map: Option<BTreeMap<ThinkingLevel, Option<String>>>,
    input: Option<Vec<InputKind>>,
    #[serde(default)]
    cost: ScriptCost,
    /// How long prompts stay cached, in seconds, by the lifetime that is asked for: `short` and `long`.
    prompt_cache: Option<JsonMap>,
}

/// Dollars per million tokens.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct ScriptCost {
    input: f64,
    output: f64,
    #[serde(alias = "cache_read")]
    cache_read: f64,
    #[serde(alias = "cache_write")]
    cache_write: f64,
}

impl ScriptModel {
    /// The model as the rest of the program knows models.
    pub fn to_model(&self) -> Model {
        let id = self.id.clone().unwrap_or_else(|| super::PROVIDER.to_owned());
        Model {
            name: self.name.clone().unwrap_or_else(|| id.clone()),
            id,
            api: super::PROVIDER.to_owned(),
            provider: super::PROVIDER.to_owned(),
            base_url: String::new(),
            reasoning: self.reasoning,
            thinking_level_map: self.thinking_level_map.clone(),
            input: self.input.clone().unwrap_or_else(|| vec![InputKind::Text, InputKind::Image]),
            cost: ModelCost {
                input: self.cost.input,
                output: self.cost.output,
                cache_read: self.cost.cache_read,
                cache_write: self.cost.cache_write,
                ..ModelCost::default()
            },
            context_window: self.context_window.unwrap_or(200_000),
            max_tokens: self.max_tokens.unwrap_or(32_000),
            headers: None,
            extra: self
                .prompt_cache
                .clone()
                .map(|cache| ("promptCache".to_owned(), cache.into()))
                .into_iter()
                .collect(),
        }
    }
}
