//! Child sessions: sessions that an extension opens to let another model, with other tools, work on a part of the task.
//!
//! A child is a session of its own, and a part of the session that opened it: it passes every gate of that session, has
//! no more rights, and ends with it.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Value;
use tau_ai::{Message, Model, ThinkingLevel, Usage};
use tau_session::{Session, SessionError};
use tokio_util::sync::CancellationToken;

use super::{ChildPrompt, Host, SessionDriver};
use crate::action_error::ActionError;
use crate::error::HandlerError;
use crate::messages::Messages;
use crate::payload::{BashResult, Outcome};

/// Why a child session was not opened, or did not do what was asked of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChildError {
    /// The session or the extension that asks is gone.
    #[error(transparent)]
    Action(#[from] ActionError),
    /// There are no child sessions here.
    #[error("child sessions cannot be opened here")]
    Unavailable,
    /// The session that asks has ended or is about to be replaced.
    #[error("a session that ends opens no child")]
    Ending,
    /// Sessions nest too deep.
    #[error("child sessions are limited to {0} levels")]
    TooDeep(usize),
    /// Too many children are open.
    #[error("at most {0} child sessions can be open at once; close some of them")]
    TooMany(usize),
    /// The parent has not the right that the child asks for.
    #[error("a child session may not have more rights than its parent: {0}")]
    BeyondParent(Beyond),
    /// The folder cannot be worked in.
    #[error("{}: the child session cannot work there: {why}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The child needs something that this program cannot load.
    #[error("{0}")]
    Load(String),
    /// The session file cannot be read or written.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The child has ended.
    #[error("the child session has ended")]
    Ended,
    /// A run is under way, and the prompt does not say what to do about that.
    #[error("the child session is at work; steer it, queue a follow-up, or wait until it is idle")]
    Busy,
    /// The prompt led to no run.
    #[error("{0}")]
    Prompt(String),
    /// A gate blocked a command of the user.
    #[error("{0}")]
    Bash(String),
}

/// What a child asks for that its parent does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Beyond {
    /// A tool that the user forbids.
    #[error("the tool {0} is not allowed in this session")]
    Tool(String),
    /// Trust for a folder that the user did not trust.
    #[error("{} is not trusted", .0.display())]
    Trust(PathBuf),
    /// A setting that guards the user, in a form that is weaker than the parent's.
    #[error("the setting {0} guards the parent session and can only be tightened")]
    Setting(String),
    /// Another folder for settings and credentials.
    #[error("{} is not the folder of the user's settings", .0.display())]
    AgentDir(PathBuf),
}

/// Where a child keeps its conversation.
#[derive(Default)]
pub enum ChildFile {
    /// In memory.
    #[default]
    Memory,
    /// In a new file in this folder; in the usual folder for sessions when none is given.
    New(Option<PathBuf>),
    /// In a tree that was opened already.
    Open(Arc<Session>),
}

/// Which extensions of files a child loads. Those that the parent has loaded guard it in any case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChildExtensions {
    /// Those that a session in that folder finds.
    pub discover: bool,
    /// These files, folders or packages.
    pub paths: Vec<String>,
}

/// The first instructions of a child: its prompt and its resources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChildResources {
    /// The system prompt, in place of the standard one.
    pub system_prompt: Option<String>,
    /// Texts to append to the system prompt.
    pub append_system_prompt: Vec<String>,
    /// Leave out context files such as `AGENTS.md`.
    pub no_context_files: bool,
    /// Only the skills of `skill_paths`.
    pub no_skills: bool,
    /// Only the prompt templates of `prompt_template_paths`.
    pub no_prompt_templates: bool,
    /// Files or folders with skills.
    pub skill_paths: Vec<String>,
    /// Files or folders with prompt templates.
    pub prompt_template_paths: Vec<String>,
    /// The context files, in place of those that are found: each with its name and its text.
    pub context_files: Option<Vec<(PathBuf, String)>>,
    /// Skills besides those that are found.
    pub skills: Vec<ChildSkill>,
    /// Prompt templates besides those that are found.
    pub prompt_templates: Vec<ChildTemplate>,
}

/// A skill that is given to a child.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChildSkill {
    /// Its name.
    pub name: String,
    /// What it is for; the model decides by this.
    pub description: String,
    /// The file with the instructions.
    pub file_path: PathBuf,
    /// Only for use by name.
    #[serde(default)]
    pub disable_model_invocation: bool,
}

/// A prompt template that is given to a child.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChildTemplate {
    /// The name after the slash.
    pub name: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// The text.
    pub content: String,
    /// The file that it stands for.
    #[serde(default)]
    pub file_path: PathBuf,
}

/// How long a child may live.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ChildLife {
    /// An abort of the parent's run aborts its run, and a child that was opened within that run ends with it.
    #[default]
    Run,
    /// It works on in the background, until the parent session ends.
    Session,
}

