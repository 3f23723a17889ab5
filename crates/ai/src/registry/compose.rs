//! Puts the layers of a provider together.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::base::Base;
use super::config::{ModelConfig, ProviderConfig, merge};
use super::known_compat;
use super::provider_error::ProviderError;
use crate::{InputKind, JsonMap, Model, ModelCost};

const CONTEXT_WINDOW: u64 = 128_000;
const MAX_TOKENS: u64 = 16_384;

/// All layers.
pub(super) struct Providers<'a> {
    pub base: &'a Base,
    pub configured: &'a BTreeMap<String, Arc<ProviderConfig>>,
    pub registered: &'a [(String, Arc<ProviderConfig>)],
    /// What logins made of the models of a provider.
    pub projected: &'a BTreeMap<String, Vec<Arc<Model>>>,
}

impl<'a> Providers<'a> {
    /// Every provider: built-in ones first, then configured, then registered ones.
    pub fn names(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = self.base.names().collect();
        let more = self.configured.keys().chain(self.registered.iter().map(|(name, _)| name));
        for name in more {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// Whether the models of a provider are those of the built-in list as they stand there.
    pub fn is_plain(&self, name: &str) -> bool {
        let changed = self.configured.contains_key(name)
            || self.registered.iter().any(|(known, _)| known == name)
            || self.projected.contains_key(name);
        !changed && self.base.is_plain(name)
    }

    /// The models of a provider, of every kind.
    pub fn provider(&self, name: &str) -> Vec<Arc<Model>> {
        let configured = self.configured.get(name);
        let mut models = match self.projected.get(name) {
            Some(models) => models.clone(),
            None => self.before_login(name),
        };
        // The user's word about single models is the last one.
        let overrides = configured.map(|config| &config.model_overrides);
        for (id, change) in overrides.into_iter().flatten() {
            for model in models.iter_mut().filter(|model| model.id == *id && model.kind() == Model::CHAT) {
                *model = Arc::new(overridden(model, change));
            }
        }
        models
    }

    /// The models of a provider before a login and the user's changes to single ones count.
    pub fn before_login(&self, name: &str) -> Vec<Arc<Model>> {
        let models = self.configured_models(name);
        match self.registered.iter().find(|(known, _)| known == name) {
            Some((_, config)) => with_registered(name, models, config),
            None => models,
        }
    }

    /// Built-in and configured models of a provider.
    fn configured_models(&self, name: &str) -> Vec<Arc<Model>> {
        let builtin = self.base.models(name).into_owned();
        match self.configured.get(name) {
            Some(config) => with_configured(name, builtin, config),
            None => builtin,
        }
    }
}

/// Checks a provider of `models.json`.
pub(super) fn check_configured(name: &str, config: &ProviderConfig, base: &Base) -> Result<(), ProviderError> {
    let provider = || name.to_owned();
    if name.is_empty() {
        return Err(ProviderError::NoName);
    }
    if config.api_key.as_deref() == Some("") {
        return Err(ProviderError::EmptyKey { provider: provider() });
    }
    check_server(name, config)?;
    let changes = config.base_url.is_some()
        || config.api_key.is_some()
        || !config.headers.is_empty()
        || config.auth_header.is_some()
        || config.compat.is_some()
        || !config.model_overrides.is_empty()
        || config.oauth_server.is_some()
        || config.models.as_ref().is_some_and(|models| !models.is_empty());
    if !changes {
        return Err(ProviderError::Empty { provider: provider() });
    }
    check_models(name, config, &base.models(name))
}

/// Says which `compat` keys of a provider of `models.json` nothing reads. Wire formats of extensions have keys of their
/// own.
pub(super) fn unknown_compat(name: &str, config: &ProviderConfig, base: &Base) -> Option<String> {
    let base = &*base.models(name);
    let is_built_in = |api: Option<&str>| api.is_some_and(crate::is_builtin_api);
    let own_api = config.api.as_deref().or_else(|| base.first().map(|model| model.api.as_str()));
    let mut found: Vec<&JsonMap> = config.compat.iter().filter(|_| is_built_in(own_api)).collect();
    let compat = |entry: &'_ ModelConfig| entry.extra.get("compat").and_then(Value::as_object).cloned();
    let entries = config.models.iter().flatten().filter(|entry| is_built_in(reached(entry, config, base).0.as_deref()));
    let changes = config.model_overrides.values().filter(|_| is_built_in(own_api));
    let of_models: Vec<JsonMap> = entries.chain(changes).filter_map(compat).collect();
    found.extend(&of_models);
    let mut unknown: Vec<&str> = found.into_iter().flat_map(known_compat::unknown).collect();
    unknown.sort_unstable();
    unknown.dedup();
    (!unknown.is_empty())
        .then(|| format!("Provider {name}: unknown compat keys have no effect: {}", unknown.join(", ")))
}

/// Checks a provider of an extension.
pub(super) fn check_registered(
    name: &str,
    config: &ProviderConfig,
    providers: &Providers<'_>,
) -> Result<(), ProviderError> {
    if name.trim().is_empty() {
        return Err(ProviderError::NoName);
    }
    check_server(name, config)?;
    let base = providers.configured_models(name);
    check_models(name, config, &base)
}

fn check_server(name: &str, config: &ProviderConfig) -> Result<(), ProviderError> {
    let checked = config.oauth_server.as_ref().map_or(Ok(()), |server| server.check());
    checked.map_err(|error| ProviderError::OAuthServer { provider: name.to_owned(), error })
}

fn check_models(name: &str, config: &ProviderConfig, base: &[Arc<Model>]) -> Result<(), ProviderError> {
    let provider = || name.to_owned();
    for entry in config.models.iter().flatten() {
        if entry.id.trim().is_empty() {
            return Err(ProviderError::NoId { provider: provider() });
        }
        let (api, base_url) = reached(entry, config, base);
        if base_url.is_none() {
            return Err(ProviderError::NoBaseUrl { provider: provider() });
        }
        if api.is_none() {
            return Err(ProviderError::NoApi { provider: provider(), model: entry.id.clone() });
        }
    }
    Ok(())
}

/// Api and address of a model: its own, its provider's, or those of a model the provider has already.
fn reached(entry: &ModelConfig, config: &ProviderConfig, base: &[Arc<Model>]) -> (Option<String>, Option<String>) {
    let wanted = entry.api.as_ref().or(config.api.as_ref());
    let like = base
        .iter()
        .find(|model| model.id == entry.id)
        .or_else(|| base.iter().find(|model| wanted == Some(&model.api)))
        .or_else(|| base.first());
    let api = wanted.cloned().or_else(|| like.map(|model| model.api.clone()));
    let base_url = entry.base_url.clone().or_else(|| config.base_url.clone());
    (api, base_url.or_else(|| like.map(|model| model.base_url.clone())))
}

fn with_configured(name: &str, base: Vec<Arc<Model>>, config: &ProviderConfig) -> Vec<Arc<Model>> {
    let mut models = base;
    if config.base_url.is_some() || config.compat.is_some() {
        for model in &mut models {
            let mut changed = Model::clone(model);
            if let Some(base_url) = &config.base_url {
                changed.base_url.clone_from(base_url);
            }
            merge_compat(&mut changed.extra, config.compat.as_ref());
            *model = Arc::new(changed);
        }
    }
    for entry in config.models.iter().flatten() {
        let (api, base_url) = reached(entry, config, &models);
        let model =
            model_of(name, entry, api.unwrap_or_default(), base_url.unwrap_or_default(), config.compat.as_ref());
        let model = Arc::new(model);
        match models.iter_mut().find(|known| known.id == entry.id && known.kind() == model.kind()) {
            Some(known) => *known = model,
            None => models.push(model),
        }
    }
    models
}

fn with_registered(name: &str, base: Vec<Arc<Model>>, config: &ProviderConfig) -> Vec<Arc<Model>> {
    if config.models.is_none() {
        return with_configured(name, base, config);
    }
    let entries = config.models.iter().flatten();
    entries
        .map(|entry| {
            let (api, base_url) = reached(entry, config, &base);
            let compat = config.compat.as_ref();
            Arc::new(model_of(name, entry, api.unwrap_or_default(), base_url.unwrap_or_default(), compat))
        })
        .collect()
}

/// The model that an entry describes.
pub(super) fn model_of(
    provider: &str,
    entry: &ModelConfig,
    api: String,
    base_url: String,
    compat: Option<&JsonMap>,
) -> Model {
    let mut extra = JsonMap::new();
    merge_compat(&mut extra, compat);
    merge_extra(&mut extra, &entry.extra);
    Model {
        id: entry.id.clone(),
        name: entry.name.clone().unwrap_or_else(|| entry.id.clone()),
        api,
        provider: provider.to_owned(),
        base_url,
        reasoning: entry.reasoning.unwrap_or(false),
        thinking_level_map: entry.thinking_level_map.clone(),
        input: entry.input.clone().unwrap_or_else(|| vec![InputKind::Text]),
        cost: entry.cost.as_ref().map_or_else(ModelCost::default, |cost| cost.apply(&ModelCost::default())),
        context_window: entry.context_window.unwrap_or(CONTEXT_WINDOW),
        max_tokens: entry.max_tokens.unwrap_or(MAX_TOKENS),
        // Values may point to the environment, so they are resolved for each request instead.
        headers: None,
        extra,
    }
}

fn overridden(model: &Model, change: &ModelConfig) -> Model {
    let mut changed = model.clone();
    if let Some(name) = &change.name {
        changed.name.clone_from(name);
    }
    if let Some(reasoning) = change.reasoning {
        changed.reasoning = reasoning;
    }
    if let Some(levels) = &change.thinking_level_map {
        changed.thinking_level_map.get_or_insert_default().extend(levels.clone());
    }
    if let Some(input) = &change.input {
        changed.input.clone_from(input);
    }
    if let Some(cost) = &change.cost {
        changed.cost = cost.apply(&changed.cost);
    }
    changed.context_window = change.context_window.unwrap_or(changed.context_window);
    changed.max_tokens = change.max_tokens.unwrap_or(changed.max_tokens);
    merge_extra(&mut changed.extra, &change.extra);
    changed
}

/// One level deeper than [`merge`]: `compat` itself holds objects.
fn merge_extra(extra: &mut JsonMap, over: &JsonMap) {
    for (key, value) in over {
        if let (Some(Value::Object(old)), Value::Object(new)) = (extra.get_mut(key), value) {
            merge(old, new);
        } else {
            extra.insert(key.clone(), value.clone());
        }
    }
}

fn merge_compat(extra: &mut JsonMap, compat: Option<&JsonMap>) {
    let Some(compat) = compat else { return };
    let slot = extra.entry("compat").or_insert_with(|| Value::Object(JsonMap::new()));
    if let Value::Object(known) = slot {
        merge(known, compat);
    }
}
