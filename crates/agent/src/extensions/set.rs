//! The extensions of one session: loaded at the start, replaced by a reload, ended with the session.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;
use tau_ai::{ModelRegistry, ProviderConfig};
use tau_hooks::{HandlerError, Hooks, LoadError, Mode, ModelSource, Owner, Report, SourceInfo};
use tau_packages::Source;
use tau_script::{DialectEvidence, LoadContext, LoadFailure, LoadedScript, Script, ScriptHost};
use tau_session::SessionError;
use tau_tools::Leftovers;
use tokio::runtime::Handle;

use super::answers::Answers;
use super::builtins::{Around, BuiltinExtension, LoadedBuiltins};
use super::discover::discover;
use super::install::{PackageInstaller, install_missing, mend};
use super::limits::configure;
use super::memory::{GateMemory, Guard, Loaded as Known, Moment, guarding_command, is_native, memory_path, tool_names};
use super::options::DiscoveryOptions;
use super::required::{is_of_project, required, unknown};
use super::scripts::load_context;
use crate::children::{Announced, Announcement};
use crate::found::ScriptHostMaker;
use crate::found::{Form, Found, FoundExtension};
use crate::settings::{Environment, Settings, SettingsStore};
use crate::shell_hooks;
use crate::trust::Decision;

/// The extensions of one session, but for those that are part of the program and always there.
pub struct Extensions {
    place: Mutex<Place>,
    pub(super) hooks: Arc<Hooks>,
    /// What of the program's own extensions failed.
    own_failures: Vec<LoadError>,
    /// Without it nothing is installed.
    installer: Option<PackageInstaller>,
    /// Those of the program that the user can switch.
    builtins: Arc<[BuiltinExtension]>,
    loaded_builtins: Mutex<LoadedBuiltins>,
    /// What shell hooks and extensions leave running in the background: it ends with the session.
    leftovers: Leftovers,
    /// What was decided about trust.
    pub(super) answers: Mutex<Answers>,
    /// They are those of a child session.
    of_child: bool,
    state: Mutex<State>,
}

/// Where extensions are looked for.
#[derive(Clone)]
struct Place {
    env: Environment,
    options: DiscoveryOptions,
}

#[derive(Default)]
struct State {
    /// Makes hosts for child sessions, too.
    maker: Option<ScriptHostMaker>,
    /// The maker was asked already.
    made: bool,
    host: Option<Arc<dyn ScriptHost>>,
    found: Arc<Found>,
    loads: Vec<Loaded>,
    failures: Vec<LoadError>,
    /// Names of the model providers that extensions brought.
    providers: Vec<String>,
    /// What the user was told of them, by the paths of the extensions.
    told_of_providers: Vec<(Arc<str>, String)>,
    /// Those that were asked for their models.
    asked: Vec<Arc<dyn ModelSource>>,
    /// Who held gates before; not looked at when extensions are switched off.
    memory: Option<GateMemory>,
    /// A session began with this set.
    used: bool,
}

struct Loaded {
    record: LoadRecord,
    owner: Option<Arc<Owner>>,
}

/// How an extension was loaded.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadRecord {
    /// The file and where it came from.
    #[serde(flatten)]
    pub extension: FoundExtension,
    /// How long it took.
    pub time: Duration,
    /// What it takes of memory in bytes, when that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The id of the dialect whose rules it works by, when it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loaded_as: Option<&'static str>,
    /// What speaks for that dialect, to be read behind "because".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detected: Option<String>,
    /// Why it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A set that is about to take the place of another.
pub(crate) struct Prepared {
    settings: Arc<Settings>,
    found: Found,
}

