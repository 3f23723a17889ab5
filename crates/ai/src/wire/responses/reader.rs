//! Reads the event stream of the Responses interface.

use serde_json::{Value, json};

use super::compat::Dialect;
use super::events::{Event, Response, Text, price};
use super::slots::{ItemKind, Kind, Slot};
use crate::wire::driver::Emitter;
use crate::wire::error::{self, WireError};
use crate::wire::http::Answer;
use crate::wire::strict::Grammars;
use crate::{Model, StopReason, StreamRequest};

/// The end came before the answer's own.
const ENDED: &str = "OpenAI Responses stream ended before a terminal response event";

/// Key in an answer's fields for the reason of its end in the words of the interface.
const RAW_STOP: &str = "rawStopReason";

/// Emits the events of an answer; its result is how the answer ended.
pub(super) async fn read(
    mut answer: Answer,
    request: &StreamRequest,
    dialect: Dialect,
    takes_grammars: bool,
    emitter: &Emitter,
) -> Result<StopReason, WireError> {
    let grammars = Grammars::of(&request.tools, takes_grammars)?;
    let model = &*request.model;
    let mut reader =
        Reader { model, dialect, emitter, grammars, open: Vec::new(), reasoning: Vec::new(), calls: false };
    let mut started = false;
    while let Some(event) = answer.next().await? {
        let data = event.data.trim();
        if data.starts_with("[DONE]") {
            break;
        }
        let mut repaired = String::new();
        let event: Event<'_> = answer.parsed(data, &mut repaired, ENDED)?;
        if let Some(id) = event.response.as_ref().and_then(|response| response.id.as_ref()) {
            reader.named(id);
        }
        // Whoever sees the answer begin sees what its first event says.
        if !std::mem::replace(&mut started, true) {
            emitter.emit(emitter.builder.start()).await;
        }
        if let Some(said) = failure(&event, data, dialect) {
            if let Some(status) = event.response.as_ref().and_then(|response| response.status.clone()) {
                emitter.builder.set_extra(RAW_STOP, json!(status));
            }
            return Err(answer.reported(said));
        }
        if let Some(response) = reader.event(event).await {
            answer.recycle();
            return reader.finish(response).await;
        }
    }
    Err(WireError::Protocol(ENDED.to_owned()))
}

/// What an event says that reports a failure.
fn failure(event: &Event<'_>, data: &str, dialect: Dialect) -> Option<String> {
    let kind = event.kind.as_ref().map(|Text(kind)| &**kind);
    let nested = event.error.as_ref().filter(|error| !error.is_null());
    match (kind, dialect) {
        (Some("error"), Dialect::Codex) => {
            let field = |own: &Option<Value>, name: &str| {
                let own = own.as_ref().and_then(Value::as_str);
                own.or_else(|| nested?.get(name)?.as_str()).filter(|text| !text.is_empty()).map(str::to_owned)
            };
            let said = field(&event.message, "message").or_else(|| field(&event.code, "code"));
            Some(format!("Codex error: {}", said.unwrap_or_else(|| data.to_owned())))
        }
        (Some("response.failed"), Dialect::Codex) => {
            let said = event.response.as_ref().and_then(|response| response.error.as_ref()?["message"].as_str());
            Some(said.filter(|said| !said.is_empty()).unwrap_or("Codex response failed").to_owned())
        }
        (_, Dialect::OpenAi | Dialect::Azure) if nested.is_some() => nested.map(error::error_message),
        (Some("error"), _) => {
            let text = |value: &Option<Value>| match value {
                None | Some(Value::Null) => None,
                Some(Value::String(text)) => Some(text.clone()),
                Some(other) => Some(other.to_string()),
            };
            let message = text(&event.message).unwrap_or_else(|| data.to_owned());
            Some(text(&event.code).map_or(message.clone(), |code| format!("Error Code {code}: {message}")))
        }
        (Some("response.failed"), _) => Some(failed(event.response.as_ref())),
        _ => None,
    }
}

