//! The boundaries of a turn and of a run: extensions may append entries and ask for another request.

use std::sync::Arc;

use tau_hooks::events::{AgentBeforeSettle, TurnEnd};
use tau_hooks::payload::{
    AgentBeforeSettleEvent, BoundaryPreview, BoundaryState, ContextEntries, EntryDraft, Outcome, TurnEndEvent,
};
use tau_hooks::{Folded, HistoryMessage, Messages, Registration, Report, ReportKind, Scope};
use tau_session::{Entry, EntryBody, Session, SessionError};

use super::convert::preview;
use super::tools::Batch;
use crate::json::entry_json;
use crate::parts::history_of;
use crate::parts::{Parts, SessionEvent};
use crate::pipeline::tell::delivered;
use crate::pipeline::turn::Turn;
use crate::usage::context_tokens;

/// Where extensions are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Boundary {
    Turn,
    Settling,
}

/// Ends a turn; whether an extension asks for another request.
pub(crate) async fn turn_end(
    parts: &Parts,
    scope: &Scope,
    turn_index: usize,
    answer: &Arc<HistoryMessage>,
    batch: &Batch,
    outcome: Outcome,
) -> Result<bool, SessionError> {
    let event = || TurnEndEvent {
        turn_index,
        message: Arc::clone(answer.message()),
        response: Arc::clone(answer.message()),
        tool_results: batch.results.clone(),
        message_entry_id: answer.entry_id.clone().unwrap_or_default(),
        tool_result_entry_ids: batch.entry_ids.clone(),
        boundary: boundary_state(parts, Boundary::Turn, outcome),
    };
    let mut kept = Kept::default();
    let preview = |event: &mut TurnEndEvent, by: &Registration| {
        take_proposal(parts, Boundary::Turn, &mut event.boundary, &mut kept, by);
    };
    let done = parts.hooks.dispatcher.dispatch_with::<TurnEnd>(scope, event, preview).await;
    delivered(parts, scope).await;
    let go_on = match done.into_folded() {
        Some(Folded { payload, output: Some(_), .. }) => commit(parts, Boundary::Turn, payload.boundary)?,
        _ => false,
    };
    parts
        .events
        .send(|| SessionEvent::TurnEnd { message: Arc::clone(answer.message()), tool_results: batch.results.clone() });
    Ok(go_on)
}

/// The last chance before the session becomes idle; whether an extension asks for another run.
pub(crate) async fn before_settle(turn: &Turn<'_>, outcome: Outcome) -> Result<bool, SessionError> {
    let event = || AgentBeforeSettleEvent { boundary: boundary_state(turn, Boundary::Settling, outcome) };
    let mut kept = Kept::default();
    let preview = |event: &mut AgentBeforeSettleEvent, by: &Registration| {
        take_proposal(turn, Boundary::Settling, &mut event.boundary, &mut kept, by);
    };
    let scope = turn.scope();
    let done = turn.hooks.dispatcher.dispatch_with::<AgentBeforeSettle>(&scope, event, preview).await;
    delivered(turn, &scope).await;
    match done.into_folded() {
        Some(Folded { payload, output: Some(_), .. }) => commit(turn, Boundary::Settling, payload.boundary),
        _ => Ok(false),
    }
}

fn boundary_state(parts: &Parts, boundary: Boundary, outcome: Outcome) -> BoundaryState {
    let mut state = BoundaryState { outcome, ..BoundaryState::default() };
    show(parts, boundary, &mut state, None);
    state
}

/// Takes in what a handler proposed. Entries that cannot be appended are reported with its name, and nothing of what it
/// said counts.
fn take_proposal(parts: &Parts, boundary: Boundary, state: &mut BoundaryState, kept: &mut Kept, by: &Registration) {
    let tried = if state.entries.is_empty() {
        Ok(None)
    } else {
        try_out(&parts.conversation.session(), &state.entries).map(Some)
    };
    match tried {
        Ok(copy) => {
            *kept = Kept { entries: state.entries.clone(), go_on: state.go_on };
            show(parts, boundary, state, copy);
        }
        Err(why) => {
            // The preview still shows what is kept.
            (state.entries, state.go_on) = (kept.entries.clone(), kept.go_on);
            parts.hooks.dispatcher.reports.send(&Report {
                extension: Arc::clone(&by.owner.path),
                event: boundary.event().to_owned(),
                kind: ReportKind::Error { message: format!("Invalid boundary entries: {why}"), stack: None },
                location: Some(by.location.to_string()),
                failures: by.owner.dialect.failures,
            });
        }
    }
}