/// What a child session shall be. What is left out is as in the parent.
#[derive(Default)]
pub struct ChildRequest {
    /// What it is called, in dialogs and reports.
    pub name: Option<String>,
    /// The model.
    pub model: Option<Arc<Model>>,
    /// The thinking level.
    pub thinking: Option<ThinkingLevel>,
    /// The working directory.
    pub cwd: Option<PathBuf>,
    /// Only these tools: built-in ones, and those of its extensions. The default set when absent.
    pub tools: Option<Vec<String>>,
    /// Never these tools.
    pub exclude_tools: Vec<String>,
    /// No built-in tools, unless `tools` names them.
    pub no_builtin_tools: bool,
    /// No tools at all, unless `tools` names them.
    pub no_tools: bool,
    /// Its first instructions.
    pub resources: ChildResources,
    /// The extensions of files.
    pub extensions: ChildExtensions,
    /// Load extensions of the caller, in this order: they bring tools, and handlers for the child's events.
    pub own: Vec<Box<dyn ChildLoader>>,
    /// Where its conversation is kept.
    pub file: ChildFile,
    /// Settings on top of those of the folder. Those that guard the user can only be tightened; what extensions declared
    /// stays what the files say.
    pub settings: Value,
    /// `false` leaves out what belongs to the project although the folder is trusted; `true` fails unless it is.
    pub trusted: Option<bool>,
    /// The folder of the user's settings, when the caller names it; it must be the parent's.
    pub agent_dir: Option<PathBuf>,
    /// How long it lives.
    pub life: ChildLife,
}

/// The hooks of a child that is being opened. Made and taken apart by `Hooks`, which a host knows nothing of.
pub struct ChildHooks(pub(crate) Arc<dyn Any + Send + Sync>);

/// Loads extensions into a child that is being opened.
#[async_trait]
pub trait ChildLoader: Send + Sync {
    /// Loads them into [`ChildHooks::hooks`].
    ///
    /// # Errors
    /// Why there is no child.
    async fn load(&self, into: &ChildHooks) -> Result<(), HandlerError>;
}

/// Where a session stands among others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildInfo {
    /// What it is called.
    pub name: Arc<str>,
    /// How many sessions stand above it.
    pub depth: usize,
}

/// Something that happened in a child.
pub trait ChildEvent {
    /// The event as a line of JSON mode.
    fn to_json(&self) -> Value;
    /// The message that is complete now, if that is what happened.
    fn message_end(&self) -> Option<&Arc<Message>>;
    /// The text that the answer grew by, if that is what happened.
    fn text_delta(&self) -> Option<&str>;
    /// Makes JSON of the event whenever somebody asks, on any thread; an update of a message has all of it so far.
    fn whole(&self) -> WholeEvent;
}

/// Gives an event of a child with all of the message so far.
pub type WholeEvent = Box<dyn FnOnce() -> Value + Send>;

/// Hears what happens in a child.
pub type ChildListener = Arc<dyn Fn(&dyn ChildEvent) + Send + Sync>;

/// Listens to a child until it is dropped.
#[must_use = "dropping it ends it"]
pub struct ChildSubscription {
    end: Option<Box<dyn FnOnce() + Send + Sync>>,
}

impl ChildSubscription {
    /// `end` is called when the subscription is dropped.
    pub fn new(end: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self { end: Some(Box::new(end)) }
    }
}

impl Drop for ChildSubscription {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            end();
        }
    }
}

/// A session that an extension opened. It stays open until somebody closes it, its parent or the extension ends, or the
/// run that it was opened in is aborted.
#[async_trait]
pub trait ChildSession: Send + Sync + 'static {
    /// What it is called and where it stands.
    fn info(&self) -> ChildInfo;

    /// The session as its own extensions see it: its model, its tools, its tree, and so on.
    fn host(&self) -> Arc<dyn Host>;

    /// Sends text as a user would and waits until the run it leads to is over. Text that goes to the run under way is
    /// taken at once. Dropping the future does not stop the run.
    ///
    /// # Errors
    /// When the child has ended, when it is at work and the prompt does not say what to do then, and when no run can
    /// begin. [`ChildSession::outcome`] and the last message say whether the run failed.
    async fn prompt(&self, prompt: ChildPrompt) -> Result<(), ChildError>;

    /// Runs a shell command as a user would with `!`; the model sees its output unless it is hidden.
    ///
    /// # Errors
    /// When a gate blocks it, and when it cannot be run.
    async fn run_bash(&self, command: String, hidden: bool) -> Result<BashResult, ChildError>;

    /// Calls `listener` for everything that happens, in order, on the thread that works. It returns soon.
    fn listen(&self, listener: ChildListener) -> ChildSubscription;

    /// The conversation as the model sees it next.
    fn messages(&self) -> Messages;

    /// The text of the last answer.
    fn last_text(&self) -> Option<String>;

    /// How the last run ended.
    fn outcome(&self) -> Outcome;

    /// What the child has used so far, and what it cost, its own children and tools included as far as their results say
    /// so. A tool that returns it as the usage of its result has it added to the parent's.
    fn usage(&self) -> Usage;

    /// Stops the run that is under way and what its own children are at; does not wait.
    fn abort(&self);

    /// Waits until no run is under way and nothing is queued.
    async fn wait_for_idle(&self);

    /// Fires when the child ends, for whatever reason.
    fn ended(&self) -> &CancellationToken;

    /// Ends the child: stops what is under way, tells its extensions, and brings its file to the disk. Later calls wait for
    /// the same end.
    async fn close(&self);

    /// The session as its user drives it.
    fn driver(&self) -> Arc<dyn SessionDriver>;
}
