//! Compaction because somebody asked for it.
#![expect(
    clippy::disallowed_methods,
    reason = "it goes on when whoever asked is gone, on the runtime on which the session is asked"
)]

use std::sync::Arc;

use tau_hooks::payload::{CompactReason, CompactionDone};
use tau_session::SessionError;

use super::perform::{CompactError, Job};
use crate::crash::Crash;
use crate::session::{AgentSession, Run};

impl AgentSession {
    /// Compacts the conversation; `instructions` say what the summary should look at. A run that is under way is
    /// aborted first. What is queued meanwhile is sent afterwards.
    ///
    /// # Errors
    /// When there is nothing to compact, when it was cancelled, and when there is no summary. The conversation is then
    /// as it was.
    pub async fn compact(self: &Arc<Self>, instructions: Option<String>) -> Result<CompactionDone, CompactError> {
        self.compact_session(instructions, self.session_number()).await
    }

    /// As [`AgentSession::compact`], for the session with that number: another that took its place is left alone.
    pub(crate) async fn compact_session(
        self: &Arc<Self>,
        instructions: Option<String>,
        number: u64,
    ) -> Result<CompactionDone, CompactError> {
        let me = Arc::clone(self);
        // On a task of its own: whoever asked may go away, but what has begun must come to its end.
        let task = tokio::spawn(async move {
            let Some(run) = me.take_over(number).await else {
                return Err(if me.is_shut_down() { CompactError::ShuttingDown } else { CompactError::Replaced });
            };
            me.compact_in(run, instructions).await
        });
        match task.await {
            Ok(done) => done,
            Err(error) => Err(Crash::of_task(error).map_or(CompactError::ShuttingDown, CompactError::Crashed)),
        }
    }

    async fn compact_in(
        self: &Arc<Self>,
        run: Run,
        instructions: Option<String>,
    ) -> Result<CompactionDone, CompactError> {
        let reason = CompactReason::Manual;
        let by_hand = self.asides().begin_by_hand();
        self.compaction_begins(&run, reason).await;
        let aside = self.asides().begin_compaction(&run.cancel);
        let instructions = instructions.filter(|text| !text.trim().is_empty());
        let job = Job { run: &run, reason, will_retry: false, instructions, cancel: aside.token() };
        let prepared = self.prepare_compaction();
        let done = self.perform(&job, prepared).await;
        drop(aside);
        self.compaction_ends(&run, reason, false, &done).await;
        drop(by_hand);
        self.release(run).await?;
        done.map_err(|failed| failed.error)
    }

    /// Ends the time in which no run could begin. What was queued meanwhile is sent.
    async fn release(self: &Arc<Self>, mut run: Run) -> Result<(), SessionError> {
        self.sync_session().await;
        loop {
            self.record_parked(&run).await?;
            if run.close() {
                return Ok(());
            }
            if let Some(queued) = self.queued_next(&run) {
                self.run_unattended(run, queued, "compact");
                return Ok(());
            }
        }
    }
}
