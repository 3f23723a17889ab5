//! A message while it is being generated.
//!
//! Blocks only grow, so all snapshots of one answer share one buffer. A snapshot is that buffer plus a
//! version number: taking one costs the same at the first and at the ten-thousandth delta, and it shows the
//! message exactly as it stood then, however far the stream has moved on since.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{
    AssistantMessage, ContentBlock, ImageBlock, Secrets, StopReason, StreamEvent, TextBlock, ThinkingBlock,
    ToolCallBlock, Usage,
};

/// One event together with the message as it stood at that event.
#[derive(Debug, Clone)]
pub struct StreamItem {
    /// What happened.
    pub event: StreamEvent,
    /// The message so far. Costs nothing until somebody looks.
    pub partial: PartialMessage,
}

/// The message as it stood at one event of a stream.
#[derive(Clone)]
pub struct PartialMessage {
    buffer: Arc<Buffer>,
    version: u32,
}

impl std::fmt::Debug for PartialMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("PartialMessage").field(&self.to_message()).finish()
    }
}

struct Buffer {
    head: AssistantMessage,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    version: u32,
    blocks: Vec<Growing>,
    /// In the order in which they arrived.
    usage: Vec<Report>,
    /// Message-level fields that arrived later (a response id, say), with their version.
    extra: Vec<(u32, String, Value)>,
    /// Set once the final message exists.
    end: Option<(u32, Arc<AssistantMessage>)>,
}

/// What was used so far, and the version at which the provider said so.
struct Report {
    since: u32,
    usage: Usage,
    /// As JSON: it is written with every event until the next report.
    text: OnceLock<Arc<RawValue>>,
}

/// One block, with the version at which each length was reached.
struct Growing {
    since: u32,
    kind: Kind,
    text: String,
    marks: Vec<(u32, usize)>,
    /// The finished block, and when it was finished.
    closed: Option<(u32, ContentBlock)>,
}

enum Kind {
    Text,
    Thinking,
    ToolCall { id: String, name: String },
    Whole,
}

impl Growing {
    fn at(&self, version: u32) -> Option<ContentBlock> {
        if self.since > version {
            return None;
        }
        if let Some((closed_at, block)) = &self.closed
            && *closed_at <= version
        {
            return Some(block.clone());
        }
        let known = self.marks.partition_point(|(at, _)| *at <= version);
        let length = known.checked_sub(1).map_or(0, |last| self.marks[last].1);
        Some(self.open_block(&self.text[..length]))
    }

    fn open_block(&self, text: &str) -> ContentBlock {
        match &self.kind {
            Kind::Text | Kind::Whole => ContentBlock::text(text),
            Kind::Thinking => {
                ContentBlock::Thinking(ThinkingBlock { thinking: text.to_owned(), ..ThinkingBlock::default() })
            }
            Kind::ToolCall { id, name } => ContentBlock::ToolCall(ToolCallBlock {
                id: id.clone(),
                name: name.clone(),
                arguments: crate::partial_json::parse(text),
                ..ToolCallBlock::default()
            }),
        }
    }
}

impl PartialMessage {
    /// A snapshot of a message that is already complete.
    pub fn complete(message: Arc<AssistantMessage>) -> Self {
        let buffer = Buffer {
            head: AssistantMessage { content: Vec::new(), ..AssistantMessage::clone(&message) },
            state: Mutex::new(State { end: Some((0, message)), ..State::default() }),
        };
        Self { buffer: Arc::new(buffer), version: 0 }
    }

    /// Builds the message. Costs as much as the message is long.
    pub fn to_message(&self) -> AssistantMessage {
        let state = self.buffer.state.lock();
        if let Some((at, message)) = &state.end
            && *at <= self.version
        {
            return AssistantMessage::clone(message);
        }
        state.message_at(&self.buffer.head, self.version)
    }

    /// The block at `index` alone, if it had begun.
    pub fn block(&self, index: usize) -> Option<ContentBlock> {
        self.buffer.state.lock().blocks.get(index)?.at(self.version)
    }

    /// The latest usage report at this point.
    pub fn usage(&self) -> Usage {
        let state = self.buffer.state.lock();
        match &state.end {
            Some((at, message)) if *at <= self.version => message.usage.clone(),
            _ => state.usage_at(self.version),
        }
    }

