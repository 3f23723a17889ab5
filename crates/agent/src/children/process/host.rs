//! The session of another process, as the gates of its parent see it.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tau_ai::{MessageContent, Model, Sources, ThinkingLevel};
use tau_hooks::payload::CustomDraft;
use tau_hooks::{
    ActionError, ChildInfo, CommandInfo, ContextUsage, ExecOptions, ExecResult, Host, HostActions, HostControl,
    HostSessions, HostView, Mode, SendOptions, UserMessageOptions,
};
use tau_session::{NewSession, Session, SessionError};
use tau_tools::ToolSpec;

/// Tells where the process works, and nothing else: what it holds is its own.
pub(super) struct ProcessHost {
    parent: Arc<dyn Host>,
    cwd: PathBuf,
    session: Arc<Session>,
    info: ChildInfo,
}

impl ProcessHost {
    pub(super) fn new(parent: Arc<dyn Host>, sources: Sources, cwd: PathBuf, pid: u32) -> Result<Self, SessionError> {
        let depth = parent.child().map_or(0, |child| child.depth) + 1;
        let new = NewSession { sources, ..NewSession::default() };
        let session = Arc::new(Session::in_memory(&cwd, new)?);
        Ok(Self { parent, cwd, session, info: ChildInfo { name: format!("process {pid}").into(), depth } })
    }
}

fn refused() -> ActionError {
    ActionError::Refused("this session runs in a process of its own, where nothing can be done from here".to_owned())
}

impl HostView for ProcessHost {
    fn child(&self) -> Option<ChildInfo> {
        Some(self.info.clone())
    }
    fn mode(&self) -> Mode {
        self.parent.mode()
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
        false
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
    fn allows_tool(&self, name: &str) -> bool {
        self.parent.allows_tool(name)
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
    fn settings(&self) -> Value {
        self.parent.settings()
    }
    fn models(&self) -> Option<Arc<tau_ai::ModelRegistry>> {
        self.parent.models()
    }
    fn commands(&self) -> Vec<CommandInfo> {
        Vec::new()
    }
}

#[async_trait]
impl HostActions for ProcessHost {
    fn set_active_tools(&self, _: &[String]) {}
    fn send_message(&self, _: CustomDraft, _: SendOptions) -> Result<(), ActionError> {
        Err(refused())
    }
    fn send_user_message(&self, _: MessageContent, _: UserMessageOptions) -> Result<(), ActionError> {
        Err(refused())
    }
    fn append_entry(&self, _: &str, _: Option<Value>) -> Result<String, ActionError> {
        Err(refused())
    }
    fn set_session_name(&self, _: &str) -> Result<(), ActionError> {
        Err(refused())
    }
    fn set_label(&self, _: &str, _: Option<&str>) -> Result<(), ActionError> {
        Err(refused())
    }
    fn set_thinking_level(&self, _: ThinkingLevel) -> Result<(), ActionError> {
        Err(refused())
    }
    async fn set_model(&self, _: Arc<Model>) -> Result<bool, ActionError> {
        Err(refused())
    }
    async fn exec(&self, program: &str, args: &[String], options: ExecOptions) -> ExecResult {
        let cwd = options.cwd.unwrap_or_else(|| self.cwd.clone());
        self.parent.exec(program, args, ExecOptions { cwd: Some(cwd), ..options }).await
    }
}

#[async_trait]
impl HostControl for ProcessHost {
    fn abort(&self) {}
    fn shutdown(&self) {}
    async fn wait_for_idle(&self) -> Result<(), ActionError> {
        Err(refused())
    }
}

impl HostSessions for ProcessHost {}
