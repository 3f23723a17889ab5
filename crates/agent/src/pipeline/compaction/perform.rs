//! A compaction from the first handler to the last, whatever started it.

use std::sync::Arc;

use serde_json::Value;
use tau_ai::Usage;
use tau_hooks::events::{
    AutoCompactionEnd, AutoCompactionStart, EventId, SessionBeforeCompact, SessionCompact, SessionCompactFailed,
    SessionCompacting,
};
use tau_hooks::payload::{
    AutoCompactionEndEvent, AutoCompactionStartEvent, CompactReason, CompactionDone, CompactionPreparation,
    SessionBeforeCompactEvent, SessionCompactEvent, SessionCompactFailedEvent, SessionCompactingEvent,
};
use tau_hooks::{Messages, Scope};
use tau_session::{EntryBody, SessionError};
use tokio_util::sync::CancellationToken;

use super::ask::AskError;
use super::prepare::{Nothing, compaction_settings, prepare};
use super::summarise::{Wishes, Written};
use crate::json::entry_json;
use crate::parts::{Parts, SessionEvent};
use crate::pipeline::compaction::ask::summariser;
use crate::pipeline::compaction::summarise::summarise;
use crate::pipeline::model::no_model;
use crate::pipeline::prompt::PromptError;
use crate::pipeline::turn::Turn;
use crate::usage::{context_tokens, estimate};

/// What is done about a full context, in the words of the events about it.
const ACTION: &str = "context-full";

/// Why a conversation was not compacted.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CompactError {
    /// The last thing that happened is a compaction.
    #[error("Already compacted")]
    AlreadyCompacted,
    /// Everything would be kept.
    #[error("Nothing to compact (session too small)")]
    TooSmall,
    /// The user or an extension stopped it.
    #[error("Compaction cancelled")]
    Cancelled,
    /// The model cannot be asked.
    #[error("{0}")]
    Model(PromptError),
    /// There is no summary, or it cannot be used.
    #[error("{0}")]
    Failed(String),
    /// The session file cannot be written.
    #[error("{0}")]
    Session(Arc<SessionError>),
    /// Another session took its place.
    #[error("The session that was to be compacted was replaced.")]
    Replaced,
    /// Part of tau panicked.
    #[error(transparent)]
    Crashed(#[from] crate::Crash),
    /// The session is shutting down.
    #[error("The session is shutting down.")]
    ShuttingDown,
}

impl From<Nothing> for CompactError {
    fn from(nothing: Nothing) -> Self {
        match nothing {
            Nothing::Done => Self::AlreadyCompacted,
            Nothing::Small => Self::TooSmall,
        }
    }
}

impl From<AskError> for CompactError {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Cancelled => Self::Cancelled,
            AskError::Failed(why) => Self::Failed(why),
        }
    }
}

impl From<SessionError> for CompactError {
    fn from(error: SessionError) -> Self {
        Self::Session(Arc::new(error))
    }
}

/// What a compaction is to do.
pub(crate) struct Job {
    pub(crate) reason: CompactReason,
    /// Whether a failed request is repeated afterwards.
    pub(crate) will_retry: bool,
    pub(crate) instructions: Option<String>,
    pub(crate) cancel: CancellationToken,
}

/// A compaction that did not take place, and whether an extension had a part in it.
pub(crate) struct Failed {
    pub(crate) error: CompactError,
    from_extension: bool,
}

/// The summary to append.
struct Chosen {
    summary: String,
    first_kept: String,
    tokens_before: u64,
    usage: Option<Usage>,
    details: Option<Value>,
    /// What extensions keep beside the summary.
    preserve_data: Option<Value>,
    from_extension: bool,
}

/// What a compaction would do now.
pub(crate) fn prepare_compaction(parts: &Parts) -> Result<CompactionPreparation, CompactError> {
    let tokens = context_tokens(&parts.conversation.history(), &parts.conversation.session());
    Ok(prepare(&parts.conversation.session(), tokens, &compaction_settings(parts))?)
}

/// Compacts: handlers, the summary, the session's entry, and the listeners.
pub(crate) async fn perform(
    turn: &Turn<'_>,
    job: &Job,
    prepared: Result<CompactionPreparation, CompactError>,
) -> Result<CompactionDone, Failed> {
    let mut from_extension = false;
    let done = try_perform(turn, job, prepared, &mut from_extension).await;
    done.map_err(|error| {
        if job.cancel.is_cancelled() {
            Failed { error: CompactError::Cancelled, from_extension }
        } else {
            Failed { error, from_extension }
        }
    })
}

