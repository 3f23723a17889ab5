//! Starting a session.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::{Mutex, RwLock};
use tau_ai::ModelRegistry;
use tau_ai::{Model, ThinkingLevel};
use tau_hooks::payload::SessionStartReason;
use tau_hooks::{HistoryMessage, Hooks, Host, Limits, Messages, Mode, Report, ScopedModel};
use tau_session::{EntryBody, Session, SessionError};
use tau_tools::todo::{TODO_WRITE, TodoWriteTool};
use tau_tools::{BuiltinOptions, Tool, builtin_tools};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::choices::recorded_model;
use super::current::Current;
use super::tool_choice::{Selection, ToolChoice};
use super::work::Work;
use super::{AgentSession, PromptState, Queues, State, ToolSet};
use crate::children::{Announced, Children, Lineage, ParentGate};
use crate::extensions::Extensions;
use crate::pipeline::{Lines, image_limits};
use crate::prompt::{docs_dir, unpack_docs};
use crate::resources::LoadOptions;
use crate::rules::PatternEngine;
use crate::settings::{Environment, SettingsStore};

/// What a session is made of.
pub struct SessionOptions {
    /// Directories and variables.
    pub env: Environment,
    /// How tau was started.
    pub mode: Mode,
    /// The settings.
    pub settings: Arc<SettingsStore>,
    /// Extensions, loaded already.
    pub hooks: Arc<Hooks>,
    /// The set that was loaded into `hooks`, for a reload and for the end; absent when all of them are part of the
    /// program.
    pub extensions: Option<Arc<Extensions>>,
    /// Models and credentials.
    pub models: Arc<ModelRegistry>,
    /// The tree to go on with.
    pub session: Arc<Session>,
    /// The model; the one of the session's file when absent.
    pub model: Option<Arc<Model>>,
    /// The thinking level; the one of the session's file, else of the settings, when absent.
    pub thinking: Option<ThinkingLevel>,
    /// The models that cycling goes through; all when empty.
    pub scoped_models: Vec<ScopedModel>,
    /// Which tools are there.
    pub tools: ToolChoice,
    /// Which resources are loaded.
    pub resources: LoadOptions,
    /// The session's name.
    pub name: Option<String>,
    /// Where long output of commands goes; the system's directory for temporary files when absent.
    pub temp_dir: Option<PathBuf>,
    /// Looks for the expressions of stream rules; without it there are none.
    pub patterns: Option<Arc<dyn PatternEngine>>,
}

