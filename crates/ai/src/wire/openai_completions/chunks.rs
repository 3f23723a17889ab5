//! Reads the chunks of the Chat Completions interface.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};

use super::calls::{CallDelta, Calls};
use super::compat::Compat;
use super::reasoning::{self, Details};
use super::usage::{RawUsage, usage};
use crate::wire::driver::Emitter;
use crate::wire::error::{self, WireError};
use crate::wire::http::Answer;
use crate::wire::strict::Grammars;
use crate::{Model, StopReason, StreamRequest};

/// The end came before the answer's own.
const ENDED: &str = "Stream ended without finish_reason";

/// Text that borrows from the event unless it has escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    model: Option<Text<'a>>,
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

/// Emits the events of an answer; its result is how the answer ended.
pub(super) async fn read(
    mut answer: Answer,
    request: &StreamRequest,
    compat: &Compat,
    emitter: &Emitter,
) -> Result<StopReason, WireError> {
    let grammars = Grammars::of(&request.tools, compat.supports_openai_grammar_tools)?;
    let mut reader = Reader {
        model: &request.model,
        emitter,
        text: None,
        thinking: None,
        details: Details::default(),
        calls: Calls::new(grammars),
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
        let mut repaired = String::new();
        let chunk: Chunk<'_> = answer.parsed(data, &mut repaired, ENDED)?;
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

/// The format does not say where a block ends, so all blocks stay open until the stream does: one of text, one of
/// reasoning, and the calls.
struct Reader<'r> {
    model: &'r Model,
    emitter: &'r Emitter,
    text: Option<usize>,
    /// The block, and the field its text came in.
    thinking: Option<(usize, &'static str)>,
    details: Details,
    calls: Calls<'r>,
    finish: Option<String>,
    started: bool,
    has_id: bool,
    has_model: bool,
}

impl Reader<'_> {
    async fn chunk(&mut self, chunk: Chunk<'_>) {
        let builder = &self.emitter.builder;
        if let Some(Text(id)) = chunk.id.filter(|Text(id)| !self.has_id && !id.is_empty()) {
            self.has_id = true;
            builder.set_extra("responseId", json!(id));
        }
        let other_model = |name: &str| !name.is_empty() && *name != *self.model.id;
        if let Some(Text(name)) = chunk.model.filter(|Text(name)| !self.has_model && other_model(name)) {
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
        // What was thought comes before what is said, also within a chunk. Servers that fill several of these fields fill them with the same text.
        let reasoning = [
            ("reasoning_content", delta.reasoning_content),
            ("reasoning", delta.reasoning),
            ("reasoning_text", delta.reasoning_text),
        ];
        let reasoning = reasoning.into_iter().find_map(|(field, text)| Some((field, text.filter(has_text)?.0)));
        if let Some((field, text)) = reasoning {
            let index = self.thinking(reasoning::field(self.model, field)).await;
            self.emitter.emit(self.emitter.builder.thinking_delta(index, &text)).await;
        }
        for detail in delta.reasoning_details.unwrap_or_default() {
            if self.details.push(detail) {
                self.thinking("").await;
            }
        }
        if let Some(Text(text)) = delta.content.filter(has_text) {
            self.text(&text).await;
        }
        for call in delta.tool_calls.unwrap_or_default() {
            self.calls.push(call, self.emitter).await;
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

    async fn finish(mut self, compat: &Compat) -> Result<StopReason, WireError> {
        self.close(compat).await?;
        let has_calls = self.calls.len() > 0;
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
    async fn close(&mut self, compat: &Compat) -> Result<(), WireError> {
        let builder = &self.emitter.builder;
        let is_cut = match self.finish.as_deref() {
            Some(reason) => reason == "length",
            None => compat.supports_finish_reason,
        };
        let blocks = usize::from(self.text.is_some()) + usize::from(self.thinking.is_some()) + self.calls.len();
        for index in 0..blocks {
            let item = if self.text == Some(index) {
                builder.text_end(index, None)
            } else if let Some((_, field)) = self.thinking.filter(|(at, _)| *at == index) {
                let signature = self.details.take_signature().unwrap_or_else(|| field.to_owned());
                builder.thinking_end(index, Some(signature), false)
            } else if let Some(item) = self.calls.close(index, is_cut, self.emitter).await {
                item
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
