//! Reads the event stream of the Messages interface.

use serde_json::{Value, json};

use super::compat::{Compat, Fallback};
use super::frames::{Block, Delta, Frame, Opening, RawUsage, Text};
use crate::wire::diagnostics::Diagnostics;
use crate::wire::driver::Emitter;
use crate::wire::error::WireError;
use crate::wire::http::Answer;
use crate::wire::repair::repaired;
use crate::wire::reported_cost::{ReportedCost, is_open_router};
use crate::{Model, ModelCost, StopReason, StreamRequest, Usage, tool_args};

/// Stands in for reasoning that came encrypted.
const REDACTED: &str = "[Reasoning redacted]";
/// The end came before the answer's own.
const ENDED: &str = "Anthropic stream ended before message_stop";
/// The answers of two models in one.
const MIXED: &str = "Anthropic changed to another model in the middle of the answer";
/// The events there are, by the name in front of their data; without one it is `message`.
const EVENTS: [&str; 7] = [
    "message",
    "message_start",
    "message_delta",
    "message_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
];
/// Where [`Usage::extra`] counts the cache writes that live for an hour.
const LONG_CACHE: &str = "cacheWrite1h";

/// A block that is being received.
struct Open {
    wire_index: u64,
    index: usize,
    kind: Kind,
}

enum Kind {
    Text,
    Thinking { signature: String, redacted: bool },
    Tool { id: String, name: String, input: Option<Value> },
}

/// Emits the events of an answer; its result is how the answer ended.
pub(super) async fn read(
    mut answer: Answer,
    request: &StreamRequest,
    emitter: &Emitter,
    diagnostics: &mut Diagnostics,
) -> Result<StopReason, WireError> {
    let mut reader = Reader::new(request, emitter);
    while let Some(event) = answer.next().await? {
        if event.event == "error" {
            return Err(answer.reported(event.data));
        }
        if event.event == "ping" {
            continue;
        }
        let repaired_text;
        let frame = match serde_json::from_str::<Frame<'_>>(&event.data) {
            Ok(frame) => Ok(frame),
            Err(error) => {
                repaired_text = repaired(&event.data);
                repaired_text.as_deref().map_or(Err(error), serde_json::from_str)
            }
        };
        let frame = match frame {
            Ok(frame) => frame,
            // Servers have forms of their own for an error.
            Err(_) if is_error(&event.data) => return Err(answer.reported(event.data)),
            // And events of their own.
            Err(_) if !EVENTS.contains(&&*event.event) => continue,
            Err(error) => return Err(answer.bad_event(&error, &event.data, ENDED)),
        };
        if frame.kind == "error" {
            drop(frame);
            return Err(answer.reported(event.data));
        }
        if frame.kind == "message_stop" {
            answer.recycle();
            return reader.finish(diagnostics);
        }
        reader.frame(frame).await?;
    }
    Err(WireError::Protocol(ENDED.to_owned()))
}

fn is_error(data: &str) -> bool {
    serde_json::from_str::<Value>(data).is_ok_and(|data| data["type"] == "error")
}

struct Reader<'r> {
    model: &'r Model,
    emitter: &'r Emitter,
    open: Vec<Open>,
    stop: Option<(String, Option<Value>)>,
    started: bool,
    /// The answer has content.
    has_content: bool,
    /// Prices of the model that answers: another one than was asked may.
    prices: ModelCost,
    /// What the provider did with the conversation.
    transformed: Vec<Value>,
}

impl<'r> Reader<'r> {
    fn new(request: &'r StreamRequest, emitter: &'r Emitter) -> Self {
        Self {
            model: &request.model,
            emitter,
            open: Vec::new(),
            stop: None,
            started: false,
            has_content: false,
            prices: request.model.cost.clone(),
            transformed: Vec::new(),
        }
    }

