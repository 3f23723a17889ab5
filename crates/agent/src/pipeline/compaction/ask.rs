//! Asking the model for a summary, beside the conversation.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::StreamExt;
use serde_json::Value;
use tau_ai::{
    AssistantMessage, CacheRetention, Message, Model, RequestAuth, RequestHooks, ResponseHead, Secrets, StopReason,
    StreamApi, StreamOptions, StreamRequest, ThinkingLevel, Usage, UserMessage,
};
use tau_hooks::events::{BeforeProviderHeaders, EventId};
use tau_hooks::payload::{BeforeProviderHeadersEvent, CompactReason};
use tokio_util::sync::CancellationToken;

use super::wording::SYSTEM;
use crate::parts::{Live, Parts, SessionEvent};
use crate::pipeline::credentials::ready_to_ask;
use crate::pipeline::model::{no_model, unknown_api};
use crate::pipeline::prompt::PromptError;
use crate::pipeline::retry::retry_plan;
use crate::pipeline::routing::Routed;
use crate::pipeline::routing::route_direct;

/// A request for a summary.
pub(crate) struct Question {
    /// All of the request.
    pub(crate) text: String,
    /// What it is for, for errors.
    pub(crate) what: &'static str,
    /// Who asks, for those who watch.
    pub(crate) asked_by: AskedBy,
}

/// Who asks for a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskedBy {
    /// A compaction.
    Compaction(CompactReason),
    /// Somebody who leaves a branch.
    BranchSummary,
}

/// A summary and what it cost.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Summary {
    pub(crate) text: String,
    pub(crate) usage: Usage,
}

/// Why there is no summary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AskError {
    /// Somebody stopped it.
    #[error("cancelled")]
    Cancelled,
    /// It did not work.
    #[error("{0}")]
    Failed(String),
}

/// A model and everything that is needed to ask it.
pub(crate) struct Asked {
    model: Arc<Model>,
    api: Arc<dyn StreamApi>,
    auth: RequestAuth,
    thinking: ThinkingLevel,
}

/// The model of the session, ready to be asked; of a virtual one, the one it is routed to.
pub(crate) async fn summariser(parts: &Parts, cancel: &CancellationToken) -> Result<Asked, PromptError> {
    let chosen = parts.choices.model().ok_or_else(|| no_model(parts))?;
    let routed =
        route_direct(parts, &chosen, parts.choices.thinking_level(), parts.conversation.history(), cancel).await;
    let Routed { model, thinking } = routed?;
    let ready = ready_to_ask(parts, &model).await;
    let (model, auth) = ready.map_err(|error| PromptError::NoAuth(error.to_string()))?;
    let api = parts.services.models.api_for(&model).ok_or_else(|| unknown_api(parts, &model))?;
    Ok(Asked { model, api, auth, thinking })
}

/// Asks for a summary. A failure that is likely to pass is tried again, as often as for answers.
pub(crate) async fn ask_for_summary(
    live: &Live,
    asked: &Asked,
    question: Question,
    cancel: &CancellationToken,
) -> Result<Summary, AskError> {
    let mut attempt = 0;
    let answer = loop {
        let answer = answer_aside(live, asked, &question, cancel).await.ok_or(AskError::Cancelled)?;
        let plan = retry_plan(&live.retry_settings(), attempt, &answer);
        let Some(plan) = plan.filter(|_| answer.is_retryable()) else { break answer };
        attempt = plan.attempt;
        live.events.send(|| SessionEvent::SummarizationRetryScheduled {
            attempt,
            max_attempts: plan.max_attempts,
            delay_ms: plan.delay_ms(),
            error_message: plan.error_message.clone(),
        });
        tokio::select! {
            () = tokio::time::sleep(plan.delay) => {}
            () = cancel.cancelled() => {
                live.events.send(|| SessionEvent::SummarizationRetryFinished);
                return Err(AskError::Cancelled);
            }
        }
        live.events.send(|| match question.asked_by {
            AskedBy::Compaction(reason) => {
                SessionEvent::SummarizationRetryAttemptStart { source: "compaction", reason: Some(reason) }
            }
            AskedBy::BranchSummary => {
                SessionEvent::SummarizationRetryAttemptStart { source: "branchSummary", reason: None }
            }
        });
    };
    if attempt > 0 {
        live.events.send(|| SessionEvent::SummarizationRetryFinished);
    }
    summary_of(&answer, question.what)
}

