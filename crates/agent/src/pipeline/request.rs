//! One request: the provider's answer becomes a message.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::StreamExt;
use tau_ai::{
    AssistantMessage, Message, MessageBuilder, MessageStream, Model, RequestAuth, Secrets, StopReason, StreamEvent,
    StreamItem, StreamOptions, StreamRequest, ThinkingLevel, is_builtin_api,
};
use tau_hooks::events::MessageUpdate;
use tau_hooks::payload::{MessageUpdateEvent, Snapshot, StreamUpdate};
use tau_hooks::{HistoryMessage, Scope};
use tau_session::SessionError;
use tokio_util::sync::CancellationToken;

use super::context::{RequestContext, make_context};
use super::routing::{RouteError, Routed};
use crate::crash::guarded;
use crate::parts::{Parts, SessionEvent, Stopwatch, Update, WarmingStopped};
use crate::pipeline::compaction::keep_room_for;
use crate::pipeline::credentials::ready_to_ask;
use crate::pipeline::messages::{add_message, end_message, start_message};
use crate::pipeline::model::unknown_api;
use crate::pipeline::provider_hooks::ProviderHooks;
use crate::pipeline::routing::route_request;
use crate::pipeline::rules::{break_off, see, tell_rules_later, watch_answer};
use crate::pipeline::run_state::Run;
use crate::pipeline::turn::Turn;
use crate::pipeline::warming::keep_warm;

/// How long a provider may take to end its stream after it was told to stop.
const GRACE: Duration = Duration::from_secs(2);

const ABORTED: &str = "Request was aborted";

/// Asks the model and takes its answer into the session. A failed or aborted request gives a message too: it says
/// so in its stop reason.
pub(crate) async fn request(turn: &Turn<'_>, context: RequestContext) -> Result<Arc<HistoryMessage>, SessionError> {
    turn.run.count.begin_request();
    let scope = turn.scope();
    turn.events.keep_pace(&turn.run.cancel).await;
    let began = turn.services.stopwatch();
    let message = match open_stream(turn, context, &scope).await {
        Ok(Opened { model, thinking, secrets, stream }) => {
            let asked = Asked { began, thinking, secrets };
            return turn.events.resting(receive(turn, &scope, &model, stream, asked)).await;
        }
        Err(NotSent(message)) => message,
    };
    add_message(turn, &turn.scope(), message).await
}

/// A request that is on its way.
struct Opened {
    /// Who answers it.
    model: Arc<Model>,
    thinking: ThinkingLevel,
    /// What its answer must not quote.
    secrets: Secrets,
    stream: MessageStream,
}

/// No request was sent: the message that says why.
struct NotSent(Arc<Message>);

impl NotSent {
    fn failed(model: Option<&Model>, why: &str, now_ms: i64) -> Self {
        Self(Arc::new(failure(model, why, now_ms)))
    }

    fn aborted(model: &Model, now_ms: i64) -> Self {
        Self(Arc::new(cut_off(None, StopReason::Aborted, ABORTED.to_owned(), model, now_ms)))
    }
}

