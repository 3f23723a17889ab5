//! Which models there are, and how to authenticate with their providers.
//!
//! Three layers make up a provider: the built-in catalogue, the user's `models.json`, and what extensions
//! register. Each may add models, replace them or change how they are reached; the user's `modelOverrides`
//! come last. The registry is handed texts and never reads a file, and it asks its [`ValueResolver`] for
//! environment variables and command output.

mod ambient;
mod auth;
mod auth_error;
mod auth_json;
mod base;
mod catalogue;
mod compose;
mod composed;
mod config;
mod described;
mod diagnosis;
mod env_keys;
mod env_settings;
pub mod jsonc;
mod known_compat;
mod local_state;
mod login;
mod misspelt;
pub mod models_dev;
mod operations;
mod pattern;
mod provider_error;
mod status;
mod stored;
mod value;
mod vendor_logins;
mod virtual_models;
mod workload;

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use serde_json::Value;

pub use auth::{AuthSource, RequestAuth};
pub use auth_error::{AuthError, key_advice, key_advice_beside_login, stored_key_advice};
pub use config::{CostConfig, ModelConfig, ProviderConfig};
pub use diagnosis::{ModelDiagnosis, ModelProblem};
pub use env_keys::{PROVIDER_VARIABLES, is_provider_secret, secrets_in_logins, secrets_in_models};
pub use env_settings::PROVIDER_SETTINGS;
pub use jsonc::JsonProblem;
pub use known_compat::{COMPAT_KEYS, CompatKey};
pub use local_state::LOCAL_SERVERS;
pub(crate) use local_state::LocalState;
pub use login::StoredLogin;
pub use pattern::{PatternError, ResolvedModel};
pub use provider_error::{ModelsPart, ProviderError};
pub use status::AuthStatus;
pub use value::ValueResolver;
pub use vendor_logins::{VENDOR_LOGINS, VendorLogin, vendor_login};
pub use virtual_models::{VIRTUAL_API, VirtualModelError, VirtualModelSpec};

use crate::oauth::{Connections, OAuth, OpenRouter, ServerLogin};
use crate::provider_names::{provider_name, under_present_names};
use crate::{HttpSettings, Model, Operations, Secret, StreamApi};
use auth_json::StoredCredential;
use base::Base;
use compose::Providers;
use composed::Cache;

/// Most models of one provider of an extension. What scripts get of a list of models costs memory and time for each.
pub const MAX_MODELS: usize = 10_000;

/// The models and providers of a session. Cheap to share behind an `Arc`; every method may be called from
/// any thread, and none holds a lock while it runs a command.
pub struct ModelRegistry {
    resolver: Arc<dyn ValueResolver>,
    state: RwLock<State>,
    /// Output of commands that gave a value.
    commands: Mutex<BTreeMap<String, String>>,
    /// How authorization servers are reached.
    connections: Arc<Connections>,
    /// The logins that tau makes itself.
    logins: Arc<[(&'static str, Arc<dyn OAuth>)]>,
    /// What a workload got in exchange for its identity.
    workload: Arc<workload::Held>,
}

#[derive(Clone)]
struct State {
    base: Arc<Base>,
    configured: Arc<BTreeMap<String, Arc<ProviderConfig>>>,
    /// Providers of extensions, in the order of their registration.
    registered: Vec<(String, Arc<ProviderConfig>)>,
    /// Models that stand for others.
    virtuals: Vec<Arc<Model>>,
    /// The models as they come out of all that, replaced after each change.
    cache: Arc<Cache>,
    stored: BTreeMap<String, Arc<StoredCredential>>,
    /// Keys that extensions made of stored logins, with the login each was made of.
    login_keys: BTreeMap<String, (Arc<StoredCredential>, Secret)>,
    /// Models of providers as they are for whoever is logged in.
    projected: BTreeMap<String, Vec<Arc<Model>>>,
    runtime_keys: BTreeMap<String, Secret>,
    apis: Vec<(String, Arc<dyn StreamApi>)>,
    /// Of models that do not converse.
    operations: Arc<Operations>,
    /// See [`ModelRegistry::errors`].
    errors: Vec<ProviderError>,
    /// What was wrong with the `auth.json` that was loaded last.
    auth_error: Option<ProviderError>,
    /// See [`ModelRegistry::auth_notes`].
    auth_notes: Vec<String>,
    /// See [`ModelRegistry::notes`].
    notes: Vec<String>,
    /// What came of looking for servers on this machine.
    local: BTreeMap<&'static str, LocalState>,
}

impl State {
    fn providers(&self) -> Providers<'_> {
        Providers {
            base: &self.base,
            configured: &self.configured,
            registered: &self.registered,
            projected: &self.projected,
        }
    }

    fn registered(&self, provider: &str) -> Option<&Arc<ProviderConfig>> {
        let provider = provider_name(provider);
        self.registered.iter().find(|(name, _)| name == provider).map(|(_, config)| config)
    }

    /// Forgets what was made of a login; the login itself stays.
    fn forget_login(&mut self, provider: &str) {
        self.login_keys.remove(provider);
        self.projected.remove(provider);
    }
}

impl ModelRegistry {
    /// A registry of the built-in catalogue and wire formats.
    pub fn new(resolver: Arc<dyn ValueResolver>) -> Self {
        let state = State {
            base: Arc::default(),
            configured: Arc::default(),
            registered: Vec::new(),
            virtuals: Vec::new(),
            cache: Arc::default(),
            stored: BTreeMap::new(),
            login_keys: BTreeMap::new(),
            projected: BTreeMap::new(),
            runtime_keys: BTreeMap::new(),
            operations: Arc::new(operations::builtin(&Arc::default())),
            apis: crate::builtin_apis().into_iter().map(|(name, api)| (name.to_owned(), api)).collect(),
            errors: Vec::new(),
            auth_error: None,
            auth_notes: Vec::new(),
            notes: Vec::new(),
            local: BTreeMap::new(),
        };
        let connections = Arc::new(Connections::default());
        let open_router: Arc<dyn OAuth> = Arc::new(OpenRouter::new(Arc::clone(&connections)));
        Self {
            resolver,
            state: RwLock::new(state),
            commands: Mutex::default(),
            connections,
            logins: Arc::new([(OpenRouter::PROVIDER, open_router)]),
            workload: Arc::default(),
        }
    }

