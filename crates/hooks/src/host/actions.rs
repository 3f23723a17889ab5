//! What an extension may do within a session.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tau_ai::{AuthError, Message, MessageContent, Model, RequestAuth, ThinkingLevel};
use tau_view::theme::ColorTheme;
use tokio_util::sync::CancellationToken;

use super::requests::{ExecOptions, ExecResult, SendOptions, UpcomingRequest, UserMessageOptions};
use super::view::HostView;
use crate::action_error::ActionError;
use crate::messages::Messages;
use crate::missing_tools::MissingTools;
use crate::payload::CustomDraft;

/// What an extension may do within a session. Every method but the `async` ones answers at once.
#[async_trait]
pub trait HostActions: HostView {
    /// Sends a message of an extension.
    fn send_message(&self, message: CustomDraft, options: SendOptions) -> Result<(), ActionError>;
    /// Sends text as the user would, with source `extension`; always starts a run when idle, unless it is a command.
    fn send_user_message(&self, content: MessageContent, options: UserMessageOptions) -> Result<(), ActionError>;
    /// Appends state that the model never sees.
    fn append_entry(&self, custom_type: &str, data: Option<Value>) -> Result<String, ActionError>;
    /// An extension wrote to the session's tree by itself: the conversation may be another one.
    fn session_written(&self) {}
    /// Names the session; an empty name clears.
    fn set_session_name(&self, name: &str) -> Result<(), ActionError>;
    /// Labels an entry; `None` clears.
    fn set_label(&self, entry_id: &str, label: Option<&str>) -> Result<(), ActionError>;
    /// Makes these tools active and no others; unknown names are ignored.
    fn set_active_tools(&self, names: &[String]);
    /// An extension brought a tool along after it was loaded. Tools that are new become active.
    fn tools_changed(&self) {}
    /// All tools that come late are there, except those of these groups.
    fn late_tools_came(&self, _missing: &[MissingTools]) {}
    /// A piece of the system prompt is another text now.
    fn prompt_changed(&self) {}
    /// An extension registered or removed an MCP server after it was loaded.
    fn mcp_servers_changed(&self) {}
    /// An extension added or removed a model provider, or a virtual model, after it was loaded.
    fn providers_changed(&self) {}
    /// Asks the providers of extensions, or those of these names, which models they have now. Gives what failed: the
    /// provider and why.
    async fn refresh_models(
        &self,
        _providers: Option<Vec<String>>,
        _cancel: CancellationToken,
    ) -> Vec<(String, String)> {
        Vec::new()
    }
    /// Uses another colour theme, now and in later sessions.
    fn set_theme(&self, _name: &str) -> Result<(), ActionError> {
        Err(ActionError::Refused("there are no themes here".to_owned()))
    }
    /// Shows everything in these colours until another theme is chosen, without keeping them; gives the number of the theme.
    fn show_theme(&self, _colors: ColorTheme) -> Result<u64, ActionError> {
        Err(ActionError::Refused("there are no themes here".to_owned()))
    }
    /// Chooses a thinking level; the nearest one the model has.
    fn set_thinking_level(&self, level: ThinkingLevel) -> Result<(), ActionError>;
    /// Chooses a model for this session; `false` when there are no credentials for it.
    async fn set_model(&self, model: Arc<Model>) -> Result<bool, ActionError>;
    /// Runs a program without a shell. Never fails: the result tells.
    async fn exec(&self, program: &str, args: &[String], options: ExecOptions) -> ExecResult;
    /// What a request to a model authenticates with; a login that is about to expire is renewed first.
    async fn request_auth(&self, model: &Arc<Model>) -> Result<RequestAuth, AuthError> {
        match self.models() {
            Some(models) => models.auth(model),
            None => Err(AuthError::Missing { provider: model.provider.clone(), has_login: false }),
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
    /// The request that this session would send now if its conversation went on with these messages. It begins as the last
    /// one did, so that the provider finds it in its cache: prompt, tools, model and thinking level are those in force, and
    /// handlers of `context` and of requests see it. Nothing is recorded, and the session keeps nothing of what is made of
    /// it. While a run is under way, calls that have no result yet get one that says so.
    ///
    /// # Errors
    /// When there is no model, or it cannot be asked; the text says why.
    async fn upcoming_request(
        &self,
        _more: Vec<Arc<Message>>,
        _cancel: CancellationToken,
    ) -> Result<UpcomingRequest, ActionError> {
        Err(ActionError::Refused("there is no conversation here".to_owned()))
    }
}
