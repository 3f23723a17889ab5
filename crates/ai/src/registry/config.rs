//! The shape of a provider, as `models.json` and extensions describe it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::MAX_MODELS;
use super::provider_error::ProviderError;
use crate::oauth::{OAuth, OAuthServer};
use crate::{InputKind, JsonMap, ModelCost, Operations, Secrets, StreamApi, ThinkingLevel};

/// The whole of a `models.json`.
#[derive(Deserialize)]
pub(super) struct ModelsFile {
    pub providers: BTreeMap<String, ProviderConfig>,
}

/// A provider, or changes to one that exists. Values that may be secret (`apiKey`, headers) are a literal,
/// text with `$NAME` or `${NAME}`, the name of an environment variable, or `!command`.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProviderConfig {
    /// The name shown to people.
    pub name: Option<String>,
    /// Root of the provider's HTTP interface.
    pub base_url: Option<String>,
    /// The wire format of models that name none.
    pub api: Option<String>,
    /// The API key.
    pub api_key: Option<String>,
    /// Headers of every request.
    pub headers: BTreeMap<String, String>,
    /// Also send the key as `Authorization: Bearer`.
    pub auth_header: Option<bool>,
    /// How the server differs from the original; merged into every model.
    pub compat: Option<JsonMap>,
    /// Models. From `models.json` they are added to the provider's; from an extension they replace them.
    pub models: Option<Vec<ModelConfig>>,
    /// Changes to models by id; only `models.json` has these.
    pub model_overrides: BTreeMap<String, ModelConfig>,
    /// The server that people log in at. It makes [`ProviderConfig::oauth`] where nothing else does.
    pub oauth_server: Option<OAuthServer>,
    /// How to log in.
    #[serde(skip)]
    pub oauth: Option<Arc<dyn OAuth>>,
    /// Reaches the models whose api is [`ProviderConfig::api`], or all where that is absent; only extensions have this.
    #[serde(skip)]
    pub stream: Option<Arc<dyn StreamApi>>,
    /// Its functions for models that do not converse; only extensions have these.
    #[serde(skip)]
    pub operations: Operations,
    /// The provider needs no credential, because it runs in this process.
    #[serde(skip)]
    pub keyless: bool,
}

impl ProviderConfig {
    /// Reads what an extension says of the provider of a name.
    ///
    /// # Errors
    /// When it makes no sense; says which key does not.
    pub fn read(name: &str, config: &Value) -> Result<Self, ProviderError> {
        let provider = || name.to_owned();
        let models = config.get("models").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if models.len() > MAX_MODELS {
            return Err(ProviderError::TooMany { provider: provider(), count: models.len() });
        }
        let shape = |problem: String| ProviderError::Shape {
            provider: provider(),
            // It may quote the value that is wrong.
            problem: Secrets::of_config(config).hide(problem),
        };
        if let Some(index) = models.iter().position(|model| !model.is_object()) {
            return Err(shape(format!("models[{index}]: a model must be an object")));
        }
        crate::read_shape(config).map_err(shape)
    }

    /// These settings on top of earlier ones of the same provider.
    pub(super) fn over(self, earlier: &Self) -> Self {
        let earlier = earlier.clone();
        let headers = if self.headers.is_empty() { earlier.headers } else { self.headers };
        let overrides = if self.model_overrides.is_empty() { earlier.model_overrides } else { self.model_overrides };
        Self {
            name: self.name.or(earlier.name),
            base_url: self.base_url.or(earlier.base_url),
            api: self.api.or(earlier.api),
            api_key: self.api_key.or(earlier.api_key),
            headers,
            auth_header: self.auth_header.or(earlier.auth_header),
            compat: self.compat.or(earlier.compat),
            models: self.models.or(earlier.models),
            model_overrides: overrides,
            oauth_server: self.oauth_server.or(earlier.oauth_server),
            oauth: self.oauth.or(earlier.oauth),
            stream: self.stream.or(earlier.stream),
            operations: self.operations.over(earlier.operations),
            keyless: self.keyless || earlier.keyless,
        }
    }
}

impl fmt::Debug for ProviderConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Keys and headers stay out: they may be literals.
        f.debug_struct("ProviderConfig")
            .field("name", &self.name)
            .field("base_url", &self.base_url)
            .field("api", &self.api)
            .field("models", &self.models)
            .finish_non_exhaustive()
    }
}

/// A model, or changes to one. Everything but the id may be left out.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelConfig {
    /// The id sent to the provider.
    pub id: String,
    /// The name shown to people; the id when absent.
    pub name: Option<String>,
    /// The wire format; the provider's when absent.
    pub api: Option<String>,
    /// Root of the HTTP interface; the provider's when absent.
    pub base_url: Option<String>,
    /// The model can think before it answers.
    pub reasoning: Option<bool>,
    /// Level names the provider uses; `null` marks a level it does not have.
    pub thinking_level_map: Option<BTreeMap<ThinkingLevel, Option<String>>>,
    /// What a prompt may contain; just text when absent.
    pub input: Option<Vec<InputKind>>,
    /// Prices; free when absent.
    pub cost: Option<CostConfig>,
    /// Size of the context, in tokens; 128000 when absent.
    #[serde(deserialize_with = "positive")]
    pub context_window: Option<u64>,
    /// Most tokens of one answer; 16384 when absent.
    #[serde(deserialize_with = "positive")]
    pub max_tokens: Option<u64>,
    /// Headers of every request to this model.
    pub headers: BTreeMap<String, String>,
    /// Everything else, `compat` among it.
    #[serde(flatten)]
    pub extra: JsonMap,
}

impl fmt::Debug for ModelConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelConfig").field("id", &self.id).field("name", &self.name).finish_non_exhaustive()
    }
}

/// Prices that may be given in part, in US dollars per million tokens.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CostConfig {
    /// Prompt tokens.
    pub input: Option<f64>,
    /// Generated tokens.
    pub output: Option<f64>,
    /// Prompt tokens read from the cache.
    pub cache_read: Option<f64>,
    /// Prompt tokens written to the cache.
    pub cache_write: Option<f64>,
    /// Prices of long prompts.
    pub tiers: Option<Vec<crate::CostTier>>,
}

impl CostConfig {
    /// The prices with these on top.
    pub(super) fn apply(&self, base: &ModelCost) -> ModelCost {
        ModelCost {
            input: self.input.unwrap_or(base.input),
            output: self.output.unwrap_or(base.output),
            cache_read: self.cache_read.unwrap_or(base.cache_read),
            cache_write: self.cache_write.unwrap_or(base.cache_write),
            tiers: self.tiers.clone().unwrap_or_else(|| base.tiers.clone()),
        }
    }
}

/// The largest number of tokens that a file may give: all up to it are exact in every reader of JSON.
pub(super) const LARGEST_COUNT: f64 = 1e15;

/// People write a million as `1e6`, which JSON readers take for a fraction.
fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let Some(number) = Option::<f64>::deserialize(deserializer)? else { return Ok(None) };
    if number < 1.0 || number.fract() != 0.0 || number > LARGEST_COUNT {
        return Err(serde::de::Error::custom("expected a whole number above 0"));
    }
    Ok(Some(number as u64))
}

/// One JSON object on top of another, members that are objects themselves member by member.
pub(super) fn merge(base: &mut JsonMap, over: &JsonMap) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(Value::Object(old)), Value::Object(new)) => {
                old.extend(new.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}
