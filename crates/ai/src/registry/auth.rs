//! What a request authenticates with.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::auth_error::{AuthError, explain};
use super::auth_json::StoredCredential;
use super::env_keys::{ANTHROPIC_BEARER, AWS_CREDENTIALS, env_keys};
use super::env_settings::env_settings;
use super::value::{Lookup, ValueError};
use super::vendor_logins::vendor_login;
use super::{ModelRegistry, ProviderConfig};
use crate::oauth::OAuth;
use crate::provider_names::provider_name;
use crate::{Model, Secret};

/// Credential and headers of a request. Debug output shows header names only.
#[derive(Clone, PartialEq)]
pub struct RequestAuth {
    /// The key; absent when the headers authenticate, or nothing needs to.
    pub api_key: Option<Secret>,
    /// Headers of the configuration, values resolved.
    pub headers: BTreeMap<String, String>,
    /// Settings of the provider by the names of their variables: those stored with the credential, over those of the
    /// environment.
    pub env: BTreeMap<String, String>,
    /// Where the credential comes from.
    pub source: AuthSource,
}

impl fmt::Debug for RequestAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestAuth")
            .field("api_key", &self.api_key)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("source", &self.source)
            .finish()
    }
}

/// Where a credential comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthSource {
    /// Given for this run.
    Runtime,
    /// `auth.json`.
    Stored,
    /// The provider's configuration in `models.json` or an extension.
    Configured,
    /// An environment variable.
    Environment(&'static str),
    /// The machine, or a login of another program that is for all: the wire format takes care of it.
    Ambient,
    /// What was given in exchange for the identity of this workload.
    Workload,
    /// The provider needs none.
    Keyless,
}

/// What is known about a provider, taken out of the registry so that no lock is held while it is used.
pub(super) struct Known {
    pub(super) runtime: Option<Secret>,
    pub(super) stored: Option<Arc<StoredCredential>>,
    configured: Option<Arc<ProviderConfig>>,
    pub(super) registered: Option<Arc<ProviderConfig>>,
    /// Who takes care of a login.
    pub(super) oauth: Option<Arc<dyn OAuth>>,
}

impl Known {
    /// The layers, the one that wins first.
    pub(super) fn layers(&self) -> impl Iterator<Item = &ProviderConfig> {
        self.registered.iter().chain(&self.configured).map(|config| &**config)
    }

    /// The key of the configuration as it stands there, and whether an extension brought it.
    pub(super) fn key(&self) -> Option<(&str, bool)> {
        let registered = self.registered.as_ref().and_then(|config| Some((config.api_key.as_deref()?, true)));
        registered.or_else(|| Some((self.configured.as_ref()?.api_key.as_deref()?, false)))
    }

    /// Whether the stored login is one for programs of its vendor. No other address gets it either: a gateway has a key of
    /// its own. Whoever takes care of the login may use it.
    pub(super) fn has_foreign_login(&self, provider: &str) -> bool {
        let Some(StoredCredential::OAuth { access, .. }) = self.stored.as_deref() else { return false };
        // A key of the platform is for every program.
        let is_key = provider == "openai" && access.starts_with("sk-");
        self.oauth.is_none() && vendor_login(provider).is_some() && !is_key
    }

    /// Whether `models.json` has an entry for it.
    pub(super) fn is_configured(&self) -> bool {
        self.configured.is_some()
    }

    /// Whether it needs no key, because it runs in this process.
    pub(super) fn keyless(&self) -> bool {
        self.registered.as_ref().is_some_and(|config| config.keyless)
    }

    fn env(&self) -> BTreeMap<String, String> {
        match self.stored.as_deref() {
            Some(StoredCredential::ApiKey { env, .. }) => env.clone(),
            _ => BTreeMap::new(),
        }
    }
}

/// Marks access tokens, which the wire format of Anthropic sends as such by itself.
const ACCESS_TOKEN: &str = "sk-ant-oat";

/// Takes its key in a header of its own.
const AI_GATEWAY: &str = "cloudflare-ai-gateway";

fn is_fresh(expires: i64) -> bool {
    expires > crate::now_ms()
}

impl ModelRegistry {
    pub(super) fn known(&self, provider: &str) -> Known {
        let provider = provider_name(provider);
        let state = self.state.read();
        let (configured, registered) = (state.configured.get(provider).cloned(), state.registered(provider).cloned());
        let layers = registered.iter().chain(&configured);
        let oauth = layers.filter_map(|config| config.oauth.clone()).next();
        let builtin = || self.logins.iter().find(|(name, _)| *name == provider).map(|(_, oauth)| Arc::clone(oauth));
        Known {
            runtime: state.runtime_keys.get(provider).cloned(),
            stored: state.stored.get(provider).cloned(),
            oauth: oauth.or_else(builtin),
            configured,
            registered,
        }
    }

