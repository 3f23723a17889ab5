//! The questions that are asked before there is a session: whether the project is trusted, and where the session's file
//! goes.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tau_ai::{MessageContent, Model, ThinkingLevel};
use tau_hooks::events::SessionDirectory;
use tau_hooks::payload::{CustomDraft, SessionDirectoryEvent};
use tau_hooks::{
    ActionError, CommandInfo, ContextUsage, ExecOptions, ExecResult, Hooks, Host, Mode, Scope, SendOptions,
    UserMessageOptions,
};
use tau_session::{NewSession, Session, SessionError};
use tau_tools::{Leftovers, ToolSpec};

use crate::settings::Environment;

/// The directory that an extension wants session files in. Programs that one leaves running go to `leftovers`.
///
/// # Errors
/// When not even a session in memory can be made.
pub async fn session_directory(
    hooks: &Arc<Hooks>,
    env: &Environment,
    mode: Mode,
    leftovers: &Leftovers,
) -> Result<Option<PathBuf>, SessionError> {
    let cwd = env.cwd.display().to_string();
    let scope = scope(env, mode, leftovers)?;
    let done = hooks.dispatcher.dispatch::<SessionDirectory>(&scope, || SessionDirectoryEvent { cwd }).await;
    let dir = done.output.and_then(|output| output.session_dir);
    Ok(dir.map(|dir| env.resolve(&dir, &env.cwd)))
}

/// A scope for events that are fired before there is a session.
pub(crate) fn scope(env: &Environment, mode: Mode, leftovers: &Leftovers) -> Result<Scope, SessionError> {
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

#[async_trait]
impl Host for Startup {
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
    fn abort(&self) {}
    fn shutdown(&self) {}
    fn active_tools(&self) -> Vec<String> {
        Vec::new()
    }
    fn all_tools(&self) -> Vec<ToolSpec> {
        Vec::new()
    }
    fn set_active_tools(&self, _: &[String]) {}
    fn commands(&self) -> Vec<CommandInfo> {
        Vec::new()
    }
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
        super::host::run_program(program, args, self.cwd.clone(), None, options, Some(self.leftovers.clone())).await
    }
    async fn wait_for_idle(&self) -> Result<(), ActionError> {
        Err(ActionError::Loading)
    }
}