/// Why a session could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The session file cannot be written.
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl AgentSession {
    /// Starts a session: binds its extensions, restores what its file says, and tells extensions that it is ready.
    ///
    /// # Errors
    /// When the session file cannot be written.
    pub async fn start(options: SessionOptions) -> Result<Arc<Self>, StartError> {
        Self::start_with(options, |_| {}).await
    }

    /// As [`AgentSession::start`]; `ready` is called before extensions are told, so that a front end misses nothing.
    ///
    /// # Errors
    /// As [`AgentSession::start`].
    pub async fn start_with(options: SessionOptions, ready: impl FnOnce(&Arc<Self>)) -> Result<Arc<Self>, StartError> {
        Self::start_below(options, None, ready).await
    }

    /// As [`AgentSession::start_with`], for a child session: with where it comes from, and the tools of its parent.
    pub(crate) async fn start_below(
        options: SessionOptions,
        parent: Option<(Lineage, Selection)>,
        ready: impl FnOnce(&Arc<Self>),
    ) -> Result<Arc<Self>, StartError> {
        let (lineage, above) = parent.unzip();
        Announced::once(&options.hooks);
        // A session that another one of this process opened asks that one, which asks further up.
        if lineage.is_none()
            && let Some(gate) = ParentGate::announced(&options.env)
        {
            gate.guard(&options.hooks);
        }
        let settings = options.settings.snapshot();
        configure(&options.hooks, &settings);
        let session = options.session;
        let context = session.context();
        let model = options.model.or_else(|| {
            let choice = recorded_model(&context, &options.models)?;
            options.models.find(&choice.provider, &choice.model_id)
        });
        let thinking = options
            .thinking
            .or_else(|| context.thinking_level.as_deref().and_then(ThinkingLevel::parse))
            .or_else(|| settings.default_thinking_level().and_then(ThinkingLevel::parse))
            .unwrap_or(ThinkingLevel::Medium);
        let thinking = model.as_ref().map_or(thinking, |model| model.clamp_thinking(thinking));
        if let Some(name) = &options.name {
            session.append(EntryBody::session_info(name))?;
        }
        note_choices(&session, &options.models, model.as_deref(), thinking)?;
        let mut load = options.resources;
        load.base.get_or_insert_with(|| options.env.cwd.clone());
        let lanes = super::Lanes::new(&Handle::current(), &options.hooks);
        let me = Arc::new_cyclic(|me| {
            let tool_options = tool_options(me, &options.env, &settings, options.temp_dir.clone());
            let selection = Selection::new(options.tools, settings.default_tools()).within(above.map(Arc::new));
            let tools = own_tools(&tool_options, &selection, &settings);
            Self {
                me: me.clone(),
                hooks: options.hooks,
                tools: ToolSet::new(tools, selection),
                resources: super::resources::ResourceState::default(),
                stream_rules: super::rules::StreamRules::new(options.patterns),
                reminders: Mutex::default(),
                prompt: RwLock::new(PromptState::default()),
                state: Mutex::new(State {
                    history: history_of(&session),
                    model,
                    thinking,
                    run: None,
                    asking: None,
                    navigation: None,
                    leaving: false,
                }),
                current: Current::new(session, options.env),
                models: options.models,
                settings: options.settings,
                mode: options.mode,
                queues: Mutex::new(Queues::default()),
                events: super::events::Events::default(),
                runtime: Handle::current(),
                background: Work::default(),
                renewals: Work::default(),
                commands: Work::default(),
                incoming: Work::default(),
                keeping: Mutex::new(()),
                deliveries: Work::default(),
                queues_untold: AtomicBool::new(false),
                lanes,
                unconnected: super::mcp::Unconnected::default(),
                nested_lines: Lines::default(),
                routing: Default::default(),
                router_memory: Default::default(),
                settle_gate: tokio::sync::RwLock::new(()),
                settled: super::settle::Settled::default(),
                asides: super::Asides::default(),
                answered: Mutex::default(),
                ended: Mutex::default(),
                scope_of_models: RwLock::new(options.scoped_models.into()),
                choices_unrecorded: AtomicBool::new(false),
                switches: super::switches::Switches::default(),
                exit: CancellationToken::new(),
                ending: CancellationToken::new(),
                shut: Mutex::new(false),
                load,
                temp_dir: options.temp_dir,
                extensions: options.extensions,
                lineage,
                children: Children::default(),
                changing: tokio::sync::Mutex::new(()),
                docs_dir: OnceLock::new(),
            }
        });
        me.hooks.bind(&(Arc::clone(&me) as Arc<dyn Host>));
        me.watch_file(&me.session());
        me.load_resources();
        me.tools.refresh(&me.hooks);
        me.restore_tools(true);
        ready(&me);
        // Writing the manual takes a while the first time, and nobody reads it before they are told of the session.
        if let Some(dir) = unpack(&me.env(), &me.hooks) {
            let _ = me.docs_dir.set(dir);
        }
        me.rebuild_prompt();
        me.watch_dialogs();
        me.prepare_loadout(true, &me.ending).await;
        me.announce(SessionStartReason::Startup, None).await;
        me.report_unmatched_tools();
        Ok(me)
    }
}

/// The conversation of a session's current branch.
pub(crate) fn history_of(session: &Session) -> Messages {
    let context = session.context();
    let item =
        |item: tau_session::ContextItem| Arc::new(HistoryMessage::new(item.message, Some(item.entry_id.to_string())));
    context.messages.into_iter().map(item).collect()
}

/// Puts tau's documentation where the model can read it. Without it the prompt does not mention it.
fn unpack(env: &Environment, hooks: &Hooks) -> Option<PathBuf> {
    let dir = docs_dir(&env.agent_dir());
    match unpack_docs(&dir) {
        Ok(()) => Some(dir),
        Err(error) => {
            hooks.dispatcher.reports.send(&Report::diagnostic("docs", "start", error.to_string()));
            None
        }
    }
}

