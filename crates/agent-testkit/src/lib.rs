//! A session to test with: directories, a scripted model, extensions made of closures, and a record of everything.
//!
//! What stands in for the world around an agent is in `tau-testkit`; this knows how to run one in it.
#![allow(clippy::disallowed_methods, reason = "only tests use it")]
#![expect(missing_docs, reason = "what tests call says by its name what it does")]

mod brief;
pub mod expressions;
pub mod scripts;
pub mod stages;
pub mod themes;
pub mod tools;
pub mod tour;

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_agent::extensions::{DiscoveryOptions, Extensions, ScriptHostMaker};
use tau_agent::resources::LoadOptions;
use tau_agent::services::ExtensionServices;
use tau_agent::settings::{Environment, SettingsStore};
use tau_agent::{AgentSession, Prompt, PromptError, Prompted, SessionOptions, ToolChoice};
use tau_ai::scripted::{PROVIDER, ScriptedApi};
use tau_ai::{Clock, Model, ModelRegistry, ProviderConfig, Sources, StreamApi, ValueResolver};
use tau_hooks::dialect::{Dialect, PI};
use tau_hooks::events::TABLE;
use tau_hooks::payload::{InputSource, StreamingBehavior};
use tau_hooks::{Hooks, Mode, Registrar};
use tau_script::PatternEngine;
use tau_session::{NewSession, Session};
use tau_testkit::host::extension;
use tau_testkit::{GoldenTrace, TempHome, session_lines};
use tokio::sync::Notify;

use scripts::FakeScripts;

pub use brief::{brief, brief_list, calls, messages, names, outline, text_of, to_json};

/// A list that several threads write to.
#[derive(Debug)]
pub struct Log<T>(Arc<Mutex<Vec<T>>>);

impl<T> Clone for Log<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Clone> Log<T> {
    pub fn push(&self, item: T) {
        self.0.lock().push(item);
    }

    pub fn all(&self) -> Vec<T> {
        self.0.lock().clone()
    }

    pub fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.0.lock())
    }
}

/// What a session is started from.
pub struct World {
    pub home: TempHome,
    pub hooks: Arc<Hooks>,
    /// The scripted model, unless another one was put in its place.
    pub script: ScriptedApi,
    pub tools: ToolChoice,
    pub resources: LoadOptions,
    pub mode: Mode,
    /// Whether the project is trusted.
    pub trusted: bool,
    /// Who failed, at what, and how.
    pub reports: Log<(String, String, String)>,
    /// Looks for the expressions of stream rules.
    pub patterns: Option<Arc<dyn PatternEngine>>,
    /// Lets the timers of sessions pass, one at a time; `None` when they follow the clock.
    pub timers: Option<Arc<Notify>>,
    models: Arc<ModelRegistry>,
    model: Arc<Model>,
    settings: Value,
    vars: Vec<(String, String)>,
    session: Mutex<Option<Session>>,
    extensions: Mutex<Option<Arc<Extensions>>>,
}

impl World {
    /// A model that answers with these replies, each in the form of a script, and no tools but those of extensions.
    /// The system prompt is `You are a test.`, so that recorded requests do not depend on the standard one.
    pub fn new(replies: Value) -> Self {
        Self::scripted(json!({"id": "planner", "reasoning": true}), replies)
    }

    /// As [`World::new`], with another model.
    pub fn scripted(model: Value, replies: Value) -> Self {
        let script = json!({"model": model, "replies": replies}).to_string();
        let script = ScriptedApi::from_json("script", &script).expect("a valid script");
        let models = registry();
        register(&models, Arc::new(script.clone()));
        let hooks = Hooks::new();
        let reports = Log::default();
        let sink = reports.clone();
        hooks.dispatcher.reports.listen(move |report| {
            sink.push((report.extension.to_string(), report.event.clone(), report.message()));
        });
        Self {
            home: TempHome::new(),
            hooks,
            model: Arc::new(script.model()),
            script,
            tools: ToolChoice { no_builtin: true, ..ToolChoice::default() },
            resources: LoadOptions { system_prompt: Some("You are a test.".to_owned()), ..LoadOptions::default() },
            mode: Mode::Json,
            trusted: true,
            reports,
            patterns: Some(Arc::new(expressions::Expressions::default())),
            timers: None,
            models,
            settings: json!({}),
            vars: Vec::new(),
            session: Mutex::default(),
            extensions: Mutex::default(),
        }
    }

