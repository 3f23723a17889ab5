//! Reads the chunks of Mistral's chat interface.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::wire::count::count;
use crate::wire::driver::Emitter;
use crate::wire::error::{self, WireError};
use crate::wire::http::Answer;
use crate::{Model, StopReason, Usage, tool_args};

/// The end came before the answer's own.
const ENDED: &str = "Mistral stream ended without a finish reason";
const INVALID: &str = "Invalid Mistral streaming event";

/// Text that borrows from the event unless it has escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    choices: Option<Vec<Choice<'a>>>,
    usage: Option<RawUsage>,
    error: Option<Value>,
    /// `error` where the server puts its error in the place of a chunk.
    #[serde(borrow)]
    object: Option<Text<'a>>,
    message: Option<Value>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    /// A text, or a list of pieces.
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_calls: Option<Vec<CallDelta<'a>>>,
}

/// A piece of content: a bare text, or an object of some type.
#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    thinking: Option<&'a RawValue>,
}

/// A piece of reasoning. Those that are no text refer to sources.
#[derive(Deserialize)]
struct Thought<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct CallDelta<'a> {
    index: Option<u64>,
    id: Option<String>,
    #[serde(borrow)]
    function: Option<FunctionDelta<'a>>,
}

#[derive(Deserialize, Default)]
struct FunctionDelta<'a> {
    name: Option<String>,
    /// Text of JSON, or the JSON itself.
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RawUsage {
    #[serde(default, deserialize_with = "count")]
    prompt_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    completion_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    total_tokens: Option<u64>,
    prompt_tokens_details: Option<CachedTokens>,
    prompt_token_details: Option<CachedTokens>,
    #[serde(default, deserialize_with = "count")]
    num_cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct CachedTokens {
    #[serde(default, deserialize_with = "count")]
    cached_tokens: Option<u64>,
}

/// Emits the events of an answer; its result is how the answer ended.
pub(super) async fn read(mut answer: Answer, model: &Model, emitter: &Emitter) -> Result<StopReason, WireError> {
    let mut reader =
        Reader { model, emitter, open: None, calls: Vec::new(), finish: None, started: false, has_id: false };
    while let Some(event) = answer.next().await? {
        let data = event.data.trim();
        if data == "[DONE]" {
            answer.recycle();
            break;
        }
        // Parts of it are read later on, so it is repaired as a whole.
        let repaired = crate::json::replace_lone_surrogates(data);
        let data = repaired.as_deref().unwrap_or(data);
        let chunk: Chunk<'_> = serde_json::from_str(data).map_err(|error| answer.bad_event(&error, data, ENDED))?;
        if let Some(said) = chunk.error.as_ref().filter(|said| !said.is_null()) {
            return Err(answer.reported(error::error_message(said)));
        }
        if let (Some(Text(Cow::Borrowed("error"))), Some(said)) = (&chunk.object, &chunk.message) {
            return Err(answer.reported(error::error_message(&json!({"message": said}))));
        }
        if chunk.choices.is_none() {
            return Err(WireError::Protocol(INVALID.to_owned()));
        }
        let read = reader.chunk(chunk).await;
        read.map_err(|error| answer.bad_event(&error, data, ENDED))?;
    }
    reader.finish().await
}

/// The block that pieces are added to until one of another kind comes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Text(usize),
    Thinking(usize),
}

/// A tool call that is being received. Calls may arrive interleaved.
struct Call {
    wire_index: Option<u64>,
    id: String,
    name: String,
    index: usize,
}

struct Reader<'r> {
    model: &'r Model,
    emitter: &'r Emitter,
    open: Option<Open>,
    calls: Vec<Call>,
    finish: Option<String>,
    started: bool,
    has_id: bool,
}

