//! What handlers, commands and tools can ask and do.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tau_ai::{MessageContent, Model, ThinkingLevel};
use tau_session::Session;
use tau_tools::{NestedAnswer, NestedCall, NestedCalls, ToolSpec};
use tokio_util::sync::CancellationToken;

use crate::children::{ChildError, ChildInfo, ChildRequest, ChildSession};
use crate::handler::Owner;
use crate::limits::{CallClock, Pause};
use crate::messages::Messages;
use crate::payload::{CompactionDone, CustomDraft, ForkPosition, StreamingBehavior};
use crate::replace::{NewSessionRequest, Replaced, TreeMove, TreeMoved};
use crate::theme::ThemeInfo;
use crate::ui::Ui;

/// How tau was started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// In a terminal.
    Tui,
    /// By a client over RPC.
    Rpc,
    /// For one answer as JSON events.
    Json,
    /// For one answer as text.
    #[default]
    Print,
}

/// Why an action was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ActionError {
    /// The extension is still being registered.
    #[error("Extension runtime not initialized. Action methods cannot be called during extension loading.")]
    Loading,
    /// The session this context belonged to is gone.
    #[error(
        "This extension ctx is stale after session replacement or reload. What was kept from before (pi, ctx) ends \
         there: after newSession, fork and switchSession go on in withSession, with the ctx it is given; after reload a \
         command has nothing left to do."
    )]
    Stale,
    /// The extension failed to load, so nothing it kept may act.
    #[error("Extension \"{0}\" failed to load and its API is no longer active.")]
    FailedToLoad(Arc<str>),
    /// Waiting here would wait for the caller itself.
    #[error("`{0}` cannot be used in an event handler: the session waits for the handler, so it would wait for itself")]
    WouldDeadlock(&'static str),
    /// Anything else.
    #[error("{0}")]
    Refused(String),
}

/// When and how a message of an extension reaches the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SendOptions {
    /// Start a run when idle; `Some(false)` while a run is under way only records the message.
    pub trigger_turn: Option<bool>,
    /// Which queue to use.
    pub deliver_as: Option<DeliverAs>,
}

/// How text that an extension sends in place of the user is treated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UserMessageOptions {
    /// Which queue to use while a run is under way; without one the text is refused then.
    pub deliver_as: Option<StreamingBehavior>,
    /// Run the text if it is a command of an extension, and expand skills and prompt templates. Built-in commands are
    /// never run.
    pub expand_prompt_templates: bool,
}

impl From<Option<StreamingBehavior>> for UserMessageOptions {
    fn from(deliver_as: Option<StreamingBehavior>) -> Self {
        Self { deliver_as, ..Self::default() }
    }
}

/// The queue a message goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DeliverAs {
    /// Before the next request.
    Steer,
    /// When the model would otherwise stop.
    FollowUp,
    /// Right after the next user message.
    NextTurn,
}

/// How full the context is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextUsage {
    /// Tokens in use; unknown right after compaction.
    pub tokens: Option<u64>,
    /// Tokens the model has room for.
    pub context_window: u64,
    /// `tokens` in percent of `context_window`.
    pub percent: Option<f64>,
}

/// A model that cycling goes through.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScopedModel {
    /// The model.
    pub model: Arc<Model>,
    /// The thinking level that goes with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<ThinkingLevel>,
}

/// Takes what a compaction came to, or why there was none.
pub type CompactCallback = Box<dyn FnOnce(Result<CompactionDone, String>) + Send>;

/// A program an extension ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExecResult {
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its exit code; 1 when it could not be started.
    pub code: i32,
    /// It was ended by a timeout, an abort or a signal.
    pub killed: bool,
}

/// How to run a program.
#[derive(Debug, Clone, Default)]
pub struct ExecOptions {
    /// Where; the session's working directory when absent.
    pub cwd: Option<PathBuf>,
    /// After this it is ended.
    pub timeout: Option<Duration>,
    /// Ends it.
    pub cancel: Option<CancellationToken>,
}

/// Where something that can be used comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceInfo {
    /// The file, or a name in angle brackets.
    pub path: String,
    /// `local`, `auto`, `cli`, `builtin`, or the package as it was named.
    pub source: String,
    /// `user`, `project` or `temporary`.
    pub scope: String,
    /// `top-level` or `package`.
    pub origin: String,
    /// The folder that its entry or package starts at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_dir: Option<String>,
}

