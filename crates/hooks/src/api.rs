//! What an extension can do after it has registered.

use std::sync::{Arc, Weak};

use serde_json::Value;
use tau_ai::{MessageContent, Model, ThinkingLevel};
use tau_tools::{Invocation, Tool, ToolSpec};
use tokio_util::sync::CancellationToken;

use crate::action_error::ActionError;
use crate::bus::Bus;
use crate::context::Ctx;
use crate::extension::FlagValue;
use crate::host::{CommandInfo, ExecOptions, ExecResult, Host, SendOptions, UserMessageOptions};
use crate::limits::CallClock;
use crate::mcp::{HostedMcpServer, McpServer};
use crate::owner::Owner;
use crate::payload::CustomDraft;
use crate::registry::Hooks;
use crate::report::Report;
use crate::tasks::RunningTask;

/// An extension's own handle on the session. Cheap to clone; its actions fail while the extension is still being
/// registered and after it was removed.
#[derive(Clone)]
pub struct Api {
    hooks: Weak<Hooks>,
    owner: Arc<Owner>,
}

impl Api {
    pub(crate) fn new(hooks: &Arc<Hooks>, owner: &Arc<Owner>) -> Self {
        Self { hooks: Arc::downgrade(hooks), owner: Arc::clone(owner) }
    }

    /// The extension.
    pub fn owner(&self) -> &Arc<Owner> {
        &self.owner
    }

    pub(crate) fn hooks(&self) -> Result<Arc<Hooks>, ActionError> {
        self.hooks.upgrade().ok_or(ActionError::Stale)
    }

    /// Tells the user of something, unless the session is gone.
    pub fn report(&self, report: &Report) {
        if let Some(hooks) = self.hooks.upgrade() {
            hooks.dispatcher.reports.send(report);
        }
    }

    /// The session.
    ///
    /// # Errors
    /// While extensions are being registered, and when the session or the extension is gone.
    pub fn host(&self) -> Result<Arc<dyn Host>, ActionError> {
        let hooks = self.hooks()?;
        let host = hooks.host()?;
        // An extension that was removed must not act through a handle it kept.
        Hooks::check_loaded(&self.owner)?;
        Ok(host)
    }

