//! The boundaries of a turn and of a run: extensions may append entries and ask for another request.

use std::sync::Arc;

use tau_ai::{CompactionSummaryMessage, JsonMap, Message, MessageContent, now_ms};
use tau_hooks::events::{AgentBeforeSettle, TurnEnd};
use tau_hooks::payload::{
    AgentBeforeSettleEvent, BoundaryPreview, BoundaryState, CustomDraft, EntryDraft, Outcome, TurnEndEvent,
};
use tau_hooks::{HistoryMessage, Messages, Report, Scope};
use tau_session::{EntryBody, SessionError};

use super::before_start::custom_message;
use super::convert::preview;
use super::tools::Batch;
use crate::session::{AgentSession, Run, SessionEvent};

impl AgentSession {
    /// Ends a turn; whether an extension asks for another request.
    pub(crate) async fn turn_end(
        self: &Arc<Self>,
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
            boundary: self.boundary_state(outcome),
        };
        let preview = |event: &mut TurnEndEvent| self.preview(&mut event.boundary);
        let done = self.hooks().dispatcher.dispatch_with::<TurnEnd>(scope, event, preview).await;
        let go_on = match done.payload {
            Some(event) if done.output.is_some() => self.commit(event.boundary, "turn_end")?,
            _ => false,
        };
        self.events().send(|| SessionEvent::TurnEnd {
            message: Arc::clone(answer.message()),
            tool_results: batch.results.clone(),
        });
        Ok(go_on)
    }

    /// The last chance before the session becomes idle; whether an extension asks for another run.
    pub(crate) async fn before_settle(self: &Arc<Self>, run: &Run, outcome: Outcome) -> bool {
        let event = || AgentBeforeSettleEvent { boundary: self.boundary_state(outcome) };
        let preview = |event: &mut AgentBeforeSettleEvent| self.preview(&mut event.boundary);
        let scope = run.scope(self);
        let done = self.hooks().dispatcher.dispatch_with::<AgentBeforeSettle>(&scope, event, preview).await;
        let go_on = match done.payload {
            Some(event) if done.output.is_some() => self.commit(event.boundary, "agent_before_settle"),
            _ => Ok(false),
        };
        match go_on {
            Ok(go_on) => go_on,
            Err(error) => {
                self.report_boundary("agent_before_settle", error.to_string());
                false
            }
        }
    }

    fn boundary_state(&self, outcome: Outcome) -> BoundaryState {
        let mut state = BoundaryState { outcome, ..BoundaryState::default() };
        self.preview(&mut state);
        state
    }

    /// Brings the preview up to date with the proposed entries.
    fn preview(&self, state: &mut BoundaryState) {
        let context = with_drafts(self.history(), &state.entries).unwrap_or_else(|_| self.history());
        let llm = preview(&context, self.blocks_images());
        let pending = self.queued_messages();
        let can_continue = !pending.is_empty() || llm.iter().last().is_some_and(|last| last.role() != "assistant");
        state.context =
            BoundaryPreview { context_messages: context, llm_messages: llm, pending_messages: pending, can_continue };
    }

    /// Appends what extensions proposed: all of it, or nothing and a report. Whether to go on.
    fn commit(&self, state: BoundaryState, event: &str) -> Result<bool, SessionError> {
        if let Err(why) = with_drafts(self.history(), &state.entries) {
            self.report_boundary(event, format!("the proposed entries were dropped: {why}"));
            return Ok(false);
        }
        let session = self.session();
        for draft in &state.entries {
            let entry = match draft {
                EntryDraft::Custom { custom_type, data } => {
                    session.append(EntryBody::custom(custom_type.clone(), data.clone()))?
                }
                EntryDraft::CustomMessage { custom_type, content, display, details } => session.append(
                    EntryBody::custom_message(custom_type.clone(), content.clone(), *display, details.clone()),
                )?,
                EntryDraft::ContextEdit { target_id, replacement } => {
                    let content = replacement.as_ref().map(|replacement| replacement.content.clone());
                    session.edit_context(target_id, content)?
                }
                EntryDraft::Compaction { summary, first_kept_entry_id, details, usage } => {
                    let mut body = EntryBody::compaction(summary.clone(), first_kept_entry_id.as_deref(), 0);
                    if let EntryBody::Compaction(compaction) = &mut body {
                        compaction.details.clone_from(details);
                        compaction.usage.clone_from(usage);
                        compaction.from_hook = Some(true);
                    }
                    session.append(body)?
                }
            };
            self.events().send(|| SessionEvent::EntryAppended { entry: crate::session::entry_json(&entry) });
        }
        if !state.entries.is_empty() {
            self.rebuild_history();
        }
        if state.go_on && !state.context.can_continue {
            self.report_boundary(event, "asked to go on, but there is nothing the model could answer to".to_owned());
            return Ok(false);
        }
        Ok(state.go_on)
    }

    fn report_boundary(&self, event: &str, text: String) {
        self.hooks().dispatcher.reports.send(&Report::diagnostic("extensions", event, text));
    }
}

/// The conversation as it would be with these entries, or why one of them cannot be appended.
fn with_drafts(mut messages: Messages, drafts: &[EntryDraft]) -> Result<Messages, String> {
    for draft in drafts {
        match draft {
            EntryDraft::Custom { .. } => {}
            EntryDraft::CustomMessage { custom_type, content, display, details } => {
                messages.push(custom_message(CustomDraft {
                    custom_type: custom_type.clone(),
                    content: content.clone(),
                    display: *display,
                    details: details.clone(),
                }));
            }
            EntryDraft::ContextEdit { target_id, replacement } => {
                let index = position(&messages, target_id)
                    .ok_or_else(|| format!("context_edit: no message of this branch has the entry {target_id}"))?;
                match replacement {
                    Some(replacement) => {
                        if let Some(message) = messages.edit(index) {
                            set_content(message, &replacement.content)?;
                        }
                    }
                    None => messages = messages.without(index),
                }
            }
            EntryDraft::Compaction { summary, first_kept_entry_id, .. } => {
                let kept = match first_kept_entry_id {
                    Some(id) => position(&messages, id)
                        .ok_or_else(|| format!("compaction: no message of this branch has the entry {id}"))?,
                    None => messages.len(),
                };
                messages.drop_front(kept);
                let summary = CompactionSummaryMessage {
                    summary: summary.clone(),
                    tokens_before: 0,
                    timestamp: now_ms(),
                    extra: JsonMap::new(),
                };
                messages.insert(0, Message::CompactionSummary(summary));
            }
        }
    }
    Ok(messages)
}

fn position(messages: &Messages, entry_id: &str) -> Option<usize> {
    messages.items().position(|item| item.entry_id.as_deref() == Some(entry_id))
}

fn set_content(message: &mut Message, content: &MessageContent) -> Result<(), String> {
    match message {
        Message::User(user) => user.content = content.clone(),
        Message::Custom(custom) => custom.content = content.clone(),
        Message::Assistant(assistant) => assistant.content = content.to_blocks(),
        Message::ToolResult(result) => result.content = content.to_blocks(),
        other => return Err(format!("context_edit: a message of role {} cannot be edited", other.role())),
    }
    Ok(())
}
