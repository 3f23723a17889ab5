//! What a user sees: updates put together as an editor does it.

use agent_client_protocol::v1::schema::{ContentBlock, ContentChunk, SessionUpdate, ToolCall, ToolCallContent};

/// A part of the conversation, as it is shown.
#[expect(clippy::large_enum_variant, reason = "a test holds a few of them")]
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    User(String),
    Thought(String),
    Said(String),
    Call(ToolCall),
    Notice(String),
}

impl Shown {
    /// In short: a call by its title, its status and its texts.
    pub fn line(&self) -> String {
        match self {
            Self::User(text) => format!("user: {text}"),
            Self::Thought(text) => format!("thinks: {text}"),
            Self::Said(text) => format!("says: {text}"),
            Self::Notice(text) => format!("notice: {text}"),
            Self::Call(call) => {
                let status = serde_json::to_value(call.status).expect("JSON");
                let mut line = format!("{} ({})", call.title, status.as_str().expect("a name"));
                for content in &call.content {
                    match content {
                        ToolCallContent::Content(content) => line.push_str(&format!(" {}", text_of(&content.content))),
                        ToolCallContent::Diff(diff) => {
                            line.push_str(&format!(" {:?} → {:?}", diff.old_text, diff.new_text));
                        }
                        other => line.push_str(&format!(" {other:?}")),
                    }
                }
                line
            }
        }
    }
}

fn text_of(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("<{}>", image.mime_type),
        other => format!("{other:?}"),
    }
}

/// Puts updates together.
pub fn shown(updates: &[SessionUpdate]) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut message = None;
    let mut grow = |all: &mut Vec<Shown>, chunk: &ContentChunk, make: fn(String) -> Shown| {
        let text = text_of(&chunk.content);
        let same = message == chunk.message_id;
        message.clone_from(&chunk.message_id);
        let next = make(text.clone());
        match (all.last_mut(), &next) {
            (Some(Shown::User(last)), Shown::User(_))
            | (Some(Shown::Thought(last)), Shown::Thought(_))
            | (Some(Shown::Said(last)), Shown::Said(_))
                if same =>
            {
                last.push_str(&text);
            }
            _ => all.push(next),
        }
    };
    for update in updates {
        match update {
            SessionUpdate::UserMessageChunk(chunk) => grow(&mut all, chunk, Shown::User),
            SessionUpdate::AgentThoughtChunk(chunk) => grow(&mut all, chunk, Shown::Thought),
            SessionUpdate::AgentMessageChunk(chunk) => grow(&mut all, chunk, Shown::Said),
            SessionUpdate::ToolCall(call) => all.push(Shown::Call(call.clone())),
            SessionUpdate::ToolCallUpdate(update) => {
                let calls = all.iter_mut().filter_map(|shown| match shown {
                    Shown::Call(call) => Some(call),
                    _ => None,
                });
                let call = calls.into_iter().find(|call| call.tool_call_id == update.tool_call_id);
                call.expect("a call that was announced").update(update.fields.clone());
            }
            SessionUpdate::Notice(notice) => all.push(Shown::Notice(notice.title.clone())),
            _ => {}
        }
    }
    all
}
