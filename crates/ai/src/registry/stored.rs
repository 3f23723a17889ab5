//! Lists of models that files brought: newer than those of the program.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::catalogue::{self, catalogue};
use super::jsonc::in_plain_words;
use super::{JsonProblem, ModelRegistry, ProviderError};
use crate::Model;
use crate::provider_names::under_present_names;

/// The provider whose stored list holds what its key may use, and nothing else.
const PERSONAL: &str = "openrouter";

/// A list of a provider. It is read when somebody needs it.
pub(super) struct Stored {
    /// When it was made, in milliseconds since the Unix epoch.
    modified: i64,
    /// Whether other models of the provider do not exist for this user.
    pub only: bool,
    text: Box<RawValue>,
    models: OnceLock<Vec<Arc<Model>>>,
}

/// An entry of the file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    models: Box<RawValue>,
    #[serde(default)]
    last_modified: Option<f64>,
}

impl Stored {
    /// The models of the list that can be taken over.
    pub fn models(&self, provider: &str) -> &[Arc<Model>] {
        self.models.get_or_init(|| {
            let entries: Vec<&RawValue> = serde_json::from_str(self.text.get()).unwrap_or_else(|error| {
                tracing::warn!(provider, %error, "a stored list of models cannot be read");
                Vec::new()
            });
            entries.into_iter().filter_map(|entry| read(provider, entry.get())).map(Arc::new).collect()
        })
    }
}

/// A model of a stored list. A key must not go to an address that the provider does not have, so a model with one is left
/// out.
fn read(provider: &str, text: &str) -> Option<Model> {
    let refuse = |why: &str| tracing::warn!(provider, why, "a model of a stored list is not used");
    let mut model: Model = match serde_json::from_str(text) {
        Ok(model) => model,
        Err(error) => {
            refuse(&error.to_string());
            return None;
        }
    };
    // An id is shown in terminals.
    let is_odd = |id: &str| id.trim().is_empty() || id.chars().any(char::is_control);
    if model.provider != provider || is_odd(&model.id) || model.api.is_empty() {
        refuse("it names no id, no api, or another provider");
        return None;
    }
    let mut hosts = catalogue().models(provider).iter().filter_map(|known| host(&known.base_url));
    if !host(&model.base_url).is_some_and(|given| hosts.any(|known| known == given)) {
        refuse(&format!("{} has an address that is not the provider's", model.id));
        return None;
    }
    if model.name.is_empty() {
        model.name.clone_from(&model.id);
    }
    if let Some(headers) = &mut model.headers {
        headers.retain(|name, _| !catalogue::is_of_another_client(name));
    }
    model.headers = model.headers.filter(|headers| !headers.is_empty());
    Some(model)
}

/// The host of an address, which may hold placeholders. Only an empty address has none, and anything that a parser of
/// addresses may read in another way is refused: a key goes there.
fn host(url: &str) -> Option<&str> {
    if url.is_empty() {
        return Some("");
    }
    let host = url.strip_prefix("https://")?.split(['/', '?', '#']).next()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:{}".contains(&byte);
    (!host.is_empty() && host.bytes().all(is_plain)).then_some(host)
}

/// The lists that files brought, by provider; of each provider the oldest first.
pub(super) type Lists = BTreeMap<String, Vec<Arc<Stored>>>;

impl ModelRegistry {
    /// Takes over the text of a file with lists of models by provider, such as `models-store.json`: those that are newer
    /// than the program's. `file` is its name.
    ///
    /// # Errors
    /// A text that cannot be read changes nothing.
    pub fn load_model_lists(&self, file: &'static str, text: &str) -> Result<(), ProviderError> {
        let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
        let plain = if plain.trim().is_empty() { "{}" } else { plain };
        let entries: BTreeMap<String, Entry> = serde_json::from_str(plain).map_err(|error| ProviderError::Json {
            file,
            problem: JsonProblem {
                line: error.line().max(1),
                column: error.column().max(1),
                message: in_plain_words(error.to_string().split(" at line ").next().unwrap_or_default()),
            },
        })?;
        let made_at = catalogue::made_at();
        let mut state = self.state.write();
        let base = Arc::make_mut(&mut state.base);
        for (provider, entry) in under_present_names(entries) {
            let modified = entry.last_modified.unwrap_or_default() as i64;
            let only = provider == PERSONAL && entry.last_modified.is_none();
            if !base.has(&provider) || (modified <= made_at && !only) {
                continue;
            }
            let lists = base.stored.entry(provider).or_default();
            lists.push(Arc::new(Stored { modified, only, text: entry.models, models: OnceLock::new() }));
            lists.sort_by_key(|list| list.modified);
        }
        state.recompose();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn an_address_has_one_host_or_none() {
        for (url, expected) in [
            ("", Some("")),
            ("https://api.example/v1", Some("api.example")),
            ("https://{location}-x.example:8443", Some("{location}-x.example:8443")),
            ("https:///evil/v1", None),
            ("https://good.example@evil", None),
            ("https://good.example\\evil", None),
            ("http://api.example", None),
            ("evil", None),
        ] {
            assert_eq!(host(url), expected, "{url}");
        }
    }
}