async fn try_perform(
    turn: &Turn<'_>,
    job: &Job,
    prepared: Result<CompactionPreparation, CompactError>,
    from_extension: &mut bool,
) -> Result<CompactionDone, CompactError> {
    if turn.choices.model().is_none() {
        return Err(CompactError::Model(no_model(turn)));
    }
    let prepared = prepared?;
    let own = before_compact(turn, job, &prepared).await?;
    *from_extension = own.is_some();
    let chosen = match own {
        Some(own) => own,
        None => {
            let asked = summariser(turn, &job.cancel).await.map_err(CompactError::Model)?;
            let wishes = wishes(turn, job, &prepared).await;
            let Written { summary, usage, details } =
                summarise(turn, &asked, &prepared, &wishes, job.reason, &job.cancel).await?;
            Chosen {
                summary,
                first_kept: prepared.first_kept_entry_id.clone(),
                tokens_before: prepared.tokens_before,
                usage,
                details: Some(details),
                preserve_data: wishes.handlers.preserve_data,
                from_extension: false,
            }
        }
    };
    if job.cancel.is_cancelled() {
        return Err(CompactError::Cancelled);
    }
    append_compaction(turn, job, chosen).await
}

/// Asks extensions; a summary of one of them takes the place of the model's.
async fn before_compact(
    turn: &Turn<'_>,
    job: &Job,
    prepared: &CompactionPreparation,
) -> Result<Option<Chosen>, CompactError> {
    let event = || SessionBeforeCompactEvent {
        preparation: prepared.clone(),
        branch_entries: turn.conversation.session().branch_path(None).iter().map(|entry| entry_json(entry)).collect(),
        custom_instructions: job.instructions.clone(),
        reason: job.reason,
        will_retry: job.will_retry,
    };
    let scope = Scope { cancel: job.cancel.clone(), ..turn.scope() };
    let done = turn.hooks.dispatcher.dispatch::<SessionBeforeCompact>(&scope, event).await;
    let Some(output) = done.into_output() else { return Ok(None) };
    if output.cancel == Some(true) {
        return Err(CompactError::Cancelled);
    }
    let Some(own) = output.compaction else { return Ok(None) };
    let id = &own.first_kept_entry_id;
    if !id.is_empty() && !turn.conversation.session().branch_path(None).iter().any(|entry| entry.id().as_str() == id) {
        return Err(CompactError::Failed(format!(
            "the summary of an extension keeps from the entry \"{id}\", which is not on this branch"
        )));
    }
    Ok(Some(Chosen {
        summary: own.summary,
        first_kept: own.first_kept_entry_id,
        tokens_before: own.tokens_before,
        usage: own.usage,
        details: own.details,
        preserve_data: own.preserve_data,
        from_extension: true,
    }))
}

/// What handlers of the older dialects want of the summary.
async fn wishes(turn: &Turn<'_>, job: &Job, prepared: &CompactionPreparation) -> Wishes {
    let event = || SessionCompactingEvent {
        session_id: turn.conversation.session().id().to_owned(),
        messages: joined(&prepared.messages_to_summarize, &prepared.turn_prefix_messages),
    };
    let scope = Scope { cancel: job.cancel.clone(), ..turn.scope() };
    let done = turn.hooks.dispatcher.dispatch::<SessionCompacting>(&scope, event).await;
    Wishes { instructions: job.instructions.clone(), handlers: done.into_output().unwrap_or_default() }
}

async fn append_compaction(turn: &Turn<'_>, job: &Job, chosen: Chosen) -> Result<CompactionDone, CompactError> {
    let Chosen { summary, first_kept, tokens_before, usage, details, preserve_data, from_extension } = chosen;
    let kept = (!first_kept.is_empty()).then_some(first_kept.as_str());
    let mut body = EntryBody::compaction(summary.clone(), kept, tokens_before);
    if let EntryBody::Compaction(compaction) = &mut body {
        compaction.details.clone_from(&details);
        compaction.usage.clone_from(&usage);
        compaction.from_hook = Some(from_extension);
        compaction.preserve_data.clone_from(&preserve_data);
    }
    let entry = turn.conversation.session().append(body)?;
    turn.conversation.rebuild();
    let estimated_tokens_after = turn.conversation.history().iter().map(estimate).sum();
    let event = || SessionCompactEvent {
        compaction_entry: entry_json(&entry),
        from_extension,
        reason: job.reason,
        will_retry: job.will_retry,
    };
    turn.hooks.dispatcher.dispatch::<SessionCompact>(&turn.scope(), event).await;
    // Where nothing is kept, the entry itself is the first one.
    let first_kept_entry_id = if first_kept.is_empty() { entry.id().to_string() } else { first_kept };
    Ok(CompactionDone {
        summary,
        first_kept_entry_id,
        tokens_before,
        estimated_tokens_after,
        usage,
        details,
        preserve_data,
    })
}

