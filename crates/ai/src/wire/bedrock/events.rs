//! Reads the events of ConverseStream.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;

use super::refusal;
use crate::wire::count::count;
use crate::wire::driver::Emitter;
use crate::wire::error::WireError;
use crate::wire::frames;
use crate::wire::http::Answer;
use crate::{Model, StopReason, Usage, tool_args};

/// Stands in for reasoning that came encrypted.
const REDACTED: &str = "[Reasoning redacted]";
/// The end came before the answer's own.
const ENDED: &str = "Bedrock stream ended without a stop reason";
const UNCLOSED: &str = "Bedrock stream ended without closing a tool call";
/// Where [`Usage::extra`] counts the cache writes that live for an hour.
const LONG_CACHE: &str = "cacheWrite1h";

/// Text that borrows from the event unless it has escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Any event: one of these is there, or none that means anything here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame<'a> {
    content_block_start: Option<BlockStart>,
    #[serde(borrow)]
    content_block_delta: Option<BlockDelta<'a>>,
    content_block_stop: Option<BlockStop>,
    message_stop: Option<MessageStop>,
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BlockStart {
    #[serde(default)]
    content_block_index: u64,
    start: Option<Start>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Start {
    tool_use: Option<ToolStart>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolStart {
    tool_use_id: Option<String>,
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BlockDelta<'a> {
    #[serde(default)]
    content_block_index: u64,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delta<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    tool_use: Option<ToolDelta<'a>>,
    #[serde(borrow)]
    reasoning_content: Option<Reasoning<'a>>,
}

#[derive(Deserialize)]
struct ToolDelta<'a> {
    #[serde(borrow)]
    input: Option<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reasoning<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
    signature: Option<String>,
    redacted_content: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BlockStop {
    #[serde(default)]
    content_block_index: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageStop {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    usage: Option<RawUsage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawUsage {
    #[serde(default, deserialize_with = "count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    total_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    cache_read_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    cache_write_input_tokens: Option<u64>,
    cache_details: Option<Vec<CacheDetail>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CacheDetail {
    ttl: Option<String>,
    #[serde(default, deserialize_with = "count")]
    input_tokens: Option<u64>,
}

/// A block that is being received.
struct Open {
    wire_index: u64,
    index: usize,
    kind: Kind,
}

enum Kind {
    Text,
    Thinking {
        signature: String,
        /// Reasoning that came encrypted, all of its pieces.
        sealed: Option<Vec<u8>>,
    },
    Tool {
        id: String,
        name: String,
    },
}

/// Emits the events of an answer; its result is how the answer ended.
pub(super) async fn read(mut answer: Answer, model: &Model, emitter: &Emitter) -> Result<StopReason, WireError> {
    let mut reader = Reader { model, emitter, open: Vec::new(), stop: None, started: false };
    while let Some(event) = answer.next().await? {
        if event.event == frames::ERROR || event.event.ends_with("Exception") {
            return Err(answer.reported(refusal::in_stream(&event.event, &event.data)));
        }
        let mut repaired = String::new();
        let frame: Frame<'_> = answer.parsed(&event.data, &mut repaired, ENDED)?;
        reader.frame(frame).await?;
    }
    reader.finish()
}

struct Reader<'r> {
    model: &'r Model,
    emitter: &'r Emitter,
    open: Vec<Open>,
    stop: Option<String>,
    started: bool,
}

impl Reader<'_> {
    async fn frame(&mut self, frame: Frame<'_>) -> Result<(), WireError> {
        if !std::mem::replace(&mut self.started, true) {
            self.emitter.emit(self.emitter.builder.start()).await;
        }
        if let Some(BlockStart { content_block_index, start: Some(Start { tool_use: Some(tool) }) }) =
            frame.content_block_start
        {
            let (id, name) = (tool.tool_use_id.unwrap_or_default(), tool.name.unwrap_or_default());
            let (index, item) = self.emitter.builder.tool_call_start(&id, &name);
            self.open.push(Open { wire_index: content_block_index, index, kind: Kind::Tool { id, name } });
            self.emitter.emit(item).await;
        }
        if let Some(BlockDelta { content_block_index, delta: Some(delta) }) = frame.content_block_delta {
            self.delta(content_block_index, delta).await?;
        }
        if let Some(stop) = frame.content_block_stop
            && let Some(at) = self.open.iter().rposition(|open| open.wire_index == stop.content_block_index)
        {
            let open = self.open.remove(at);
            self.close(open).await;
        }
        if let Some(reason) = frame.message_stop.and_then(|stop| stop.stop_reason) {
            self.emitter.builder.set_extra("rawStopReason", json!(reason));
            self.stop = Some(reason);
        }
        if let Some(raw) = frame.metadata.and_then(|metadata| metadata.usage) {
            self.emitter.builder.set_usage(usage(&raw, self.model));
        }
        Ok(())
    }

    /// The open block of that number. Text and reasoning begin without an event of their own.
    async fn block(&mut self, wire_index: u64, begin: impl FnOnce() -> Kind) -> &mut Open {
        let at = match self.open.iter().rposition(|open| open.wire_index == wire_index) {
            Some(at) => at,
            None => {
                let (builder, kind) = (&self.emitter.builder, begin());
                let (index, item) =
                    if matches!(kind, Kind::Text) { builder.text_start() } else { builder.thinking_start() };
                self.emitter.emit(item).await;
                self.open.push(Open { wire_index, index, kind });
                self.open.len() - 1
            }
        };
        &mut self.open[at]
    }

    async fn delta(&mut self, wire_index: u64, delta: Delta<'_>) -> Result<(), WireError> {
        let emitter = self.emitter;
        let builder = &emitter.builder;
        if let Some(Text(text)) = delta.text {
            let open = self.block(wire_index, || Kind::Text).await;
            if matches!(open.kind, Kind::Text) {
                emitter.emit(builder.text_delta(open.index, &text)).await;
            }
        } else if let Some(ToolDelta { input: Some(Text(input)) }) = delta.tool_use {
            if let Some(open) = self.open.iter().rfind(|open| open.wire_index == wire_index)
                && matches!(open.kind, Kind::Tool { .. })
            {
                emitter.emit(builder.tool_call_delta(open.index, &input)).await;
            }
        } else if let Some(reasoning) = delta.reasoning_content {
            let open = self.block(wire_index, || Kind::Thinking { signature: String::new(), sealed: None }).await;
            let Kind::Thinking { signature, sealed } = &mut open.kind else { return Ok(()) };
            if let Some(Text(text)) = reasoning.text.filter(|text| !text.0.is_empty()) {
                emitter.emit(builder.thinking_delta(open.index, &text)).await;
            }
            signature.push_str(&reasoning.signature.unwrap_or_default());
            if let Some(piece) = reasoning.redacted_content.filter(|piece| !piece.is_empty()) {
                let is_first = sealed.is_none();
                let damaged = |_| WireError::Protocol("Bedrock sent encrypted reasoning that is not base64".to_owned());
                sealed.get_or_insert_default().extend(STANDARD.decode(piece).map_err(damaged)?);
                if is_first {
                    emitter.emit(builder.thinking_delta(open.index, REDACTED)).await;
                }
            }
        }
        Ok(())
    }

    async fn close(&self, open: Open) {
        let builder = &self.emitter.builder;
        let item = match open.kind {
            Kind::Text => builder.text_end(open.index, None),
            Kind::Thinking { sealed: Some(sealed), .. } => {
                builder.thinking_end(open.index, Some(STANDARD.encode(sealed)), true)
            }
            Kind::Thinking { signature, sealed: None } => builder.thinking_end(open.index, Some(signature), false),
            Kind::Tool { id, name } => {
                let call = tool_args::finished_call(id, name, &builder.collected(open.index));
                builder.tool_call_end(open.index, call)
            }
        };
        self.emitter.emit(item).await;
    }

    fn finish(self) -> Result<StopReason, WireError> {
        let Some(reason) = self.stop else { return Err(WireError::Protocol(ENDED.to_owned())) };
        if self.open.iter().any(|open| matches!(open.kind, Kind::Tool { .. })) {
            return Err(WireError::Protocol(UNCLOSED.to_owned()));
        }
        match reason.as_str() {
            "end_turn" | "stop_sequence" => Ok(StopReason::Stop),
            "max_tokens" | "model_context_window_exceeded" => Ok(StopReason::Length),
            "tool_use" => Ok(StopReason::ToolUse),
            other => Err(WireError::Provider(format!("Provider stopped with: {other}"))),
        }
    }
}

fn usage(raw: &RawUsage, model: &Model) -> Usage {
    let mut usage = Usage {
        input: raw.input_tokens.unwrap_or(0),
        output: raw.output_tokens.unwrap_or(0),
        cache_read: raw.cache_read_input_tokens.unwrap_or(0),
        cache_write: raw.cache_write_input_tokens.unwrap_or(0),
        ..Usage::default()
    };
    let sum = usage.input.saturating_add(usage.output);
    usage.total_tokens = raw.total_tokens.filter(|total| *total > 0).unwrap_or(sum);
    if let Some(details) = &raw.cache_details {
        let long = details.iter().filter(|detail| detail.ttl.as_deref() == Some("1h"));
        let long = long.filter_map(|detail| detail.input_tokens).fold(0_u64, u64::saturating_add);
        usage.extra.insert(LONG_CACHE.to_owned(), json!(long));
    }
    usage.price(&model.cost);
    usage
}