/// Whether a request could be made: the model has something to answer to.
fn can_continue(parts: &Parts, boundary: Boundary, llm: &Messages) -> bool {
    let answered = llm.iter().last().map(|last| last.role() == "assistant");
    let waits = parts.activity.waiting();
    answered == Some(false)
        || waits.parked
        || match boundary {
            Boundary::Turn => waits.queued,
            Boundary::Settling => answered == Some(true) && waits.queued,
        }
}

/// Appends what extensions proposed: all of it, or nothing and a report. Whether to go on.
fn commit(parts: &Parts, boundary: Boundary, state: BoundaryState) -> Result<bool, SessionError> {
    let session = parts.conversation.session();
    if !state.entries.is_empty() {
        if let Err(why) = try_out(&session, &state.entries) {
            report_boundary(parts, boundary, format!("the proposed entries were dropped: {why}"));
            return Ok(false);
        }
        let appended = state.entries.iter().map(|draft| append(&session, draft)).collect::<Result<Vec<_>, _>>();
        parts.conversation.rebuild();
        for entry in appended? {
            parts.events.send(|| SessionEvent::EntryAppended { entry: entry_json(&entry) });
        }
    }
    if state.go_on && !can_continue(parts, boundary, &preview(&parts.conversation.history(), false)) {
        report_boundary(parts, boundary, "asked to go on, but there is nothing the model could answer to".to_owned());
        return Ok(false);
    }
    Ok(state.go_on)
}

fn report_boundary(parts: &Parts, boundary: Boundary, text: String) {
    parts.report("extensions", boundary.event(), text);
}

/// Brings the preview up to date: `copy` is the session with the proposed entries, when there are any.
fn show(parts: &Parts, boundary: Boundary, state: &mut BoundaryState, copy: Option<Session>) {
    let (messages, session) = match copy {
        Some(copy) => (history_of(&copy), Arc::new(copy)),
        None => (parts.conversation.history(), parts.conversation.session()),
    };
    let llm_messages = preview(&messages, parts.settings().images().block_images);
    state.context = BoundaryPreview {
        can_continue: can_continue(parts, boundary, &llm_messages),
        context_entries: ContextEntries::of(session),
        context_messages: messages,
        llm_messages,
        pending_messages: parts.activity.next_messages(parts.steering_mode(), parts.follow_up_mode()),
    };
}

impl Boundary {
    fn event(self) -> &'static str {
        match self {
            Self::Turn => "turn_end",
            Self::Settling => "agent_before_settle",
        }
    }
}

/// What the handlers proposed so far.
#[derive(Default)]
struct Kept {
    entries: Vec<EntryDraft>,
    go_on: bool,
}

/// A copy of the current branch with these entries, or why one of them cannot be appended.
fn try_out(session: &Session, drafts: &[EntryDraft]) -> Result<Session, String> {
    let copy = session.branch_copy();
    for draft in drafts {
        if let EntryDraft::Compaction { first_kept_entry_id: Some(id), .. } = draft
            && !copy.branch_path(None).iter().any(|entry| entry.id().as_str() == id)
        {
            return Err(format!("compaction: the entry {id} is not on this branch"));
        }
        append(&copy, draft).map_err(|error| match draft {
            EntryDraft::ContextEdit { .. } => format!("context_edit: {error}"),
            _ => error.to_string(),
        })?;
    }
    Ok(copy)
}

fn append(session: &Session, draft: &EntryDraft) -> Result<Arc<Entry>, SessionError> {
    match draft {
        EntryDraft::Custom { custom_type, data } => {
            session.append(EntryBody::custom(custom_type.clone(), data.clone()))
        }
        EntryDraft::CustomMessage { custom_type, content, display, details } => {
            session.append(EntryBody::custom_message(custom_type.clone(), content.clone(), *display, details.clone()))
        }
        EntryDraft::ContextEdit { target_id, replacement } => {
            let content = replacement.as_ref().map(|replacement| replacement.content.clone());
            session.edit_context(target_id, content)
        }
        EntryDraft::Compaction { summary, first_kept_entry_id, details, usage } => {
            let tokens = context_tokens(&history_of(session), session);
            let mut body = EntryBody::compaction(summary.clone(), first_kept_entry_id.as_deref(), tokens);
            if let EntryBody::Compaction(compaction) = &mut body {
                compaction.details.clone_from(details);
                compaction.usage.clone_from(usage);
                compaction.from_hook = Some(true);
            }
            session.append(body)
        }
    }
}