    /// A registry with the same models, providers and credentials, which goes its own way from here on: for a session
    /// whose extensions bring providers that are nobody else's.
    #[must_use]
    pub fn fork(&self) -> Self {
        let (state, commands) = (self.state.read().clone(), self.commands.lock().clone());
        Self {
            resolver: Arc::clone(&self.resolver),
            state: RwLock::new(state),
            commands: Mutex::new(commands),
            connections: Arc::clone(&self.connections),
            logins: Arc::clone(&self.logins),
            workload: Arc::clone(&self.workload),
        }
    }

    /// Takes over the text of a `models.json`, in place of an earlier one. Comments and trailing commas are
    /// allowed.
    ///
    /// # Errors
    /// A text that is no JSON changes nothing. A provider, a model or a change of a model that makes no sense is left out; the
    /// rest is taken over all the same.
    pub fn load_models_json(&self, text: &str) -> Result<(), Vec<ProviderError>> {
        let done = self.take_models_json(text);
        self.state.write().errors = done.as_ref().err().cloned().unwrap_or_default();
        done
    }

    /// What was wrong with the `models.json` that was loaded last, a line each.
    pub fn errors(&self) -> Vec<String> {
        self.state.read().errors.iter().map(ToString::to_string).collect()
    }

    /// What in the `models.json` that was loaded last is taken over and has no effect, a line each.
    pub fn notes(&self) -> Vec<String> {
        self.state.read().notes.clone()
    }

    /// What in the `models.json` that was loaded last keeps a model of a provider from being known.
    pub(super) fn left_out(&self, provider: &str, id: Option<&str>) -> Vec<String> {
        let state = self.state.read();
        let causes = state.errors.iter().filter(|error| error.leaves_out(provider_name(provider), id));
        causes.map(|error| error.to_string().trim_end_matches('.').to_owned()).collect()
    }

    /// Why nothing of the `models.json` that was loaded last is used. Nobody knows what it is about then.
    pub(super) fn broken_file(&self) -> Option<String> {
        let state = self.state.read();
        state.errors.iter().find(|error| matches!(error, ProviderError::Json { .. })).map(ToString::to_string)
    }

    /// The providers of a `models.json`. A part that cannot be read is left out, and is an error.
    fn read_models_json(text: &str) -> Result<(config::ModelsFile, Vec<String>, Vec<ProviderError>), JsonProblem> {
        let whole: Value = jsonc::parse(text)?;
        let mut notes = misspelt::notes(&whole);
        let problem = match jsonc::parse(text) {
            Ok(file) => return Ok((file, notes, Vec::new())),
            Err(problem) => problem,
        };
        let Some(entries) = whole.get("providers").and_then(Value::as_object) else { return Err(problem) };
        let (mut providers, mut errors) = (BTreeMap::new(), Vec::new());
        for (name, entry) in entries {
            let (config, wrong) = described::readable(name, entry);
            errors.extend(wrong);
            providers.extend(config.map(|config| (name.clone(), config)));
        }
        if errors.is_empty() {
            // Each entry can be read, so a key is there twice.
            notes.push(format!("{problem}; the last one applies"));
        }
        Ok((config::ModelsFile { providers }, notes, errors))
    }

