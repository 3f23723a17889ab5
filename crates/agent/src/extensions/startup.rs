//! Events that are fired before there is a session.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tau_ai::{MessageContent, Model, ThinkingLevel};
use tau_hooks::payload::CustomDraft;
use tau_hooks::{
    ActionError, CommandInfo, ContextUsage, ExecOptions, ExecResult, HostActions, HostControl, HostSessions, HostView,
    Mode, Scope, SendOptions, UserMessageOptions,
};
use tau_session::{NewSession, Session, SessionError};
use tau_tools::{Leftovers, ToolSpec};

use crate::program::run_program;
use crate::settings::Environment;

/// A scope for events that are fired before there is a session.
pub(crate) fn startup_scope(env: &Environment, mode: Mode, leftovers: &Leftovers) -> Result<Scope, SessionError> {
    let session = Arc::new(Session::in_memory(&env.cwd, NewSession::default())?);
    Ok(Scope::new(Arc::new(Startup { cwd: env.cwd.clone(), mode, session, leftovers: leftovers.clone() })))
}

/// Stands in for the session while there is none: everything can be asked, nothing can be done.
struct Startup {
    cwd: PathBuf,
    mode: Mode,
    session: Arc<Session>,
    leftovers: Leftovers,
}

impl HostView for Startup {
    fn mode(&self) -> Mode {
        self.mode
    }
    fn cwd(&self) -> PathBuf {
        self.cwd.clone()
    }
    fn session(&self) -> Arc<Session> {
        Arc::clone(&self.session)
    }
    fn model(&self) -> Option<Arc<Model>> {
        None
    }
    fn thinking_level(&self) -> ThinkingLevel {
        ThinkingLevel::Off
    }
    fn is_idle(&self) -> bool {
        true
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
        false
    }
    fn active_tools(&self) -> Vec<String> {
        Vec::new()
    }
    fn all_tools(&self) -> Vec<ToolSpec> {
        Vec::new()
    }
    fn commands(&self) -> Vec<CommandInfo> {
        Vec::new()
    }
}

#[async_trait]
impl HostActions for Startup {
    fn set_active_tools(&self, _: &[String]) {}
    fn send_message(&self, _: CustomDraft, _: SendOptions) -> Result<(), ActionError> {
        Err(ActionError::Loading)
    }
    fn send_user_message(&self, _: MessageContent, _: UserMessageOptions) -> Result<(), ActionError> {
        Err(ActionError::Loading)
    }
    fn append_entry(&self, _: &str, _: Option<Value>) -> Result<String, ActionError> {
        Err(ActionError::Loading)
    }
    fn set_session_name(&self, _: &str) -> Result<(), ActionError> {
        Err(ActionError::Loading)
    }
    fn set_label(&self, _: &str, _: Option<&str>) -> Result<(), ActionError> {
        Err(ActionError::Loading)
    }
    fn set_thinking_level(&self, _: ThinkingLevel) -> Result<(), ActionError> {
        Err(ActionError::Loading)
    }
    async fn set_model(&self, _: Arc<Model>) -> Result<bool, ActionError> {
        Err(ActionError::Loading)
    }
    async fn exec(&self, program: &str, args: &[String], options: ExecOptions) -> ExecResult {
        run_program(program, args, self.cwd.clone(), None, options, Some(self.leftovers.clone())).await
    }
}

#[async_trait]
impl HostControl for Startup {
    fn abort(&self) {}
    fn shutdown(&self) {}
    async fn wait_for_idle(&self) -> Result<(), ActionError> {
        Err(ActionError::Loading)
    }
}

impl HostSessions for Startup {}
