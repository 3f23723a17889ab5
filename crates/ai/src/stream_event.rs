//! What happens while a model answers.

use std::sync::Arc;

use crate::{AssistantMessage, ToolCallBlock};

/// What happens while a model answers. `index` counts the content blocks of the message from 0.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    /// The provider began to answer.
    Start,
    /// A text block began.
    TextStart {
        /// Block.
        index: usize,
    },
    /// A text block grew.
    TextDelta {
        /// Block.
        index: usize,
        /// The new text.
        delta: String,
    },
    /// A text block is complete.
    TextEnd {
        /// Block.
        index: usize,
        /// All of its text.
        content: String,
    },
    /// A thinking block began.
    ThinkingStart {
        /// Block.
        index: usize,
    },
    /// A thinking block grew.
    ThinkingDelta {
        /// Block.
        index: usize,
        /// The new text.
        delta: String,
    },
    /// A thinking block is complete.
    ThinkingEnd {
        /// Block.
        index: usize,
        /// All of its text.
        content: String,
    },
    /// A tool call began.
    ToolCallStart {
        /// Block.
        index: usize,
    },
    /// The arguments of a tool call grew.
    ToolCallDelta {
        /// Block.
        index: usize,
        /// A piece of JSON text.
        delta: String,
    },
    /// A tool call is complete.
    ToolCallEnd {
        /// Block.
        index: usize,
        /// The call with its parsed arguments.
        tool_call: Box<ToolCallBlock>,
    },
    /// The answer is complete.
    Done {
        /// The final message.
        message: Arc<AssistantMessage>,
    },
    /// The request failed or was aborted; `message.stop_reason` tells which.
    Error {
        /// What there is of the message.
        message: Arc<AssistantMessage>,
    },
}

impl StreamEvent {
    /// The name of the event in the JSON event stream.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::TextStart { .. } => "text_start",
            Self::TextDelta { .. } => "text_delta",
            Self::TextEnd { .. } => "text_end",
            Self::ThinkingStart { .. } => "thinking_start",
            Self::ThinkingDelta { .. } => "thinking_delta",
            Self::ThinkingEnd { .. } => "thinking_end",
            Self::ToolCallStart { .. } => "toolcall_start",
            Self::ToolCallDelta { .. } => "toolcall_delta",
            Self::ToolCallEnd { .. } => "toolcall_end",
            Self::Done { .. } => "done",
            Self::Error { .. } => "error",
        }
    }

    /// The final message, when this event ends the stream.
    pub fn final_message(&self) -> Option<&Arc<AssistantMessage>> {
        match self {
            Self::Done { message } | Self::Error { message } => Some(message),
            _ => None,
        }
    }
}
