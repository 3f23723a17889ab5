//! Tells a client what was said in a session before it opened it.

use std::collections::HashMap;
use std::sync::Arc;

use agent_client_protocol::v1::schema::{
    CompactionStatus, CompactionUpdate, ContentBlock, SessionUpdate, TextContent, ToolCall, ToolCallContent,
    ToolCallStatus, ToolKind,
};
use serde_json::{Value, json};
use tau_agent::AgentSession;
use tau_ai::{BashExecutionMessage, ContentBlock as Block, Message, MessageContent, ToolCallBlock, ToolResultMessage};
use tau_session::{Entry, EntryBody};

use super::outbox::Outbox;
use super::teller::{Abilities, chunk, finished, label, shown};
use super::tools;

/// Tells everything on the current branch, also what the model does not see any more.
pub(super) fn replay(session: &AgentSession, client: Abilities, outbox: &Outbox) {
    let branch = session.session().branch_path(None);
    let results = branch.iter().filter_map(|entry| match &*entry.body() {
        EntryBody::Message(body) => match &*body.message {
            Message::ToolResult(result) => Some((result.tool_call_id.clone(), Arc::clone(&body.message))),
            _ => None,
        },
        _ => None,
    });
    let replay = Replay { session, client, outbox, results: results.collect() };
    branch.iter().for_each(|entry| replay.entry(entry));
}

struct Replay<'a> {
    session: &'a AgentSession,
    client: Abilities,
    outbox: &'a Outbox,
    /// Messages with results, by their calls.
    results: HashMap<String, Arc<Message>>,
}

impl Replay<'_> {
    fn entry(&self, entry: &Entry) {
        let id = entry.id().as_str();
        match &*entry.body() {
            EntryBody::Message(body) => self.message(&body.message, id),
            EntryBody::CustomMessage(custom) if custom.display => self.answer(&custom.content, id),
            EntryBody::Compaction(compaction) => {
                self.summary(&compaction.summary, id, "The conversation was compacted")
            }
            EntryBody::BranchSummary(branch) => {
                self.thought(&format!("Summary of the branch that was left:\n\n{}\n", branch.summary), id);
            }
            _ => {}
        }
    }

    fn message(&self, message: &Message, id: &str) {
        match message {
            Message::User(user) => {
                let blocks = user.content.to_blocks();
                for block in blocks.iter().filter_map(shown) {
                    self.outbox.push(SessionUpdate::UserMessageChunk(chunk(block, id)));
                }
            }
            Message::Assistant(answer) => {
                for block in &answer.content {
                    match block {
                        Block::Thinking(thinking) if !thinking.thinking.is_empty() => {
                            self.thought(&thinking.thinking, id);
                        }
                        Block::ToolCall(call) => self.call(call),
                        block => {
                            let block = shown(block).into_iter();
                            block.for_each(|block| {
                                self.outbox.push(SessionUpdate::AgentMessageChunk(chunk(block, id)));
                            });
                        }
                    }
                }
            }
            Message::Custom(custom) if custom.display => self.answer(&custom.content, id),
            Message::BashExecution(command) => self.command(command, id),
            _ => {}
        }
    }

    fn answer(&self, content: &MessageContent, id: &str) {
        for block in content.to_blocks().iter().filter_map(shown) {
            self.outbox.push(SessionUpdate::AgentMessageChunk(chunk(block, id)));
        }
    }

    fn thought(&self, text: &str, id: &str) {
        let block = ContentBlock::Text(TextContent::new(text));
        self.outbox.push(SessionUpdate::AgentThoughtChunk(chunk(block, id)));
    }

    fn summary(&self, summary: &str, id: &str, what: &str) {
        if !self.client.compactions {
            return self.thought(&format!("{what}:\n\n{summary}\n"), id);
        }
        let update = CompactionUpdate::new(id.to_owned(), CompactionStatus::Completed);
        let update = update.summary(vec![ContentBlock::Text(TextContent::new(summary))]);
        self.outbox.push(SessionUpdate::CompactionUpdate(update));
    }

    /// A call with its result. One without was cut off.
    fn call(&self, block: &ToolCallBlock) {
        let (name, args, cwd) = (&*block.name, &block.arguments, self.session.cwd());
        let title = tools::title(name, &label(self.session, name), args);
        let mut call = ToolCall::new(block.id.clone(), title).name(name.to_owned()).kind(tools::kind(name));
        call.locations = tools::locations(name, args, &cwd);
        call.raw_input = Some(args.clone());
        call.status = ToolCallStatus::Failed;
        // What a file was like before it was overwritten is not known any more.
        if name != "write" {
            call.content = tools::changes(name, args, &cwd);
        }
        if let Some(Message::ToolResult(result)) = self.results.get(&block.id).map(|message| &**message) {
            let fields = finished(name, &as_json(result), result.is_error, Some(&call));
            call.update(fields);
        }
        self.outbox.push(SessionUpdate::ToolCall(call));
    }

    fn command(&self, command: &BashExecutionMessage, id: &str) {
        let args = json!({ "command": command.command });
        let mut call = ToolCall::new(id.to_owned(), tools::title("bash", "bash", &args)).kind(ToolKind::Execute);
        call.status = if command.cancelled || command.exit_code.is_some_and(|code| code != 0) {
            ToolCallStatus::Failed
        } else {
            ToolCallStatus::Completed
        };
        call.raw_input = Some(args);
        call.content = vec![ToolCallContent::from(tools::fenced(&command.output))];
        self.outbox.push(SessionUpdate::ToolCall(call));
    }
}

fn as_json(result: &ToolResultMessage) -> Value {
    match &result.details {
        Some(details) => json!({ "content": result.content, "details": details }),
        None => json!({ "content": result.content }),
    }
}
