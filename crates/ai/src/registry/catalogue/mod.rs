//! The models that are known without any configuration: data of about 40 providers. The text of a list is read when
//! somebody needs that provider, so that a start pays for the providers it uses.

mod defaults;
mod list;
mod texts;

use std::sync::{Arc, LazyLock, OnceLock};

use serde::Deserialize;

pub(super) use defaults::{DEFAULT_MODELS, default_model, rank};

use crate::Model;

/// The lists of all providers. There is one for the whole program.
pub(super) struct Catalogue(Vec<Provider>);

struct Provider {
    name: &'static str,
    text: &'static str,
    models: OnceLock<Vec<Arc<Model>>>,
}

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let unread = |&(name, text)| Provider { name, text, models: OnceLock::new() };
    Catalogue(texts::TEXTS.iter().map(unread).collect())
});

/// The lists that are part of the program.
pub(super) fn catalogue() -> &'static Catalogue {
    &CATALOGUE
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Source {
    generated_at: String,
}

/// When the lists were made, in milliseconds since the Unix epoch. A newer list outranks them.
pub(super) fn made_at() -> i64 {
    let source = serde_json::from_str::<Source>(texts::SOURCE).map_err(|error| error.to_string());
    let date = |source: Source| source.generated_at.parse::<jiff::Timestamp>().map_err(|error| error.to_string());
    match source.and_then(date) {
        Ok(date) => date.as_millisecond(),
        Err(error) => {
            crate::broken(&format!("the date of the built-in models cannot be read: {error}"));
            0
        }
    }
}

/// Whether a header presents a program as the client of another vendor. tau sends none of these.
pub(super) fn is_of_another_client(header: &str) -> bool {
    let header = header.to_ascii_lowercase();
    header == "user-agent" || header == "copilot-integration-id" || header.starts_with("editor-")
}

impl Catalogue {
    /// Every provider, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|provider| provider.name)
    }

    fn provider(&self, name: &str) -> Option<&Provider> {
        let found = self.0.binary_search_by(|provider| provider.name.cmp(name)).ok()?;
        self.0.get(found)
    }

    /// Whether there is a list of a provider.
    pub fn has(&self, name: &str) -> bool {
        self.provider(name).is_some()
    }

    /// The models of a provider, of every kind; none for one without a list.
    pub fn models(&self, name: &str) -> &[Arc<Model>] {
        let read = |provider: &'_ Provider| list::read(provider.name, provider.text);
        self.provider(name).map_or(&[], |provider| provider.models.get_or_init(|| read(provider)))
    }

    /// The list of a provider as text, for searching.
    pub fn text(&self, name: &str) -> &'static str {
        self.provider(name).map_or("", |provider| provider.text)
    }
}

#[cfg(test)]
mod tests;
