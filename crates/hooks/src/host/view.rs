//! What an extension may see of a session.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tau_ai::{Model, ModelRegistry, ThinkingLevel};
use tau_session::Session;
use tau_tools::ToolSpec;

use super::children::ChildInfo;
use super::requests::{CommandInfo, ContextUsage, ScopedModel};
use crate::mode::Mode;
use crate::source_info::SourceInfo;
use crate::theme::ThemeInfo;

/// What an extension may see of a session. Everything answers at once from a snapshot, because the pipeline may be waiting for
/// the very handler that asks.
pub trait HostView: Send + Sync + 'static {
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
    /// Whether no run is under way.
    fn is_idle(&self) -> bool;
    /// Whether steering or follow-up messages of the user are queued.
    fn has_pending_messages(&self) -> bool;
    /// How full the context is; unknown without a model.
    fn context_usage(&self) -> Option<ContextUsage>;
    /// The system prompt in force, changes of this run included.
    fn system_prompt(&self) -> String;
    /// What the system prompt is built from; `null` while there is nothing.
    fn system_prompt_options(&self) -> Value {
        Value::Null
    }
    /// Whether the user allows a tool of this name at all.
    fn allows_tool(&self, _: &str) -> bool {
        true
    }
    /// Whether project resources may be used.
    fn is_project_trusted(&self) -> bool;
    /// The names of the active tools.
    fn active_tools(&self) -> Vec<String>;
    /// All tools.
    fn all_tools(&self) -> Vec<ToolSpec>;
    /// Where a tool comes from.
    fn tool_source(&self, _name: &str) -> Option<SourceInfo> {
        None
    }
    /// Every model that is known.
    fn models(&self) -> Option<Arc<ModelRegistry>> {
        None
    }
    /// The merged settings; `null` where there are none.
    fn settings(&self) -> Value {
        Value::Null
    }
    /// The colour themes that can be chosen, in the order of their names.
    fn themes(&self) -> Vec<Arc<ThemeInfo>> {
        Vec::new()
    }
    /// The colour theme in use.
    fn theme(&self) -> Option<Arc<ThemeInfo>> {
        None
    }
    /// What the session is called and where it stands, when another one opened it.
    fn child(&self) -> Option<ChildInfo> {
        None
    }
    /// Every extension, prompt and skill command.
    fn commands(&self) -> Vec<CommandInfo>;
}
