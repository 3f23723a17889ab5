//! Reads the stream of `generateContent` responses.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::wire::count::count;
use crate::wire::driver::Emitter;
use crate::wire::error::{self, WireError};
use crate::wire::http::Answer;
use crate::{Model, StopReason, Usage, tool_args};

/// Text that borrows from the event unless it has escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk<'a> {
    #[serde(borrow)]
    candidates: Option<Vec<Candidate<'a>>>,
    usage_metadata: Option<RawUsage>,
    prompt_feedback: Option<Feedback>,
    #[serde(borrow)]
    response_id: Option<Text<'a>>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(borrow)]
    content: Option<Content<'a>>,
    finish_reason: Option<String>,
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    parts: Option<Vec<Part<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
    thought: Option<bool>,
    thought_signature: Option<String>,
    function_call: Option<Call>,
}

#[derive(Deserialize)]
struct Call {
    id: Option<String>,
    name: Option<String>,
    args: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
    block_reason_message: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawUsage {
    #[serde(default, deserialize_with = "count")]
    prompt_token_count: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    cached_content_token_count: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    candidates_token_count: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    thoughts_token_count: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    tool_use_prompt_token_count: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    total_token_count: Option<u64>,
}

/// The block that is being received. Google does not say where one ends: it ends where another kind begins.
struct Open {
    index: usize,
    is_thinking: bool,
    signature: Option<String>,
}

/// How the answer ended, as the provider says.
struct Finish {
    reason: String,
    /// Why, in words.
    message: Option<String>,
}

/// Emits the events of an answer; its result is how the answer ended. `ended` says that the stream ended before.
pub(super) async fn read(
    mut answer: Answer,
    model: &Model,
    emitter: &Emitter,
    ended: &str,
) -> Result<StopReason, WireError> {
    let mut reader =
        Reader { model, emitter, open: None, calls: Vec::new(), finish: None, started: false, has_id: false };
    while let Some(event) = answer.next().await? {
        let data = event.data.trim();
        let mut repaired = String::new();
        let chunk: Chunk<'_> = answer.parsed(data, &mut repaired, ended)?;
        if let Some(said) = chunk.error.as_ref().filter(|error| !error.is_null()) {
            return Err(answer.reported(in_stream(said)));
        }
        reader.chunk(chunk).await;
    }
    reader.close().await;
    reader.finish(ended)
}

/// An error inside a stream: its code and its message, since what is done about it depends on both.
fn in_stream(error: &Value) -> String {
    let text = error::error_message(error);
    error.get("code").and_then(Value::as_u64).map_or_else(|| text.clone(), |code| format!("{code} {text}"))
}

struct Reader<'r> {
    model: &'r Model,
    emitter: &'r Emitter,
    open: Option<Open>,
    /// The ids of all calls.
    calls: Vec<String>,
    finish: Option<Finish>,
    started: bool,
    has_id: bool,
}