impl SourceInfo {
    /// Something of this program or of this run.
    pub fn new(path: impl Into<String>, source: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            source: source.into(),
            scope: "temporary".to_owned(),
            origin: "top-level".to_owned(),
            base_dir: None,
        }
    }
}

/// A slash command somebody can type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandInfo {
    /// Without the slash.
    pub name: String,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `extension`, `prompt` or `skill`.
    pub source: String,
    /// The file it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where that file was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
}

/// The session as extensions see it. The agent implements this; every method but the `async` ones answers at once
/// from a snapshot, because the pipeline may be waiting for the very handler that asks.
#[async_trait]
pub trait Host: Send + Sync + 'static {
    /// How tau was started.
    fn mode(&self) -> Mode;
    /// The working directory.
    fn cwd(&self) -> PathBuf;
    /// The session's tree.
    fn session(&self) -> Arc<Session>;
    /// The model in use.
    fn model(&self) -> Option<Arc<Model>>;
    /// The thinking level in use.
    fn thinking_level(&self) -> ThinkingLevel;
    /// The models that cycling goes through, as the user chose them.
    fn scoped_models(&self) -> Arc<[ScopedModel]> {
        Arc::from([])
    }
    /// Compacts the conversation in the background, which aborts the run that is under way. `instructions` say what the
    /// summary should look at.
    fn compact(&self, instructions: Option<String>, done: CompactCallback) {
        let _ = instructions;
        done(Err("conversations cannot be compacted here".to_owned()));
    }
    /// Whether no run is under way.
    fn is_idle(&self) -> bool;
    /// Whether steering or follow-up messages of the user are queued.
    fn has_pending_messages(&self) -> bool;
    /// How full the context is; unknown without a model.
    fn context_usage(&self) -> Option<ContextUsage>;
    /// The system prompt in force, changes of this run included.
    fn system_prompt(&self) -> String;
    /// Whether project resources may be used.
    fn is_project_trusted(&self) -> bool;
    /// Stops the run; does not wait.
    fn abort(&self);
    /// Ends the program once the run is over.
    fn shutdown(&self);
    /// The names of the active tools.
    fn active_tools(&self) -> Vec<String>;
    /// All tools.
    fn all_tools(&self) -> Vec<ToolSpec>;
    /// Where a tool comes from.
    fn tool_source(&self, _name: &str) -> Option<SourceInfo> {
        None
    }
    /// What the system prompt is built from; `null` while there is nothing.
    fn system_prompt_options(&self) -> Value {
        Value::Null
    }
    /// Makes these tools active and no others; unknown names are ignored.
    fn set_active_tools(&self, names: &[String]);
    /// An extension brought a tool along after it was loaded. Tools that are new become active.
    fn tools_changed(&self) {}
    /// Every model that is known.
    fn models(&self) -> Option<Arc<tau_ai::ModelRegistry>> {
        None
    }
    /// An extension registered or removed an MCP server after it was loaded.
    fn mcp_servers_changed(&self) {}
    /// The merged settings; `null` where there are none.
    fn settings(&self) -> Value {
        Value::Null
    }
    /// What a request to a model authenticates with; a login that is about to expire is renewed first.
    async fn request_auth(&self, model: &Arc<Model>) -> Result<tau_ai::RequestAuth, tau_ai::AuthError> {
        match self.models() {
            Some(models) => models.auth(model),
            None => Err(tau_ai::AuthError::Missing { provider: model.provider.clone() }),
        }
    }
    /// Who answers a request for a virtual model that no run makes, with these messages.
    ///
    /// # Errors
    /// When the extension of the virtual model names nobody who can; the text says which extension and why.
    async fn route_model(
        &self,
        model: &Arc<Model>,
        _messages: Messages,
        _thinking: ThinkingLevel,
        _cancel: CancellationToken,
    ) -> Result<(Arc<Model>, ThinkingLevel), ActionError> {
        Err(ActionError::Refused(format!("Virtual model {}/{} is not registered.", model.provider, model.id)))
    }
    /// An extension added or removed a model provider, or a virtual model, after it was loaded.
    fn providers_changed(&self) {}
    /// An extension wrote to the session's tree by itself: the conversation may be another one.
    fn session_written(&self) {}
    /// The colour themes that can be chosen, in the order of their names.
    fn themes(&self) -> Vec<Arc<ThemeInfo>> {
        Vec::new()
    }
    /// The colour theme in use.
    fn theme(&self) -> Option<Arc<ThemeInfo>> {
        None
    }
    /// Uses another colour theme, now and in later sessions.
    fn set_theme(&self, _name: &str) -> Result<(), ActionError> {
        Err(ActionError::Refused("there are no themes here".to_owned()))
    }
    /// Every extension, prompt and skill command.
    fn commands(&self) -> Vec<CommandInfo>;
    /// Sends a message of an extension.
    fn send_message(&self, message: CustomDraft, options: SendOptions) -> Result<(), ActionError>;
    /// Sends text as the user would, with source `extension`; always starts a run when idle, unless it is a command.
    fn send_user_message(&self, content: MessageContent, options: UserMessageOptions) -> Result<(), ActionError>;
    /// Appends state that the model never sees.
    fn append_entry(&self, custom_type: &str, data: Option<Value>) -> Result<String, ActionError>;
    /// Names the session; an empty name clears.
    fn set_session_name(&self, name: &str) -> Result<(), ActionError>;
    /// Labels an entry; `None` clears.
    fn set_label(&self, entry_id: &str, label: Option<&str>) -> Result<(), ActionError>;
    /// Chooses a thinking level; the nearest one the model has.
    fn set_thinking_level(&self, level: ThinkingLevel) -> Result<(), ActionError>;
    /// Chooses a model for this session; `false` when there are no credentials for it.
    async fn set_model(&self, model: Arc<Model>) -> Result<bool, ActionError>;
    /// Runs a program without a shell. Never fails: the result tells.
    async fn exec(&self, program: &str, args: &[String], options: ExecOptions) -> ExecResult;
    /// Waits until nothing is under way or queued.
    async fn wait_for_idle(&self) -> Result<(), ActionError>;
    /// Loads the extensions again, with settings and resources as they are on the disk now. What was loaded before is
    /// gone afterwards.
    async fn reload(&self) -> Result<(), ActionError> {
        Err(ActionError::Refused("extensions cannot be loaded again here".to_owned()))
    }
    /// Goes on in a new session.
    async fn new_session(&self, _: NewSessionRequest) -> Result<Replaced, ActionError> {
        Err(ActionError::Refused("sessions cannot be replaced here".to_owned()))
    }
    /// Goes on in a copy of the path to an entry.
    async fn fork(&self, _: &str, _: ForkPosition) -> Result<Replaced, ActionError> {
        Err(ActionError::Refused("sessions cannot be forked here".to_owned()))
    }
    /// Goes on with the session in a file.
    async fn switch_session(&self, _: &Path) -> Result<Replaced, ActionError> {
        Err(ActionError::Refused("sessions cannot be replaced here".to_owned()))
    }
    /// Goes on at another place of the tree.
    async fn navigate_tree(&self, _: &str, _: TreeMove) -> Result<TreeMoved, ActionError> {
        Err(ActionError::Refused("there is no way around the tree here".to_owned()))
    }
    /// Opens a session that works for this one, for the extension that asks.
    async fn open_child(&self, _: ChildRequest, _: Arc<Owner>) -> Result<Arc<dyn ChildSession>, ChildError> {
        Err(ChildError::Unavailable)
    }
    /// What the session is called and where it stands, when another one opened it.
    fn child(&self) -> Option<ChildInfo> {
        None
    }
}