impl Extensions {
    /// The extensions for a working directory; nothing is looked for yet. `scripts` is called when there is something to
    /// load. `own_failures` are those of the extensions that are loaded into `hooks` already, for the setting
    /// `tau.required`.
    pub fn new(
        env: Environment,
        hooks: Arc<Hooks>,
        options: DiscoveryOptions,
        scripts: Option<ScriptHostMaker>,
        own_failures: Vec<LoadError>,
    ) -> Self {
        let state = State { maker: scripts, ..State::default() };
        let place = Mutex::new(Place { env, options });
        let (answers, leftovers) = (Mutex::default(), Leftovers::default());
        let (installer, of_child) = (None, false);
        let (builtins, loaded_builtins) = (Arc::from([]), Mutex::default());
        let state = Mutex::new(state);
        Self { place, hooks, own_failures, installer, builtins, loaded_builtins, answers, leftovers, of_child, state }
    }

    /// With extensions of the program that the user can switch; they are loaded with the others, behind them.
    #[must_use]
    pub fn with_builtins(self, builtins: Arc<[BuiltinExtension]>) -> Self {
        Self { builtins, ..self }
    }

    /// Lets missing packages be installed at the start and by a reload.
    #[must_use]
    pub fn installing(mut self, installer: PackageInstaller) -> Self {
        self.installer = Some(installer);
        self
    }

    /// For a child of a session with these extensions: which gates it has says nothing about the sessions of the user, which
    /// load others. Where it looks for extensions, it has the packages of the program that its parent has.
    #[must_use]
    pub(crate) fn for_child(self, parent: Option<&Self>) -> Self {
        let builtins = parent.map_or_else(|| Arc::from([]), |parent| Arc::clone(&parent.builtins));
        {
            let mut place = self.place.lock();
            if let Some(above) = parent.filter(|_| !place.options.no_extensions) {
                let DiscoveryOptions { builtins, without, .. } = above.place.lock().options.clone();
                place.options = DiscoveryOptions { builtins, without, ..std::mem::take(&mut place.options) };
            }
        }
        Self { of_child: true, builtins, ..self }
    }

    /// Directories and variables of now.
    pub(super) fn env(&self) -> Environment {
        self.place.lock().env.clone()
    }

    /// What the command line says about extensions.
    pub(super) fn options(&self) -> DiscoveryOptions {
        self.place.lock().options.clone()
    }

    /// Finds everything, after mending what a kill left and installing what is missing.
    pub(super) async fn discover(&self, settings: &Settings) -> Found {
        let Place { env, options } = self.place.lock().clone();
        let Some(installer) = &self.installer else { return discover(&env, settings, &options) };
        mend(installer, &env, settings, &options).await;
        let found = discover(&env, settings, &options);
        let (done, failures) = install_missing(installer, &env, settings, &options).await;
        let mut found = if done { discover(&env, settings, &options) } else { found };
        for absent in &mut found.absent {
            if let Some(error) = absent.package.as_ref().and_then(|package| failures.get(package)) {
                absent.reason = format!("{}: {error}", absent.reason);
            }
        }
        let is_absent = |package: &String| found.absent.iter().any(|absent| absent.package.as_ref() == Some(package));
        let present: Vec<_> = failures.iter().filter(|(package, _)| !is_absent(package)).collect();
        for (package, error) in present {
            let text = format!("another version is installed than the one that is named: {error}");
            self.hooks.dispatcher.reports.send(&Report::diagnostic(package.as_str(), "extensions", text));
        }
        found
    }

    /// Decides whether the project is trusted, reads the settings accordingly, and loads everything that may be loaded.
    /// `approve` is the flag of the command line; a yes holds for the working directory of now and no other.
    ///
    /// When the decision may be one for extensions, those of the user and of the command line are loaded before it, those
    /// of the project after it; the order in which they work is the documented one all the same.
    ///
    /// # Errors
    /// When extensions have to be asked and not even a session in memory can be made for that.
    pub async fn start(
        &self,
        settings: &SettingsStore,
        approve: Option<bool>,
        mode: Mode,
    ) -> Result<Decision, SessionError> {
        self.set_flag(approve);
        self.begin(settings, mode).await
    }