impl Reader<'_> {
    async fn chunk(&mut self, chunk: Chunk<'_>) {
        let builder = &self.emitter.builder;
        if let Some(Text(id)) = chunk.response_id.filter(|Text(id)| !self.has_id && !id.is_empty()) {
            self.has_id = true;
            builder.set_extra("responseId", json!(id));
        }
        if let Some(raw) = chunk.usage_metadata {
            builder.set_usage(usage(&raw, self.model));
        }
        // A prompt that is refused has no candidates.
        if let Some(Feedback { block_reason: Some(reason), block_reason_message: message }) = chunk.prompt_feedback {
            self.ends(reason, message);
        }
        let candidate = chunk.candidates.unwrap_or_default().into_iter().next();
        let (content, finish) = candidate
            .map(|one| (one.content, one.finish_reason.map(|reason| (reason, one.finish_message))))
            .unwrap_or_default();
        if let Some((reason, message)) = finish.filter(|(reason, _)| !reason.is_empty()) {
            self.ends(reason, message);
        }
        // The start of the answer shows what its first chunk says.
        if !std::mem::replace(&mut self.started, true) {
            self.emitter.emit(self.emitter.builder.start()).await;
        }
        for part in content.and_then(|content| content.parts).unwrap_or_default() {
            self.part(part).await;
        }
    }

    fn ends(&mut self, reason: String, message: Option<String>) {
        self.emitter.builder.set_extra("rawStopReason", json!(reason));
        self.finish = Some(Finish { reason, message: message.filter(|message| !message.trim().is_empty()) });
    }

    async fn part(&mut self, part: Part<'_>) {
        let signature = part.thought_signature.filter(|signature| !signature.is_empty());
        if let Some(call) = part.function_call {
            self.close().await;
            self.call(call, signature).await;
        } else if let Some(Text(text)) = part.text {
            // The last chunk often has an empty text. It is nothing, unless it carries a signature.
            if !text.is_empty() || signature.is_some() {
                self.text(&text, part.thought == Some(true), signature).await;
            }
        }
    }

    async fn text(&mut self, text: &str, is_thinking: bool, signature: Option<String>) {
        if self.open.as_ref().is_some_and(|open| open.is_thinking != is_thinking) {
            self.close().await;
        }
        let builder = &self.emitter.builder;
        let open = match &mut self.open {
            Some(open) => open,
            none => {
                let (index, item) = if is_thinking { builder.thinking_start() } else { builder.text_start() };
                self.emitter.emit(item).await;
                none.insert(Open { index, is_thinking, signature: None })
            }
        };
        if signature.is_some() {
            open.signature = signature;
        }
        if !text.is_empty() {
            let index = open.index;
            let item = if is_thinking { builder.thinking_delta(index, text) } else { builder.text_delta(index, text) };
            self.emitter.emit(item).await;
        }
    }

    async fn close(&mut self) {
        let Some(Open { index, is_thinking, signature }) = self.open.take() else { return };
        let builder = &self.emitter.builder;
        let item = if is_thinking {
            builder.thinking_end(index, signature, false)
        } else {
            builder.text_end(index, signature)
        };
        self.emitter.emit(item).await;
    }

    /// A call comes in one piece.
    async fn call(&mut self, call: Call, signature: Option<String>) {
        let name = call.name.unwrap_or_default();
        let given = call.id.filter(|id| !id.is_empty() && !self.calls.contains(id));
        // Results must name their call, so it gets an id even when the provider has none for it.
        let id = given.unwrap_or_else(|| format!("call_{}", self.emitter.ids.id("tool call").simple()));
        self.calls.push(id.clone());
        let text = call.args.filter(|args| !args.is_null()).unwrap_or_else(|| json!({})).to_string();
        let builder = &self.emitter.builder;
        let (index, item) = builder.tool_call_start(&id, &name);
        self.emitter.emit(item).await;
        self.emitter.emit(builder.tool_call_delta(index, &text)).await;
        let mut call = tool_args::finished_call(id, name, &text);
        call.thought_signature = signature;
        self.emitter.emit(builder.tool_call_end(index, call)).await;
    }

    fn finish(self, ended: &str) -> Result<StopReason, WireError> {
        let Some(Finish { reason, message }) = self.finish else { return Err(WireError::Protocol(ended.to_owned())) };
        match reason.as_str() {
            "STOP" if !self.calls.is_empty() => Ok(StopReason::ToolUse),
            "STOP" => Ok(StopReason::Stop),
            "MAX_TOKENS" => Ok(StopReason::Length),
            _ => {
                let message = message.map(|message| format!(": {message}")).unwrap_or_default();
                Err(WireError::Provider(format!("Provider stopped with: {reason}{message}")))
            }
        }
    }
}

/// Counts in our terms: cached tokens are not part of the input, and thoughts are part of the output.
fn usage(raw: &RawUsage, model: &Model) -> Usage {
    let cache_read = raw.cached_content_token_count.unwrap_or(0);
    let thoughts = raw.thoughts_token_count.unwrap_or(0);
    let prompt = raw.prompt_token_count.unwrap_or(0).saturating_add(raw.tool_use_prompt_token_count.unwrap_or(0));
    let input = prompt.saturating_sub(cache_read);
    let output = raw.candidates_token_count.unwrap_or(0).saturating_add(thoughts);
    let all = input.saturating_add(output).saturating_add(cache_read);
    let mut usage = Usage {
        input,
        output,
        cache_read,
        reasoning: Some(thoughts),
        total_tokens: raw.total_token_count.unwrap_or(all),
        ..Usage::default()
    };
    usage.price(&model.cost);
    usage
}