    /// [`Self::usage`] as JSON text, written once for all events that show the same.
    ///
    /// # Errors
    /// When it has no JSON form.
    pub fn usage_json(&self) -> Result<Arc<RawValue>, serde_json::Error> {
        let state = self.buffer.state.lock();
        let write = |usage: &Usage| serde_json::value::to_raw_value(usage).map(Arc::from);
        if let Some((_, message)) = state.end.as_ref().filter(|(at, _)| *at <= self.version) {
            return write(&message.usage);
        }
        let Some(report) = state.report_at(self.version) else { return write(&Usage::default()) };
        match report.text.get() {
            Some(text) => Ok(Arc::clone(text)),
            None => write(&report.usage).map(|text| Arc::clone(report.text.get_or_init(|| text))),
        }
    }
}

impl State {
    fn report_at(&self, version: u32) -> Option<&Report> {
        let known = self.usage.partition_point(|report| report.since <= version);
        self.usage.get(known.checked_sub(1)?)
    }

    fn usage_at(&self, version: u32) -> Usage {
        self.report_at(version).map(|report| report.usage.clone()).unwrap_or_default()
    }

    fn message_at(&self, head: &AssistantMessage, version: u32) -> AssistantMessage {
        let mut message = head.clone();
        message.content = self.blocks.iter().map_while(|block| block.at(version)).collect();
        message.usage = self.usage_at(version);
        for (_, key, value) in self.extra.iter().take_while(|(at, ..)| *at <= version) {
            message.extra.insert(key.clone(), value.clone());
        }
        message
    }
}

/// Builds an answer piece by piece; every step returns the stream item to emit.
pub struct MessageBuilder {
    buffer: Arc<Buffer>,
    /// What neither an error nor a field may quote.
    secrets: Secrets,
}

impl MessageBuilder {
    /// Starts an answer. `head` gives everything but content, usage and the way it ends.
    pub fn new(head: AssistantMessage) -> Self {
        let buffer = Arc::new(Buffer { head, state: Mutex::new(State::default()) });
        Self { buffer, secrets: Secrets::default() }
    }

    /// Takes secrets out of what the provider says beside the answer itself.
    #[must_use]
    pub fn hiding(self, secrets: Secrets) -> Self {
        Self { secrets, ..self }
    }

    /// The head of an answer of `model`, stamped now.
    pub fn head_for(model: &crate::Model) -> AssistantMessage {
        Self::head_at(model, crate::now_ms())
    }

    /// The head of an answer of `model`, with a time in milliseconds since the epoch.
    pub fn head_at(model: &crate::Model, timestamp: i64) -> AssistantMessage {
        AssistantMessage {
            timestamp,
            api: model.api.clone(),
            provider: model.provider.clone(),
            model: model.id.clone(),
            // Until it is known why the answer ended.
            stop_reason: StopReason::Other("pending".to_owned()),
            ..AssistantMessage::empty()
        }
    }

    fn step(&self, event: impl FnOnce(&mut State) -> StreamEvent) -> StreamItem {
        let mut state = self.buffer.state.lock();
        state.version += 1;
        let event = event(&mut state);
        let version = state.version;
        drop(state);
        StreamItem { event, partial: PartialMessage { buffer: Arc::clone(&self.buffer), version } }
    }

    fn open(&self, kind: Kind, event: impl FnOnce(usize) -> StreamEvent) -> (usize, StreamItem) {
        let mut index = 0;
        let item = self.step(|state| {
            index = state.blocks.len();
            let since = state.version;
            state.blocks.push(Growing { since, kind, text: String::new(), marks: Vec::new(), closed: None });
            event(index)
        });
        (index, item)
    }

    fn grow(&self, index: usize, delta: &str, event: StreamEvent) -> StreamItem {
        self.step(|state| {
            let version = state.version;
            if let Some(block) = state.blocks.get_mut(index) {
                block.text.push_str(delta);
                block.marks.push((version, block.text.len()));
            }
            event
        })
    }

    fn close(&self, index: usize, finish: impl FnOnce(&str, &Kind) -> (ContentBlock, StreamEvent)) -> StreamItem {
        self.step(|state| {
            let version = state.version;
            let block = &mut state.blocks[index];
            let (content, event) = finish(&block.text, &block.kind);
            block.closed = Some((version, content));
            event
        })
    }

