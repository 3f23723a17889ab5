//! Before every request: `context`, `context_with_system`, and the fixed conversion.

use std::sync::Arc;

use tau_ai::{JsonMap, Message, MessageContent, SystemMessage};
use tau_hooks::events::{Context, ContextWithSystem, EventId};
use tau_hooks::payload::ContextEvent;
use tau_hooks::{Messages, Scope};

use super::convert::to_llm;
use crate::parts::Parts;
use crate::pipeline::system_prompt::run_prompt;
use crate::pipeline::turn::Turn;

/// What the next request is made of.
pub(crate) struct RequestContext {
    pub(crate) system: Option<String>,
    pub(crate) messages: Vec<Arc<Message>>,
}

/// The conversation as extensions want the model to see it this once. Handlers get a list that shares everything
/// with the history until they touch it, so this costs the same at any length when they do not.
pub(crate) async fn make_context(turn: &Turn<'_>) -> RequestContext {
    context_of(turn, &turn.scope(), turn.conversation.history(), &run_prompt(turn)).await
}

/// As [`make_context`], of a conversation with this system prompt.
pub(crate) async fn context_of(parts: &Parts, scope: &Scope, history: Messages, prompt: &str) -> RequestContext {
    let dispatcher = &parts.hooks.dispatcher;
    let done = dispatcher.dispatch::<Context>(scope, || ContextEvent { messages: history.clone() }).await;
    let mut messages = done.into_payload().map_or(history, |event| event.messages);
    let mut system = Some(prompt.to_owned());
    if dispatcher.has_handlers(EventId::ContextWithSystem) {
        (system, messages) = context_with_system(parts, scope, system, messages).await;
    }
    RequestContext { system, messages: to_llm(&messages, parts.settings().images().block_images) }
}

async fn context_with_system(
    parts: &Parts,
    scope: &Scope,
    system: Option<String>,
    messages: Messages,
) -> (Option<String>, Messages) {
    let mut with_head = messages.clone();
    let head = SystemMessage {
        content: system.clone().unwrap_or_default().into(),
        timestamp: parts.services.now_ms(),
        extra: JsonMap::new(),
    };
    with_head.insert(0, Message::System(head));
    let event = || ContextEvent { messages: with_head };
    let done = parts.hooks.dispatcher.dispatch::<ContextWithSystem>(scope, event).await;
    let Some(event) = done.into_payload() else { return (system, messages) };
    let mut changed = event.messages;
    match changed.get(0).as_deref() {
        Some(Message::System(head)) => {
            let text = match &head.content {
                MessageContent::Text(text) => text.clone(),
                blocks => blocks.text(),
            };
            changed.drop_front(1);
            (Some(text), changed)
        }
        _ => {
            parts.report(
                "context_with_system",
                "context_with_system",
                "the system message was removed; this request has no system prompt",
            );
            (None, changed)
        }
    }
}
