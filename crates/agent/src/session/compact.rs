//! Compaction because somebody asked for it.
#![expect(clippy::disallowed_methods, reason = "it goes on when its caller is gone, on the session's runtime")]

use tau_hooks::payload::{CompactReason, CompactionDone};
use tau_session::SessionError;

use crate::crash::Crash;
use crate::parts::Live;
use crate::pipeline::compaction::CompactError;
use crate::pipeline::compaction::perform::Job;
use crate::pipeline::compaction::perform::{compaction_begins, compaction_ends, perform, prepare_compaction};
use crate::pipeline::run::{queued_next, record_parked, run_unattended};
use crate::pipeline::run_state::Run;
use crate::pipeline::settle::sync_session;
use crate::pipeline::turn::Turn;

/// Compacts the conversation of the session with that number: another that took its place is left alone. `instructions`
/// say what the summary should look at. A run that is under way is aborted first. What is queued meanwhile is sent
/// afterwards.
///
/// # Errors
/// When there is nothing to compact, when it was cancelled, and when there is no summary. The conversation is then as it
/// was.
pub(super) async fn compact_session(
    live: &Live,
    instructions: Option<String>,
    number: u64,
) -> Result<CompactionDone, CompactError> {
    let live = live.clone();
    // On a task of its own: whoever asked may go away, but what has begun must come to its end.
    let task = tokio::spawn(async move {
        let Some(run) = Run::take_over(&live.parts, number).await else {
            let over = live.lifecycle.has_ended();
            return Err(if over { CompactError::ShuttingDown } else { CompactError::Replaced });
        };
        compact_in(&live, run, instructions).await
    });
    match task.await {
        Ok(done) => done,
        Err(error) => Err(Crash::of_task(error).map_or(CompactError::ShuttingDown, CompactError::Crashed)),
    }
}

async fn compact_in(live: &Live, run: Run, instructions: Option<String>) -> Result<CompactionDone, CompactError> {
    let reason = CompactReason::Manual;
    let turn = Turn::new(live, &run);
    let by_hand = live.activity.asides.begin_by_hand();
    compaction_begins(&turn, reason).await;
    let aside = live.activity.asides.begin_compaction(&run.cancel);
    let instructions = instructions.filter(|text| !text.trim().is_empty());
    let job = Job { reason, will_retry: false, instructions, cancel: aside.token() };
    let prepared = prepare_compaction(live);
    let done = perform(&turn, &job, prepared).await;
    drop(aside);
    compaction_ends(&turn, reason, false, &done).await;
    drop(by_hand);
    release(live, run).await?;
    done.map_err(|failed| failed.error)
}

/// Ends the time in which no run could begin. What was queued meanwhile is sent.
async fn release(live: &Live, run: Run) -> Result<(), SessionError> {
    sync_session(live).await;
    loop {
        record_parked(&Turn::new(live, &run)).await?;
        if run.close() {
            return Ok(());
        }
        if let Some(queued) = queued_next(&Turn::new(live, &run)) {
            run_unattended(live, run, queued, "compact");
            return Ok(());
        }
    }
}
