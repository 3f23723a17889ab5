//! A session without an agent, for tests of extensions.
//!
//! [`StaticHost`] is a host that stands still: it answers from what it was given, and remembers what it was asked
//! to do. [`Stage`] puts hooks on top of it, collects what they report, and fires events one at a time. [`FakeUser`]
//! answers dialogs.

mod fired;
mod stage;
mod user;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::Value;
use tau_ai::{JsonMap, MessageContent, Model, ThinkingLevel};
use tau_hooks::payload::CustomDraft;
use tau_hooks::{
    ActionError, CommandInfo, ContextUsage, ExecOptions, ExecResult, HostActions, HostControl, HostSessions, HostView,
    Mode, SendOptions, UserMessageOptions,
};
use tau_session::{EntryBody, NewSession, Session};
use tau_tools::ToolSpec;
use tokio::sync::watch;

pub use self::fired::Fired;
pub use self::stage::{FnExtension, Stage, extension};
pub use self::user::FakeUser;

/// Something a host was asked to do.
#[derive(Debug, Clone, PartialEq)]
pub enum HostAction {
    /// Send a message of an extension.
    SendMessage {
        /// The message.
        message: CustomDraft,
        /// When and how.
        options: SendOptions,
    },
    /// Send text as the user would.
    SendUserMessage {
        /// The text.
        content: MessageContent,
        /// Which queue, and whether it may be a command.
        options: UserMessageOptions,
    },
    /// Append state of an extension.
    AppendEntry {
        /// Names the kind of entry.
        custom_type: String,
        /// The state.
        data: Option<Value>,
    },
    /// Name the session.
    SetSessionName(String),
    /// Label an entry.
    SetLabel {
        /// The entry.
        entry_id: String,
        /// The label; `None` clears.
        label: Option<String>,
    },
    /// Choose a thinking level, as it was asked for.
    SetThinkingLevel(ThinkingLevel),
    /// Choose a model, by `provider/id`.
    SetModel(String),
    /// Make these tools active.
    SetActiveTools(Vec<String>),
    /// Run a program.
    Exec {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
        /// Where, when it was said.
        cwd: Option<PathBuf>,
    },
    /// Stop the run.
    Abort,
    /// End the program.
    Shutdown,
}

type Exec = dyn Fn(&str, &[String], &ExecOptions) -> ExecResult + Send + Sync;

/// A host that stands still. Labels, names and entries go into a session in memory; everything else it is asked to
/// do is only remembered.
pub struct StaticHost {
    session: Arc<Session>,
    cwd: PathBuf,
    trusted: bool,
    tools: Vec<ToolSpec>,
    credentials: bool,
    exec: Box<Exec>,
    idle: watch::Sender<bool>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    mode: Mode,
    model: Option<Arc<Model>>,
    thinking: ThinkingLevel,
    active_tools: Vec<String>,
    actions: Vec<HostAction>,
}

impl Default for StaticHost {
    fn default() -> Self {
        Self::new()
    }
}

impl StaticHost {
    /// An idle host in print mode, in the directory of temporary files, without a model. Programs it runs end at
    /// once, with code 0 and no output.
    pub fn new() -> Self {
        Self::in_dir(&std::env::temp_dir())
    }

    /// As [`StaticHost::new`], in another directory.
    pub fn in_dir(cwd: &Path) -> Self {
        let session = Session::in_memory(cwd, NewSession::default());
        Self {
            session: Arc::new(session.expect("a session in memory under an id of its own is always possible")),
            cwd: cwd.to_owned(),
            trusted: true,
            tools: Vec::new(),
            credentials: true,
            exec: Box::new(|_, _, _| ExecResult::default()),
            idle: watch::Sender::new(true),
            state: Mutex::default(),
        }
    }

    /// With another session, for instance one that has a file.
    #[must_use]
    pub fn with_session(mut self, session: Session) -> Self {
        self.session = Arc::new(session);
        self
    }

