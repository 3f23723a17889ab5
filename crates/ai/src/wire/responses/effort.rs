//! How much a model thinks: in the request, or inside the conversation.

use serde_json::{Value, json};

use super::compat::{Compat, Dialect};
use crate::{Model, StreamRequest, ThinkingLevel};

/// The effort of a request whose real one stands inside the conversation.
const FIXED: &str = "medium";

/// What a request says of reasoning.
pub(super) struct Reasoning {
    /// The field `reasoning`.
    pub settings: Option<Value>,
    /// Whether reasoning comes in the encrypted form that can be sent back.
    pub encrypted: bool,
}

/// The level, unless it is `off`.
pub(super) fn level(request: &StreamRequest) -> Option<ThinkingLevel> {
    let wanted = Some(request.options.thinking).filter(|level| *level != ThinkingLevel::Off)?;
    Some(request.model.clamp_thinking(wanted)).filter(|level| *level != ThinkingLevel::Off)
}

/// What the provider calls a level.
pub(super) fn name(model: &Model, level: ThinkingLevel) -> String {
    let own = model.thinking_level_map.as_ref().and_then(|map| map.get(&level)?.clone());
    own.unwrap_or_else(|| level.as_str().to_owned())
}

/// What the provider calls no thinking, if the model can do without.
pub(super) fn off(model: &Model) -> Option<String> {
    match model.thinking_level_map.as_ref().and_then(|map| map.get(&ThinkingLevel::Off)) {
        None => Some("none".to_owned()),
        Some(name) => name.clone(),
    }
}

/// The effort that stands inside the conversation, so that another one changes nothing of what was sent before.
pub(super) fn in_conversation(request: &StreamRequest, compat: &Compat) -> Option<String> {
    let level = level(request).filter(|_| compat.supports_mid_convo_effort)?;
    Some(name(&request.model, level))
}

/// What the request says; `updated` when the real effort stands inside the conversation.
pub(super) fn in_request(request: &StreamRequest, dialect: Dialect, updated: bool) -> Option<Reasoning> {
    let model = &*request.model;
    if !model.reasoning {
        return None;
    }
    // xAI sends it whatever the effort.
    let always = dialect == Dialect::OpenAi && model.provider == "xai";
    let Some(level) = level(request) else {
        let silent = dialect == Dialect::OpenAi && model.provider == "github-copilot";
        let settings = off(model).filter(|_| !silent).map(|effort| json!({"effort": effort}));
        return Some(Reasoning { settings, encrypted: always });
    };
    let effort = if updated { FIXED.to_owned() } else { name(model, level) };
    Some(Reasoning { settings: Some(json!({"effort": effort, "summary": "auto"})), encrypted: true })
}