    /// The provider began to answer.
    pub fn start(&self) -> StreamItem {
        self.step(|_| StreamEvent::Start)
    }

    /// Opens a text block; returns its index.
    pub fn text_start(&self) -> (usize, StreamItem) {
        self.open(Kind::Text, |index| StreamEvent::TextStart { index })
    }

    /// Adds to a text block.
    pub fn text_delta(&self, index: usize, delta: &str) -> StreamItem {
        self.grow(index, delta, StreamEvent::TextDelta { index, delta: delta.to_owned() })
    }

    /// Completes a text block.
    ///
    /// # Panics
    /// When no block of that index was opened.
    pub fn text_end(&self, index: usize, signature: Option<String>) -> StreamItem {
        self.text_end_as(index, None, signature)
    }

    /// Completes a text block, with another text than was collected if the provider says so in the end.
    ///
    /// # Panics
    /// When no block of that index was opened.
    pub(crate) fn text_end_as(&self, index: usize, text: Option<String>, signature: Option<String>) -> StreamItem {
        self.close(index, |collected, _| {
            let text = text.unwrap_or_else(|| collected.to_owned());
            let block = TextBlock { text: text.clone(), text_signature: signature, ..TextBlock::default() };
            (ContentBlock::Text(block), StreamEvent::TextEnd { index, content: text })
        })
    }

    /// Opens a thinking block; returns its index.
    pub fn thinking_start(&self) -> (usize, StreamItem) {
        self.open(Kind::Thinking, |index| StreamEvent::ThinkingStart { index })
    }

    /// Adds to a thinking block.
    pub fn thinking_delta(&self, index: usize, delta: &str) -> StreamItem {
        self.grow(index, delta, StreamEvent::ThinkingDelta { index, delta: delta.to_owned() })
    }

    /// Completes a thinking block. `redacted` marks text the provider withheld.
    ///
    /// # Panics
    /// When no block of that index was opened.
    pub fn thinking_end(&self, index: usize, signature: Option<String>, redacted: bool) -> StreamItem {
        self.thinking_end_as(index, None, signature, redacted)
    }

    /// Completes a thinking block, with another text than was collected if the provider says so in the end.
    ///
    /// # Panics
    /// When no block of that index was opened.
    pub(crate) fn thinking_end_as(
        &self,
        index: usize,
        text: Option<String>,
        signature: Option<String>,
        redacted: bool,
    ) -> StreamItem {
        self.close(index, |collected, _| {
            let text = text.unwrap_or_else(|| collected.to_owned());
            let block = ThinkingBlock {
                thinking: text.clone(),
                thinking_signature: signature,
                redacted: redacted.then_some(true),
                ..ThinkingBlock::default()
            };
            (ContentBlock::Thinking(block), StreamEvent::ThinkingEnd { index, content: text })
        })
    }

    /// Replaces the signature of a thinking block that is complete.
    pub(crate) fn set_thinking_signature(&self, index: usize, signature: String) {
        let mut state = self.buffer.state.lock();
        let closed = state.blocks.get_mut(index).and_then(|block| block.closed.as_mut());
        if let Some((_, ContentBlock::Thinking(block))) = closed {
            block.thinking_signature = Some(signature);
        }
    }

    /// Opens a tool call; returns its index.
    pub fn tool_call_start(&self, id: &str, name: &str) -> (usize, StreamItem) {
        let kind = Kind::ToolCall { id: id.to_owned(), name: name.to_owned() };
        self.open(kind, |index| StreamEvent::ToolCallStart { index })
    }

    /// Adds JSON text to the arguments of a tool call.
    pub fn tool_call_delta(&self, index: usize, delta: &str) -> StreamItem {
        self.grow(index, delta, StreamEvent::ToolCallDelta { index, delta: delta.to_owned() })
    }

    /// Completes a tool call. `call` is the call as it will be executed.
    ///
    /// # Panics
    /// When no block of that index was opened.
    pub fn tool_call_end(&self, index: usize, call: ToolCallBlock) -> StreamItem {
        self.close(index, |_, _| {
            (ContentBlock::ToolCall(call.clone()), StreamEvent::ToolCallEnd { index, tool_call: Box::new(call) })
        })
    }

    /// The JSON text a tool call has collected so far.
    pub fn collected(&self, index: usize) -> String {
        self.buffer.state.lock().blocks.get(index).map(|block| block.text.clone()).unwrap_or_default()
    }

