//! The request as the scripted model sees it: no provider's format, just model, prompt, messages and tools.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ContentBlock, Message, StreamRequest, ToolDeclaration, ToolResultMessage};

/// `{model, system, messages, tools}`; messages and tools in the JSON form that sessions and events use.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Payload {
    /// The model's id.
    pub model: String,
    /// The system prompt.
    #[serde(default)]
    pub system: Option<String>,
    /// User, assistant and tool-result messages.
    pub messages: Vec<Arc<Message>>,
    /// What the model may call.
    #[serde(default)]
    pub tools: Vec<ToolDeclaration>,
}

impl Payload {
    /// The payload of a request. Messages of roles that no provider knows are left out.
    pub fn new(request: &StreamRequest) -> Self {
        let known = |message: &&Arc<Message>| {
            matches!(***message, Message::User(_) | Message::Assistant(_) | Message::ToolResult(_))
        };
        Self {
            model: request.model.id.clone(),
            system: request.system.clone(),
            messages: request.messages.iter().filter(known).cloned().collect(),
            tools: request.tools.to_vec(),
        }
    }

    /// The payload as JSON.
    pub fn to_value(&self) -> Value {
        // Strings, numbers and JSON values always serialise.
        crate::to_json(self)
    }

    /// Reads a payload that a hook may have replaced.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        Self::deserialize(value)
            .map_err(|error| format!("the request payload is no {{model, system, messages, tools}}: {error}"))
    }

    /// All tool results, oldest first.
    pub fn tool_results(&self) -> impl DoubleEndedIterator<Item = &ToolResultMessage> {
        self.messages.iter().filter_map(|message| as_tool_result(message))
    }

    /// The tool results this request brings: those after the last assistant message.
    pub fn new_tool_results(&self) -> impl Iterator<Item = &ToolResultMessage> {
        let since = self.messages.iter().rposition(|message| message.as_assistant().is_some());
        self.messages[since.map_or(0, |at| at + 1)..].iter().filter_map(|message| as_tool_result(message))
    }

    /// The text of the last user message.
    pub fn last_user(&self) -> Option<String> {
        self.messages.iter().rev().find_map(|message| match &**message {
            Message::User(user) => Some(user.content.text()),
            _ => None,
        })
    }

    /// Names of the tools, in the order they were declared.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }

    /// The text of every message.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        self.messages.iter().map(|message| match &**message {
            Message::User(user) => user.content.text(),
            Message::Assistant(assistant) => assistant.texts().collect::<Vec<_>>().join("\n"),
            Message::ToolResult(result) => result.text(),
            _ => String::new(),
        })
    }

    /// How many images the messages hold.
    pub fn images(&self) -> usize {
        let images = |blocks: &[ContentBlock]| blocks.iter().filter(|b| matches!(b, ContentBlock::Image(_))).count();
        self.messages
            .iter()
            .map(|message| match &**message {
                Message::User(user) => images(&user.content.to_blocks()),
                Message::ToolResult(result) => images(&result.content),
                _ => 0,
            })
            .sum()
    }

    /// Whether a tool call of that id was made before.
    pub fn has_call(&self, id: &str) -> bool {
        self.messages
            .iter()
            .filter_map(|message| message.as_assistant())
            .any(|message| message.tool_calls().any(|call| call.id == id))
    }
}

fn as_tool_result(message: &Message) -> Option<&ToolResultMessage> {
    match message {
        Message::ToolResult(result) => Some(result),
        _ => None,
    }
}

impl ToolResultMessage {
    /// The text blocks joined by newlines.
    pub(super) fn text(&self) -> String {
        self.content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n")
    }
}