    /// Begins in the working directory of now, with nothing loaded.
    async fn begin(&self, settings: &SettingsStore, mode: Mode) -> Result<Decision, SessionError> {
        // Before there is an engine, whose programs find the environment of now.
        let below = Announcement { distrusts: self.never_trusts(), ..Announcement::of(&self.env()).below() };
        Announced::once(&self.hooks, &Handle::current(), below);
        let untrusted = match settings.snapshot() {
            snapshot if snapshot.is_trusted() => settings.reload(false),
            snapshot => snapshot,
        };
        configure(&self.hooks, &untrusted);
        self.hooks.begin_set();
        let decision = self.decide_first(&untrusted, mode).await;
        let trusted = decision.as_ref().is_ok_and(|decision| decision.trusted);
        let settings = if trusted { settings.reload(true) } else { untrusted };
        self.complete(self.discover(&settings).await, &settings).await;
        if let Ok(decision) = &decision {
            self.follow(decision).await;
            // Whoever began this tells what is left out.
            self.answers.lock().is_news(decision);
        }
        decision
    }

    /// Lets what is loaded begin anew for another session in the same directory: factories run again, over the modules
    /// that are there. What could not be loaded before is tried again; extensions of dialects whose extensions outlive a
    /// session stay as they are. Gives whether the project is trusted now and was not before, or the other way round.
    ///
    /// Resources of the project are read again for the new session, so this is also when the first of them may load.
    pub(crate) async fn begin_again(&self, settings: &SettingsStore, mode: Mode) -> bool {
        self.leftovers.end();
        self.note_gates(Moment::Ending).await;
        self.hooks.begin_set();
        self.remove(|owner| owner.dialect.stays);
        let before = settings.snapshot();
        // What was wrong with the list was told when it was made.
        let found = Found { diagnostics: Vec::new(), ..Found::clone(&self.found()) };
        self.load(&found, &before).await;
        let trusted = match self.decide(&before, mode).await {
            Ok(decision) => {
                self.answers.lock().keep(&decision);
                self.tell_left_out(&decision);
                decision.trusted
            }
            Err(error) => {
                self.tell_of_trust(error.to_string());
                false
            }
        };
        if trusted == before.is_trusted() {
            self.complete(found, &before).await;
            return false;
        }
        let now = settings.reload(trusted);
        configure(&self.hooks, &now);
        self.complete(self.discover(&now).await, &now).await;
        true
    }

    /// Goes to another working directory with new engines: its settings, the question whether it is trusted, and the
    /// extensions that it has.
    ///
    /// # Errors
    /// As [`Extensions::start`].
    pub(crate) async fn move_to(
        &self,
        env: &Environment,
        settings: &SettingsStore,
        mode: Mode,
    ) -> Result<Decision, SessionError> {
        self.leftovers.end();
        self.note_gates(Moment::Ending).await;
        self.hooks.begin_set();
        self.state.lock().told_of_providers.clear();
        if let Some(host) = self.remove(|_| false) {
            host.leave().await;
        }
        {
            let mut place = self.place.lock();
            // What the command line names is where it was.
            let Place { env: old, options } = &mut *place;
            options.paths.iter_mut().for_each(|path| *path = absolute(old, path));
            place.env = env.clone();
        }
        settings.replace(Arc::new(Settings::load(env, false)));
        self.begin(settings, mode).await
    }

    /// Removes what is loaded but for what `stays`; gates stay shut behind it until the set is complete again.
    fn remove(&self, stays: impl Fn(&Owner) -> bool) -> Option<Arc<dyn ScriptHost>> {
        let (loads, host) = {
            let mut state = self.state.lock();
            state.failures.clear();
            let gone = |loaded: &mut Loaded| !loaded.owner.as_deref().is_some_and(&stays);
            (state.loads.extract_if(.., gone).collect::<Vec<_>>(), state.host.clone())
        };
        for owner in loads.into_iter().filter_map(|loaded| loaded.owner) {
            self.hooks.unload(&owner);
        }
        host
    }

    /// What was found.
    pub fn found(&self) -> Arc<Found> {
        Arc::clone(&self.state.lock().found)
    }