/// Tells that a compaction begins.
pub(crate) async fn compaction_begins(turn: &Turn<'_>, reason: CompactReason) {
    if reason != CompactReason::Manual {
        let event = || AutoCompactionStartEvent { reason, action: ACTION.to_owned() };
        turn.hooks.dispatcher.dispatch::<AutoCompactionStart>(&turn.scope(), event).await;
    }
    turn.events.send(|| SessionEvent::CompactionStart { reason });
}

/// Tells handlers of the older dialects that there was a reason to compact, but nothing to compact.
pub(crate) async fn compaction_skipped(turn: &Turn<'_>, reason: CompactReason) {
    let dispatcher = &turn.hooks.dispatcher;
    let event = || AutoCompactionStartEvent { reason, action: ACTION.to_owned() };
    dispatcher.dispatch::<AutoCompactionStart>(&turn.scope(), event).await;
    let event = || AutoCompactionEndEvent {
        action: ACTION.to_owned(),
        result: None,
        aborted: false,
        will_retry: false,
        error_message: None,
        skipped: Some(true),
    };
    dispatcher.dispatch::<AutoCompactionEnd>(&turn.scope(), event).await;
}

/// Tells how a compaction ended.
pub(crate) async fn compaction_ends(
    turn: &Turn<'_>,
    reason: CompactReason,
    will_retry: bool,
    done: &Result<CompactionDone, Failed>,
) {
    let (result, aborted, error_message) = match done {
        Ok(done) => (Some(done.clone()), false, None),
        Err(Failed { error: CompactError::Cancelled, .. }) => (None, true, None),
        Err(failed) => (None, false, Some(told(reason, &failed.error))),
    };
    let will_retry = will_retry && result.is_some();
    let dispatcher = &turn.hooks.dispatcher;
    if let Err(failed) = done {
        let event = || SessionCompactFailedEvent {
            reason,
            error_message: error_message.clone(),
            aborted,
            will_retry: false,
            from_extension: failed.from_extension,
        };
        dispatcher.dispatch::<SessionCompactFailed>(&turn.scope(), event).await;
    }
    if reason != CompactReason::Manual && dispatcher.has_handlers(EventId::AutoCompactionEnd) {
        let event = || AutoCompactionEndEvent {
            action: ACTION.to_owned(),
            result: result.as_ref().map(tau_ai::to_json),
            aborted,
            will_retry,
            error_message: error_message.clone(),
            skipped: None,
        };
        dispatcher.dispatch::<AutoCompactionEnd>(&turn.scope(), event).await;
    }
    turn.events.send(|| SessionEvent::CompactionEnd {
        reason,
        result: result.map(Box::new),
        aborted,
        will_retry,
        error_message,
    });
}

/// Tells that making room did not help, so that nobody tries again.
pub(crate) async fn recovery_failed(turn: &Turn<'_>, why: &str) {
    let event = || SessionCompactFailedEvent {
        reason: CompactReason::Overflow,
        error_message: Some(why.to_owned()),
        aborted: false,
        will_retry: false,
        from_extension: false,
    };
    turn.hooks.dispatcher.dispatch::<SessionCompactFailed>(&turn.scope(), event).await;
    turn.events.send(|| SessionEvent::CompactionEnd {
        reason: CompactReason::Overflow,
        result: None,
        aborted: false,
        will_retry: false,
        error_message: Some(why.to_owned()),
    });
}

fn told(reason: CompactReason, error: &CompactError) -> String {
    let what = match reason {
        CompactReason::Manual => "Compaction failed",
        CompactReason::Threshold => "Auto-compaction failed",
        CompactReason::Overflow => "Context overflow recovery failed",
    };
    format!("{what}: {error}")
}

fn joined(first: &Messages, second: &Messages) -> Messages {
    first.items().chain(second.items()).cloned().collect()
}
