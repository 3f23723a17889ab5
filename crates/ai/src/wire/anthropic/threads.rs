//! Message threads: the provider keeps the conversation, and a request says only what is new.
//!
//! Extensions and the rest of this format see whole requests. Only what goes over the line is shorter.

use serde_json::{Value, json};
use xxhash_rust::xxh3::Xxh3Default;

use super::compat::Compat;
use super::messages::answer_message;
use crate::thread::{OpenThread, Thread};
use crate::wire::body::Body;
use crate::wire::diagnostics::Diagnostics;
use crate::wire::driver::Emitter;
use crate::wire::error::{self, WireError};
use crate::wire::http::{self, Answer, HttpClient, Ready};
use crate::{AssistantMessage, CacheRetention, Model, StreamRequest};

pub(super) const BETA: &str = "message-threads-2026-08-12";
/// Refusals of a thread that another one takes the place of.
const ANEW: [&str; 4] =
    ["thread_not_found", "thread_already_continued", "thread_continue_in_flight", "thread_fingerprint_mismatch"];
/// The refusal of all threads.
const UNSUPPORTED: &str = "thread_unsupported_request";
/// The fields that must not change within a thread.
const SETTINGS: [&str; 7] = ["model", "system", "tools", "thinking", "output_config", "tool_choice", "fallbacks"];

/// Whether a request may be part of a thread.
pub(super) fn wanted(request: &StreamRequest, compat: &Compat) -> bool {
    let options = &request.options;
    compat.message_threads()
        && options.session_id.is_some()
        && options.cache_retention != CacheRetention::None
        && !options.disable_continuation
}

/// A request of a thread, as it is whole.
pub(super) struct Threaded(Value);

/// Sends a request as part of a thread, or without where the provider wants none.
pub(super) async fn send(
    http: &HttpClient,
    request: &StreamRequest,
    mut ready: Ready,
    emitter: &Emitter,
    diagnostics: &mut Diagnostics,
) -> Result<(Answer, Option<Threaded>), WireError> {
    let whole = ready.take_body().into_value().map_err(error::no_json)?;
    let written = &request.options.written;
    let body = match written.take_thread() {
        Thread::Off => return Ok((http::post(http, request, &ready, whole.into()).await?, None)),
        Thread::Open(thread) => continued(&thread, &request.model, &whole),
        Thread::New => None,
    };
    let body = body.unwrap_or_else(|| created(&whole));
    let refused = match http::post(http, request, &ready, body).await {
        Ok(answer) => return Ok((answer, Some(Threaded(whole)))),
        Err(error) => error,
    };
    let Some(Refusal { reason, anew }) = Refusal::of(&refused) else { return Err(refused) };
    let details = json!({"reason": reason});
    diagnostics.add(&emitter.builder, "anthropic_thread_fallback", Some(&refused.to_string()), details);
    if anew {
        let answer = http::post(http, request, &ready, created(&whole)).await?;
        return Ok((answer, Some(Threaded(whole))));
    }
    let answer = http::post(http, request, &ready, whole.into()).await?;
    written.set_thread(Thread::Off);
    Ok((answer, None))
}

impl Threaded {
    /// The request was answered: the next one may continue. Not after the answer of another model.
    pub fn answered(self, request: &StreamRequest, compat: &Compat, answer: &AssistantMessage) {
        let Self(mut whole) = self;
        let Some(reply) = answer.extra.get("responseId").and_then(Value::as_str) else { return };
        let Some(messages) = whole["messages"].as_array_mut() else { return };
        if answer.extra.contains_key("responseModel") {
            return;
        }
        messages.extend(answer_message(answer, &request.model, compat));
        let count = messages.len();
        let hash = hash(&request.model, &whole, count);
        request.options.written.set_thread(Thread::Open(OpenThread { count, hash, reply: reply.to_owned() }));
    }
}

/// Why a thread was refused.
struct Refusal {
    reason: String,
    /// Another thread may be begun.
    anew: bool,
}

impl Refusal {
    /// `None` when a request was refused for something else.
    fn of(error: &WireError) -> Option<Self> {
        let WireError::Refused { status, text, .. } = error else { return None };
        let body = text.split_once(' ').and_then(|(_, body)| serde_json::from_str::<Value>(body).ok());
        let code = body.as_ref().and_then(|body| body.pointer("/error/details/error_code")?.as_str());
        match code {
            Some(code) if ANEW.contains(&code) => Some(Self { reason: code.to_owned(), anew: true }),
            Some(UNSUPPORTED) => Some(Self { reason: UNSUPPORTED.to_owned(), anew: false }),
            None if *status == 400 && text.contains("thread") => Some(Self { reason: status.to_string(), anew: false }),
            _ => None,
        }
    }
}

fn created(whole: &Value) -> Body {
    let mut body = whole.clone();
    body["thread"] = json!({"type": "create"});
    body.into()
}

/// What is new; `None` when anything that the provider has is another thing now.
fn continued(thread: &OpenThread, model: &Model, whole: &Value) -> Option<Body> {
    let messages = whole["messages"].as_array()?;
    if messages.len() <= thread.count || hash(model, whole, thread.count) != thread.hash {
        return None;
    }
    let mut body = whole.as_object()?.clone();
    body.retain(|name, _| !["system", "tools"].contains(&name.as_str()));
    body.insert("messages".to_owned(), messages[thread.count..].into());
    body.insert("thread".to_owned(), json!({"type": "continue", "previous_message_id": thread.reply}));
    Some(Value::Object(body).into())
}

/// Of the settings and the first messages, wherever the marks of the cache are.
fn hash(model: &Model, whole: &Value, count: usize) -> u64 {
    let mut hash = Xxh3Default::new();
    let mut add = |text: &str| {
        hash.update(text.as_bytes());
        hash.update(&[0]);
    };
    add(&model.provider);
    add(&model.base_url);
    for name in SETTINGS {
        add(&whole[name].to_string());
    }
    for message in whole["messages"].as_array().into_iter().flatten().take(count) {
        let mut message = message.clone();
        if let Some(text) = message["content"].as_str().map(str::to_owned) {
            message["content"] = json!([{"type": "text", "text": text}]);
        }
        let blocks = message["content"].as_array_mut().into_iter().flatten();
        blocks.filter_map(Value::as_object_mut).for_each(|block| drop(block.shift_remove("cache_control")));
        add(&message.to_string());
    }
    hash.digest()
}
