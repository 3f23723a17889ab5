//! Starting a session.

use std::path::PathBuf;
use std::sync::{Arc, Weak};

use tau_ai::ModelRegistry;
use tau_ai::{Model, ThinkingLevel};
use tau_hooks::payload::SessionStartReason;
use tau_hooks::{Hooks, Mode, ScopedModel};
use tau_session::{EntryBody, Session, SessionError};
use tokio::runtime::Handle;

use super::AgentSession;
use super::lifecycle::{announce, report_declared_settings, watch_dialogs, watch_file};
use super::own_tools::{own_tools, tool_options};
use super::resources::load_resources;
use crate::children::{Announced, Announcement, ParentGate};
use crate::extensions::{Extensions, configure};
use crate::parts::{
    Activity, Choices, Conversation, Events, Family, Lifecycle, Lineage, Parts, Prompting, Selection, Services,
    ToolChoice, ToolSet, Warming,
};
use crate::pipeline::record::{note_choices, prepare_loadout, recorded_model, report_unmatched_tools, restore_tools};
use crate::pipeline::system_prompt::rebuild_prompt;
use crate::prompt::{docs_dir, unpack_docs};
use crate::resources::LoadOptions;
use crate::services::ExtensionServices;
use crate::settings::{Environment, SettingsStore};
use tau_script::PatternEngine;

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

/// A session that is complete, and of which extensions know nothing yet. Whoever wants to hear everything listens to it
/// now.
#[must_use = "extensions are not told of the session before it is started"]
pub struct Unstarted(Arc<AgentSession>);

impl Unstarted {
    /// The session.
    pub fn session(&self) -> &Arc<AgentSession> {
        &self.0
    }

    /// Tells extensions that the session is ready. One whose start is given up may be shut down like any other.
    pub async fn start(self) -> Arc<AgentSession> {
        let me = self.0;
        let live = me.live();
        report_declared_settings(&live);
        // Writing the manual takes a while the first time, and nobody reads it before the session starts.
        unpack(&live);
        rebuild_prompt(&live);
        watch_dialogs(&live);
        prepare_loadout(&live, true, &live.lifecycle.ending).await;
        announce(&live, SessionStartReason::Startup, None).await;
        report_unmatched_tools(&live);
        me
    }
}

impl SessionOptions {
    /// Makes the session: binds its extensions, and restores what its file says.
    ///
    /// # Errors
    /// When the session file cannot be written.
    pub fn build(self) -> Result<Unstarted, StartError> {
        self.build_below(None)
    }

    /// As [`SessionOptions::build`], for a child session: with where it comes from, and the tools of its parent.
    pub(crate) fn build_below(self, parent: Option<(Lineage, Selection)>) -> Result<Unstarted, StartError> {
        let options = self;
        let (lineage, above) = parent.unzip();
        let runtime = Handle::current();
        Announced::once(&options.hooks, &runtime, Announcement::of(&options.env).below());
        // A session that another one of this process opened asks that one, which asks further up.
        if lineage.is_none()
            && let Some(gate) = ParentGate::announced(&options.env)
        {
            gate.guard(&options.hooks);
        }
        let settings = options.settings.snapshot();
        configure(&options.hooks, &settings);
        options.session.set_sources(options.hooks.sources.clone());
        let session = options.session;
        let choices = session.choices();
        let model = options.model.or_else(|| {
            let choice = recorded_model(&choices, &options.models)?;
            options.models.find(&choice.provider, &choice.model_id)
        });
        let thinking = options
            .thinking
            .or_else(|| choices.thinking_level.as_deref().and_then(ThinkingLevel::parse))
            .or_else(|| settings.default_thinking_level().and_then(ThinkingLevel::parse))
            .unwrap_or(ThinkingLevel::Medium);
        let thinking = model.as_ref().map_or(thinking, |model| model.clamp_thinking(thinking));
        if let Some(name) = &options.name {
            session.append(EntryBody::session_info(name))?;
        }
        note_choices(&session, &options.models, model.as_deref(), thinking)?;
        let mut load = options.resources;
        load.base.get_or_insert_with(|| options.env.cwd.clone());
        let me = Arc::new_cyclic(|me: &Weak<AgentSession>| {
            let parts = Arc::new_cyclic(|parts| {
                let tool_options = tool_options(parts, &options.env, &settings, options.temp_dir.clone());
                let selection = Selection::new(options.tools, settings.default_tools()).within(above.map(Arc::new));
                let tools = ToolSet::new(own_tools(&tool_options, &selection, &settings), selection);
                Parts {
                    mode: options.mode,
                    extensions: options.extensions,
                    temp_dir: options.temp_dir,
                    events: Events::default(),
                    conversation: Conversation::new(session, options.env),
                    activity: Activity::default(),
                    choices: Choices::new(model, thinking, options.scoped_models, tools),
                    prompting: Prompting::new(load, options.patterns),
                    lifecycle: Lifecycle::new(&runtime, &options.hooks),
                    family: Family::new(lineage),
                    warming: Warming::default(),
                    services: Services::new(options.settings, options.models, runtime, options.hooks.sources.clone()),
                    hooks: options.hooks,
                }
            });
            AgentSession { me: me.clone(), parts }
        });
        let live = me.live();
        live.hooks.serve(ExtensionServices::new(Arc::clone(&live.services.settings)));
        live.hooks.bind(&live.host);
        live.hooks.dispatcher.trace.set_session(live.conversation.session().id());
        watch_file(&live, &live.conversation.session());
        load_resources(&live);
        live.choices.tools.refresh(&live.hooks);
        restore_tools(&live, true);
        Ok(Unstarted(me))
    }
}

impl AgentSession {
    /// Makes a session and tells extensions that it is ready.
    ///
    /// # Errors
    /// As [`SessionOptions::build`].
    pub async fn start(options: SessionOptions) -> Result<Arc<Self>, StartError> {
        Ok(options.build()?.start().await)
    }
}

/// Puts tau's documentation where the model can read it. Without it the prompt does not mention it.
fn unpack(parts: &Parts) {
    let dir = docs_dir(&parts.conversation.env().agent_dir());
    match unpack_docs(&dir) {
        // Only the start of a session sets it.
        Ok(()) => drop(parts.prompting.docs_dir.set(dir)),
        Err(error) => parts.report("docs", "start", error.to_string()),
    }
}
