//! Virtual models: entries of the catalogue for which somebody chooses, request by request, the model that answers.

use std::sync::Arc;

use serde::Deserialize;

use super::{ModelRegistry, State};
use crate::provider_names::provider_name;
use crate::{InputKind, JsonMap, Model, ModelCost, ThinkingLevel};

/// The wire format that virtual models name. Nothing speaks it: a request goes to the model that was chosen.
pub const VIRTUAL_API: &str = "pi-virtual";

/// A virtual model as an extension describes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VirtualModelSpec {
    /// The provider under which it is listed; it may have other models.
    pub provider: String,
    /// Its id.
    pub id: String,
    /// The name shown to people.
    #[serde(default)]
    pub name: Option<String>,
    /// The levels that can be chosen; just `off` by default.
    #[serde(default)]
    pub thinking_levels: Option<Vec<ThinkingLevel>>,
    /// Size of the context in tokens, shown before the first answer; unknown by default.
    #[serde(default)]
    pub context_window: Option<u64>,
    /// Most tokens of one answer, shown before the first one; unknown by default.
    #[serde(default)]
    pub max_tokens: Option<u64>,
    /// What a prompt may contain; text and pictures by default.
    #[serde(default)]
    pub input: Option<Vec<InputKind>>,
}

/// Why there is no such virtual model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VirtualModelError {
    /// It has no name to be found by.
    #[error("Virtual model provider and id must not be empty.")]
    NoName,
    /// A model that answers itself has this name.
    #[error("Virtual model {provider}/{id} conflicts with a physical model.")]
    Taken {
        /// The provider.
        provider: String,
        /// The id.
        id: String,
    },
}

impl VirtualModelSpec {
    /// The entry of the catalogue.
    ///
    /// # Errors
    /// When the provider or the id is empty.
    pub fn model(self) -> Result<Model, VirtualModelError> {
        if self.provider.trim().is_empty() || self.id.trim().is_empty() {
            return Err(VirtualModelError::NoName);
        }
        let levels = self.thinking_levels.unwrap_or_else(|| vec![ThinkingLevel::Off]);
        let named = |level: ThinkingLevel| (level, levels.contains(&level).then(|| level.as_str().to_owned()));
        Ok(Model {
            name: self.name.unwrap_or_else(|| self.id.clone()),
            id: self.id,
            api: VIRTUAL_API.to_owned(),
            provider: provider_name(&self.provider).to_owned(),
            base_url: String::new(),
            reasoning: levels.iter().any(|level| *level != ThinkingLevel::Off),
            thinking_level_map: Some(ThinkingLevel::ALL.into_iter().map(named).collect()),
            input: self.input.unwrap_or_else(|| vec![InputKind::Text, InputKind::Image]),
            cost: ModelCost::default(),
            context_window: self.context_window.unwrap_or_default(),
            max_tokens: self.max_tokens.unwrap_or_default(),
            headers: None,
            extra: JsonMap::new(),
        })
    }
}

impl Model {
    /// Whether somebody chooses for each request which model answers in its place.
    pub fn is_virtual(&self) -> bool {
        self.api == VIRTUAL_API
    }

    /// What the model does: `chat`, unless it says something else, such as `image` or `classifier`.
    pub fn kind(&self) -> &str {
        self.extra.get("type").and_then(serde_json::Value::as_str).unwrap_or(Self::CHAT)
    }

    /// The kind of models that converse.
    pub const CHAT: &'static str = "chat";
}

impl ModelRegistry {
    /// Sets the virtual models, in place of earlier ones. Those whose name a physical model has are left out and given
    /// back, each with what is wrong.
    pub fn set_virtual_models(&self, models: Vec<Arc<Model>>) -> Vec<(Arc<Model>, VirtualModelError)> {
        let mut state = self.state.write();
        state.virtuals.clear();
        state.recompose();
        let mut refused = Vec::new();
        for model in models {
            match state.check_virtual(&model) {
                Ok(()) => state.virtuals.push(model),
                Err(error) => refused.push((model, error)),
            }
        }
        if !state.virtuals.is_empty() {
            state.recompose();
        }
        refused
    }

    /// Whether a virtual model of this name can be added.
    ///
    /// # Errors
    /// When a physical model has it.
    pub fn check_virtual(&self, model: &Model) -> Result<(), VirtualModelError> {
        self.state.read().check_virtual(model)
    }

    /// The model of that name, if it answers itself.
    pub fn find_physical(&self, provider: &str, id: &str) -> Option<Arc<Model>> {
        self.find(provider, id).filter(|model| !model.is_virtual())
    }

    /// All models of a kind, such as `chat`, `image` or `classifier`.
    pub fn all_of_kind(&self, kind: &str) -> Vec<Arc<Model>> {
        if kind == Model::CHAT {
            return self.all().to_vec();
        }
        let state = self.state.read();
        let others = state.provider_names().into_iter().flat_map(|name| state.composed(name).others.to_vec());
        others.filter(|model| model.kind() == kind).collect()
    }

    /// Whether all models of a provider are virtual; such a provider needs no credential.
    pub(super) fn is_only_virtual(&self, provider: &str) -> bool {
        let provider = provider_name(provider);
        let state = self.state.read();
        if !state.virtuals.iter().any(|model| model.provider == provider) {
            return false;
        }
        let composed = state.composed(provider);
        composed.chat.iter().chain(&*composed.others).all(|model| model.is_virtual())
    }
}

impl State {
    fn check_virtual(&self, model: &Model) -> Result<(), VirtualModelError> {
        let same = |other: &Model| other.provider == model.provider && other.id == model.id;
        if self.composed(&model.provider).chat.iter().any(|other| same(other) && !other.is_virtual()) {
            Err(VirtualModelError::Taken { provider: model.provider.clone(), id: model.id.clone() })
        } else {
            Ok(())
        }
    }

    /// Puts each virtual model of a provider behind its others, in the place of one with its id.
    pub(super) fn add_virtual(&self, provider: &str, models: &mut Vec<Arc<Model>>) {
        for model in self.virtuals.iter().filter(|model| model.provider == provider) {
            models.retain(|other| other.id != model.id);
            models.push(Arc::clone(model));
        }
    }
}
