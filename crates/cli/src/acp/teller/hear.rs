//! Events of a session, as the client is told of them.

use agent_client_protocol::v1::schema::{SessionUpdate, ToolCallStatus, ToolCallUpdateFields};
use tau_agent::{AgentSession, SessionEvent};
use tau_ai::{ContentBlock as Block, Message, StreamEvent, StreamItem};
use tau_hooks::dialogs::NotifyLevel;

use super::{Teller, chunk, cost_of, finished, shown, text_block};
use crate::acp::tools;

impl Teller {
    /// Takes an event of the session.
    pub(in crate::acp) fn hear(&self, session: &AgentSession, event: &SessionEvent) {
        match event {
            SessionEvent::MessageStart { message } if message.as_assistant().is_some() => {
                let mut state = self.state.lock();
                state.streamed = false;
                state.next_message();
            }
            SessionEvent::MessageUpdate(update) => self.grow(session, &update.0),
            SessionEvent::MessageEnd { message } => self.message(message),
            SessionEvent::ToolExecutionStart { tool_call_id, tool_name, args, .. } => {
                self.announce(session, tool_call_id, tool_name, Some(args));
                let changes = tools::changes(tool_name, args, &session.cwd());
                let mut fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
                fields.content = Some(changes).filter(|changes| !changes.is_empty());
                self.update_call(tool_call_id, fields);
            }
            SessionEvent::ToolExecutionUpdate { tool_call_id, tool_name, partial_result, .. } => {
                let content = tools::result_content(tool_name, partial_result);
                if !content.is_empty() {
                    self.update_call(tool_call_id, ToolCallUpdateFields::new().content(content));
                }
            }
            SessionEvent::ToolExecutionEnd { tool_call_id, tool_name, result, is_error, .. } => {
                let fields = finished(tool_name, result, *is_error, self.call(tool_call_id).as_ref());
                self.update_call(tool_call_id, fields);
                self.state.lock().calls.remove(tool_call_id);
            }
            SessionEvent::TurnEnd { .. } => self.usage(session),
            SessionEvent::AgentEnd { .. } => self.drop_calls(),
            SessionEvent::CompactionStart { .. } => self.compaction_begins(),
            SessionEvent::CompactionEnd { result, aborted, error_message, .. } => {
                self.compaction_ends(result.as_deref(), *aborted, error_message.as_deref());
                self.usage(session);
            }
            SessionEvent::AutoRetryStart { attempt, max_attempts, delay_ms, error_message } => {
                let seconds = *delay_ms as f64 / 1000.0;
                let text = format!("{error_message}\nTrying again in {seconds} s ({attempt} of {max_attempts}).\n");
                if self.client.notices { self.notify(&NotifyLevel::Warning, &text, None) } else { self.remark(&text) }
            }
            SessionEvent::SessionInfoChanged { name } => self.named(name.clone()),
            SessionEvent::ThinkingLevelChanged { .. } => self.catch_up(session),
            SessionEvent::Session { .. } => {
                self.named(session.session().session_name());
                self.state.lock().cost = cost_of(session);
            }
            _ => {}
        }
    }

    /// The model's answer grows.
    pub(super) fn grow(&self, session: &AgentSession, item: &StreamItem) {
        match &item.event {
            StreamEvent::TextDelta { delta, .. } if !delta.is_empty() => {
                let message = self.state.lock().stream();
                self.outbox.push(SessionUpdate::AgentMessageChunk(chunk(text_block(delta), &message)));
            }
            StreamEvent::ThinkingDelta { delta, .. } if !delta.is_empty() => {
                let message = self.state.lock().stream();
                self.outbox.push(SessionUpdate::AgentThoughtChunk(chunk(text_block(delta), &message)));
            }
            StreamEvent::ToolCallStart { index } => {
                if let Some(Block::ToolCall(call)) = item.partial.block(*index)
                    && !call.id.is_empty()
                    && !call.name.is_empty()
                {
                    self.announce(session, &call.id, &call.name, None);
                }
            }
            StreamEvent::ToolCallEnd { tool_call, .. } => {
                self.announce(session, &tool_call.id, &tool_call.name, Some(&tool_call.arguments));
            }
            _ => {}
        }
    }

    /// A message is complete.
    pub(super) fn message(&self, message: &Message) {
        let mut state = self.state.lock();
        match message {
            Message::User(user) => {
                if state.own > 0 {
                    state.own -= 1;
                    return;
                }
                let id = state.next_message();
                let blocks = user.content.to_blocks();
                let shown = blocks.iter().filter_map(shown);
                shown.for_each(|block| self.outbox.push(SessionUpdate::UserMessageChunk(chunk(block, &id))));
            }
            Message::Assistant(answer) => {
                // A provider may give its answer in one piece; pictures always come so.
                let (whole, id) = (!state.streamed, state.current_message());
                for block in answer.content.iter().filter(|block| whole || matches!(block, Block::Image(_))) {
                    if let Block::Thinking(thinking) = block
                        && !thinking.thinking.is_empty()
                    {
                        let thought = chunk(text_block(&thinking.thinking), &id);
                        self.outbox.push(SessionUpdate::AgentThoughtChunk(thought));
                    }
                    if let Some(block) = shown(block) {
                        self.outbox.push(SessionUpdate::AgentMessageChunk(chunk(block, &id)));
                    }
                }
                state.ended = Some((answer.stop_reason.clone(), answer.error_message.clone()));
                state.cost += answer.usage.cost.total;
            }
            Message::Custom(custom) if custom.display => {
                let id = state.next_message();
                let blocks = custom.content.to_blocks();
                let shown = blocks.iter().filter_map(shown);
                shown.for_each(|block| self.outbox.push(SessionUpdate::AgentMessageChunk(chunk(block, &id))));
            }
            _ => {}
        }
    }
}
