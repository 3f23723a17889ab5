//! Reads the chunks of the Chat Completions interface.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};

use super::compat::Compat;
use super::reasoning::Details;
use crate::wire::driver::Emitter;
use crate::wire::error::{self, WireError};
use crate::wire::http::Answer;
use crate::{Model, StopReason, StreamRequest, Usage, tool_args};

/// The end came before the answer's own.
const ENDED: &str = "Stream ended without finish_reason";

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
    /// `error` where a server puts its error in the place of a chunk.
    #[serde(borrow)]
    object: Option<Text<'a>>,
    message: Option<Value>,
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
    /// What OpenRouter charges, in US dollars.
    cost: Option<Value>,
    /// The user's own key at the provider behind OpenRouter: that one charges as well.
    is_byok: Option<Value>,
    cost_details: Option<Value>,
}

impl RawUsage {
    /// All that OpenRouter and the provider behind it charge; `None` when part of it is not known.
    fn billed(&self) -> Option<f64> {
        let price = |value: Option<&Value>| value?.as_f64().filter(|price| price.is_finite() && *price >= 0.0);
        let own = price(self.cost.as_ref())?;
        if !self.is_byok.as_ref()?.as_bool()? {
            return Some(own);
        }
        let upstream = |name: &str| price(self.cost_details.as_ref()?.get(name));
        let parts =
            || Some(upstream("upstream_inference_prompt_cost")? + upstream("upstream_inference_completions_cost")?);
        Some(own + upstream("upstream_inference_cost").or_else(parts)?)
    }
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
        text: None,
        thinking: None,
        details: Details::default(),
        calls: Vec::new(),
        finish: None,
        started: false,
        has_id: false,
        has_model: false,
    };
    while let Some(event) = answer.next().await? {
        let data = event.data.trim();
        if event.event == "error" {
            let said: Option<Value> = serde_json::from_str(data).ok();
            let said = said.map(|said| error::error_message(said.get("error").unwrap_or(&said)));
            return Err(answer.reported(said.unwrap_or_else(|| data.to_owned())));
        }
        if data == "[DONE]" {
            answer.recycle();
            break;
        }
        let chunk: Chunk<'_> = serde_json::from_str(data).map_err(|error| answer.bad_event(&error, data, ENDED))?;
        if let Some(said) = chunk.error.as_ref().filter(|error| !error.is_null()) {
            return Err(answer.reported(error::error_message(said)));
        }
        if let (Some(Text(Cow::Borrowed("error"))), Some(said)) = (&chunk.object, &chunk.message) {
            return Err(answer.reported(error::error_message(&json!({ "message": said }))));
        }
        reader.chunk(chunk).await;
    }
    reader.finish(compat).await
}

/// A tool call that is being received. Calls may arrive interleaved.
struct Call {
    wire_index: Option<u64>,
    id: String,
    name: String,
    /// Absent until the name is known.
    index: Option<usize>,
    /// Argument text that came before the name.
    early: String,
}