    /// How each extension was loaded, in order.
    pub fn loads(&self) -> Vec<LoadRecord> {
        self.state.lock().loads.iter().map(|loaded| loaded.record.clone()).collect()
    }

    /// Where the extension with this path comes from.
    pub fn source_of(&self, path: &str) -> Option<SourceInfo> {
        let state = self.state.lock();
        let extension = state.loads.iter().map(|load| &load.record.extension);
        extension.filter(|extension| extension.path.to_str() == Some(path)).map(FoundExtension::source_info).next()
    }

    /// What could not be loaded.
    pub fn failures(&self) -> Vec<LoadError> {
        self.state.lock().failures.clone()
    }

    /// Whether every extension that was found is loaded, and none was left out by a flag.
    pub(crate) fn are_all_loaded(&self) -> bool {
        !self.place.lock().options.no_extensions && self.failures().is_empty() && self.own_failures.is_empty()
    }

    /// Makes the model providers of extensions known, in place of those of an earlier set. What is wrong with one is
    /// reported.
    pub fn register_providers(&self, registry: &ModelRegistry) {
        for name in std::mem::take(&mut self.state.lock().providers) {
            registry.unregister_provider(&name);
        }
        for (owner, provider) in self.hooks.providers() {
            let mut notes = ModelRegistry::provider_notes(&provider.name, &provider.config, provider.api.is_some());
            let done = ProviderConfig::read(&provider.name, &provider.config).and_then(|mut config| {
                config.stream = provider.api;
                config.oauth = provider.oauth;
                config.operations = provider.operations;
                registry.register_provider(&provider.name, config)
            });
            match done {
                Ok(()) => self.state.lock().providers.push(provider.name),
                Err(error) => notes.push(error.to_string()),
            }
            notes.into_iter().for_each(|note| self.tell_of_provider(&owner, note));
        }
        let virtual_models = self.hooks.virtual_models();
        let models = virtual_models.iter().map(|(_, known)| Arc::clone(&known.model)).collect();
        for (model, error) in registry.set_virtual_models(models) {
            let owner = virtual_models.iter().find(|(_, known)| Arc::ptr_eq(&known.model, &model));
            let path = owner.map_or_else(|| Arc::from("session"), |(owner, _)| Arc::clone(&owner.path));
            self.hooks.dispatcher.reports.send(&Report::diagnostic(path, "load", error.to_string()));
        }
    }

    /// Tells the user what is wrong with a provider of an extension, once.
    fn tell_of_provider(&self, owner: &Owner, text: String) {
        let told = (Arc::clone(&owner.path), text);
        let mut state = self.state.lock();
        if state.told_of_providers.contains(&told) {
            return;
        }
        state.told_of_providers.push(told.clone());
        drop(state);
        let (path, text) = told;
        self.hooks.dispatcher.reports.send(&Report::diagnostic(path, "load", text));
    }

    /// Whether a provider was not asked for its models yet.
    pub(super) fn is_new(&self, source: &Arc<dyn ModelSource>) -> bool {
        !self.state.lock().asked.iter().any(|known| Arc::ptr_eq(known, source))
    }

    /// The same. From now on it was.
    pub(super) fn ask_first(&self, source: &Arc<dyn ModelSource>) -> bool {
        let known = self.hooks.providers();
        let is_there = |source: &Arc<dyn ModelSource>| {
            known.iter().any(|(_, provider)| provider.source.as_ref().is_some_and(|known| Arc::ptr_eq(known, source)))
        };
        let mut state = self.state.lock();
        state.asked.retain(is_there);
        let is_new = !state.asked.iter().any(|known| Arc::ptr_eq(known, source));
        if is_new {
            state.asked.push(Arc::clone(source));
        }
        is_new
    }

    /// Whether the network may not be used.
    pub(super) fn is_offline(&self) -> bool {
        let by_variable = |value: &str| matches!(&*value.to_ascii_lowercase(), "1" | "true" | "yes");
        self.installer.as_ref().is_some_and(|installer| installer.offline)
            || self.env().var("PI_OFFLINE").is_some_and(by_variable)
    }

