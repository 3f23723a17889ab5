//! Reads the chunks of the Chat Completions interface.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};

use super::compat::Compat;
use super::reasoning::Details;
use crate::wire::driver::Emitter;
use crate::wire::error::WireError;
use crate::wire::http::Answer;
use crate::wire::tool_args;
use crate::{JsonMap, Model, StopReason, StreamRequest, ToolCallBlock, Usage};

/// Text that borrows from the event unless it has escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
struct Chunk<'a> {
    id: Option<String>,
    model: Option<String>,
    #[serde(borrow, default)]
    choices: Option<Vec<Choice<'a>>>,
    usage: Option<RawUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    finish_reason: Option<String>,
    usage: Option<RawUsage>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    content: Option<Text<'a>>,
    #[serde(borrow)]
    reasoning_content: Option<Text<'a>>,
    #[serde(borrow)]
    reasoning: Option<Text<'a>>,
    #[serde(borrow)]
    reasoning_text: Option<Text<'a>>,
    reasoning_details: Option<Vec<Value>>,
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
struct CallDelta {
    index: Option<u64>,
    id: Option<String>,
    function: Option<FunctionDelta>,
}

#[derive(Deserialize, Default)]
struct FunctionDelta {
    name: Option<String>,
    arguments: Option<String>,
}

#[derive(Deserialize)]
struct RawUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
    prompt_cache_hit_tokens: Option<u64>,
    cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
}

/// Emits the events of an answer; its result is how the answer ended.
pub(super) async fn read(
    mut answer: Answer,
    request: &StreamRequest,
    compat: &Compat,
    emitter: &Emitter,
) -> Result<StopReason, WireError> {
    let mut reader = Reader {
        model: &request.model,
        emitter,
        open: None,
        details: Details::default(),
        calls: Vec::new(),
        finish: None,
        has_id: false,
        has_model: false,
    };
    while let Some(event) = answer.next().await? {
        let data = event.data.trim();
        if event.event == "error" {
            return Err(answer.reported(data));
        }
        if data == "[DONE]" {
            answer.recycle();
            break;
        }
        let chunk: Chunk<'_> = serde_json::from_str(data).map_err(|error| answer.bad_event(&error, data))?;
        if chunk.error.as_ref().is_some_and(|error| !error.is_null()) {
            return Err(answer.reported(data));
        }
        reader.chunk(chunk).await;
    }
    reader.finish(compat).await
}

/// The text or thinking block that grows at the moment.
enum Open {
    Text(usize),
    Thinking { index: usize, field: &'static str },
}

/// A tool call that is being received. Calls may arrive interleaved, so they stay open to the end.
struct Call {
    wire_index: Option<u64>,
    id: String,
    name: String,
    /// Absent until the name is known.
    index: Option<usize>,
    /// Argument text that came before the name.
    early: String,
}

struct Reader<'r> {
    model: &'r Model,
    emitter: &'r Emitter,
    open: Option<Open>,
    details: Details,
    calls: Vec<Call>,
    finish: Option<String>,
    has_id: bool,
    has_model: bool,
}