    fn lookup<'a>(&'a self, env: &'a BTreeMap<String, String>) -> Lookup<'a> {
        Lookup { resolver: &*self.resolver, env, commands: &self.commands }
    }

    /// The value that a key of the configuration stands for. No command is run.
    pub(super) fn look_up(&self, known: &Known, key: &str) -> Result<(), ValueError> {
        let env = known.env();
        if key.starts_with('!') {
            return Ok(());
        }
        self.lookup(&env).resolve(key).map(drop)
    }

    /// Whether a key is called like a variable that is not set.
    pub(super) fn is_unset_name(&self, known: &Known, key: &str) -> bool {
        self.lookup(&known.env()).is_unset_name(key)
    }

    /// Whether there is a credential for a provider. No command is run to find out.
    pub fn has_auth(&self, provider: &str) -> bool {
        let known = self.known(provider);
        if known.runtime.is_some() || known.keyless() || self.is_only_virtual(provider) {
            return true;
        }
        let env = known.env();
        let lookup = self.lookup(&env);
        // The first source that there is decides, as for a request: a key that names a variable which is not set is an
        // error there, and hides the sources behind it.
        match known.stored.as_deref() {
            Some(StoredCredential::ApiKey { key, .. }) if !key.is_empty() => return lookup.is_configured(key),
            Some(StoredCredential::OAuth { .. }) if known.has_foreign_login(provider) => {}
            Some(StoredCredential::OAuth { expires, .. }) if is_fresh(*expires) || known.oauth.is_some() => {
                return true;
            }
            _ => {}
        }
        if let Some(key) = known.layers().find_map(|config| config.api_key.as_ref()) {
            return lookup.is_configured(key);
        }
        let is_sent = |(name, value): (&String, &String)| is_auth_header(name) && lookup.is_configured(value);
        known.layers().any(|config| config.headers.iter().any(is_sent))
            || self.env_credential(provider).is_some()
            || self.has_ambient(provider, &lookup)
            || self.ambient(provider, &known).is_some()
            || self.workload_identity(provider, &known).is_some()
    }

    /// Credential and headers for a request to a model. The credential comes from the first of: the key given
    /// for this run, `auth.json`, the provider's configuration, the environment. A stored login counts as absent when it
    /// has expired, when only its vendor's programs may use it, and until [`ModelRegistry::keep_login_key`] has made a
    /// key of one that somebody takes care of. May run commands.
    ///
    /// # Errors
    /// When there is no credential, or a value of the configuration cannot be resolved.
    pub fn auth(&self, model: &Model) -> Result<RequestAuth, AuthError> {
        self.auth_of(&model.provider, &model.id)
    }

    /// As [`ModelRegistry::auth`], for a provider whatever the model.
    ///
    /// # Errors
    /// As [`ModelRegistry::auth`].
    pub fn provider_auth(&self, provider: &str) -> Result<RequestAuth, AuthError> {
        self.auth_of(provider, "")
    }

    fn auth_of(&self, provider: &str, model: &str) -> Result<RequestAuth, AuthError> {
        let known = self.known(provider);
        let env = known.env();
        let lookup = self.lookup(&env);
        let resolve = |what: &str, config: &str| lookup.resolve(config).map_err(|error| explain(provider, what, error));

        let mut headers = BTreeMap::new();
        let layers: Vec<&ProviderConfig> = known.layers().collect();
        for config in layers.iter().rev() {
            put_headers(&mut headers, &config.headers, &resolve)?;
        }
        for config in layers.iter().rev() {
            if let Some(overrides) = config.model_overrides.get(model) {
                put_headers(&mut headers, &overrides.headers, &resolve)?;
            }
            let own = config.models.iter().flatten().find(|entry| entry.id == model);
            put_headers(&mut headers, own.map(|entry| &entry.headers).into_iter().flatten(), &resolve)?;
        }

        let (key, source) = match self.credential(provider, &known, &resolve)? {
            Some((key, source)) => (key, source),
            None if known.keyless() => (None, AuthSource::Keyless),
            None if self.has_ambient(provider, &lookup) => (None, AuthSource::Ambient),
            None if headers.keys().any(|name| is_auth_header(name)) => (None, AuthSource::Configured),
            None if known.has_foreign_login(provider) => {
                return Err(AuthError::ForeignLogin { provider: provider.to_owned() });
            }
            None if matches!(known.stored.as_deref(), Some(StoredCredential::OAuth { .. })) => {
                return Err(AuthError::Expired { provider: provider.to_owned() });
            }
            None => match self.ambient(provider, &known) {
                Some(name) => (None, AuthSource::Environment(name)),
                None => {
                    return Err(AuthError::Missing { provider: provider.to_owned(), has_login: known.oauth.is_some() });
                }
            },
        };
        match &key {
            // A token that is a whole header, not a key.
            Some(key) if source == AuthSource::Environment(ANTHROPIC_BEARER) => {
                headers.insert("Authorization".to_owned(), format!("Bearer {}", key.expose()));
                return Ok(RequestAuth { api_key: None, headers, env: self.settings(provider, &known), source });
            }
            Some(key) if source == AuthSource::Workload && !key.expose().contains(ACCESS_TOKEN) => {
                headers.insert("Authorization".to_owned(), format!("Bearer {}", key.expose()));
                return Ok(RequestAuth { api_key: None, headers, env: self.settings(provider, &known), source });
            }
            // The gateway's own key: the headers of keys are for the provider behind it.
            Some(key) if provider_name(provider) == AI_GATEWAY => {
                headers.insert("cf-aig-authorization".to_owned(), format!("Bearer {}", key.expose()));
                return Ok(RequestAuth { api_key: None, headers, env: self.settings(provider, &known), source });
            }
            Some(key) if layers.iter().find_map(|config| config.auth_header) == Some(true) => {
                headers.insert("Authorization".to_owned(), format!("Bearer {}", key.expose()));
            }
            _ => {}
        }
        Ok(RequestAuth { api_key: key, headers, env: self.settings(provider, &known), source })
    }