/// What a handler can ask and do. Cheap to clone.
#[derive(Clone)]
pub struct Ctx(Arc<Inner>);

struct Inner {
    host: Arc<dyn Host>,
    owner: Arc<Owner>,
    ui: Ui,
    clock: CallClock,
    signal: CancellationToken,
    command: bool,
    nested: NestedCalls,
}

impl Ctx {
    pub(crate) fn new(
        host: Arc<dyn Host>,
        owner: Arc<Owner>,
        ui: Ui,
        clock: CallClock,
        signal: CancellationToken,
        command: bool,
    ) -> Self {
        Self(Arc::new(Inner { host, owner, ui, clock, signal, command, nested: NestedCalls::default() }))
    }

    /// The context of a tool at work, which can call other tools.
    pub(crate) fn of_tool(
        host: Arc<dyn Host>,
        owner: Arc<Owner>,
        ui: Ui,
        clock: CallClock,
        signal: CancellationToken,
        nested: NestedCalls,
    ) -> Self {
        Self(Arc::new(Inner { host, owner, ui, clock, signal, command: false, nested }))
    }

    /// The tools that [`Ctx::execute_tool`] can call; none outside of a tool's `execute`.
    pub fn tools(&self) -> Vec<ToolSpec> {
        self.0.nested.tools()
    }

