//! What a registry knows of stored logins. Making and renewing them is for others: it waits, and it writes files.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::ModelRegistry;
use super::auth_json::{self, StoredCredential};
use crate::oauth::OAuth;
use crate::provider_names::provider_name;
use crate::{JsonMap, Model, Secret};

/// A stored login that somebody takes care of. Debug output tells nothing secret.
#[derive(Clone)]
pub struct StoredLogin {
    /// The credential as it stands in `auth.json`.
    pub credential: JsonMap,
    /// When it expires, in milliseconds since the Unix epoch.
    pub expires: i64,
    /// Who takes care of it.
    pub oauth: Arc<dyn OAuth>,
    /// Whether its key is known.
    pub has_key: bool,
}

impl fmt::Debug for StoredLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredLogin").field("expires", &self.expires).finish_non_exhaustive()
    }
}

impl ModelRegistry {
    /// How to log in to a provider: by its extension, else at the server that `models.json` names, else as tau knows.
    pub fn oauth(&self, provider: &str) -> Option<Arc<dyn OAuth>> {
        self.known(provider).oauth
    }

    /// The providers that one can log in to: those of extensions in the order of their registration, then the others.
    pub fn logins(&self) -> Vec<(String, Arc<dyn OAuth>)> {
        let state = self.state.read();
        let registered = state.registered.iter().map(|(name, config)| (name.as_str(), &config.oauth));
        let configured = state.configured.iter().map(|(name, config)| (name.as_str(), &config.oauth));
        let all = registered.chain(configured).filter_map(|(name, oauth)| Some((name, oauth.clone()?)));
        let builtin = self.logins.iter().map(|(name, oauth)| (*name, Arc::clone(oauth)));
        let mut logins: Vec<(String, Arc<dyn OAuth>)> = Vec::new();
        for (name, oauth) in all.chain(builtin) {
            if !logins.iter().any(|(known, _)| known == name) {
                logins.push((name.to_owned(), oauth));
            }
        }
        logins
    }

    /// The login that counts for a provider: none when a key was given for this run, when something else is stored, or
    /// when nobody takes care of it.
    pub fn stored_login(&self, provider: &str) -> Option<StoredLogin> {
        let known = self.known(provider);
        let oauth = known.oauth.clone()?;
        let StoredCredential::OAuth { expires, whole, .. } = known.stored.as_deref()? else { return None };
        let has_key = self.login_key(provider, known.stored.as_ref()).is_some();
        let login = StoredLogin { credential: whole.clone(), expires: *expires, oauth, has_key };
        known.runtime.is_none().then_some(login)
    }

    /// When the stored login of a provider expires, in milliseconds since the Unix epoch.
    pub fn login_expires(&self, provider: &str) -> Option<i64> {
        match self.known(provider).stored.as_deref() {
            Some(StoredCredential::OAuth { expires, .. }) => Some(*expires),
            _ => None,
        }
    }

    /// Whether requests to a provider authenticate with a stored login.
    pub fn uses_login(&self, provider: &str) -> bool {
        let known = self.known(provider);
        known.runtime.is_none() && matches!(known.stored.as_deref(), Some(StoredCredential::OAuth { .. }))
    }

    /// Takes over what `auth.json` says of one provider now; `None` when it says nothing.
    pub fn set_stored(&self, provider: &str, entry: Option<JsonMap>) {
        let provider = provider_name(provider);
        let entry = entry.and_then(|entry| auth_json::credential(Value::Object(entry))).map(Arc::new);
        let mut state = self.state.write();
        match entry {
            Some(entry) => drop(state.stored.insert(provider.to_owned(), entry)),
            None => drop(state.stored.remove(provider)),
        }
        state.login_keys.remove(provider);
    }

    /// Keeps the key that was made of a login, unless another one is stored by now.
    pub fn keep_login_key(&self, provider: &str, credential: &JsonMap, key: Secret) {
        let mut state = self.state.write();
        let stored = state.stored.get(provider_name(provider)).cloned();
        if let Some(stored) = stored
            && matches!(&*stored, StoredCredential::OAuth { whole, .. } if whole == credential)
        {
            state.login_keys.insert(provider_name(provider).to_owned(), (stored, key));
        }
    }

    pub(super) fn login_key(&self, provider: &str, stored: Option<&Arc<StoredCredential>>) -> Option<String> {
        let state = self.state.read();
        let (of, key) = state.login_keys.get(provider_name(provider))?;
        Arc::ptr_eq(of, stored?).then(|| key.expose().to_owned())
    }

    /// The models of a provider as they are without a login.
    pub fn models_before_login(&self, provider: &str) -> Vec<Arc<Model>> {
        self.state.read().providers().before_login(provider)
    }

    /// Takes over what a login made of the models of a provider; `None` undoes it.
    pub fn project_models(&self, provider: &str, models: Option<Vec<Model>>) {
        let mut state = self.state.write();
        match models {
            Some(models) => {
                let of_provider = |mut model: Model| {
                    model.provider = provider.to_owned();
                    Arc::new(model)
                };
                let models = models.into_iter().map(of_provider).collect();
                state.projected.insert(provider.to_owned(), models);
            }
            None if !state.projected.contains_key(provider) => return,
            None => drop(state.projected.remove(provider)),
        }
        state.recompose();
    }
}
