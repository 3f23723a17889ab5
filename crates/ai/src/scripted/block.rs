//! Writes one block of an answer, delta by delta.

use std::time::Duration;

use super::ScriptedApi;
use super::step::Pace;
use crate::{MessageBuilder, StreamItem, ToolCallBlock};

/// A block that is being written.
pub struct Block {
    index: usize,
    kind: Kind,
    text: String,
    at: usize,
    /// Characters of a delta.
    chunk: usize,
    /// How often the text is still to come, this time included.
    times: u64,
    delta_ms: u64,
}

/// What kind of block it is, and what it ends with.
pub enum Kind {
    Text,
    Thinking { signature: Option<String>, redacted: bool },
    ToolCall(Box<ToolCallBlock>),
}

impl Block {
    /// The block the builder opened at `index`, with all of its text still to come.
    pub fn new(index: usize, kind: Kind, text: String, pace: &Pace, api: &ScriptedApi) -> Self {
        Self {
            index,
            kind,
            text,
            at: 0,
            chunk: pace.chunk.or(api.script.chunk).unwrap_or(usize::MAX),
            times: pace.repeat.unwrap_or(1),
            delta_ms: pace.delta_ms.unwrap_or(api.script.delta_ms),
        }
    }

    /// Whether the end event has been sent.
    pub fn done(&self) -> bool {
        self.times == 0 && self.at > self.text.len()
    }

    /// The next delta, or the end.
    pub async fn write(&mut self, builder: &MessageBuilder) -> StreamItem {
        if self.text.is_empty() || self.times == 0 {
            (self.times, self.at) = (0, self.text.len() + 1);
            return self.end(builder);
        }
        if self.delta_ms > 0 {
            tokio::time::sleep(Duration::from_millis(self.delta_ms)).await;
        }
        let rest = &self.text[self.at..];
        let cut = rest.char_indices().nth(self.chunk).map_or(rest.len(), |(at, _)| at);
        let item = match self.kind {
            Kind::Text => builder.text_delta(self.index, &rest[..cut]),
            Kind::Thinking { .. } => builder.thinking_delta(self.index, &rest[..cut]),
            Kind::ToolCall(_) => builder.tool_call_delta(self.index, &rest[..cut]),
        };
        self.at += cut;
        if self.at == self.text.len() {
            (self.times, self.at) = (self.times - 1, 0);
        }
        item
    }

    fn end(&self, builder: &MessageBuilder) -> StreamItem {
        match &self.kind {
            Kind::Text => builder.text_end(self.index, None),
            Kind::Thinking { signature, redacted } => builder.thinking_end(self.index, signature.clone(), *redacted),
            Kind::ToolCall(call) => builder.tool_call_end(self.index, (**call).clone()),
        }
    }
}