async fn open_stream(turn: &Turn<'_>, mut context: RequestContext, scope: &Scope) -> Result<Opened, NotSent> {
    // A refresh that is on its way would be in the way of this request, which takes its place.
    turn.warming.stop(WarmingStopped::Asking);
    turn.run.recovery.lock().router_failed = None;
    let chosen =
        turn.choices.model().ok_or_else(|| NotSent::failed(None, "No model selected", turn.services.now_ms()))?;
    let is_virtual = chosen.is_virtual();
    let Routed { model, thinking } = if is_virtual {
        let routed = route_request(turn, &chosen, &context, &turn.run.cancel).await.map_err(|error| match error {
            RouteError::Aborted => NotSent::aborted(&chosen, turn.services.now_ms()),
            error => {
                turn.run.recovery.lock().router_failed = Some(error.may_pass());
                NotSent::failed(Some(&chosen), &error.to_string(), turn.services.now_ms())
            }
        })?;
        // The model that was chosen may take less than the one that answered before.
        if keep_room_for(turn, &routed.model).await {
            context = make_context(turn).await;
        }
        routed
    } else {
        Routed { thinking: chosen.clamp_thinking(turn.choices.thinking_level()), model: chosen }
    };
    let fail = |why: String| NotSent::failed(Some(&model), &why, turn.services.now_ms());
    let (model, auth) = tokio::select! {
        ready = ready_to_ask(turn, &model) => ready.map_err(|error| fail(error.to_string()))?,
        () = turn.run.cancel.cancelled() => return Err(NotSent::aborted(&model, turn.services.now_ms())),
    };
    let unknown = || fail(unknown_api(turn, &model).to_string());
    let api = turn.services.models.api_for(&model).ok_or_else(unknown)?;
    // A login that was renewed may have changed the model.
    let thinking = model.clamp_thinking(thinking);
    let asked = Routed { model: Arc::clone(&model), thinking };
    let request = request_of(turn, scope, asked, auth, context, &turn.run.cancel);
    if is_virtual {
        turn.warming.stop(WarmingStopped::Virtual);
    } else {
        keep_warm(turn, &request);
    }
    let secrets = Secrets::of_request(&request);
    // The code of a provider may be anybody's: when it panics, its request has failed.
    let stream = guarded(async { api.stream(request) })
        .await
        .map_err(|crash| fail(secrets.hide(crash.of_provider(&model.api))))?;
    Ok(Opened { model, thinking, secrets, stream })
}

/// A request of the conversation.
pub(super) fn request_of(
    parts: &Parts,
    scope: &Scope,
    Routed { model, thinking }: Routed,
    auth: RequestAuth,
    context: RequestContext,
    cancel: &CancellationToken,
) -> StreamRequest {
    let options = StreamOptions {
        api_key: auth.api_key,
        headers: auth.headers,
        env: auth.env,
        thinking,
        thinking_budgets: parts.settings().thinking_budgets(),
        cache_retention: parts.settings().cache_retention(),
        session_id: Some(parts.conversation.session().id().to_owned()),
        sources: parts.services.sources.clone(),
        written: parts.conversation.sent(),
        ..StreamOptions::default()
    };
    StreamRequest {
        hooks: ProviderHooks::wanted(&parts.hooks, scope, &model),
        model,
        system: context.system,
        messages: context.messages,
        tools: parts.choices.tools.declarations(),
        options,
        cancel: cancel.clone(),
    }
}

async fn receive(
    turn: &Turn<'_>,
    scope: &Scope,
    model: &Model,
    mut stream: MessageStream,
    asked: Asked,
) -> Result<Arc<HistoryMessage>, SessionError> {
    let mut started = false;
    let mut watch = watch_answer(turn);
    let mut last: Option<StreamItem> = None;
    let mut crash = None;
    // A provider that does not react must not keep the user waiting.
    let mut overdue = Box::pin(overdue(turn.run));
    // The wire formats of tau look at the connection itself.
    let limit = turn.settings().http().silence.filter(|_| !is_builtin_api(&model.api));
    let mut silence = limit.map(|limit| Box::pin(tokio::time::sleep(limit)));
    let mut is_silent = false;
    loop {
        if let (Some(silence), Some(limit)) = (&mut silence, limit) {
            silence.as_mut().reset(tokio::time::Instant::now() + limit);
        }
        let item = {
            let mut next = pin!(guarded(stream.next()));
            let is_cancelled = turn.is_cancelled();
            // To wait costs more than to look, and there is an item for each token.
            poll_fn(|context| {
                if is_cancelled && overdue.as_mut().poll(context).is_ready() {
                    return Poll::Ready(Ok(None));
                }
                let waits = next.as_mut().poll(context);
                if waits.is_ready() {
                    return waits;
                }
                is_silent = silence.as_mut().is_some_and(|silence| silence.as_mut().poll(context).is_ready());
                if is_silent || overdue.as_mut().poll(context).is_ready() {
                    return Poll::Ready(Ok(None));
                }
                Poll::Pending
            })
            .await
        };
        let item = match item {
            Ok(Some(item)) => item,
            Ok(None) => break,
            Err(error) => {
                crash = Some(error);
                break;
            }
        };
        if let Some(message) = item.event.final_message() {
            if let Some(watch) = &watch {
                tell_rules_later(turn, scope, watch, message).await;
            }
            let message = Arc::new(asked.answered(AssistantMessage::clone(message)));
            if !started {
                start_message(turn, &turn.scope(), Arc::clone(&message)).await;
            }
            return end_message(turn, &turn.scope(), message).await;
        }
        if !started {
            started = true;
            let message = Arc::new(Snapshot(item.partial.clone()).to_message());
            start_message(turn, scope, message).await;
        }
        if item.event != StreamEvent::Start {
            update(turn, scope, &item).await;
        }
        if let Some(watch) = &mut watch
            && see(turn, watch, &item).await
            && !turn.is_cancelled()
        {
            // Closes the connection: not another word is wanted.
            drop(stream);
            let message = asked.noted(break_off(turn, scope, watch, &item).await);
            return end_message(turn, &turn.scope(), Arc::new(message)).await;
        }
        last = Some(item);
    }
    let (reason, text) = match crash {
        Some(crash) => (StopReason::Error, crash.of_provider(&model.api)),
        None if turn.is_cancelled() => (StopReason::Aborted, ABORTED.to_owned()),
        None if is_silent => {
            let limit = limit.unwrap_or_default().as_millis();
            let provider = &model.provider;
            let text = format!("Provider {provider} timed out: nothing came for {limit} ms (httpIdleTimeoutMs)");
            (StopReason::Error, text)
        }
        None => (StopReason::Error, "The provider's stream ended without a result".to_owned()),
    };
    let message = Arc::new(asked.noted(cut_off(last, reason, text, model, turn.services.now_ms())));
    if !started {
        start_message(turn, &turn.scope(), Arc::clone(&message)).await;
    }
    end_message(turn, &turn.scope(), message).await
}