    /// Started another way.
    #[must_use]
    pub fn with_mode(self, mode: Mode) -> Self {
        self.set_mode(mode);
        self
    }

    /// With a model of that provider and id that can do everything.
    #[must_use]
    pub fn with_model(self, provider: &str, id: &str) -> Self {
        self.set_current_model(Some(model(provider, id)));
        self
    }

    /// While a run is under way.
    #[must_use]
    pub fn busy(self) -> Self {
        self.set_idle(false);
        self
    }

    /// In a project that is not trusted.
    #[must_use]
    pub fn untrusted(mut self) -> Self {
        self.trusted = false;
        self
    }

    /// With tools, all of them active.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<ToolSpec>) -> Self {
        self.state.get_mut().active_tools = tools.iter().map(|tool| tool.name.clone()).collect();
        self.tools = tools;
        self
    }

    /// Without credentials for any other model.
    #[must_use]
    pub fn without_credentials(mut self) -> Self {
        self.credentials = false;
        self
    }

    /// Runs programs by calling `exec`; [`run_program`] runs them for real.
    #[must_use]
    pub fn with_exec(
        mut self,
        exec: impl Fn(&str, &[String], &ExecOptions) -> ExecResult + Send + Sync + 'static,
    ) -> Self {
        self.exec = Box::new(exec);
        self
    }

    /// Changes the mode.
    pub fn set_mode(&self, mode: Mode) {
        self.state.lock().mode = mode;
    }

    /// Changes the model, without remembering that as an action.
    pub fn set_current_model(&self, model: Option<Model>) {
        self.state.lock().model = model.map(Arc::new);
    }

    /// Begins or ends a run; the end wakes up whoever waits for it.
    pub fn set_idle(&self, idle: bool) {
        self.idle.send_replace(idle);
    }

    /// What was asked so far, oldest first.
    pub fn actions(&self) -> Vec<HostAction> {
        self.state.lock().actions.clone()
    }

    /// What was asked so far; forgets it.
    pub fn take_actions(&self) -> Vec<HostAction> {
        std::mem::take(&mut self.state.lock().actions)
    }

    fn note(&self, action: HostAction) {
        self.state.lock().actions.push(action);
    }
}

fn refused(error: impl std::fmt::Display) -> ActionError {
    ActionError::Refused(error.to_string())
}

/// A model that thinks, with room for 200,000 tokens.
pub fn model(provider: &str, id: &str) -> Model {
    Model {
        id: id.to_owned(),
        name: id.to_owned(),
        api: "scripted".to_owned(),
        provider: provider.to_owned(),
        base_url: String::new(),
        reasoning: true,
        thinking_level_map: None,
        input: vec![tau_ai::InputKind::Text, tau_ai::InputKind::Image],
        cost: tau_ai::ModelCost::default(),
        context_window: 200_000,
        max_tokens: 32_000,
        headers: None,
        extra: JsonMap::new(),
    }
}

/// Runs a program and waits for its end, without regard to timeout and cancellation.
pub fn run_program(program: &str, args: &[String], options: &ExecOptions) -> ExecResult {
    let mut command = Command::new(program);
    command.args(args);
    if let Some(cwd) = &options.cwd {
        command.current_dir(cwd);
    }
    match command.output() {
        Ok(output) => ExecResult {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().unwrap_or(1),
            killed: output.status.code().is_none(),
        },
        Err(error) => ExecResult { stderr: error.to_string(), code: 1, ..ExecResult::default() },
    }
}

