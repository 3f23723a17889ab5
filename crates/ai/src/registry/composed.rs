//! The models of each provider, put together when somebody needs them and kept until something changes.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::catalogue::catalogue;
use super::{ModelRegistry, State};
use crate::Model;
use crate::provider_names::provider_name;

/// The models of a provider.
#[derive(Debug, Clone)]
pub(super) struct Composed {
    /// Those that converse.
    pub chat: Arc<[Arc<Model>]>,
    /// Those that do something else, such as making images.
    pub others: Arc<[Arc<Model>]>,
}

/// What was put together so far.
#[derive(Default)]
pub(super) struct Cache {
    providers: Mutex<BTreeMap<String, Composed>>,
    all: OnceLock<Arc<[Arc<Model>]>>,
}

impl State {
    /// Forgets what was put together: something has changed.
    pub(super) fn recompose(&mut self) {
        self.cache = Arc::default();
    }

    /// Every provider that has models or configuration, in the order of lists.
    pub(super) fn provider_names(&self) -> Vec<&str> {
        let providers = self.providers();
        let mut names = providers.names();
        for model in &self.virtuals {
            if !names.contains(&model.provider.as_str()) {
                names.push(&model.provider);
            }
        }
        names
    }

    /// The models of a provider.
    pub(super) fn composed(&self, name: &str) -> Composed {
        if let Some(known) = self.cache.providers.lock().get(name) {
            return known.clone();
        }
        let all = self.providers().provider(name);
        let (mut chat, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|model| model.kind() == Model::CHAT);
        self.add_virtual(name, &mut chat);
        let composed = Composed { chat: chat.into(), others: others.into() };
        // Whoever was faster wins, so that a model is the same one wherever it comes from.
        self.cache.providers.lock().entry(name.to_owned()).or_insert(composed).clone()
    }

    /// All models that converse, provider by provider.
    pub(super) fn all(&self) -> Arc<[Arc<Model>]> {
        let compose = || self.provider_names().iter().flat_map(|name| self.composed(name).chat.to_vec()).collect();
        Arc::clone(self.cache.all.get_or_init(compose))
    }

    /// The models that converse of all providers that may have one whose id or name contains a text. Lists that nobody
    /// has changed are searched as text before they are read.
    pub(super) fn mentioning(&self, text: &str) -> Vec<Arc<Model>> {
        let providers = self.providers();
        let may_mention = |name: &&str| {
            !text.is_ascii()
                || self.cache.all.get().is_some()
                || self.virtuals.iter().any(|model| model.provider == **name)
                || !providers.is_plain(name)
                || contains_ignore_case(catalogue().text(name), text)
        };
        let names = self.provider_names();
        names.iter().filter(|name| may_mention(name)).flat_map(|name| self.composed(name).chat.to_vec()).collect()
    }
}

impl ModelRegistry {
    /// Every provider that has models or configuration: the built-in ones, then those of `models.json`, then those of
    /// extensions.
    pub fn providers(&self) -> Vec<String> {
        self.state.read().provider_names().into_iter().map(str::to_owned).collect()
    }

    /// The models of a provider that converse.
    pub fn of_provider(&self, provider: &str) -> Arc<[Arc<Model>]> {
        self.state.read().composed(provider_name(provider)).chat
    }
}

/// Whether a text contains another one, whatever the case of ASCII letters.
fn contains_ignore_case(text: &str, wanted: &str) -> bool {
    let (text, wanted) = (text.as_bytes(), wanted.as_bytes());
    // A character that stands escaped in the text cannot be searched for.
    let Some(first) = wanted.first() else { return true };
    if wanted.iter().any(|byte| matches!(byte, b'"' | b'\\')) {
        return true;
    }
    let starts = memchr::memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), text);
    starts
        .map(|at| &text[at..])
        .any(|rest| rest.get(..wanted.len()).is_some_and(|head| head.eq_ignore_ascii_case(wanted)))
}