/// The format does not say where a block ends, so all blocks stay open until the stream does: one of text, one of
/// reasoning, and the calls.
struct Reader<'r> {
    model: &'r Model,
    emitter: &'r Emitter,
    text: Option<usize>,
    /// The block, and the field its text came in.
    thinking: Option<(usize, &'static str)>,
    details: Details,
    calls: Vec<Call>,
    finish: Option<String>,
    started: bool,
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
        // Whoever sees the answer begin sees what its first chunk says.
        if !std::mem::replace(&mut self.started, true) {
            self.emitter.emit(builder.start()).await;
        }
        if let Some(delta) = delta {
            self.delta(delta).await;
        }
    }

    async fn delta(&mut self, delta: Delta<'_>) {
        if let Some(Text(text)) = delta.content.filter(has_text) {
            self.text(&text).await;
        }
        // Servers that fill several of these fields fill them with the same text.
        let reasoning = [
            ("reasoning_content", delta.reasoning_content),
            ("reasoning", delta.reasoning),
            ("reasoning_text", delta.reasoning_text),
        ];
        let reasoning = reasoning.into_iter().find_map(|(field, text)| Some((field, text.filter(has_text)?.0)));
        if let Some((field, text)) = reasoning {
            let index = self.thinking(field).await;
            self.emitter.emit(self.emitter.builder.thinking_delta(index, &text)).await;
        }
        for call in delta.tool_calls.unwrap_or_default() {
            self.call(call).await;
        }
        for detail in delta.reasoning_details.unwrap_or_default() {
            if self.details.push(detail) {
                self.thinking("").await;
            }
        }
    }

    async fn text(&mut self, text: &str) {
        let builder = &self.emitter.builder;
        let index = match self.text {
            Some(index) => index,
            None => {
                let (index, item) = builder.text_start();
                self.text = Some(index);
                self.emitter.emit(item).await;
                index
            }
        };
        self.emitter.emit(builder.text_delta(index, text)).await;
    }

    /// The thinking block, which begins if there is none yet.
    async fn thinking(&mut self, field: &'static str) -> usize {
        if let Some((index, _)) = self.thinking {
            return index;
        }
        let (index, item) = self.emitter.builder.thinking_start();
        self.thinking = Some((index, field));
        self.emitter.emit(item).await;
        index
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
                    call.id = format!("call_{}", self.emitter.ids.id("tool call").simple());
                }
                let (index, item) = builder.tool_call_start(&call.id, &call.name);
                call.index = Some(index);
                self.emitter.emit(item).await;
                index
            }
        };
        let text = std::mem::take(&mut call.early);
        self.emitter.emit(builder.tool_call_delta(index, &text)).await;
    }

    async fn finish(mut self, compat: &Compat) -> Result<StopReason, WireError> {
        self.close().await?;
        let has_calls = !self.calls.is_empty();
        match self.finish.as_deref() {
            // Some servers say `stop` whatever happened.
            Some("stop" | "end") if has_calls => Ok(StopReason::ToolUse),
            Some("stop" | "end") => Ok(StopReason::Stop),
            Some("length") => Ok(StopReason::Length),
            Some("tool_calls" | "function_call") => Ok(StopReason::ToolUse),
            Some(other) => Err(WireError::Provider(format!("Provider finish_reason: {other}"))),
            None if compat.supports_finish_reason => Err(WireError::Protocol(ENDED.to_owned())),
            None if has_calls => Ok(StopReason::ToolUse),
            None => Ok(StopReason::Stop),
        }
    }

    /// Closes all blocks, in their order.
    async fn close(&mut self) -> Result<(), WireError> {
        let builder = &self.emitter.builder;
        let blocks = usize::from(self.text.is_some()) + usize::from(self.thinking.is_some()) + self.calls.len();
        for index in 0..blocks {
            let item = if self.text == Some(index) {
                builder.text_end(index, None)
            } else if let Some((_, field)) = self.thinking.filter(|(at, _)| *at == index) {
                let signature = self.details.take_signature().unwrap_or_else(|| field.to_owned());
                builder.thinking_end(index, Some(signature), false)
            } else if let Some(call) = self.calls.iter_mut().find(|call| call.index == Some(index)) {
                let (id, name) = (std::mem::take(&mut call.id), std::mem::take(&mut call.name));
                builder.tool_call_end(index, tool_args::finished_call(id, name, &builder.collected(index)))
            } else {
                // Only a call that never got a name has no block.
                return Err(WireError::Protocol("Stream ended without the name of a tool call".to_owned()));
            };
            self.emitter.emit(item).await;
        }
        Ok(())
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
    let reasoning = raw.completion_tokens_details.as_ref().and_then(|details| details.reasoning_tokens);
    let mut usage = Usage {
        input,
        output,
        cache_read,
        cache_write,
        reasoning: Some(reasoning.unwrap_or(0)),
        total_tokens: input.saturating_add(output).saturating_add(cache_read).saturating_add(cache_write),
        ..Usage::default()
    };
    usage.price(&model.cost);
    let open_router = model.provider == "openrouter" || model.base_url.contains("openrouter.ai");
    if let Some(total) = raw.billed().filter(|_| open_router) {
        usage.cost.total = total;
        usage.cost.total_from_provider = Some(true);
    }
    usage
}