impl HostView for StaticHost {
    fn mode(&self) -> Mode {
        self.state.lock().mode
    }
    fn cwd(&self) -> PathBuf {
        self.cwd.clone()
    }
    fn session(&self) -> Arc<Session> {
        Arc::clone(&self.session)
    }
    fn model(&self) -> Option<Arc<Model>> {
        self.state.lock().model.clone()
    }
    fn thinking_level(&self) -> ThinkingLevel {
        self.state.lock().thinking
    }
    fn is_idle(&self) -> bool {
        *self.idle.borrow()
    }
    fn has_pending_messages(&self) -> bool {
        false
    }
    fn context_usage(&self) -> Option<ContextUsage> {
        None
    }
    fn system_prompt(&self) -> String {
        String::new()
    }
    fn is_project_trusted(&self) -> bool {
        self.trusted
    }
    fn active_tools(&self) -> Vec<String> {
        self.state.lock().active_tools.clone()
    }
    fn all_tools(&self) -> Vec<ToolSpec> {
        self.tools.clone()
    }
    fn commands(&self) -> Vec<CommandInfo> {
        Vec::new()
    }
}

#[async_trait]
impl HostActions for StaticHost {
    fn set_active_tools(&self, names: &[String]) {
        self.note(HostAction::SetActiveTools(names.to_vec()));
        let known = names.iter().filter(|name| self.tools.iter().any(|tool| tool.name == **name));
        self.state.lock().active_tools = known.cloned().collect();
    }
    fn send_message(&self, message: CustomDraft, options: SendOptions) -> Result<(), ActionError> {
        self.note(HostAction::SendMessage { message, options });
        Ok(())
    }
    fn send_user_message(&self, content: MessageContent, options: UserMessageOptions) -> Result<(), ActionError> {
        if !self.is_idle() && options.deliver_as.is_none() {
            return Err(refused("a run is under way: say how the message is delivered"));
        }
        self.note(HostAction::SendUserMessage { content, options });
        Ok(())
    }
    fn append_entry(&self, custom_type: &str, data: Option<Value>) -> Result<String, ActionError> {
        self.note(HostAction::AppendEntry { custom_type: custom_type.to_owned(), data: data.clone() });
        let entry = self.session.append(EntryBody::custom(custom_type, data)).map_err(refused)?;
        Ok(entry.id().to_string())
    }
    fn set_session_name(&self, name: &str) -> Result<(), ActionError> {
        self.note(HostAction::SetSessionName(name.to_owned()));
        self.session.append(EntryBody::session_info(name)).map_err(refused)?;
        Ok(())
    }
    fn set_label(&self, entry_id: &str, label: Option<&str>) -> Result<(), ActionError> {
        self.note(HostAction::SetLabel { entry_id: entry_id.to_owned(), label: label.map(str::to_owned) });
        self.session.set_label(entry_id, label).map_err(refused)?;
        Ok(())
    }
    fn set_thinking_level(&self, level: ThinkingLevel) -> Result<(), ActionError> {
        self.note(HostAction::SetThinkingLevel(level));
        let mut state = self.state.lock();
        state.thinking = state.model.as_ref().map_or(level, |model| model.clamp_thinking(level));
        Ok(())
    }
    async fn set_model(&self, model: Arc<Model>) -> Result<bool, ActionError> {
        self.note(HostAction::SetModel(format!("{}/{}", model.provider, model.id)));
        if self.credentials {
            self.state.lock().model = Some(model);
        }
        Ok(self.credentials)
    }
    async fn exec(&self, program: &str, args: &[String], options: ExecOptions) -> ExecResult {
        let cwd = options.cwd.clone();
        self.note(HostAction::Exec { program: program.to_owned(), args: args.to_vec(), cwd });
        let options = ExecOptions { cwd: Some(options.cwd.clone().unwrap_or_else(|| self.cwd.clone())), ..options };
        (self.exec)(program, args, &options)
    }
}

#[async_trait]
impl HostControl for StaticHost {
    fn abort(&self) {
        self.note(HostAction::Abort);
    }
    fn shutdown(&self) {
        self.note(HostAction::Shutdown);
    }
    async fn wait_for_idle(&self) -> Result<(), ActionError> {
        // The sender lives as long as the host, so waiting cannot fail.
        let _ = self.idle.subscribe().wait_for(|idle| *idle).await;
        Ok(())
    }
}

impl HostSessions for StaticHost {}
