//! The extensions of one session: loaded at the start, replaced by a reload, ended with the session.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;
use tau_ai::{ModelRegistry, ProviderConfig};
use tau_hooks::{HandlerError, Hooks, LoadError, Mode, Owner, Report, SourceInfo};
use tau_session::SessionError;
use tau_tools::Leftovers;

use super::discover::{DiscoveryOptions, discover};
use super::found::{Form, Found, FoundExtension};
use super::host::{DialectEvidence, LoadContext, LoadedScript, ScriptHost, ScriptHostMaker};
use super::install::{PackageInstaller, install_missing, mend};
use super::memory::{GateMemory, Guard, Moment};
use super::required::{is_of_project, required};
use super::trust;
use crate::session::configure;
use crate::settings::{Environment, Settings, SettingsStore};
use crate::shell_hooks;
use crate::trust::{Decision, Fingerprint};

/// The extensions of one session, but for those that are part of the program.
pub struct Extensions {
    place: Mutex<Place>,
    hooks: Arc<Hooks>,
    /// What of the program's own extensions failed.
    own_failures: Vec<LoadError>,
    /// Without it nothing is installed.
    installer: Option<PackageInstaller>,
    /// What shell hooks leave running in the background: it ends with the session.
    leftovers: Leftovers,
    state: Mutex<State>,
}

/// Where extensions are looked for.
#[derive(Clone)]
struct Place {
    env: Environment,
    options: DiscoveryOptions,
    /// What the command line says of trust.
    approve: Option<bool>,
    /// What the project looked like when it was trusted, if that matters.
    trusted: Option<Fingerprint>,
}