fn failed(response: Option<&Response>) -> String {
    let error = response.and_then(|response| response.error.as_ref()).filter(|error| !error.is_null());
    if let Some(error) = error {
        let text = |field: &str| error[field].as_str().filter(|text| !text.is_empty());
        return format!("{}: {}", text("code").unwrap_or("unknown"), text("message").unwrap_or("no message"));
    }
    match reason(response) {
        Some(reason) => format!("incomplete: {reason}"),
        None => "Unknown error (no error details in response)".to_owned(),
    }
}

fn reason(response: Option<&Response>) -> Option<&str> {
    response?.incomplete_details.as_ref()?.reason.as_deref()
}

struct Reader<'r> {
    model: &'r Model,
    dialect: Dialect,
    emitter: &'r Emitter,
    grammars: Grammars<'r>,
    /// Items that have not ended.
    open: Vec<Slot>,
    /// Reasoning that has ended: its block and the item. Some servers encrypt it only in the end.
    reasoning: Vec<(usize, Value)>,
    /// Whether there was a call.
    calls: bool,
}

impl Reader<'_> {
    fn named(&self, id: &str) {
        self.emitter.builder.set_extra("responseId", json!(id));
    }

    fn status(&self, response: Option<&Response>) {
        let Some(status) = response.and_then(|response| response.status.as_ref()) else { return };
        let raw = reason(response).map_or_else(|| status.clone(), |reason| format!("{status}.{reason}"));
        self.emitter.builder.set_extra(RAW_STOP, json!(raw));
    }

    /// Takes an event in; gives the answer as a whole at its end.
    async fn event(&mut self, event: Event<'_>) -> Option<Response> {
        let Event { kind: Some(Text(kind)), output_index: place, .. } = event else { return None };
        let delta = event.delta.as_ref().map_or("", |Text(delta)| delta);
        let emitter = self.emitter;
        match &*kind {
            "response.output_item.added" => {
                let item = event.item?;
                self.begin(place, &item).await;
            }
            "response.output_item.done" => {
                let item = event.item?;
                self.item_done(place, item).await;
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.grow(place, true, delta).await;
            }
            "response.reasoning_summary_part.done" => self.grow(place, true, "\n\n").await,
            "response.output_text.delta" | "response.refusal.delta" => self.grow(place, false, delta).await,
            "response.function_call_arguments.delta" => self.slot(place)?.grow_arguments(delta, false, emitter).await,
            "response.custom_tool_call_input.delta" => self.slot(place)?.grow_arguments(delta, true, emitter).await,
            "response.function_call_arguments.done" => {
                let all = event.arguments?;
                self.slot(place)?.complete_arguments(&all, false, emitter).await;
            }
            "response.custom_tool_call_input.done" => {
                let all = event.input?;
                self.slot(place)?.complete_arguments(&all, true, emitter).await;
            }
            "response.completed" | "response.incomplete" => return Some(event.response.unwrap_or_default()),
            "response.done" if self.dialect == Dialect::Codex => return Some(event.response.unwrap_or_default()),
            _ => {}
        }
        None
    }

    fn slot(&mut self, place: Option<u64>) -> Option<&mut Slot> {
        self.open.iter_mut().find(|slot| slot.is_at(place))
    }

    async fn begin(&mut self, place: Option<u64>, item: &Value) {
        let Some(kind) = ItemKind::of(item) else { return };
        // A server that does not count its items mixes them up: the one that was here gets nothing more.
        self.open.iter_mut().filter(|slot| slot.is_at(place)).for_each(Slot::lose);
        let slot = Slot::open(place, item, kind, &self.grammars, self.emitter).await;
        self.calls |= matches!(slot.kind, Kind::Call(_));
        self.open.push(slot);
    }

    async fn grow(&mut self, place: Option<u64>, thinking: bool, delta: &str) {
        let emitter = self.emitter;
        if let Some(slot) = self.slot(place).filter(|slot| matches!(slot.kind, Kind::Thinking) == thinking) {
            slot.grow(delta, emitter).await;
        }
    }

    async fn item_done(&mut self, place: Option<u64>, item: Value) {
        let Some(kind) = ItemKind::of(&item) else { return };
        let fits = |slot: &Slot| {
            let same_kind = match (&slot.kind, &kind) {
                (Kind::Text, ItemKind::Text) | (Kind::Thinking, ItemKind::Thinking) => true,
                (Kind::Call(call), ItemKind::Function) => !call.is_plain(),
                (Kind::Call(call), ItemKind::Custom) => call.is_plain(),
                _ => false,
            };
            slot.is_at(place) && same_kind
        };
        if !self.open.iter().any(fits) {
            // An item of another kind has this place: one of the two is a mistake.
            if self.slot(place).is_some() {
                return;
            }
            self.begin(place, &item).await;
        }
        let Some(at) = self.open.iter().position(fits) else { return };
        let slot = self.open.remove(at);
        let block = slot.block;
        slot.close(Some(&item), self.emitter).await;
        if matches!(kind, ItemKind::Thinking) {
            self.reasoning.push((block, item));
        }
    }

    /// Completes reasoning that is encrypted only in the end.
    fn encrypt(&mut self, output: Vec<Value>) {
        let has = |item: &Value| item["encrypted_content"].as_str().is_some_and(|text| !text.is_empty());
        for whole in output.into_iter().filter(|item| item["type"] == "reasoning" && has(item)) {
            let known = self.reasoning.iter_mut().find(|(_, item)| item["id"] == whole["id"] && !has(item));
            if let Some((block, item)) = known {
                item["encrypted_content"] = whole["encrypted_content"].clone();
                self.emitter.builder.set_thinking_signature(*block, item.to_string());
            }
        }
    }

    async fn finish(mut self, mut response: Response) -> Result<StopReason, WireError> {
        if self.dialect == Dialect::Codex {
            let known = ["completed", "incomplete", "failed", "cancelled", "queued", "in_progress"];
            response.status = response.status.filter(|status| known.contains(&&**status));
            if let Some(ends @ Value::Bool(_)) = &response.end_turn {
                self.emitter.builder.set_extra("endTurn", ends.clone());
            }
        }
        self.encrypt(response.output.take().unwrap_or_default());
        let mut usage = response.usage.as_ref().map_or_else(|| self.emitter.builder.usage(), |usage| usage.counted());
        // Microsoft has no tiers.
        let tier = response.service_tier.as_deref().filter(|_| self.dialect != Dialect::Azure);
        price(&mut usage, self.model, tier);
        self.emitter.builder.set_usage(usage);
        self.status(Some(&response));
        let stop = self.stop(&response)?;
        if stop == StopReason::ToolUse
            && let Some(call) =
                self.open.iter().find_map(|slot| if let Kind::Call(call) = &slot.kind { Some(call) } else { None })
        {
            let text =
                format!("OpenAI Responses stream completed with an unfinished tool call: {} ({})", call.name, call.id);
            return Err(WireError::Protocol(text));
        }
        for slot in self.open {
            slot.close(None, self.emitter).await;
        }
        Ok(stop)
    }

    fn stop(&self, response: &Response) -> Result<StopReason, WireError> {
        match response.status.as_deref() {
            None | Some("completed" | "in_progress" | "queued") if self.calls => Ok(StopReason::ToolUse),
            None | Some("completed" | "in_progress" | "queued") => Ok(StopReason::Stop),
            Some("incomplete") => match reason(Some(response)) {
                Some("max_output_tokens") => Ok(StopReason::Length),
                Some(reason) => Err(WireError::Provider(format!("Response incomplete: {reason}"))),
                None => Err(WireError::Provider("Response incomplete without a provider reason".to_owned())),
            },
            Some("failed" | "cancelled") => Err(WireError::Provider("An unknown error occurred".to_owned())),
            Some(other) => Err(WireError::Provider(format!("Unhandled stop reason: {other}"))),
        }
    }
}
