//! Which functions answer for models that do not converse.

use std::sync::Arc;

use super::ModelRegistry;
use crate::{ClassifierApi, HttpClient, ImagesApi, Model, Operations, builtin_classifiers_over, builtin_images_over};

/// Those of the program, over a client.
pub(super) fn builtin(http: &Arc<HttpClient>) -> Operations {
    let named = |(name, api): (&str, _)| (name.to_owned(), api);
    Operations {
        classifiers: builtin_classifiers_over(http).into_iter().map(named).collect(),
        images: builtin_images_over(http).into_iter().map(|(name, api)| (name.to_owned(), api)).collect(),
    }
}

impl ModelRegistry {
    /// How a classifier is asked: as its provider does it, if it brought functions for the model's api, else as the
    /// program does.
    pub fn classifier_for(&self, model: &Model) -> Option<Arc<dyn ClassifierApi>> {
        let state = self.state.read();
        let own = state.registered(&model.provider).and_then(|config| config.operations.classifiers.get(&model.api));
        own.or_else(|| state.operations.classifiers.get(&model.api)).cloned()
    }

    /// How a model that makes pictures is asked; see [`ModelRegistry::classifier_for`].
    pub fn images_for(&self, model: &Model) -> Option<Arc<dyn ImagesApi>> {
        let state = self.state.read();
        let own = state.registered(&model.provider).and_then(|config| config.operations.images.get(&model.api));
        own.or_else(|| state.operations.images.get(&model.api)).cloned()
    }

    /// All models of every kind, provider by provider.
    pub fn every(&self) -> Vec<Arc<Model>> {
        let state = self.state.read();
        let composed = state.provider_names().into_iter().map(|name| state.composed(name));
        composed.flat_map(|all| all.chat.iter().chain(&*all.others).cloned().collect::<Vec<_>>()).collect()
    }

    /// The model of a provider with that kind and id. Models of different kinds may have the same id.
    pub fn find_of_kind(&self, kind: &str, provider: &str, id: &str) -> Option<Arc<Model>> {
        if kind == Model::CHAT {
            return self.find(provider, id);
        }
        let composed = self.state.read().composed(crate::provider_name(provider));
        composed.others.iter().find(|model| model.kind() == kind && model.id == id).cloned()
    }
}