#[derive(Default)]
struct State {
    maker: Option<ScriptHostMaker>,
    host: Option<Arc<dyn ScriptHost>>,
    found: Arc<Found>,
    loads: Vec<Loaded>,
    failures: Vec<LoadError>,
    /// Names of the model providers that extensions brought.
    providers: Vec<String>,
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
        let place = Mutex::new(Place { env, options, approve: None, trusted: None });
        Self { place, hooks, own_failures, installer: None, leftovers: Leftovers::default(), state: Mutex::new(state) }
    }

    /// Lets missing packages be installed at the start and by a reload.
    #[must_use]
    pub fn installing(mut self, installer: PackageInstaller) -> Self {
        self.installer = Some(installer);
        self
    }

    /// Finds everything, after mending what a kill left and installing what is missing.
    async fn discover(&self, settings: &Settings) -> Found {
        let Place { env, options, .. } = self.place.lock().clone();
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
    /// `approve` is the flag of the command line.
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
        let untrusted = match settings.snapshot() {
            snapshot if snapshot.is_trusted() => settings.reload(false),
            snapshot => snapshot,
        };
        configure(&self.hooks, &untrusted);
        self.hooks.begin_set();
        let decision = self.decide_trust(&untrusted, approve, mode).await;
        let trusted = decision.as_ref().is_ok_and(|decision| decision.trusted);
        let settings = if trusted { settings.reload(true) } else { untrusted };
        self.complete(self.discover(&settings).await, &settings).await;
        let env = self.place.lock().env.clone();
        let known = match &decision {
            Ok(decision) if decision.trusted => trust::follow(decision, &env).await,
            _ => Ok(None),
        };
        match known {
            Ok(known) => self.place.lock().trusted = known,
            Err(error) => {
                let report = Report::diagnostic("trust", "project_trust", error.to_string());
                self.hooks.dispatcher.reports.send(&report);
            }
        }
        decision
    }

    /// Decides whether the project is trusted, and nothing else. When the decision may be one for extensions, those of the
    /// user and of the command line are loaded for it; `settings` are those that count without trust.
    ///
    /// # Errors
    /// As [`Extensions::start`].
    pub async fn decide_trust(
        &self,
        settings: &Arc<Settings>,
        approve: Option<bool>,
        mode: Mode,
    ) -> Result<Decision, SessionError> {
        let env = {
            let mut place = self.place.lock();
            place.approve = approve;
            place.env.clone()
        };
        let question = trust::question(&env, approve, settings).await;
        if question.needs_decision() {
            let found = self.discover(settings).await;
            self.load(&found, settings).await;
        }
        trust::decide(&question, &self.hooks, &env, settings, mode).await
    }

    /// Lets what is loaded begin anew for another session in the same directory: factories run again, over the modules
    /// that are there. What could not be loaded before is tried again; extensions of dialects whose extensions outlive a
    /// session stay as they are.
    pub(crate) async fn begin_again(&self, settings: &Arc<Settings>) {
        self.leftovers.end();
        self.note_gates(Moment::Ending).await;
        self.hooks.begin_set();
        self.remove(|owner| owner.dialect.stays);
        // What was wrong with the list was told when it was made.
        let found = Found { diagnostics: Vec::new(), ..Found::clone(&self.found()) };
        self.complete(found, settings).await;
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
        if let Some(host) = self.remove(|_| false) {
            host.leave().await;
        }
        let approve = {
            let mut place = self.place.lock();
            // What the command line names is where it was.
            let Place { env: old, options, .. } = &mut *place;
            options.paths.iter_mut().for_each(|path| *path = absolute(old, path));
            place.env = env.clone();
            place.approve
        };
        settings.replace(Arc::new(Settings::load(env, false)));
        self.start(settings, approve, mode).await
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

    /// Makes the model providers of extensions known, in place of those of an earlier set. What is wrong with one is
    /// reported.
    pub fn register_providers(&self, registry: &ModelRegistry) {
        for name in std::mem::take(&mut self.state.lock().providers) {
            registry.unregister_provider(&name);
        }
        for (owner, provider) in self.hooks.providers() {
            let config = serde_json::from_value(provider.config).map_err(|error| error.to_string());
            let done = config.and_then(|mut config: ProviderConfig| {
                config.stream = provider.api;
                config.oauth = provider.oauth;
                registry.register_provider(&provider.name, config).map_err(|error| error.to_string())
            });
            match done {
                Ok(()) => self.state.lock().providers.push(provider.name),
                Err(error) => {
                    let text = format!("provider \"{}\": {error}", provider.name);
                    self.hooks.dispatcher.reports.send(&Report::diagnostic(Arc::clone(&owner.path), "load", text));
                }
            }
        }
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

    /// Asks about a trusted project again when files of it changed and the user wants to be asked.
    ///
    /// # Errors
    /// When the project is not trusted as it is now.
    async fn trust_again(&self, settings: &Arc<Settings>, mode: Mode) -> Result<(), Vec<LoadError>> {
        let Place { env, approve, trusted, .. } = self.place.lock().clone();
        if !settings.is_trusted() || !settings.tau().ask_on_change {
            return Ok(());
        }
        let refused =
            |why: String| vec![LoadError::new(env.project_dir().display().to_string(), &HandlerError::msg(why))];
        let question = trust::question(&env, approve, settings).await;
        if trusted.is_some() && question.watched() == trusted.as_ref() {
            return Ok(());
        }
        let decided = trust::decide(&question, &self.hooks, &env, settings, mode).await;
        match decided.map_err(|error| refused(error.to_string()))? {
            decision if decision.trusted => {
                self.place.lock().trusted = question.watched().cloned();
                Ok(())
            }
            decision => Err(refused(format!("the project is not trusted: {}", decision.why))),
        }
    }

    /// Reads the settings again and checks everything they lead to, without touching what is at work.
    ///
    /// # Errors
    /// What could not be loaded, unless it could not be loaded before.
    pub(crate) async fn prepare(&self, settings: &SettingsStore, mode: Mode) -> Result<Prepared, Vec<LoadError>> {
        let current = settings.snapshot();
        let fresh = Arc::new(current.reloaded(current.is_trusted()));
        self.trust_again(&fresh, mode).await?;
        let found = self.discover(&fresh).await;
        let mut failures: Vec<LoadError> = found.absent.iter().map(absent_error).collect();
        failures.extend(found.extensions.iter().filter_map(unusable_error));
        let modules: Vec<FoundExtension> =
            found.extensions.iter().filter(|found| found.form.is_module()).cloned().collect();
        if let Some(host) = self.host_for(&modules) {
            let checked = host.check(&modules, &self.context(&fresh)).await;
            let error =
                |failure: super::LoadFailure| LoadError::new(failure.path.display().to_string(), &failure.error);
            failures.extend(checked.into_iter().map(error));
        }
        let known = self.failures();
        failures.retain(|failure| !known.iter().any(|before| before.path == failure.path));
        match failures.is_empty() {
            true => Ok(Prepared { settings: fresh, found }),
            false => Err(failures),
        }
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
    /// that is only listed, teaches nothing.
    async fn note_gates(&self, moment: Moment) {
        let env = self.place.lock().env.clone();
        let (changes, told) = {
            let mut state = self.state.lock();
            let State { memory: Some(memory), loads, failures, found, used, .. } = &mut *state else { return };
            *used |= moment == Moment::Started;
            if !*used {
                return;
            }
            let guards = loads.iter().filter_map(|loaded| {
                let extension = &loaded.record.extension;
                let owner = loaded.owner.as_ref().filter(|_| extension.origin.layer().is_some())?;
                let (gates, of_project) = (self.hooks.gates_of(owner), is_of_project(&env, extension));
                Some(Guard { path: extension.path.clone(), of_project, gates })
            });
            memory.note(moment, &guards.collect::<Vec<_>>(), found, failures)
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

    /// Loads what is not loaded yet and puts everything in order.
    async fn complete(&self, found: Found, settings: &Arc<Settings>) {
        self.load(&found, settings).await;
        for diagnostic in &found.diagnostics {
            let path = diagnostic.path.display().to_string();
            self.hooks.dispatcher.reports.send(&Report::diagnostic(path, "extensions", diagnostic.to_string()));
        }
        let mut failures = self.own_failures.clone();
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
            let mut memory = GateMemory::open(&env, settings, &self.hooks);
            failures.extend(memory.recall(settings, &found, &failures, &self.hooks).iter().cloned());
            memory
        });
        self.state.lock().memory = memory;
        self.hooks.finish_set(&order, &required(&env, settings, &found, &self.hooks), &failures);
    }

    /// Loads what was found and not tried yet.
    async fn load(&self, found: &Found, settings: &Arc<Settings>) {
        let files: Vec<FoundExtension> = {
            let state = self.state.lock();
            let tried = |path: &PathBuf| state.loads.iter().any(|load| load.record.extension.real_path == *path);
            found.extensions.iter().filter(|extension| !tried(&extension.real_path)).cloned().collect()
        };
        if files.is_empty() {
            return;
        }
        let context = self.context(settings);
        let modules: Vec<FoundExtension> = files.iter().filter(|file| file.form.is_module()).cloned().collect();
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
                Form::Shell(hook) => shell_hooks::load(&extension, hook, &context, &self.leftovers),
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
    fn host_for(&self, modules: &[FoundExtension]) -> Option<Arc<dyn ScriptHost>> {
        (!modules.is_empty()).then(|| self.host()).flatten()
    }

    fn context(&self, settings: &Arc<Settings>) -> LoadContext {
        let env = self.place.lock().env.clone();
        LoadContext { hooks: Arc::clone(&self.hooks), env, settings: Arc::clone(settings) }
    }

    /// The host, made when it is asked for the first time.
    fn host(&self) -> Option<Arc<dyn ScriptHost>> {
        let mut state = self.state.lock();
        if let Some(maker) = state.maker.take() {
            state.host = Some(maker(&self.place.lock().env));
        }
        state.host.clone()
    }
}

/// A path of the command line, for when the working directory is another one. What names a package stays.
fn absolute(env: &Environment, path: &str) -> String {
    let place = env.resolve(path, &env.cwd);
    if place.exists() { place.display().to_string() } else { path.to_owned() }
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