    fn credential(
        &self,
        provider: &str,
        known: &Known,
        resolve: &impl Fn(&str, &str) -> Result<String, AuthError>,
    ) -> Result<Option<(Option<Secret>, AuthSource)>, AuthError> {
        let found = |key: String, source| Ok(Some((Some(Secret::new(key)), source)));
        if let Some(key) = &known.runtime {
            return Ok(Some((Some(key.clone()), AuthSource::Runtime)));
        }
        match known.stored.as_deref() {
            Some(StoredCredential::ApiKey { key, .. }) if !key.is_empty() => {
                return found(resolve("The key in auth.json", key)?, AuthSource::Stored);
            }
            Some(StoredCredential::OAuth { access, expires, .. })
                if is_fresh(*expires) && !known.has_foreign_login(provider) =>
            {
                let key = if known.oauth.is_some() {
                    self.login_key(provider, known.stored.as_ref())
                } else {
                    Some(access.clone())
                };
                if let Some(key) = key {
                    return found(key, AuthSource::Stored);
                }
            }
            _ => {}
        }
        if let Some(key) = known.layers().find_map(|config| config.api_key.as_ref()) {
            return found(resolve("The apiKey", key)?, AuthSource::Configured);
        }
        match self.env_credential(provider) {
            Some((name, key)) => found(key, AuthSource::Environment(name)),
            None => Ok(self.workload_token(provider, known).map(|token| (Some(token), AuthSource::Workload))),
        }
    }

    /// What variables say of a provider beside its key.
    fn settings(&self, provider: &str, known: &Known) -> BTreeMap<String, String> {
        let provider = provider_name(provider);
        let models = self.all();
        let apis = models.iter().filter(|model| model.provider == provider).map(|model| model.api.as_str());
        let names = std::iter::once(provider).chain(apis).flat_map(env_settings);
        let mut settings: BTreeMap<String, String> =
            names.filter_map(|name| Some(((*name).to_owned(), self.resolver.env(name)?))).collect();
        settings.extend(known.env());
        settings
    }

    /// The variable that says that the libraries of a cloud find credentials by themselves.
    pub(super) fn ambient(&self, provider: &str, known: &Known) -> Option<&'static str> {
        if provider_name(provider) != "amazon-bedrock" {
            return None;
        }
        let own = known.env();
        let is_set = |name: &str| {
            let value = own.get(name).cloned().or_else(|| self.resolver.env(name));
            value.is_some_and(|value| !value.is_empty())
        };
        AWS_CREDENTIALS.iter().find(|names| names.iter().all(|name| is_set(name))).map(|names| names[0])
    }

    pub(super) fn env_credential(&self, provider: &str) -> Option<(&'static str, String)> {
        let bearer = (provider == "anthropic").then_some(ANTHROPIC_BEARER);
        let mut names = bearer.into_iter().chain(env_keys(provider_name(provider)).iter().copied());
        names.find_map(|name| Some((name, self.resolver.env(name).filter(|value| !value.is_empty())?)))
    }
}

/// Adds headers; a name that is there in another spelling is replaced.
fn put_headers<'c>(
    headers: &mut BTreeMap<String, String>,
    given: impl IntoIterator<Item = (&'c String, &'c String)>,
    resolve: &impl Fn(&str, &str) -> Result<String, AuthError>,
) -> Result<(), AuthError> {
    for (name, config) in given {
        let value = resolve(&format!("The header {name}"), config)?;
        headers.retain(|known, _| !known.eq_ignore_ascii_case(name));
        headers.insert(name.clone(), value);
    }
    Ok(())
}

pub(super) fn is_auth_header(name: &str) -> bool {
    ["authorization", "x-api-key", "x-goog-api-key", "cf-aig-authorization"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
}

pub(super) fn has_own_authorization(config: &ProviderConfig) -> bool {
    config.headers.keys().any(|name| is_auth_header(name))
}
