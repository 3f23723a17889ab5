//! The session as extensions see it.

mod requests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tau_ai::{MessageContent, Model, ThinkingLevel};
use tau_session::Session;
use tau_tools::ToolSpec;
use tokio_util::sync::CancellationToken;

pub use self::requests::{
    CommandInfo, CompactCallback, ContextUsage, DeliverAs, ExecOptions, ExecResult, ScopedModel, SendOptions,
    UserMessageOptions,
};
use crate::action_error::ActionError;
use crate::messages::Messages;
use crate::mode::Mode;
use crate::payload::{CustomDraft, ForkPosition};
use crate::replace::{NewSessionRequest, Replaced, TreeMove, TreeMoved};
use crate::source_info::SourceInfo;
use crate::theme::ThemeInfo;

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
}
