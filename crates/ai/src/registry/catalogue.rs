//! The models that are known without any configuration.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::compose::{Catalogue, model_of};
use super::config::ModelConfig;

const TEXT: &str = include_str!("catalogue.json");

/// The model to start with, by provider, in the order in which providers are tried. Providers that only configuration
/// brings along have theirs here too.
pub(super) const DEFAULT_MODELS: &[(&str, &str)] = &[
    ("anthropic", "claude-opus-5-5"),
    ("openai", "gpt-6.1-sol"),
    ("deepseek", "deepseek-v4-pro"),
    ("google", "gemini-4-argon"),
    ("openrouter", "moonshotai/kimi-k2.7-code"),
    ("vercel-ai-gateway", "zai/glm-5.3"),
    ("xai", "grok-4.7"),
    ("groq", "openai/gpt-oss-120b"),
    ("cerebras", "gpt-oss-120b"),
    ("zai", "glm-5.3"),
    ("mistral", "devstral-medium-latest"),
    ("minimax", "MiniMax-M3"),
    ("moonshotai", "kimi-k2.7-code"),
    ("huggingface", "moonshotai/Kimi-K2.7-Code"),
    ("fireworks", "accounts/fireworks/models/kimi-k3"),
    ("together", "moonshotai/Kimi-K3"),
    ("amazon-bedrock", "us.anthropic.claude-opus-5-5"),
    ("ant-ling", "Ring-2.6-1T"),
    ("azure", "gpt-6.1-sol"),
    ("openai-codex", "gpt-6.1-sol"),
    ("radius", "balanced"),
    ("nvidia", "nvidia/nemotron-3.5-super-vl-120b-a12b"),
    ("google-vertex", "gemini-4-argon"),
    ("github-copilot", "gpt-6.1-sol"),
    ("zai-coding-cn", "glm-5.3"),
    ("minimax-cn", "MiniMax-M3"),
    ("moonshotai-cn", "kimi-k2.7-code"),
    ("baseten", "zai-org/GLM-5.3"),
    ("opencode", "kimi-k2.7-code"),
    ("opencode-go", "kimi-k3.1-pro"),
    ("kimi-coding", "kimi-for-coding"),
    ("meta", "muse-spark-1.3"),
    ("cloudflare-workers-ai", "@cf/moonshotai/kimi-k2.7-code"),
    ("cloudflare-ai-gateway", "workers-ai/@cf/moonshotai/kimi-k2.7-code"),
    ("qwen-token-plan", "qwen3.8-max"),
    ("qwen-token-plan-cn", "qwen3.8-max"),
    ("qwen-token-plan-individual", "qwen3.8-max"),
    ("qwen-token-plan-individual-cn", "qwen3.8-max"),
    ("xiaomi", "mimo-v2.6-pro"),
    ("xiaomi-token-plan-cn", "mimo-v2.6-pro"),
    ("xiaomi-token-plan-ams", "mimo-v2.6-pro"),
    ("xiaomi-token-plan-sgp", "mimo-v2.6-pro"),
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
    read(TEXT)
}

/// Reads a catalogue that is part of the program: one that cannot be read is a defect. A program without built-in models
/// still serves configured ones.
fn read(text: &str) -> Catalogue {
    let providers: BTreeMap<String, Provider> = serde_json::from_str(text).unwrap_or_else(|error| {
        crate::broken(&format!("the built-in models cannot be read: {error}"));
        BTreeMap::new()
    });
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

    #[test]
    #[cfg_attr(debug_assertions, should_panic = "the built-in models cannot be read: missing field `baseUrl`")]
    fn a_catalogue_that_cannot_be_read_is_a_defect() {
        assert!(read(r#"{"anthropic": {"api": "anthropic-messages", "models": []}}"#).is_empty());
    }
}