impl Reader<'_> {
    async fn chunk(&mut self, chunk: Chunk<'_>) -> Result<(), serde_json::Error> {
        let builder = &self.emitter.builder;
        if let Some(Text(id)) = chunk.id.filter(|Text(id)| !self.has_id && !id.is_empty()) {
            self.has_id = true;
            builder.set_extra("responseId", json!(id));
        }
        if let Some(raw) = chunk.usage {
            builder.set_usage(usage(&raw, self.model));
        }
        let choice = chunk.choices.unwrap_or_default().into_iter().next();
        let (delta, finish) = choice.map(|choice| (choice.delta, choice.finish_reason)).unwrap_or_default();
        if let Some(finish) = finish.filter(|finish| !finish.is_empty()) {
            builder.set_extra("rawStopReason", json!(finish));
            self.finish = Some(finish);
        }
        if !std::mem::replace(&mut self.started, true) {
            self.emitter.emit(builder.start()).await;
        }
        let Some(delta) = delta else { return Ok(()) };
        if let Some(content) = delta.content {
            self.content(content.get()).await?;
        }
        for call in delta.tool_calls.unwrap_or_default() {
            self.close().await;
            self.call(call).await?;
        }
        Ok(())
    }

    async fn content(&mut self, content: &str) -> Result<(), serde_json::Error> {
        if !content.starts_with('[') {
            let Text(text) = serde_json::from_str(content)?;
            self.text(&text).await;
            return Ok(());
        }
        let pieces: Vec<&RawValue> = serde_json::from_str(content)?;
        for piece in pieces {
            if piece.get().starts_with('"') {
                let Text(text) = serde_json::from_str(piece.get())?;
                self.text(&text).await;
                continue;
            }
            let piece: Piece<'_> = serde_json::from_str(piece.get())?;
            match piece.kind.as_ref().map(|kind| &*kind.0) {
                Some("text") => self.text(&piece.text.map_or(Cow::Borrowed(""), |text| text.0)).await,
                Some("thinking") => {
                    let thoughts: Option<Vec<Thought<'_>>> =
                        piece.thinking.map(|list| serde_json::from_str(list.get())).transpose()?;
                    let texts = thoughts.unwrap_or_default().into_iter().filter_map(|thought| thought.text);
                    let text: String = texts.map(|text| text.0).collect();
                    self.thinking(&text).await;
                }
                // References to sources, and whatever else may come.
                _ => {}
            }
        }
        Ok(())
    }

    async fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
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

    async fn thinking(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let builder = &self.emitter.builder;
        let index = match self.open {
            Some(Open::Thinking(index)) => index,
            _ => {
                self.close().await;
                let (index, item) = builder.thinking_start();
                self.open = Some(Open::Thinking(index));
                self.emitter.emit(item).await;
                index
            }
        };
        self.emitter.emit(builder.thinking_delta(index, text)).await;
    }

    /// Closes the block of text or reasoning.
    async fn close(&mut self) {
        let builder = &self.emitter.builder;
        let item = match self.open.take() {
            Some(Open::Text(index)) => builder.text_end(index, None),
            Some(Open::Thinking(index)) => builder.thinking_end(index, None, false),
            None => return,
        };
        self.emitter.emit(item).await;
    }

    async fn call(&mut self, delta: CallDelta<'_>) -> Result<(), serde_json::Error> {
        let builder = &self.emitter.builder;
        let function = delta.function.unwrap_or_default();
        // Pieces after the first have the word `null` for an id.
        let id = delta.id.filter(|id| !id.is_empty() && id != "null");
        let at = self.calls.iter().rposition(|call| match (&id, delta.index) {
            (Some(id), _) => *id == call.id,
            (None, Some(index)) => call.wire_index == Some(index),
            // A piece without index and id continues the last call.
            (None, None) => true,
        });
        let at = match at {
            Some(at) => at,
            None => {
                // Results must name their call, in a form that the interface takes back.
                let id = id
                    .unwrap_or_else(|| self.emitter.ids.id("tool call").simple().to_string().chars().take(9).collect());
                let name = function.name.unwrap_or_default();
                let (index, item) = builder.tool_call_start(&id, &name);
                self.calls.push(Call { wire_index: delta.index, id, name, index });
                self.emitter.emit(item).await;
                self.calls.len() - 1
            }
        };
        let text = match function.arguments.map(RawValue::get) {
            None => Cow::Borrowed(""),
            Some(text) if text.starts_with('"') => serde_json::from_str::<Text<'_>>(text)?.0,
            Some(json) => Cow::Borrowed(json),
        };
        self.emitter.emit(builder.tool_call_delta(self.calls[at].index, &text)).await;
        Ok(())
    }

    async fn finish(mut self) -> Result<StopReason, WireError> {
        self.close().await;
        let builder = &self.emitter.builder;
        for Call { id, name, index, .. } in std::mem::take(&mut self.calls) {
            let call = tool_args::finished_call(id, name, &builder.collected(index));
            self.emitter.emit(builder.tool_call_end(index, call)).await;
        }
        match self.finish.as_deref() {
            Some("stop") => Ok(StopReason::Stop),
            Some("length" | "model_length") => Ok(StopReason::Length),
            Some("tool_calls") => Ok(StopReason::ToolUse),
            Some("error") => Err(WireError::Provider("Provider stopped with: error (server error)".to_owned())),
            Some(other) => Err(WireError::Provider(format!("Provider stopped with: {other}"))),
            None => Err(WireError::Protocol(ENDED.to_owned())),
        }
    }
}

/// Counts in our terms: cached tokens are not part of the input.
fn usage(raw: &RawUsage, model: &Model) -> Usage {
    let prompt = raw.prompt_tokens.unwrap_or(0);
    let details = |details: &Option<CachedTokens>| details.as_ref()?.cached_tokens;
    let cached = details(&raw.prompt_tokens_details).or_else(|| details(&raw.prompt_token_details));
    let cache_read = cached.or(raw.num_cached_tokens).unwrap_or(0).min(prompt);
    let output = raw.completion_tokens.unwrap_or(0);
    let total = raw.total_tokens.filter(|total| *total > 0).unwrap_or(prompt.saturating_add(output));
    let mut usage = Usage { input: prompt - cache_read, output, cache_read, total_tokens: total, ..Usage::default() };
    usage.price(&model.cost);
    usage
}