    /// Adds an image that came in one piece.
    pub fn image(&self, image: ImageBlock) {
        let mut state = self.buffer.state.lock();
        state.version += 1;
        let since = state.version;
        state.blocks.push(Growing {
            since,
            kind: Kind::Whole,
            text: String::new(),
            marks: Vec::new(),
            closed: Some((since, ContentBlock::Image(image))),
        });
    }

    /// Records a usage report; the next snapshots show it.
    pub(crate) fn set_usage(&self, usage: Usage) {
        let mut state = self.buffer.state.lock();
        // Some providers say the same with every piece.
        if state.usage.last().is_some_and(|last| last.usage == usage) {
            return;
        }
        state.version += 1;
        let version = state.version;
        state.usage.push(Report { since: version, usage, text: OnceLock::new() });
    }

    /// Records a message-level field; the next snapshots show it.
    pub(crate) fn set_extra(&self, key: &str, mut value: Value) {
        self.secrets.hide_in(&mut value);
        let mut state = self.buffer.state.lock();
        state.version += 1;
        let version = state.version;
        state.extra.push((version, key.to_owned(), value));
    }

    /// The latest usage report.
    pub fn usage(&self) -> Usage {
        let state = self.buffer.state.lock();
        state.usage_at(state.version)
    }

    /// The answer so far. Costs as much as it is long.
    pub(crate) fn so_far(&self) -> AssistantMessage {
        let state = self.buffer.state.lock();
        state.message_at(&self.buffer.head, state.version)
    }

    fn finish(&self, stop_reason: StopReason, error: Option<String>) -> (Arc<AssistantMessage>, PartialMessage) {
        let mut state = self.buffer.state.lock();
        state.version += 1;
        let version = state.version;
        let mut message = state.message_at(&self.buffer.head, version);
        message.stop_reason = stop_reason;
        message.error_message = error;
        let message = Arc::new(message);
        state.end = Some((version, Arc::clone(&message)));
        drop(state);
        (message, PartialMessage { buffer: Arc::clone(&self.buffer), version })
    }

    /// Ends the answer.
    pub fn done(&self, stop_reason: StopReason) -> StreamItem {
        let (message, partial) = self.finish(stop_reason, None);
        StreamItem { event: StreamEvent::Done { message }, partial }
    }

    /// Ends the answer with a failure; what was generated so far is kept.
    pub fn error(&self, stop_reason: StopReason, error: impl Into<String>) -> StreamItem {
        let (message, partial) = self.finish(stop_reason, Some(self.secrets.hide(error.into())));
        StreamItem { event: StreamEvent::Error { message }, partial }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> AssistantMessage {
        serde_json::from_value(serde_json::json!({"content": []})).expect("a head")
    }

    #[test]
    fn a_snapshot_shows_the_state_at_its_event_after_the_stream_moved_on() {
        let builder = MessageBuilder::new(head());
        let (index, opened) = builder.text_start();
        let first = builder.text_delta(index, "Hel");
        let second = builder.text_delta(index, "lo");
        let (call, call_opened) = builder.tool_call_start("c1", "read");
        builder.tool_call_delta(call, r#"{"path":"#);
        let half = builder.tool_call_delta(call, r#""a.txt"#);
        builder.done(StopReason::Stop);

        let texts = |item: &StreamItem| item.partial.to_message().texts().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(texts(&opened), [""]);
        assert_eq!(texts(&first), ["Hel"]);
        assert_eq!(texts(&second), ["Hello"]);
        assert_eq!(call_opened.partial.to_message().content.len(), 2);
        let call = half.partial.to_message().tool_calls().next().cloned().expect("a call");
        assert_eq!(call.arguments, serde_json::json!({"path": "a.txt"}));
    }

    #[test]
    fn a_failed_answer_keeps_what_was_generated() {
        let builder = MessageBuilder::new(head());
        let (index, _) = builder.text_start();
        builder.text_delta(index, "half");
        let end = builder.error(StopReason::Aborted, "Request was aborted");
        let message = end.event.final_message().expect("final");
        assert_eq!(message.texts().collect::<Vec<_>>(), ["half"]);
        assert_eq!(message.stop_reason, StopReason::Aborted);
        assert_eq!(message.error_message.as_deref(), Some("Request was aborted"));
    }
}
