//! The models that are known without any configuration.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::compose::model_of;
use super::config::ModelConfig;
use crate::Model;

/// Built-in models by provider.
pub(super) type Catalogue = BTreeMap<String, Vec<Arc<Model>>>;

const TEXT: &str = include_str!("catalogue.json");

/// The model to start with, by provider, in the order in which providers are tried.
pub(super) const DEFAULT_MODELS: &[(&str, &str)] = &[
    ("anthropic", "claude-opus-4-8"),
    ("openai", "gpt-5.5"),
    ("deepseek", "deepseek-v4-pro"),
    ("google", "gemini-3.1-pro-preview"),
    ("openrouter", "moonshotai/kimi-k2.6"),
    ("vercel-ai-gateway", "zai/glm-5.1"),
    ("xai", "grok-4.7"),
    ("groq", "openai/gpt-oss-120b"),
    ("cerebras", "gpt-oss-120b"),
    ("zai", "glm-5.3"),
    ("mistral", "devstral-medium-latest"),
    ("minimax", "MiniMax-M2.7"),
    ("moonshotai", "kimi-k2.6"),
    ("huggingface", "moonshotai/Kimi-K2.6"),
    ("fireworks", "accounts/fireworks/models/kimi-k2p6"),
    ("together", "moonshotai/Kimi-K2.6"),
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Provider {
    api: String,
    base_url: String,
    models: Vec<ModelConfig>,
}

/// The default model of a provider.
pub(super) fn default_model(provider: &str) -> Option<&'static str> {
    DEFAULT_MODELS.iter().find(|(name, _)| *name == provider).map(|(_, id)| *id)
}

/// Reads the catalogue.
pub(super) fn load() -> Catalogue {
    // The text is part of the program and a test reads it, so a failure cannot reach a user; a program
    // without built-in models would still serve configured ones.
    let providers: BTreeMap<String, Provider> = serde_json::from_str(TEXT).unwrap_or_default();
    providers
        .into_iter()
        .map(|(name, provider)| {
            let models = provider
                .models
                .iter()
                .map(|config| Arc::new(model_of(&name, config, provider.api.clone(), provider.base_url.clone(), None)))
                .collect();
            (name, models)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_model_is_complete() {
        serde_json::from_str::<BTreeMap<String, Provider>>(TEXT).expect("the catalogue is JSON of the right shape");
        let catalogue = load();
        assert_eq!(catalogue.keys().collect::<Vec<_>>(), ["anthropic", "openai"]);
        for (provider, models) in &catalogue {
            assert!(models.len() >= 10, "{provider}");
            for model in models {
                assert!(model.context_window >= 100_000 && model.max_tokens >= 16_384, "{model:?}");
                assert!(model.cost.input > 0.0 && model.cost.output > model.cost.input, "{model:?}");
                assert!(model.accepts_images() && !model.name.is_empty(), "{model:?}");
                assert!(crate::builtin_apis().iter().any(|(api, _)| *api == model.api), "{model:?}");
            }
            let default = default_model(provider).expect("a default");
            assert!(models.iter().any(|model| model.id == default), "{default}");
        }
    }
}
