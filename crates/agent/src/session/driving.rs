//! The session as somebody drives it who stands in for its user.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use tau_ai::ThinkingLevel;
use tau_hooks::payload::{CompactionDone, InputSource, StreamingBehavior};
use tau_hooks::{
    ActionError, ChildPrompt, Cycled, Direction, Owner, QueueMode, QueuedTexts, SessionDriver, SessionStats,
};

use super::AgentSession;
use crate::pipeline::prompt::Prompt;

fn refused(error: impl Display) -> ActionError {
    ActionError::Refused(error.to_string())
}

impl From<ChildPrompt> for Prompt {
    fn from(prompt: ChildPrompt) -> Self {
        let ChildPrompt { text, images, while_busy, as_it_is } = prompt;
        Self { text, images, streaming_behavior: while_busy, source: InputSource::Extension, expand: !as_it_is }
    }
}

#[async_trait]
impl SessionDriver for AgentSession {
    fn is_streaming(&self) -> bool {
        self.is_streaming()
    }

    fn is_compacting(&self) -> bool {
        self.is_compacting()
    }

    fn is_bash_running(&self) -> bool {
        self.is_bash_running()
    }

    fn abort_bash(&self) {
        self.abort_bash();
    }

    fn thinking_levels(&self) -> Vec<ThinkingLevel> {
        self.thinking_levels()
    }

    fn extensions(&self) -> Vec<Arc<Owner>> {
        self.hooks().extensions()
    }

    fn stats(&self) -> SessionStats {
        self.stats()
    }

    fn queued_texts(&self) -> QueuedTexts {
        self.queued_texts()
    }

    fn clear_queue(&self) -> QueuedTexts {
        self.clear_queue()
    }

    fn steering_mode(&self) -> QueueMode {
        self.steering_mode()
    }

    fn follow_up_mode(&self) -> QueueMode {
        self.follow_up_mode()
    }

    fn compacts_by_itself(&self) -> bool {
        self.compacts_by_itself()
    }

    fn retries_by_itself(&self) -> bool {
        self.retries_by_itself()
    }

    async fn send_prompt(&self, prompt: ChildPrompt) -> Result<(), ActionError> {
        self.strong()?.prompt(prompt.into()).await.map(drop).map_err(refused)
    }

    async fn enqueue_prompt(&self, prompt: ChildPrompt, to: StreamingBehavior) -> Result<(), ActionError> {
        self.strong()?.enqueue(prompt.into(), to).await.map(drop).map_err(refused)
    }

    async fn compact_now(&self, instructions: Option<String>) -> Result<CompactionDone, ActionError> {
        self.strong()?.compact(instructions).await.map_err(refused)
    }

    async fn next_model(&self, direction: Direction) -> Result<Option<Cycled>, ActionError> {
        self.strong()?.cycle_model(direction).await.map_err(refused)
    }

    async fn choose_steering_mode(&self, mode: QueueMode) -> Result<(), ActionError> {
        self.strong()?.set_steering_mode(mode).await.map_err(refused)
    }

    async fn choose_follow_up_mode(&self, mode: QueueMode) -> Result<(), ActionError> {
        self.strong()?.set_follow_up_mode(mode).await.map_err(refused)
    }

    async fn choose_auto_compaction(&self, on: bool) -> Result<(), ActionError> {
        self.strong()?.set_auto_compaction(on).await.map_err(refused)
    }

    async fn choose_auto_retry(&self, on: bool) -> Result<(), ActionError> {
        self.strong()?.set_auto_retry(on).await.map_err(refused)
    }

    async fn write_page(&self, path: Option<PathBuf>) -> Result<PathBuf, ActionError> {
        let session = self.strong()?;
        tokio::task::spawn_blocking(move || session.export(path)).await.map_err(refused)?.map_err(refused)
    }

    async fn wait_for_run(&self) {
        self.wait_for_run().await;
    }
}