    /// A context outside any event; `command` allows what only commands may do.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn ctx(&self, signal: CancellationToken, command: bool) -> Result<Ctx, ActionError> {
        let host = self.host()?;
        let clock = CallClock::start();
        let ui = self.hooks()?.ui_source().ui_for(Arc::clone(&self.owner), clock.clone(), signal.clone());
        Ok(Ctx::new(host, Arc::clone(&self.owner), ui, clock, signal, command))
    }

    /// As [`Api::ctx`], for a tool at work on a call: what it asks of the user is asked about this call, and the tools that
    /// it calls are called by it.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn tool_ctx(&self, invocation: &Invocation) -> Result<Ctx, ActionError> {
        let host = self.host()?;
        let (clock, signal) = (CallClock::start(), invocation.cancel.clone());
        let ui = self.hooks()?.ui_source().ui_for(Arc::clone(&self.owner), clock.clone(), signal.clone());
        let ui = ui.about(Some(invocation.id.as_str().into()));
        Ok(Ctx::of_tool(host, Arc::clone(&self.owner), ui, clock, signal, invocation.nested.clone()))
    }

    /// Where time, ids and chance come from, for what shall be the same when a run is repeated.
    ///
    /// # Errors
    /// When the session is gone.
    pub fn sources(&self) -> Result<tau_ai::Sources, ActionError> {
        Ok(self.hooks()?.sources.clone())
    }

    /// As [`Api::tool_ctx`], for a tool of this extension that is at work in another session, such as a child.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn tool_ctx_in(&self, host: Arc<dyn Host>, invocation: &Invocation) -> Result<Ctx, ActionError> {
        self.host()?;
        let (clock, signal) = (CallClock::start(), invocation.cancel.clone());
        let ui = self.hooks()?.ui_source().ui_for(Arc::clone(&self.owner), clock.clone(), signal.clone());
        let ui = ui.about(Some(invocation.id.as_str().into())).on_behalf_of(host.child().map(|child| child.name));
        Ok(Ctx::of_tool(host, Arc::clone(&self.owner), ui, clock, signal, invocation.nested.clone()))
    }

    /// The bus all extensions share.
    ///
    /// # Errors
    /// When the session is gone.
    pub fn events(&self) -> Result<Bus, ActionError> {
        Ok(self.hooks()?.bus.clone())
    }

    /// The value of a flag this extension registered: from the command line, else its default.
    pub fn flag(&self, name: &str) -> Option<FlagValue> {
        self.hooks.upgrade()?.flag(&self.owner, name)
    }

    /// Sends a message of this extension.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn send_message(&self, message: CustomDraft, options: SendOptions) -> Result<(), ActionError> {
        self.host()?.send_message(message, options)
    }

    /// Sends text as the user would, with source `extension`; always starts a run when idle, unless it is a command and
    /// the options allow commands.
    ///
    /// # Errors
    /// See [`Api::host`]; also while a run is under way and no queue is named.
    pub fn send_user_message(
        &self,
        content: impl Into<MessageContent>,
        options: impl Into<UserMessageOptions>,
    ) -> Result<(), ActionError> {
        self.host()?.send_user_message(content.into(), options.into())
    }

    /// Appends state that the model never sees; returns the entry's id.
    ///
    /// # Errors
    /// See [`Api::host`]; also when the session file cannot be written.
    pub fn append_entry(&self, custom_type: &str, data: Option<Value>) -> Result<String, ActionError> {
        self.host()?.append_entry(custom_type, data)
    }

    /// Names the session; an empty name clears.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn set_session_name(&self, name: &str) -> Result<(), ActionError> {
        self.host()?.set_session_name(name)
    }

    /// The session's name.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn session_name(&self) -> Result<Option<String>, ActionError> {
        Ok(self.host()?.session().session_name())
    }

    /// Labels an entry; `None` clears.
    ///
    /// # Errors
    /// See [`Api::host`]; also when there is no such entry.
    pub fn set_label(&self, entry_id: &str, label: Option<&str>) -> Result<(), ActionError> {
        self.host()?.set_label(entry_id, label)
    }

    /// Runs a program without a shell.
    ///
    /// # Errors
    /// See [`Api::host`]; a program that fails is told by the result.
    pub async fn exec(&self, program: &str, args: &[&str], options: ExecOptions) -> Result<ExecResult, ActionError> {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        Ok(self.host()?.exec(program, &args, options).await)
    }

    /// The names of the active tools.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn active_tools(&self) -> Result<Vec<String>, ActionError> {
        Ok(self.host()?.active_tools())
    }

    /// All tools.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn all_tools(&self) -> Result<Vec<ToolSpec>, ActionError> {
        Ok(self.host()?.all_tools())
    }

    /// Makes these tools active and no others; unknown names are ignored.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn set_active_tools(&self, names: &[String]) -> Result<(), ActionError> {
        self.host()?.set_active_tools(names);
        Ok(())
    }

    /// Offers the model a tool from the next request on; it takes the place of one of the same name.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn add_tool(&self, tool: Arc<dyn Tool>) -> Result<(), ActionError> {
        let host = self.host()?;
        self.hooks()?.add_tool(&self.owner, tool)?;
        host.tools_changed();
        Ok(())
    }

    /// As [`Api::add_tool`], for many at once: what shows tools updates once. Gives those that were refused, each with the
    /// reason.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn add_tools(&self, tools: Vec<Arc<dyn Tool>>) -> Result<Vec<(String, ActionError)>, ActionError> {
        let (host, hooks) = (self.host()?, self.hooks()?);
        let refused = hooks.add_tools(&self.owner, tools)?;
        host.tools_changed();
        Ok(refused)
    }

    /// The MCP servers that extensions registered.
    ///
    /// # Errors
    /// When the session is gone.
    pub fn mcp_servers(&self) -> Result<Vec<McpServer>, ActionError> {
        Ok(self.hooks()?.mcp_servers())
    }

    /// The MCP servers that the program around tau hands over.
    ///
    /// # Errors
    /// When the session is gone.
    pub fn hosted_mcp_servers(&self) -> Result<Vec<HostedMcpServer>, ActionError> {
        Ok(self.hooks()?.hosted_mcp_servers())
    }

    /// Whether the user wants the session, or one above it, to do without this extension of the program.
    ///
    /// # Errors
    /// When the session is gone.
    pub fn is_withheld(&self, name: &str) -> Result<bool, ActionError> {
        Ok(self.hooks()?.is_withheld(name))
    }

    /// The extensions that are loaded, in load order.
    ///
    /// # Errors
    /// When the session is gone.
    pub fn extensions(&self) -> Result<Vec<Arc<Owner>>, ActionError> {
        Ok(self.hooks()?.extensions())
    }

    /// The tasks of all extensions that are at work.
    ///
    /// # Errors
    /// When the session is gone.
    pub fn running_tasks(&self) -> Result<Vec<RunningTask>, ActionError> {
        Ok(self.hooks()?.tasks.running())
    }

    /// Every extension, prompt and skill command.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn commands(&self) -> Result<Vec<CommandInfo>, ActionError> {
        Ok(self.host()?.commands())
    }

    /// Chooses a model for this session; `false` when there are no credentials for it.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub async fn set_model(&self, model: Arc<Model>) -> Result<bool, ActionError> {
        self.host()?.set_model(model).await
    }

    /// A copy of the merged settings.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn settings(&self) -> Result<Value, ActionError> {
        Ok(self.host()?.settings())
    }

    /// The thinking level in use.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn thinking_level(&self) -> Result<ThinkingLevel, ActionError> {
        Ok(self.host()?.thinking_level())
    }

    /// Chooses a thinking level; the nearest one the model has.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn set_thinking_level(&self, level: ThinkingLevel) -> Result<(), ActionError> {
        self.host()?.set_thinking_level(level)
    }
}

impl Ctx {
    /// What the extension can do outside of this call.
    ///
    /// # Errors
    /// When the session is gone.
    pub fn api(&self) -> Result<Api, ActionError> {
        let hooks = self.owner().home().and_then(|home| home.downcast::<Hooks>().ok());
        Ok(hooks.ok_or(ActionError::Stale)?.api(self.owner()))
    }
}