    /// Calls another tool, as a part of the call that this context belongs to. It passes validation and the handlers of
    /// `tool_call` and `tool_result` as a call of the model does; its events carry the id of the calling call. Never fails:
    /// a tool that is not there, arguments that do not fit, a gate that blocks and a tool that fails are outcomes. Dropping
    /// the answer cancels the call, and so does the return of the calling tool.
    ///
    /// Outside of a tool's `execute` there are no tools.
    pub fn execute_tool(&self, call: NestedCall) -> NestedAnswer {
        self.0.nested.call(call)
    }

    /// What measures the call.
    pub fn clock(&self) -> &CallClock {
        &self.0.clock
    }

    /// The session.
    pub fn host(&self) -> &Arc<dyn Host> {
        &self.0.host
    }

    /// The extension this context was made for.
    pub fn owner(&self) -> &Arc<Owner> {
        &self.0.owner
    }

    /// Fails once the extension was removed, as by a reload: whoever kept this context then asks about another
    /// extension's session.
    ///
    /// # Errors
    /// [`ActionError::Stale`], or [`ActionError::FailedToLoad`] when the extension never got to work.
    pub fn check(&self) -> Result<(), ActionError> {
        self.0.owner.check()
    }

    /// Dialogs, notices and the status line.
    pub fn ui(&self) -> &Ui {
        &self.0.ui
    }

    /// Whether this is a command's: it may do what would wait for itself in a handler.
    pub fn is_command(&self) -> bool {
        self.0.command
    }

    /// How tau was started.
    pub fn mode(&self) -> Mode {
        self.0.host.mode()
    }

    /// Whether dialogs and notices reach anybody.
    pub fn has_ui(&self) -> bool {
        self.0.ui.is_available() && self.0.owner.dialect.shows_ui(self.mode())
    }

    /// The working directory.
    pub fn cwd(&self) -> PathBuf {
        self.0.host.cwd()
    }

    /// The session's tree.
    pub fn session(&self) -> Arc<Session> {
        self.0.host.session()
    }

    /// Fires when the run this context belongs to is aborted.
    pub fn signal(&self) -> &CancellationToken {
        &self.0.signal
    }

    /// Stops the time limit of this call while the guard lives: for waiting that is not the handler's fault.
    pub fn pause_deadline(&self) -> Pause {
        self.0.clock.pause()
    }

    /// Runs a program without a shell in the session's working directory. Never fails: the result tells, also when the
    /// extension was removed.
    pub async fn exec(&self, program: &str, args: &[&str], options: ExecOptions) -> ExecResult {
        if let Err(stale) = self.check() {
            return ExecResult { stderr: stale.to_string(), code: 1, ..ExecResult::default() };
        }
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        self.0.host.exec(program, &args, options).await
    }

    /// Compacts the conversation in the background, which aborts the run that is under way; `done` is told how it went.
    ///
    /// # Errors
    /// See [`Ctx::check`].
    pub fn compact(
        &self,
        instructions: Option<String>,
        done: impl FnOnce(Result<CompactionDone, String>) + Send + 'static,
    ) -> Result<(), ActionError> {
        self.check()?;
        self.0.host.compact(instructions, Box::new(done));
        Ok(())
    }

    /// Waits until nothing is under way or queued.
    ///
    /// # Errors
    /// In an event handler: the session waits for the handler, so it would wait for itself. See also [`Ctx::check`].
    pub async fn wait_for_idle(&self) -> Result<(), ActionError> {
        self.in_command("waitForIdle")?.wait_for_idle().await
    }

    /// Loads the extensions again; this context is stale afterwards.
    ///
    /// # Errors
    /// In an event handler, as [`Ctx::wait_for_idle`]; when a run is under way; when the extensions on the disk cannot be
    /// loaded, in which case those that are loaded stay.
    pub async fn reload(&self) -> Result<(), ActionError> {
        self.in_command("reload")?.reload().await
    }

    /// The session, for what only a command may ask of it: in an event handler the session waits for the handler.
    pub(crate) fn in_command(&self, what: &'static str) -> Result<&Arc<dyn Host>, ActionError> {
        self.check()?;
        match self.0.command {
            true => Ok(&self.0.host),
            false => Err(ActionError::WouldDeadlock(what)),
        }
    }
}