    async fn frame(&mut self, frame: Frame<'_>) -> Result<(), WireError> {
        if frame.kind == "message_start" {
            self.message_start(frame.message);
        }
        // Whoever sees the answer begin sees what its first event says.
        if !std::mem::replace(&mut self.started, true) {
            self.emitter.emit(self.emitter.builder.start()).await;
        }
        match &*frame.kind {
            "content_block_start" => {
                if let Some(block) = frame.content_block {
                    self.block_start(frame.index, block).await?;
                }
            }
            "content_block_delta" => {
                if let Some(delta) = frame.delta {
                    self.block_delta(frame.index, delta).await;
                }
            }
            "content_block_stop" => self.block_stop(frame.index).await,
            "message_delta" => {
                if let Some(delta) = frame.delta
                    && let Some(reason) = delta.stop_reason
                {
                    self.emitter.builder.set_extra("rawStopReason", json!(reason));
                    self.stop = Some((reason, delta.stop_details));
                }
                self.note_transformed(frame.input_transformations);
                self.usage(frame.usage);
            }
            _ => {}
        }
        Ok(())
    }

    fn message_start(&mut self, opening: Option<Opening>) {
        let Some(opening) = opening else { return };
        let builder = &self.emitter.builder;
        if let Some(id) = opening.id {
            builder.set_extra("responseId", json!(id));
        }
        if let Some(name) = opening.model.filter(|name| *name != self.model.id) {
            let compat = Compat::of(self.model);
            let known = |fallback: &&Fallback| fallback.provider == self.model.provider && fallback.model == name;
            if let Some(fallback) = compat.fallbacks().iter().find(known) {
                self.prices = fallback.cost.clone();
            }
            builder.set_extra("responseModel", json!(name));
        }
        self.note_transformed(opening.input_transformations);
        if let Some(raw) = opening.usage {
            let mut usage = Usage::default();
            usage.extra.insert(LONG_CACHE.to_owned(), json!(0));
            self.report(usage, raw);
        }
    }

