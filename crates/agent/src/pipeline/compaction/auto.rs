//! Compaction that happens by itself: the context is nearly full, or it was too large already.

use tau_ai::{AssistantMessage, Model, StopReason};
use tau_hooks::payload::CompactReason;
use tau_session::{EntryKind, SessionError};

use super::perform::Job;
use super::prepare::{compaction_settings, prepare};
use crate::parts::Parts;
use crate::pipeline::compaction::perform::{
    compaction_begins, compaction_ends, compaction_skipped, perform, prepare_compaction, recovery_failed,
};
use crate::pipeline::last::{Last, omit};
use crate::pipeline::routing::{answering_model, model_of_answer};
use crate::pipeline::turn::Turn;
use crate::settings::CompactionSettings;
use crate::usage::{context_tokens, nothing_since};

/// Said when the context is still too large after room was made.
const STILL_TOO_LARGE: &str = "Context overflow recovery failed after one compact-and-retry attempt. Try reducing \
                               context or switching to a larger-context model.";
/// Said when an answer is still cut after room was made.
const STILL_CUT: &str = "Truncated response recovery failed after one compact-and-retry attempt.";

/// Makes room when the last answer shows that it is needed; whether the failed request is to be repeated.
///
/// An answer that was aborted counts only with `aborted_too`: before a prompt, whose request comes anyway.
pub(crate) async fn check_room(turn: &Turn<'_>, last: &Last, aborted_too: bool) -> Result<bool, SessionError> {
    let settings = compaction_settings(turn);
    let Some(answer) = last.answer.message().as_assistant() else { return Ok(false) };
    if !settings.enabled || (answer.stop_reason == StopReason::Aborted && !aborted_too) {
        return Ok(false);
    }
    let Some(id) = last.answer.entry_id.as_deref() else { return Ok(false) };
    let session = turn.conversation.session();
    // What was said about an older context tells nothing about this one.
    if !nothing_since(&session, id, &[EntryKind::Compaction]) {
        return Ok(false);
    }
    let visible = turn.conversation.history().items().rev().any(|item| item.entry_id.as_deref() == Some(id));
    if visible && let Some(model) = model_of_answer(turn, answer) {
        let counted = nothing_since(&session, id, &[EntryKind::ContextEdit]);
        let window = if counted { model.context_window } else { 0 };
        let overflow = answer.is_context_overflow(window);
        if overflow || answer.is_cut_short(model.max_tokens) {
            return recover_room(turn, last, answer, overflow).await;
        }
    }
    keep_room(turn, &settings).await;
    Ok(false)
}

/// The context was too large: makes room, and has the request repeated if it failed. Once only.
async fn recover_room(
    turn: &Turn<'_>,
    last: &Last,
    answer: &AssistantMessage,
    overflow: bool,
) -> Result<bool, SessionError> {
    if answer.stop_reason == StopReason::Stop {
        compact_by_itself(turn, CompactReason::Overflow, false).await;
        return Ok(false);
    }
    if turn.run.recovery.lock().made_room {
        recovery_failed(turn, if overflow { STILL_TOO_LARGE } else { STILL_CUT }).await;
        return Ok(false);
    }
    // An answer that cannot be asked for again stays where it is.
    if !room_without(turn, last) {
        return Ok(false);
    }
    turn.run.recovery.lock().made_room = true;
    omit(turn, last)?;
    Ok(compact_by_itself(turn, CompactReason::Overflow, true).await)
}

/// Whether there would be something to compact without an answer.
fn room_without(parts: &Parts, last: &Last) -> bool {
    let copy = parts.conversation.session().branch_copy();
    for id in last.entries() {
        // What cannot be hidden is not in the way.
        let _ = copy.edit_context(id, None);
    }
    prepare(&copy, 0, &compaction_settings(parts)).is_ok()
}

/// Compacts when the context is nearly full.
async fn keep_room(turn: &Turn<'_>, settings: &CompactionSettings) {
    if let Some(model) = answering_model(turn) {
        keep_room_of(turn, &model, settings).await;
    }
}

/// Makes room for a request to a model that was chosen for it alone; whether the conversation is another one now.
pub(crate) async fn keep_room_for(turn: &Turn<'_>, model: &Model) -> bool {
    keep_room_of(turn, model, &compaction_settings(turn)).await
}

/// Compacts when the context of a model is nearly full; whether it did.
async fn keep_room_of(turn: &Turn<'_>, model: &Model, settings: &CompactionSettings) -> bool {
    let tokens = context_tokens(&turn.conversation.history(), &turn.conversation.session());
    // A window that is smaller than the reserve is always nearly full.
    let full = settings.enabled
        && model.context_window > 0
        && tokens.saturating_add(settings.reserve_tokens) > model.context_window;
    full && compact_now(turn, CompactReason::Threshold, false).await
}

/// Between two turns of a run.
pub(crate) async fn keep_room_between(turn: &Turn<'_>) {
    keep_room(turn, &compaction_settings(turn)).await;
}

/// Compacts unless there is nothing to compact; whether to go on with the failed request.
async fn compact_by_itself(turn: &Turn<'_>, reason: CompactReason, will_retry: bool) -> bool {
    compact_now(turn, reason, will_retry).await && will_retry
}

/// Compacts unless there is nothing to compact; whether it did.
async fn compact_now(turn: &Turn<'_>, reason: CompactReason, will_retry: bool) -> bool {
    if turn.is_cancelled() {
        return false;
    }
    let Ok(prepared) = prepare_compaction(turn) else {
        compaction_skipped(turn, reason).await;
        return false;
    };
    compaction_begins(turn, reason).await;
    let aside = turn.activity.asides.begin_compaction(&turn.run.cancel);
    let job = Job { reason, will_retry, instructions: None, cancel: aside.token() };
    let done = perform(turn, &job, Ok(prepared)).await;
    drop(aside);
    compaction_ends(turn, reason, will_retry, &done).await;
    done.is_ok()
}