impl Reader<'_> {
    async fn chunk(&mut self, chunk: Chunk<'_>) {
        let builder = &self.emitter.builder;
        if let Some(id) = chunk.id.filter(|id| !self.has_id && !id.is_empty()) {
            self.has_id = true;
            builder.set_extra("responseId", json!(id));
        }
        let other_model = |name: &String| !name.is_empty() && *name != self.model.id;
        if let Some(name) = chunk.model.filter(|name| !self.has_model && other_model(name)) {
            self.has_model = true;
            builder.set_extra("responseModel", json!(name));
        }
        let choice = chunk.choices.unwrap_or_default().into_iter().next();
        let (delta, finish, choice_usage) =
            choice.map(|choice| (choice.delta, choice.finish_reason, choice.usage)).unwrap_or_default();
        // Some servers report usage inside the choice.
        if let Some(raw) = chunk.usage.or(choice_usage) {
            builder.set_usage(usage(&raw, self.model));
        }
        if let Some(finish) = finish.filter(|finish| !finish.is_empty()) {
            builder.set_extra("rawStopReason", json!(finish));
            self.finish = Some(finish);
        }
        if let Some(delta) = delta {
            self.delta(delta).await;
        }
    }

    async fn delta(&mut self, delta: Delta<'_>) {
        // Servers that fill several of these fields fill them with the same text.
        let reasoning = [
            ("reasoning_content", delta.reasoning_content),
            ("reasoning", delta.reasoning),
            ("reasoning_text", delta.reasoning_text),
        ];
        let reasoning = reasoning.into_iter().find_map(|(field, text)| Some((field, text.filter(has_text)?.0)));
        if let Some((field, text)) = reasoning {
            self.thinking(field, &text).await;
        }
        for detail in delta.reasoning_details.unwrap_or_default() {
            self.details.push(detail);
        }
        if let Some(Text(text)) = delta.content.filter(has_text) {
            self.text(&text).await;
        }
        for call in delta.tool_calls.unwrap_or_default() {
            self.call(call).await;
        }
    }

    async fn thinking(&mut self, name: &'static str, text: &str) {
        let builder = &self.emitter.builder;
        let index = match self.open {
            Some(Open::Thinking { index, .. }) => index,
            _ => {
                self.close().await;
                let (index, item) = builder.thinking_start();
                self.open = Some(Open::Thinking { index, field: name });
                self.emitter.emit(item).await;
                index
            }
        };
        self.emitter.emit(builder.thinking_delta(index, text)).await;
    }

    async fn text(&mut self, text: &str) {
        let builder = &self.emitter.builder;
        let index = match self.open {
            Some(Open::Text(index)) => index,
            _ => {
                self.close().await;
                let (index, item) = builder.text_start();
                self.open = Some(Open::Text(index));
                self.emitter.emit(item).await;
                index
            }
        };
        self.emitter.emit(builder.text_delta(index, text)).await;
    }

    /// Closes the text or thinking block that is open.
    async fn close(&mut self) {
        let builder = &self.emitter.builder;
        let item = match self.open.take() {
            None => return,
            Some(Open::Text(index)) => builder.text_end(index, None),
            Some(Open::Thinking { index, field }) => {
                let signature = self.details.take_signature().unwrap_or_else(|| field.to_owned());
                builder.thinking_end(index, Some(signature), false)
            }
        };
        self.emitter.emit(item).await;
    }

    async fn call(&mut self, delta: CallDelta) {
        let function = delta.function.unwrap_or_default();
        let at = self.calls.iter().position(|call| match (delta.index, call.wire_index) {
            (Some(wanted), Some(index)) => wanted == index,
            _ => delta.id.as_ref().is_some_and(|id| !id.is_empty() && *id == call.id),
        });
        // A piece without index and id continues the last call.
        let nameless = delta.index.is_none() && delta.id.is_none() && function.name.is_none();
        let at = at.or_else(|| self.calls.len().checked_sub(1).filter(|_| nameless)).unwrap_or_else(|| {
            self.calls.push(Call {
                wire_index: delta.index,
                id: String::new(),
                name: String::new(),
                index: None,
                early: String::new(),
            });
            self.calls.len() - 1
        });
        self.close().await;
        let builder = &self.emitter.builder;
        let call = &mut self.calls[at];
        if call.id.is_empty() {
            call.id = delta.id.unwrap_or_default();
        }
        if call.name.is_empty() {
            call.name = function.name.unwrap_or_default();
        }
        call.early.push_str(&function.arguments.unwrap_or_default());
        if call.name.is_empty() {
            return;
        }
        let index = match call.index {
            Some(index) => index,
            None => {
                if call.id.is_empty() {
                    // Results must name their call, so it gets an id even when the server has none.
                    call.id = format!("call_{}", uuid::Uuid::new_v4().simple());
                }
                let (index, item) = builder.tool_call_start(&call.id, &call.name);
                call.index = Some(index);
                self.emitter.emit(item).await;
                index
            }
        };
        let text = std::mem::take(&mut call.early);
        if !text.is_empty() {
            self.emitter.emit(builder.tool_call_delta(index, &text)).await;
        }
    }

    async fn finish(mut self, compat: &Compat) -> Result<StopReason, WireError> {
        self.close().await;
        let builder = &self.emitter.builder;
        if let Some(signature) = self.details.take_signature() {
            // Details that came after the readable part of the answer still have to go back.
            let (index, item) = builder.thinking_start();
            self.emitter.emit(item).await;
            self.emitter.emit(builder.thinking_end(index, Some(signature), false)).await;
        }
        let mut cut_call = None;
        let mut has_calls = false;
        for call in std::mem::take(&mut self.calls) {
            let Some(index) = call.index else {
                return Err(WireError::Protocol("Stream ended without the name of a tool call".to_owned()));
            };
            let arguments = tool_args::read(&builder.collected(index));
            if arguments.cut {
                cut_call = Some(call.name.clone());
            }
            has_calls = true;
            let block = ToolCallBlock {
                id: call.id,
                name: call.name,
                arguments: arguments.value,
                thought_signature: None,
                extra: JsonMap::new(),
            };
            self.emitter.emit(builder.tool_call_end(index, block)).await;
        }
        let stop_reason = match self.finish.as_deref() {
            // Some servers say `stop` whatever happened.
            Some("stop" | "end") if has_calls => StopReason::ToolUse,
            Some("stop" | "end") => StopReason::Stop,
            Some("length") => StopReason::Length,
            Some("tool_calls" | "function_call") => StopReason::ToolUse,
            Some(other) => return Err(WireError::Provider(format!("Provider finish_reason: {other}"))),
            None if compat.supports_finish_reason => {
                return Err(WireError::Protocol("Stream ended without finish_reason".to_owned()));
            }
            None if has_calls => StopReason::ToolUse,
            None => StopReason::Stop,
        };
        tool_args::refuse_cut_call(cut_call.as_deref(), &stop_reason)?;
        Ok(stop_reason)
    }
}

fn has_text(text: &Text<'_>) -> bool {
    !text.0.is_empty()
}

/// Counts in our terms: cached tokens are not part of the input.
fn usage(raw: &RawUsage, model: &Model) -> Usage {
    let details = raw.prompt_tokens_details.as_ref();
    let cache_read = details.and_then(|details| details.cached_tokens);
    let cache_read = cache_read.or(raw.prompt_cache_hit_tokens).or(raw.cached_tokens).unwrap_or(0);
    let cache_write = details.and_then(|details| details.cache_write_tokens).unwrap_or(0);
    let input = raw.prompt_tokens.unwrap_or(0).saturating_sub(cache_read.saturating_add(cache_write));
    let output = raw.completion_tokens.unwrap_or(0);
    let mut usage = Usage {
        input,
        output,
        cache_read,
        cache_write,
        total_tokens: input.saturating_add(output).saturating_add(cache_read).saturating_add(cache_write),
        ..Usage::default()
    };
    let reasoning = raw.completion_tokens_details.as_ref().and_then(|details| details.reasoning_tokens);
    if let Some(reasoning) = reasoning.filter(|reasoning| *reasoning > 0) {
        usage.extra.insert("reasoning".to_owned(), json!(reasoning));
    }
    usage.price(&model.cost);
    usage
}