    fn note_transformed(&mut self, list: Option<Value>) {
        let Some(Value::Array(list)) = list else { return };
        let known = |one: &Value| -> Value {
            let fields = ["type", "path", "reason"].into_iter().filter_map(|name| Some((name, one.get(name)?)));
            fields.filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value.clone())).collect()
        };
        self.transformed = list.iter().map(known).collect();
    }

    /// Later reports replace the counts they name; proxies leave some out.
    fn usage(&self, raw: Option<RawUsage>) {
        if let Some(raw) = raw {
            self.report(self.emitter.builder.usage(), raw);
        }
    }

    fn report(&self, mut usage: Usage, raw: RawUsage) {
        usage.input = raw.input_tokens.unwrap_or(usage.input);
        usage.output = raw.output_tokens.unwrap_or(usage.output);
        usage.cache_read = raw.cache_read_input_tokens.unwrap_or(usage.cache_read);
        usage.cache_write = raw.cache_creation_input_tokens.unwrap_or(usage.cache_write);
        if let Some(long) =
            raw.cache_creation.and_then(|split| split.ephemeral_1h_input_tokens).filter(|long| *long > 0)
        {
            usage.extra.insert(LONG_CACHE.to_owned(), json!(long));
        }
        usage.reasoning = raw.output_tokens_details.and_then(|details| details.thinking_tokens).or(usage.reasoning);
        usage.total_tokens = usage.sum();
        usage.price(&self.prices);
        if is_open_router(self.model) {
            let (cost, is_byok, details) = (raw.cost.as_ref(), raw.is_byok.as_ref(), raw.cost_details.as_ref());
            ReportedCost { cost, is_byok, details }.apply(&mut usage);
        }
        self.emitter.builder.set_usage(usage);
    }

    async fn block_start(&mut self, wire_index: u64, block: Block) -> Result<(), WireError> {
        let builder = &self.emitter.builder;
        let (kind, (index, item), first) = match block.kind.as_str() {
            "text" => (Kind::Text, builder.text_start(), block.text.unwrap_or_default()),
            "thinking" => {
                let kind = Kind::Thinking { signature: block.signature.unwrap_or_default(), redacted: false };
                (kind, builder.thinking_start(), block.thinking.unwrap_or_default())
            }
            "redacted_thinking" => {
                let kind = Kind::Thinking { signature: block.data.unwrap_or_default(), redacted: true };
                (kind, builder.thinking_start(), REDACTED.to_owned())
            }
            "tool_use" => {
                let (id, name) = (block.id.unwrap_or_default(), block.name.unwrap_or_default());
                let start = builder.tool_call_start(&id, &name);
                (Kind::Tool { id, name, input: block.input }, start, String::new())
            }
            // Another model takes over. What the first one said already must not stand as the second one's words.
            "fallback" if self.has_content => return Err(WireError::Provider(MIXED.to_owned())),
            // Blocks of server-side tools carry nothing for us.
            _ => return Ok(()),
        };
        self.has_content = true;
        let is_text = matches!(kind, Kind::Text);
        self.open.push(Open { wire_index, index, kind });
        self.emitter.emit(item).await;
        if !first.is_empty() {
            let item = if is_text { builder.text_delta(index, &first) } else { builder.thinking_delta(index, &first) };
            self.emitter.emit(item).await;
        }
        Ok(())
    }

    async fn block_delta(&mut self, wire_index: u64, delta: Delta<'_>) {
        let Some(open) = self.open.iter_mut().rfind(|open| open.wire_index == wire_index) else { return };
        let builder = &self.emitter.builder;
        let item = match &mut open.kind {
            Kind::Text => delta.text.map(|Text(text)| builder.text_delta(open.index, &text)),
            Kind::Thinking { signature, .. } => {
                if let Some(more) = &delta.signature {
                    signature.push_str(more);
                }
                delta.thinking.map(|Text(text)| builder.thinking_delta(open.index, &text))
            }
            Kind::Tool { .. } => delta.partial_json.map(|Text(text)| builder.tool_call_delta(open.index, &text)),
        };
        if let Some(item) = item {
            self.emitter.emit(item).await;
        }
    }

    async fn block_stop(&mut self, wire_index: u64) {
        let Some(at) = self.open.iter().rposition(|open| open.wire_index == wire_index) else { return };
        let open = self.open.remove(at);
        self.close(open).await;
    }

    async fn close(&self, open: Open) {
        let builder = &self.emitter.builder;
        let item = match open.kind {
            Kind::Text => builder.text_end(open.index, None),
            Kind::Thinking { signature, redacted } => {
                builder.thinking_end(open.index, (!signature.is_empty()).then_some(signature), redacted)
            }
            Kind::Tool { id, name, input } => {
                let text = builder.collected(open.index);
                let mut call = tool_args::finished_call(id, name, &text);
                // Some servers send the arguments in one piece with the start of the block.
                if let Some(input) = input.filter(|input| text.is_empty() && input.is_object()) {
                    call.arguments = input;
                }
                builder.tool_call_end(open.index, call)
            }
        };
        self.emitter.emit(item).await;
    }

    fn finish(self, diagnostics: &mut Diagnostics) -> Result<StopReason, WireError> {
        if let Some(open) = self.open.iter().find(|open| matches!(open.kind, Kind::Tool { .. })) {
            tracing::debug!(index = open.index, "a tool call was never closed");
            return Err(WireError::Protocol("Anthropic stream ended without closing a tool call".to_owned()));
        }
        let Some((reason, details)) = self.stop else {
            return Err(WireError::Protocol("Anthropic stream ended without a stop reason".to_owned()));
        };
        if !self.transformed.is_empty() {
            let details = json!({"transformations": self.transformed});
            diagnostics.add(&self.emitter.builder, "anthropic_input_transformations", None, details);
        }
        match reason.as_str() {
            "end_turn" | "pause_turn" | "stop_sequence" => Ok(StopReason::Stop),
            "max_tokens" => Ok(StopReason::Length),
            "tool_use" => Ok(StopReason::ToolUse),
            "refusal" => {
                let said = details.as_ref().and_then(|details| details.get("explanation")?.as_str());
                let said = said.unwrap_or("The model refused to complete the request");
                Err(WireError::Provider(said.to_owned()))
            }
            other => Err(WireError::Provider(format!("Provider stopped with: {other}"))),
        }
    }
}