    /// Loads the scripts of the user and of the project, as a program does before it starts a session.
    pub async fn load_scripts(&self, host: &Arc<FakeScripts>) -> Arc<Extensions> {
        self.load_found_by(host.maker()).await
    }

    /// As [`World::load_scripts`], with any host.
    pub async fn load_found_by(&self, scripts: ScriptHostMaker) -> Arc<Extensions> {
        self.home.write_agent("settings.json", self.settings.to_string());
        let env = self.env();
        let options = DiscoveryOptions::default();
        let extensions =
            Arc::new(Extensions::new(env.clone(), Arc::clone(&self.hooks), options, Some(scripts), Vec::new()));
        let settings = Arc::new(SettingsStore::open(&env, false));
        self.hooks.serve(ExtensionServices::new(Arc::clone(&settings)));
        extensions.start(&settings, Some(true), self.mode).await.expect("a decision on trust");
        *self.extensions.lock() = Some(Arc::clone(&extensions));
        extensions
    }

    /// With other sources of time, ids and chance. Before anything is loaded.
    pub fn with_sources(mut self, sources: Sources) -> Self {
        self.hooks = Hooks::with_sources(sources);
        let sink = self.reports.clone();
        self.hooks.dispatcher.reports.listen(move |report| {
            sink.push((report.extension.to_string(), report.event.clone(), report.message()));
        });
        self
    }

    /// With timers that pass when [`World::timers`] says so. Before anything is loaded.
    pub fn with_own_timers(self) -> Self {
        let timers = Arc::new(Notify::new());
        let waited = Arc::clone(&timers);
        let clock = Clock::with_timers(tau_ai::now_ms, move |_| {
            let waited = Arc::clone(&waited);
            Box::pin(async move { waited.notified().await })
        });
        Self { timers: Some(timers), ..self.with_sources(Sources { clock, ..Sources::default() }) }
    }

    /// Adds settings, by their first key.
    pub fn settings(mut self, settings: Value) -> Self {
        for (key, value) in settings.as_object().into_iter().flatten() {
            self.settings[key] = value.clone();
        }
        self
    }

    /// With the built-in tools.
    pub fn with_builtin_tools(mut self) -> Self {
        self.tools = ToolChoice::default();
        self
    }

    /// Another way to reach the model.
    pub fn with_api(self, api: impl StreamApi + 'static) -> Self {
        register(&self.models, Arc::new(api));
        self
    }

    /// Another registry with the model to use.
    pub fn with_models(mut self, models: Arc<ModelRegistry>, model: Arc<Model>) -> Self {
        self.models = models;
        self.model = model;
        self
    }

    /// In the directories of another one, as a program that is started again.
    pub fn in_home_of(mut self, other: Self) -> Self {
        self.home = other.home;
        self
    }

    /// Goes on with a session file.
    pub fn resume(self, session: Session) -> Self {
        *self.session.lock() = Some(session);
        self
    }