    /// Lets extensions change the models of their providers for whoever is logged in. What fails is reported.
    pub async fn project_logins(&self, registry: &ModelRegistry) {
        for (provider, oauth) in registry.logins() {
            if let Err(error) = crate::logins::project(registry, &provider).await {
                let text = format!("provider \"{provider}\": {error}");
                self.hooks.dispatcher.reports.send(&Report::diagnostic(oauth.extension(), "modifyModels", text));
            }
        }
    }

    /// Reads the settings again and checks everything they lead to, without touching what is at work.
    ///
    /// This may be when the first resource of the project would load, or a changed one: then the project has to be trusted
    /// first. Resources of an untrusted project are left out; when a trusted one is no longer trusted, nothing is loaded.
    ///
    /// # Errors
    /// What could not be loaded, unless it could not be loaded before.
    pub(crate) async fn prepare(&self, settings: &SettingsStore, mode: Mode) -> Result<Prepared, Vec<LoadError>> {
        let current = settings.snapshot();
        let trusted = self.trusted_for_reload(&current.reloaded(false), mode).await?;
        let fresh = Arc::new(current.reloaded(trusted));
        let found = self.discover(&fresh).await;
        let mut failures: Vec<LoadError> = found.absent.iter().map(absent_error).collect();
        failures.extend(found.extensions.iter().filter_map(unusable_error));
        let modules = scripts(&found.extensions);
        if let Some(host) = self.host_for(&modules) {
            let checked = host.check(&modules, &self.context(&fresh)).await;
            let error = |failure: LoadFailure| LoadError::new(failure.path.display().to_string(), &failure.error);
            failures.extend(checked.into_iter().map(error));
        }
        let known = self.failures();
        failures.retain(|failure| !known.iter().any(|before| before.path == failure.path));
        if failures.is_empty() { Ok(Prepared { settings: fresh, found }) } else { Err(failures) }
    }

    /// Removes what is loaded and loads what was prepared. From here on there is no way back: what fails is missing, and
    /// the gates it guarded stay shut.
    pub(crate) async fn replace(&self, prepared: Prepared, settings: &SettingsStore) {
        settings.replace(Arc::clone(&prepared.settings));
        configure(&self.hooks, &prepared.settings);
        self.note_gates(Moment::Ending).await;
        self.hooks.begin_set();
        if let Some(host) = self.remove(|_| false) {
            host.shut_down().await;
        }
        self.complete(prepared.found, &prepared.settings).await;
    }

    /// The user stops what is under way, also in scripts that keep others waiting.
    pub(crate) fn interrupt(&self) {
        let host = self.state.lock().host.clone();
        if let Some(host) = host {
            host.interrupt();
        }
    }

    /// Takes what programs leave running that hooks and extensions start, and ends it with the session.
    pub fn leftovers(&self) -> &Leftovers {
        &self.leftovers
    }

    /// Ends whatever runs extensions, but waits no longer than `patience`.
    pub async fn shut_down(&self, patience: Duration) {
        self.leftovers.end();
        self.note_gates(Moment::Ending).await;
        let host = self.state.lock().host.take();
        if let Some(host) = host
            && tokio::time::timeout(patience, host.shut_down()).await.is_err()
        {
            tracing::warn!("the script engine did not end within {patience:?} and was left behind");
        }
    }

    /// Notes who holds which gates, now that every extension was told that the session starts, and names those that held
    /// some before and are gone.
    pub(crate) async fn session_started(&self) {
        self.note_gates(Moment::Started).await;
    }