async fn update(parts: &Parts, scope: &Scope, item: &StreamItem) {
    let event = || MessageUpdateEvent {
        message: Snapshot(item.partial.clone()),
        assistant_message_event: StreamUpdate(item.clone()),
    };
    parts.hooks.updates.post::<MessageUpdate>(scope, event).await;
    parts.events.send(|| SessionEvent::MessageUpdate(Update(item.clone())));
    parts.events.keep_pace(&scope.cancel).await;
}

/// A request, for what its answer says of it.
#[derive(Clone)]
struct Asked {
    began: Stopwatch,
    thinking: ThinkingLevel,
    /// What the answer must not quote beside its contents.
    secrets: Secrets,
}

impl Asked {
    /// The answer with how long it took, in milliseconds, and how much the model was told to think.
    fn answered(&self, mut answer: AssistantMessage) -> Message {
        let took = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        answer.usage.bound();
        self.secrets.hide_in_answer(&mut answer);
        // A provider of an extension may know better.
        answer.extra.entry("durationMs").or_insert_with(|| took.into());
        answer.extra.insert("thinkingLevel".to_owned(), self.thinking.as_str().into());
        Message::Assistant(answer)
    }

    /// As [`Asked::answered`], for an answer that was cut off.
    fn noted(&self, message: Message) -> Message {
        match message {
            Message::Assistant(answer) => self.answered(answer),
            other => other,
        }
    }
}

async fn overdue(run: &Run) {
    run.cancel.cancelled().await;
    tokio::time::sleep(GRACE).await;
}

/// The message of a stream that ended without one.
fn cut_off(last: Option<StreamItem>, reason: StopReason, text: String, model: &Model, now_ms: i64) -> Message {
    let mut message = last.map_or_else(|| MessageBuilder::head_at(model, now_ms), |item| item.partial.to_message());
    message.stop_reason = reason;
    message.error_message = Some(text);
    Message::Assistant(message)
}

/// The message of a request that could not be made.
pub(super) fn failure(model: Option<&Model>, text: &str, timestamp: i64) -> Message {
    let mut head = match model {
        Some(model) => MessageBuilder::head_at(model, timestamp),
        None => AssistantMessage { timestamp, ..AssistantMessage::empty() },
    };
    head.stop_reason = StopReason::Error;
    head.error_message = Some(text.to_owned());
    Message::Assistant(head)
}