    /// In a process that has this variable.
    pub fn with_var(mut self, name: &str, value: &str) -> Self {
        self.vars.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Loads an extension.
    pub fn extend(&self, name: &str, register: impl Fn(&mut Registrar) + Send + Sync) -> &Self {
        self.extend_as(&PI, name, register)
    }

    /// Loads an extension under the rules of a dialect.
    pub fn extend_as(
        &self,
        dialect: &'static Dialect,
        name: &str,
        register: impl Fn(&mut Registrar) + Send + Sync,
    ) -> &Self {
        let extension = extension(name, move |registrar: &mut Registrar| {
            register(registrar);
            Ok(())
        });
        self.hooks.load_as(&extension, dialect).expect("an extension that loads");
        self
    }

    /// Loads an extension that records every event. Load it last, so that it sees what the others made of them.
    pub fn watch(&self) -> Log<Value> {
        let log: Log<Value> = Log::default();
        let watched = log.clone();
        self.extend("watch", move |registrar| {
            for row in TABLE {
                let log = watched.clone();
                registrar.on_json(row.name, move |event, _| {
                    log.push(event);
                    std::future::ready(Ok(None))
                });
            }
        });
        log
    }

    pub fn env(&self) -> Environment {
        let mut env = Environment::new(self.home.home(), self.home.cwd());
        env.vars = self.home.vars();
        env.vars.extend(self.vars.iter().cloned());
        env
    }

    /// Asks the extensions that are loaded whether the project is trusted, which has something to trust. Without an
    /// answer it is.
    pub async fn ask_for_trust(&self) -> bool {
        let mut settings = self.settings.clone();
        settings["defaultProjectTrust"] = json!("always");
        self.home.write_agent("settings.json", settings.to_string());
        self.home.write(".pi/themes/readme.txt", "");
        let options = DiscoveryOptions::default();
        let extensions = Extensions::new(self.env(), Arc::clone(&self.hooks), options, None, Vec::new());
        let settings = SettingsStore::open(&self.env(), false);
        extensions.start(&settings, None, self.mode).await.expect("a decision on trust").trusted
    }

    /// Starts a session in the directory of session files.
    pub async fn start(&self) -> Running {
        self.start_in(self.home.session_dir()).await
    }

    pub async fn start_in(&self, dir: PathBuf) -> Running {
        let env = self.env();
        self.home.write_agent("settings.json", self.settings.to_string());
        let session = self.session.lock().take();
        let session =
            session.unwrap_or_else(|| Session::create(&dir, &env.cwd, NewSession::default()).expect("a session"));
        let options = SessionOptions {
            mode: self.mode,
            settings: Arc::new(SettingsStore::open(&env, self.trusted)),
            env,
            hooks: Arc::clone(&self.hooks),
            extensions: self.extensions.lock().clone(),
            models: Arc::clone(&self.models),
            session: Arc::new(session),
            model: Some(Arc::clone(&self.model)),
            thinking: None,
            scoped_models: Vec::new(),
            tools: self.tools.clone(),
            resources: self.resources.clone(),
            name: None,
            temp_dir: Some(self.home.temp_dir()),
            patterns: self.patterns.clone(),
        };
        let events = Log::default();
        let sink = events.clone();
        let session = options.build().expect("a session that starts");
        session.session().listen(move |event| sink.push(serde_json::to_value(event).expect("an event as JSON")));
        Running { session: session.start().await, events, script: self.script.clone() }
    }

    /// A trace in which this world's directories have names, and so has the day.
    pub fn golden(&self) -> GoldenTrace {
        let today = jiff::Zoned::now().date();
        GoldenTrace::new()
            .hide(today.to_string(), "<date>")
            .hide(self.home.cwd().display().to_string(), "<cwd>")
            .hide(self.home.home().display().to_string(), "<home>")
            .hide(self.home.root().display().to_string(), "<root>")
    }
}

/// A session at work.
pub struct Running {
    pub session: Arc<AgentSession>,
    /// What front ends were told.
    pub events: Log<Value>,
    pub script: ScriptedApi,
}

impl Running {
    /// Sends a prompt as the user would, and waits until the session is idle.
    pub async fn say(&self, text: &str) -> Prompted {
        let done = self.session.prompt(Prompt::new(text)).await.unwrap_or_else(|error| panic!("{text}: {error}"));
        self.session.wait_until_idle().await;
        done
    }

    /// Sends a prompt without waiting for the run.
    pub fn say_later(&self, text: &str) -> tokio::task::JoinHandle<Result<Prompted, PromptError>> {
        let (session, prompt) = (Arc::clone(&self.session), Prompt::new(text));
        tokio::spawn(async move { session.prompt(prompt).await })
    }