    /// Brings the memory of gates up to date; what cannot be written is reported. A set that nobody began to use, as one
    /// that is only listed, teaches nothing; neither does one of a child.
    async fn note_gates(&self, moment: Moment) {
        if self.of_child {
            return;
        }
        let env = self.env();
        let (changes, told) = {
            let mut state = self.state.lock();
            let State { memory: Some(memory), loads, failures, found, used, .. } = &mut *state else { return };
            *used |= moment == Moment::Started;
            if !*used {
                return;
            }
            let tools = tool_names(&self.hooks);
            let guards = loads.iter().filter_map(|loaded| {
                let extension = &loaded.record.extension;
                let owner = loaded.owner.as_ref().filter(|_| extension.origin.layer().is_some())?;
                let (gates, of_project) = (self.hooks.gates_of(owner), is_of_project(&env, extension));
                Some(Guard {
                    path: memory_path(extension),
                    of_project,
                    gates,
                    command: guarding_command(extension, &tools),
                })
            });
            let natives = self.hooks.extensions().into_iter().filter(|owner| is_native(&owner.path));
            let natives = natives.map(|owner| Guard {
                path: PathBuf::from(&*owner.path),
                of_project: false,
                gates: self.hooks.gates_of(&owner),
                command: None,
            });
            let failures: Vec<LoadError> = failures.iter().chain(&self.own_failures).cloned().collect();
            memory.note(moment, &guards.chain(natives).collect::<Vec<_>>(), found, &failures, &tools)
        };
        told.iter().for_each(|report| self.hooks.dispatcher.reports.send(report));
        if changes.is_empty() {
            return;
        }
        let write = || changes.into_iter().filter_map(|change| change.write().err()).collect::<Vec<_>>();
        match tokio::task::spawn_blocking(write).await {
            Ok(errors) => errors.iter().for_each(|error| {
                let text = format!("which extensions hold gates cannot be remembered: {error}");
                self.hooks.dispatcher.reports.send(&Report::diagnostic("gates", "gates", text));
            }),
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Shuts the gates of guards of earlier starts that could not be loaded, before the project is asked about: that question
    /// is a gate too. The user hears of them when the set is complete.
    pub(super) fn shut_early(&self, found: &Found, settings: &Settings) {
        let (env, no_extensions) = {
            let place = self.place.lock();
            (place.env.clone(), place.options.no_extensions)
        };
        if no_extensions {
            return;
        }
        let mut failures: Vec<LoadError> = self.own_failures.iter().cloned().chain(self.failures()).collect();
        failures.extend(found.absent.iter().map(absent_error));
        let (mut memory, _) = GateMemory::open(&env, settings);
        let loaded = Known { found, failures: &failures, hooks: &self.hooks };
        let lost = memory.recall(settings, &loaded).0.to_vec();
        failures.extend(lost);
        self.hooks.shut_early(&failures);
    }

    /// Loads what is not loaded yet, removes what is not on the list, and puts everything in order.
    async fn complete(&self, found: Found, settings: &Arc<Settings>) {
        self.drop_unlisted(&found).await;
        self.load(&found, settings).await;
        for diagnostic in &found.diagnostics {
            let path = diagnostic.path.display().to_string();
            self.hooks.dispatcher.reports.send(&Report::diagnostic(path, "extensions", diagnostic.to_string()));
        }
        let mut failures = self.own_failures.clone();
        if !self.builtins.is_empty() {
            let Place { env, options } = self.place.lock().clone();
            let of_project: Vec<Arc<Owner>> = {
                let state = self.state.lock();
                let loads = state.loads.iter().filter(|loaded| is_of_project(&env, &loaded.record.extension));
                loads.filter_map(|loaded| loaded.owner.clone()).collect()
            };
            let around = Around {
                options: &options,
                settings,
                replaced: &found.replaced,
                of_child: self.of_child,
                of_project: &of_project,
            };
            failures.extend(self.loaded_builtins.lock().bring(&self.hooks, &self.builtins, around));
        }
        for absent in &found.absent {
            let error = absent_error(absent);
            match &absent.package {
                Some(_) => self.hooks.dispatcher.reports.send(&Report::diagnostic(
                    error.path.as_str(),
                    "extensions",
                    format!("{} ({})", absent.reason, absent.origin),
                )),
                None => drop(self.hooks.failed_to_load(&error.path, &HandlerError::msg(&absent.reason))),
            }
            self.state.lock().failures.push(error);
        }
        let order = {
            let mut state = self.state.lock();
            let place = |loaded: &Loaded| {
                let path = &loaded.record.extension.real_path;
                found.extensions.iter().position(|extension| extension.real_path == *path)
            };
            state.loads.sort_by_key(place);
            // What was found a second time, by a way that counts more, came from there.
            for loaded in &mut state.loads {
                if let Some(extension) = place(loaded).and_then(|index| found.extensions.get(index)) {
                    loaded.record.extension = extension.clone();
                }
            }
            failures.extend(state.failures.iter().cloned());
            state.found = Arc::new(found);
            let owners = state.loads.iter().filter_map(|loaded| loaded.owner.as_ref());
            owners.map(|owner| Arc::clone(&owner.path)).collect::<Vec<_>>()
        };
        let (env, no_extensions) = {
            let place = self.place.lock();
            (place.env.clone(), place.options.no_extensions)
        };
        let found = self.found();
        let memory = (!no_extensions).then(|| {
            let (mut memory, mut told) = GateMemory::open(&env, settings);
            let (lost, stays_shut) =
                memory.recall(settings, &Known { found: &found, failures: &failures, hooks: &self.hooks });
            failures.extend_from_slice(lost);
            told.extend(stays_shut);
            told.iter().for_each(|report| self.hooks.dispatcher.reports.send(report));
            memory
        });
        failures.extend(unknown(settings));
        self.state.lock().memory = memory;
        self.hooks.finish_set(&order, &required(&env, settings, &found, &self.hooks, &self.builtins), &failures);
    }

    /// Removes what was loaded before the list was known and is not on it: a hook of the user's that was asked whether the
    /// project is trusted, for example, and in whose place one of the project stands now.
    ///
    /// A module leaves more behind than its handlers, such as timers, so the engine ends with it and the others begin again.
    async fn drop_unlisted(&self, found: &Found) {
        let (gone, host) = {
            let mut state = self.state.lock();
            let is_listed = |loaded: &Loaded| {
                let known = &loaded.record.extension;
                found.extensions.iter().any(|listed| listed.is_loaded_as(known))
            };
            let restarts = |loaded: &Loaded| loaded.owner.is_some() && loaded.record.extension.form.is_module();
            let restart = state.loads.iter().any(|loaded| !is_listed(loaded) && restarts(loaded));
            let goes = |loaded: &mut Loaded| !is_listed(loaded) || (restart && restarts(loaded));
            let gone: Vec<Loaded> = state.loads.extract_if(.., goes).collect();
            let failed: Vec<String> =
                gone.iter().map(|loaded| loaded.record.extension.path.display().to_string()).collect();
            state.failures.retain(|failure| !failed.contains(&failure.path));
            (gone, state.host.clone().filter(|_| restart))
        };
        for owner in gone.into_iter().filter_map(|loaded| loaded.owner) {
            self.hooks.unload(&owner);
        }
        if let Some(host) = host {
            // A command that asked for all this may run in it.
            host.leave().await;
        }
    }

    /// Loads what was found and not tried yet.
    pub(super) async fn load(&self, found: &Found, settings: &Arc<Settings>) {
        let files: Vec<FoundExtension> = {
            let state = self.state.lock();
            let tried = |path: &PathBuf| state.loads.iter().any(|load| load.record.extension.real_path == *path);
            found.extensions.iter().filter(|extension| !tried(&extension.real_path)).cloned().collect()
        };
        if files.is_empty() {
            return;
        }
        let env = self.env();
        let context = load_context(&self.hooks, &env, settings, self.leftovers.clone());
        let modules = scripts(&files);
        let mut outcomes = match self.host_for(&modules) {
            Some(host) => host.load(modules, &context).await,
            None => Vec::new(),
        };
        for extension in files {
            let result = match &extension.form {
                Form::Module => {
                    let index = outcomes.iter().position(|outcome| outcome.path == extension.path);
                    let none = || Err(HandlerError::msg("this program cannot run scripts"));
                    index.map_or_else(none, |index| outcomes.swap_remove(index).result)
                }
                Form::Shell(hook) => {
                    let with = shell_hooks::LoadContext {
                        hooks: &self.hooks,
                        env: &env,
                        settings: settings.tau().shell_hooks,
                        leftovers: &self.leftovers,
                    };
                    shell_hooks::load(&extension, hook, &with)
                }
                Form::Unusable(reason) => Err(HandlerError::msg(reason)),
            };
            self.note(extension, result);
        }
    }

    /// Keeps what became of a file.
    fn note(&self, extension: FoundExtension, result: Result<LoadedScript, HandlerError>) {
        let mut record = LoadRecord {
            extension,
            time: Duration::ZERO,
            memory_bytes: None,
            loaded_as: None,
            detected: None,
            error: None,
        };
        let owner = match result {
            Ok(script) => {
                record.time = script.time;
                record.memory_bytes = script.memory_bytes;
                record.loaded_as = Some(script.owner.dialect.id);
                record.detected = Some(match script.dialect_by {
                    DialectEvidence::Pragma => "its comment @hook-dialect says so".to_owned(),
                    DialectEvidence::Source(why) => format!("it {why}"),
                    DialectEvidence::Location => record.extension.hint.why.to_owned(),
                });
                Some(script.owner)
            }
            Err(error) => {
                let path = record.extension.path.display().to_string();
                let failure = self.hooks.failed_to_load(&path, &error);
                record.error = Some(failure.error.to_string());
                self.state.lock().failures.push(failure);
                None
            }
        };
        self.state.lock().loads.push(Loaded { record, owner });
    }

    /// The host, unless there is nothing for it.
    fn host_for(&self, modules: &[Script]) -> Option<Arc<dyn ScriptHost>> {
        (!modules.is_empty()).then(|| self.host()).flatten()
    }

    fn context(&self, settings: &Arc<Settings>) -> LoadContext {
        load_context(&self.hooks, &self.env(), settings, self.leftovers.clone())
    }

    /// The host, made when it is asked for the first time.
    fn host(&self) -> Option<Arc<dyn ScriptHost>> {
        let mut state = self.state.lock();
        if !std::mem::replace(&mut state.made, true) {
            state.host = state.maker.clone().map(|maker| maker(&self.place.lock().env));
        }
        state.host.clone()
    }

    /// Makes the script host of another session; `None` when this program runs no scripts.
    pub(crate) fn scripts(&self) -> Option<ScriptHostMaker> {
        self.state.lock().maker.clone()
    }
}

/// Shuts the gates of a session without extensions of files when its settings require one.
pub(crate) fn require_beside_files(env: &Environment, settings: &Settings, hooks: &Hooks) {
    let required = required(env, settings, &Found::default(), hooks, &[]);
    hooks.require(&required, &unknown(settings).collect::<Vec<_>>());
}

/// A path of the command line, for when the working directory is another one. What names a package stays. A path does so
/// also when nothing is there: it names nothing in the other directory.
fn absolute(env: &Environment, path: &str) -> String {
    match Source::parse(path) {
        Source::Local(written) => env.resolve(&written, &env.cwd).display().to_string(),
        Source::Npm(_) | Source::Git(_) | Source::Builtin(_) => path.to_owned(),
    }
}

/// The modules among what was found.
fn scripts(found: &[FoundExtension]) -> Vec<Script> {
    found.iter().filter(|found| found.form.is_module()).map(FoundExtension::script).collect()
}

fn unusable_error(found: &FoundExtension) -> Option<LoadError> {
    match &found.form {
        Form::Unusable(reason) => Some(LoadError::new(found.path.display().to_string(), &HandlerError::msg(reason))),
        Form::Module | Form::Shell(_) => None,
    }
}

fn absent_error(absent: &super::Absent) -> LoadError {
    LoadError::new(absent.path.display().to_string(), &HandlerError::msg(&absent.reason))
}