/// Gives handlers the time limits of the settings.
pub(crate) fn configure(hooks: &Hooks, settings: &crate::settings::Settings) {
    let limits = settings.tau().limits;
    hooks.dispatcher.set_limits(Limits {
        soft: limits.soft,
        observe: limits.observe,
        decide: limits.handler.unwrap_or(crate::settings::Limits::DEFAULT_HANDLER),
        shutdown: limits.shutdown,
        decide_in_terminal: limits.handler,
        hook: settings.hook_timeout().unwrap_or(Limits::default().hook),
    });
}

/// A new session begins with its model and thinking level; an old one gets what differs from its file.
pub(super) fn note_choices(
    session: &Session,
    models: &ModelRegistry,
    model: Option<&Model>,
    thinking: ThinkingLevel,
) -> Result<(), SessionError> {
    let (context, fresh) = (session.context(), session.entries().is_empty());
    if let Some(model) = model {
        let known = recorded_model(&context, models);
        if !known.is_some_and(|known| known.provider == model.provider && known.model_id == model.id) {
            session.append(EntryBody::model_change(model.provider.clone(), model.id.clone()))?;
        }
    }
    if fresh || context.thinking_level.as_deref() != Some(thinking.as_str()) {
        session.append(EntryBody::thinking_level_change(thinking.as_str()))?;
    }
    Ok(())
}

fn tool_options(
    me: &Weak<AgentSession>,
    env: &Environment,
    settings: &crate::settings::Settings,
    temp_dir: Option<PathBuf>,
) -> BuiltinOptions {
    let mut options = BuiltinOptions::new(env.cwd.clone());
    options.shell_path = settings.shell_path();
    options.command_prefix = settings.shell_command_prefix().map(str::to_owned);
    options.auto_resize_images = settings.images().auto_resize;
    options.bin_dir = Some(env.agent_dir().join("bin"));
    let reader = me.clone();
    options.image_note = Some(Arc::new(move || {
        let model = reader.upgrade()?.model()?;
        let note = "[Current model does not support images. The image will be omitted from this request.]";
        (!model.accepts_images()).then(|| note.to_owned())
    }));
    let limited = me.clone();
    options.image_limits = Some(Arc::new(move || Some(image_limits(limited.upgrade()?.model().as_deref()))));
    let me = me.clone();
    options.env = Some(Arc::new(move || me.upgrade().map(|me| me.shell_env()).unwrap_or_default()));
    if let Some(temp_dir) = temp_dir {
        options.temp_dir = temp_dir;
    }
    options
}

/// The built-in tools, with those that are only there when they are wanted.
fn own_tools(
    options: &BuiltinOptions,
    selection: &Selection,
    settings: &crate::settings::Settings,
) -> Vec<Arc<dyn Tool>> {
    let mut tools = builtin_tools(options);
    if selection.wants(TODO_WRITE, settings.todo().tool) {
        tools.push(Arc::new(TodoWriteTool::default()));
    }
    tools
}

impl AgentSession {
    /// Makes the built-in tools for the working directory of now.
    pub(super) fn renew_tools(&self) {
        let options = tool_options(&self.me, &self.env(), &self.settings.snapshot(), self.temp_dir.clone());
        let tools = own_tools(&options, &self.tools.selection(), &self.settings.snapshot());
        self.tools.renew(tools);
    }

    /// What commands of the model find changed in their environment.
    fn shell_env(&self) -> Vec<(String, Option<String>)> {
        let session = self.session();
        let mut env: HashMap<&str, String> = HashMap::from([
            ("PI_SESSION_ID", session.id().to_owned()),
            ("PI_REASONING_LEVEL", self.thinking_level().to_string()),
            ("AI_AGENT", "pi".to_owned()),
            ("PI_CODING_AGENT", "true".to_owned()),
        ]);
        if let Some(file) = session.file() {
            env.insert("PI_SESSION_FILE", file.display().to_string());
        }
        if let Some(model) = self.model() {
            env.insert("PI_PROVIDER", model.provider.clone());
            env.insert("PI_MODEL", model.id.clone());
        }
        let session = env.into_iter().map(|(name, value)| (name.to_owned(), Some(value)));
        self.hooks().variables.changes().into_iter().chain(session).collect()
    }
}