    /// Sends text while a run is under way.
    pub async fn queue(&self, text: &str, behavior: StreamingBehavior) -> Result<Prompted, PromptError> {
        self.session.prompt(Prompt { streaming_behavior: Some(behavior), ..Prompt::new(text) }).await
    }

    /// Sends text as an extension would.
    pub async fn say_as_extension(&self, text: &str) -> Result<Prompted, PromptError> {
        self.session.prompt(Prompt { source: InputSource::Extension, ..Prompt::new(text) }).await
    }

    /// The messages of the requests so far: role and text.
    pub fn asked(&self) -> Vec<Vec<(String, String)>> {
        let requests = self.script.requests();
        requests.iter().map(|request| brief_list(&request["messages"])).collect()
    }

    /// The conversation: role and text.
    pub fn conversation(&self) -> Vec<(String, String)> {
        self.session.history().iter().map(|message| brief(&to_json(message))).collect()
    }

    /// The lines of the session file.
    pub fn file(&self) -> Vec<Value> {
        session_lines(self.session.session().file().expect("a session with a file"))
    }

    /// What the session says about tools: the names of those that came, and of those that went.
    pub fn tool_records(&self) -> Vec<(Vec<String>, Vec<String>)> {
        let names = |tools: &Value| {
            let tools = tools.as_array().into_iter().flatten();
            tools.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
        };
        let lines = self.file();
        let records = lines.iter().map(|line| &line["message"]).filter(|message| message["role"] == "system");
        records.map(|message| (names(&message["toolsAdded"]), names(&message["toolsRemoved"]))).collect()
    }

    /// The names of the tools that each request declared.
    pub fn declared(&self) -> Vec<String> {
        let names = |request: &Value| {
            let tools = request["tools"].as_array().into_iter().flatten();
            tools.map(|tool| tool["name"].as_str().expect("a name")).collect::<Vec<_>>().join(",")
        };
        self.script.requests().iter().map(names).collect()
    }

    /// The names of the active tools.
    pub fn active(&self) -> String {
        tau_hooks::HostView::active_tools(&*self.session).join(",")
    }

    /// Makes these tools active and no others.
    pub fn activate(&self, names: &[&str]) {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        tau_hooks::HostActions::set_active_tools(&*self.session, &names);
    }

    /// The messages of the session file: role and text. What it says about tools is none.
    pub fn file_messages(&self) -> Vec<(String, String)> {
        let message = |line: &Value| match line["type"].as_str() {
            Some("message") if line["message"]["role"] == "system" => None,
            Some("message") => Some(brief(&line["message"])),
            Some("custom_message") => Some(("custom".to_owned(), text_of(&line["content"]))),
            _ => None,
        };
        self.file().iter().filter_map(message).collect()
    }

    /// The names of the events front ends were told of, with the text of messages that ended.
    pub fn outline(&self) -> Vec<String> {
        outline(&self.events.all())
    }
}

/// No variables and no commands.
struct NoValues;

impl ValueResolver for NoValues {
    fn env(&self, _: &str) -> Option<String> {
        None
    }
    fn command(&self, _: &str) -> Result<String, String> {
        Err("there are no commands".to_owned())
    }
}

pub fn registry() -> Arc<ModelRegistry> {
    Arc::new(ModelRegistry::new(Arc::new(NoValues)))
}

/// The scripted provider with a second model, `other`.
fn register(models: &ModelRegistry, api: Arc<dyn StreamApi>) {
    let other = json!({"models": [{"id": "other", "baseUrl": "http://localhost", "reasoning": true,
        "promptCache": {"short": 300}}]});
    let mut config: ProviderConfig = serde_json::from_value(other).expect("a provider");
    config.api = Some(PROVIDER.to_owned());
    config.stream = Some(api);
    config.keyless = true;
    models.register_provider(PROVIDER, config).expect("a provider that can be registered");
}