/// The answer to one request; `None` when it was stopped.
async fn answer_aside(
    live: &Live,
    asked: &Asked,
    question: &Question,
    cancel: &CancellationToken,
) -> Option<Arc<AssistantMessage>> {
    let Asked { model, api, auth, thinking } = asked;
    let thinking = if model.reasoning { model.clamp_thinking(*thinking) } else { ThinkingLevel::Off };
    let options = StreamOptions {
        api_key: auth.api_key.clone(),
        headers: auth.headers.clone(),
        env: auth.env.clone(),
        thinking,
        thinking_budgets: live.settings().thinking_budgets(),
        // As much as the model can, within what the window leaves: a summary that is cut is none.
        max_tokens: None,
        // Nobody will ask this again, and it has nothing in common with the conversation's own requests.
        cache_retention: CacheRetention::None,
        session_id: Some(live.services.new_id()),
        sources: live.services.sources.clone(),
        ..StreamOptions::default()
    };
    let text = vec![tau_ai::ContentBlock::text(question.text.clone())];
    let secrets = Secrets::of(model, &options);
    let mut stream = api.stream(StreamRequest {
        model: Arc::clone(model),
        system: Some(SYSTEM.to_owned()),
        messages: vec![Arc::new(Message::User(UserMessage::new(text)))],
        tools: Arc::from([]),
        options,
        hooks: HeaderHooks::wanted(live, cancel),
        cancel: cancel.clone(),
    });
    loop {
        let item = tokio::select! {
            biased;
            () = cancel.cancelled() => return None,
            item = stream.next() => item,
        };
        match item {
            Some(item) => {
                if let Some(message) = item.event.final_message() {
                    let mut message = AssistantMessage::clone(message);
                    secrets.hide_in_answer(&mut message);
                    return Some(Arc::new(message)).filter(|message| message.stop_reason != StopReason::Aborted);
                }
            }
            None => return Some(Arc::new(cut_off())),
        }
    }
}

/// The answer of a stream that ended without one.
fn cut_off() -> AssistantMessage {
    AssistantMessage {
        stop_reason: StopReason::Error,
        error_message: Some("The provider's stream ended without a result".to_owned()),
        ..AssistantMessage::empty()
    }
}

/// The text of an answer, unless it must not stand for what it summarises.
fn summary_of(answer: &AssistantMessage, what: &str) -> Result<Summary, AskError> {
    let failed = |why: &str| Err(AskError::Failed(format!("{what} {why}")));
    match answer.stop_reason {
        StopReason::Error => {
            return failed(&format!("failed: {}", answer.error_message.as_deref().unwrap_or("Unknown error")));
        }
        StopReason::Length => {
            return failed("failed: the answer reached its token limit, so the summary is incomplete");
        }
        _ => {}
    }
    if answer.tool_calls().next().is_some() {
        return failed("attempted to call a tool");
    }
    let text = answer.texts().collect::<Vec<_>>().join("\n");
    if text.trim().is_empty() {
        return failed("failed: the answer is empty");
    }
    Ok(Summary { text, usage: answer.usage.clone() })
}

/// Shows the headers of the request to the handlers of extensions. Its body is none of the conversation's.
struct HeaderHooks {
    live: Live,
    cancel: CancellationToken,
}

impl HeaderHooks {
    fn wanted(live: &Live, cancel: &CancellationToken) -> Option<Arc<dyn RequestHooks>> {
        let wanted = live.hooks.dispatcher.has_handlers(EventId::BeforeProviderHeaders);
        let hooks = || Self { live: live.clone(), cancel: cancel.clone() };
        wanted.then(|| Arc::new(hooks()) as Arc<dyn RequestHooks>)
    }
}

#[async_trait]
impl RequestHooks for HeaderHooks {
    async fn headers(&self, headers: BTreeMap<String, Option<String>>) -> BTreeMap<String, Option<String>> {
        let event = || BeforeProviderHeadersEvent { headers: headers.clone() };
        let scope = self.live.scope_until(&self.cancel);
        let done = self.live.hooks.dispatcher.dispatch::<BeforeProviderHeaders>(&scope, event).await;
        done.into_payload().map_or(headers, |event| event.headers)
    }

    fn wants_payload(&self) -> bool {
        false
    }

    async fn payload(&self, payload: Value) -> Value {
        payload
    }

    async fn response(&self, _: ResponseHead) {}
}