    fn take_models_json(&self, text: &str) -> Result<(), Vec<ProviderError>> {
        let read = Self::read_models_json(text);
        let (file, mut notes, mut errors) =
            read.map_err(|problem| vec![ProviderError::Json { file: "models.json", problem }])?;
        let mut state = self.state.write();
        let mut kept = BTreeMap::new();
        for (name, mut config) in under_present_names(file.providers) {
            errors.extend(described::without_nameless(&name, &mut config));
            match compose::check_configured(&name, &config, &state.base) {
                Ok(()) => {
                    notes.extend(compose::unknown_compat(&name, &config, &state.base));
                    kept.insert(name.clone(), Arc::new(self.with_login(&name, config)));
                }
                Err(error) => errors.push(error),
            }
        }
        state.configured = Arc::new(kept);
        state.notes = notes;
        state.recompose();
        drop(state);
        self.forget_commands();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Takes over the text of an `auth.json`, in place of an earlier one.
    ///
    /// # Errors
    /// A text that cannot be read changes nothing.
    pub fn load_auth_json(&self, text: &str) -> Result<(), ProviderError> {
        let stored = auth_json::parse(text).map_err(|problem| ProviderError::Json { file: "auth.json", problem });
        let mut state = self.state.write();
        state.auth_error = stored.as_ref().err().cloned();
        (state.stored, state.auth_notes) = stored?;
        drop(state);
        self.forget_commands();
        Ok(())
    }

    /// Which entries of the `auth.json` that was loaded last are not used, a line each. None holds what an entry holds.
    pub fn auth_notes(&self) -> Vec<String> {
        self.state.read().auth_notes.clone()
    }

    /// Lets commands in configuration run again at their next use.
    fn forget_commands(&self) {
        self.commands.lock().clear();
    }

    /// Sets the key a user gave for this run; it outranks every other source.
    pub fn set_api_key(&self, provider: &str, key: Secret) {
        self.state.write().runtime_keys.insert(provider_name(provider).to_owned(), key);
    }

    /// Adds a provider of an extension, or changes one that exists, built-in ones included. When a name is
    /// registered again, what is given then counts and the rest stays as it was; a list of models replaces the
    /// former one as a whole.
    ///
    /// # Errors
    /// When the configuration makes no sense; nothing changes then.
    pub fn register_provider(&self, name: &str, config: ProviderConfig) -> Result<(), ProviderError> {
        let name = provider_name(name);
        let mut state = self.state.write();
        compose::check_registered(name, &config, &state.providers())?;
        let config = Arc::new(self.with_login(name, config));
        match state.registered.iter_mut().find(|(known, _)| known == name) {
            Some(entry) => entry.1 = Arc::new(ProviderConfig::clone(&config).over(&entry.1)),
            None => state.registered.push((name.to_owned(), config)),
        }
        state.forget_login(name);
        state.recompose();
        Ok(())
    }

    /// Checks what an extension is about to register, on top of what is registered under that name.
    ///
    /// # Errors
    /// When the configuration makes no sense.
    pub fn check_provider(&self, name: &str, config: ProviderConfig) -> Result<(), ProviderError> {
        let name = provider_name(name);
        let state = self.state.read();
        let whole = match state.registered(name) {
            Some(known) => config.over(known),
            None => config,
        };
        compose::check_registered(name, &whole, &state.providers())
    }

    /// What in the configuration of a provider of an extension is taken over and has no effect, a line each.
    /// `has_stream` says that it brings its own wire format.
    pub fn provider_notes(name: &str, config: &Value, has_stream: bool) -> Vec<String> {
        config.as_object().map_or_else(Vec::new, |config| misspelt::notes_of_extension(name, config, has_stream))
    }

    /// Removes what [`ModelRegistry::register_provider`] added and brings back what it replaced. Tells
    /// whether there was something.
    pub fn unregister_provider(&self, name: &str) -> bool {
        let name = provider_name(name);
        let mut state = self.state.write();
        let before = state.registered.len();
        state.registered.retain(|(known, _)| known != name);
        state.forget_login(name);
        state.recompose();
        state.registered.len() < before
    }

    /// Adds a wire format, or replaces one of the same name.
    pub fn register_api(&self, name: &str, api: Arc<dyn StreamApi>) {
        let mut state = self.state.write();
        state.apis.retain(|(known, _)| known != name);
        state.apis.push((name.to_owned(), api));
    }

    /// A provider with the login at the server that it names, unless it has one of its own.
    fn with_login(&self, name: &str, mut config: ProviderConfig) -> ProviderConfig {
        if let (None, Some(server)) = (&config.oauth, &config.oauth_server) {
            config.oauth = Some(Arc::new(ServerLogin::new(name, server.clone(), Arc::clone(&self.connections))));
        }
        config
    }

    /// Lets the built-in wire formats and logins connect as the user wants.
    pub fn connect_with(&self, settings: HttpSettings) {
        self.connections.connect_with(&settings);
        let http = Arc::new(crate::HttpClient::new(settings));
        self.state.write().operations = Arc::new(operations::builtin(&http));
        for (name, api) in crate::builtin_apis_over(http) {
            self.register_api(name, api);
        }
    }

    /// The wire format of that name: a built-in or registered one, else one that comes with a provider.
    pub fn api(&self, name: &str) -> Option<Arc<dyn StreamApi>> {
        let state = self.state.read();
        let own = state.apis.iter().find(|(known, _)| known == name).map(|(_, api)| api);
        let carried = || {
            let config = state.registered.iter().find(|(_, config)| config.api.as_deref() == Some(name))?;
            config.1.stream.as_ref()
        };
        own.or_else(carried).cloned()
    }

    /// The wire format to reach a model with: its provider's own, if it brought one for the model's api.
    pub fn api_for(&self, model: &Model) -> Option<Arc<dyn StreamApi>> {
        let carried = {
            let state = self.state.read();
            let config = state.registered(&model.provider);
            config
                .filter(|config| config.api.as_ref().is_none_or(|api| *api == model.api))
                .and_then(|config| config.stream.clone())
        };
        carried.or_else(|| self.api(&model.api))
    }

    /// All models that converse, provider by provider.
    pub fn all(&self) -> Arc<[Arc<Model>]> {
        self.state.read().all()
    }

    /// The model of a provider with that id.
    pub fn find(&self, provider: &str, id: &str) -> Option<Arc<Model>> {
        self.of_provider(provider).iter().find(|model| model.id == id).cloned()
    }

    /// Whether there is a wire format to reach a model with, or none is needed: it stands for other models, or its provider
    /// runs in this process.
    pub(crate) fn has_api(&self, model: &Model) -> bool {
        model.is_virtual() || self.api_for(model).is_some() || self.known(&model.provider).keyless()
    }

    /// The models that can be asked: their provider has a credential, and their wire format exists. No command is run to
    /// find out.
    pub fn available(&self) -> Vec<Arc<Model>> {
        let names = self.providers().into_iter().filter(|name| self.has_auth(name));
        let models = names.flat_map(|name| self.of_provider(&name).to_vec());
        models.filter(|model| self.has_api(model)).collect()
    }

    /// Whether any model can be asked.
    pub fn has_available(&self) -> bool {
        let names = self.providers();
        let mut usable = names.iter().filter(|name| self.has_auth(name));
        usable.any(|name| self.of_provider(name).iter().any(|model| self.has_api(model)))
    }

    /// Whether anything is known of a provider: models, configuration, a stored credential, or where its key is kept.
    pub fn knows_provider(&self, provider: &str) -> bool {
        let provider = provider_name(provider);
        let known = {
            let state = self.state.read();
            state.base.has(provider)
                || state.configured.contains_key(provider)
                || state.registered(provider).is_some()
                || state.stored.contains_key(provider)
        };
        known || !env_keys::env_keys(provider).is_empty()
    }

    /// Whether the program has a list of the models of a provider.
    pub fn is_built_in(&self, provider: &str) -> bool {
        self.state.read().base.has(provider_name(provider))
    }

    /// Whether `models.json` has an entry for a provider.
    pub fn is_in_models_json(&self, provider: &str) -> bool {
        self.known(provider).is_configured()
    }

    /// The model to start with at a provider: its default, else its first.
    pub fn default_model(&self, provider: &str) -> Option<Arc<Model>> {
        let provider = provider_name(provider);
        let default = catalogue::default_model(provider).and_then(|id| self.find(provider, id));
        default.or_else(|| self.of_provider(provider).first().cloned())
    }

    /// The model to start with when nobody chose one: the default of the first well-known provider that has
    /// a credential, else the first model that has one.
    pub fn initial_model(&self) -> Option<Arc<Model>> {
        let defaults = catalogue::DEFAULT_MODELS.iter().filter(|(provider, _)| self.has_auth(provider));
        let mut defaults = defaults.filter_map(|(provider, id)| self.find(provider, id));
        let default = defaults.find(|model| self.has_api(model));
        // A virtual model works only while its extension does, so nobody starts with it unless they say so.
        default.or_else(|| self.available().into_iter().find(|model| !model.is_virtual()))
    }
}
