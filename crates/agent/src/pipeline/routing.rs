//! Virtual models: an extension chooses, request by request, the model that answers.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_ai::{AssistantMessage, JsonMap, Message, Model, StopReason, SystemMessage, ThinkingLevel, is_passing_error};
use tau_hooks::table::Deadline;
use tau_hooks::{
    AskedModel, FailedRequest, HandlerError, Messages, Route, RouteReason, RouteRequest, VIRTUAL_MODEL_STATE,
};
use tau_session::{EntryBody, EntryKind, Session, SessionError};
use tokio_util::sync::CancellationToken;

use super::context::RequestContext;
use super::prompt::PromptError;
use crate::crash::guarded;
use crate::parts::{Parts, ROUTING};
use crate::pipeline::state_entry::append_state;

/// Why a virtual model has nobody to answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RouteError {
    /// Its extension is gone.
    #[error("Virtual model {model} is not registered. Choose another model, or load the extension that brings it.")]
    Unregistered { model: String },
    /// The router failed.
    #[error("Virtual model {model}: the router of extension {extension} failed: {error}")]
    Failed { model: String, extension: String, error: String, may_pass: bool },
    /// The router named a model that does not answer itself.
    #[error("Virtual model {model} routed to {target}, which is not a physical model (extension {extension}).")]
    NotPhysical { model: String, extension: String, target: String },
    /// The router asks the virtual model that asks it.
    #[error(
        "Virtual model {model}: the router of extension {extension} is asked {ROUTING} times at once. A router must not ask its own model."
    )]
    Recursion { model: String, extension: String },
    /// Nobody can ask the model that the router named.
    #[error("Virtual model {model} routed to {target}, which has no credentials (extension {extension}).")]
    NoCredentials { model: String, extension: String, target: String },
    /// The request was given up meanwhile.
    #[error("Request was aborted")]
    Aborted,
}

impl RouteError {
    /// Whether asking again a little later is likely to work: when the router failed with what providers say then.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::Failed { may_pass: true, .. })
    }
}

impl From<RouteError> for PromptError {
    fn from(error: RouteError) -> Self {
        match error {
            RouteError::Aborted => Self::Aborted,
            RouteError::NoCredentials { .. } => Self::NoAuth(error.to_string()),
            other => Self::Route(other.to_string()),
        }
    }
}

/// Who answers a request.
#[derive(Debug, Clone)]
pub(crate) struct Routed {
    pub(crate) model: Arc<Model>,
    pub(crate) thinking: ThinkingLevel,
}

fn name_of(model: &Model) -> String {
    format!("{}/{}", model.provider, model.id)
}

/// Whether an answer can stand for what its model does.
fn is_good(answer: &AssistantMessage) -> bool {
    !matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted)
}

/// Who answers the next request of a run. What the router remembers is in the session before there is an answer.
pub(crate) async fn route_request(
    parts: &Parts,
    model: &Arc<Model>,
    context: &RequestContext,
    cancel: &CancellationToken,
) -> Result<Routed, RouteError> {
    let (reason, failed) = reason_of_request(parts);
    let state = router_state(parts, model);
    let mut all = Messages::new();
    if let Some(system) = &context.system {
        let (content, timestamp) = (system.clone().into(), parts.services.now_ms());
        all.push(Message::System(SystemMessage { content, timestamp, extra: JsonMap::new() }));
    }
    context.messages.iter().for_each(|message| all.push(Arc::clone(message)));
    let request = route_question(parts, model, parts.choices.thinking_level(), reason, all);
    let request = RouteRequest { failed, state: state.clone(), ..request };
    let (routed, now) = ask_router(parts, request, cancel).await?;
    if let Some(now) = now.filter(|now| Some(now) != state.as_ref()) {
        let data = json!({"provider": model.provider, "modelId": model.id, "state": now});
        let written = append_state(parts, VIRTUAL_MODEL_STATE, Some(data));
        let (model, extension) = (name_of(model), router_owner(parts, model));
        let failed =
            |error: SessionError| RouteError::Failed { model, extension, error: error.to_string(), may_pass: false };
        written.map_err(failed)?;
    }
    Ok(routed)
}

/// Who answers a request that is not part of a run. Physical models answer themselves.
pub(crate) async fn route_direct(
    parts: &Parts,
    model: &Arc<Model>,
    thinking: ThinkingLevel,
    messages: Messages,
    cancel: &CancellationToken,
) -> Result<Routed, RouteError> {
    if !model.is_virtual() {
        return Ok(Routed { model: Arc::clone(model), thinking });
    }
    let request = route_question(parts, model, thinking, RouteReason::Direct, messages);
    Ok(ask_router(parts, request, cancel).await?.0)
}

/// The model whose limits apply to the conversation: the selected one, or the physical one that answered last in the
/// place of a virtual one.
pub(crate) fn answering_model(parts: &Parts) -> Option<Arc<Model>> {
    let model = parts.choices.model()?;
    if !model.is_virtual() {
        return Some(model);
    }
    let history = parts.conversation.history();
    let last = history.iter().rev().filter_map(Message::as_assistant).find(|answer| is_good(answer));
    last.and_then(|answer| parts.services.models.find_physical(&answer.provider, &answer.model)).or(Some(model))
}

/// The model whose limits apply to an answer; `None` when the selected one did not give it.
pub(crate) fn model_of_answer(parts: &Parts, answer: &AssistantMessage) -> Option<Arc<Model>> {
    let model = parts.choices.model()?;
    if model.is_virtual() {
        return parts.services.models.find_physical(&answer.provider, &answer.model);
    }
    (tau_ai::provider_name(&answer.provider) == model.provider && answer.model == model.id).then_some(model)
}

fn router_owner(parts: &Parts, model: &Model) -> String {
    let found = parts.hooks.virtual_model(&model.provider, &model.id);
    found.map(|(owner, _)| owner.path.to_string()).unwrap_or_default()
}

fn route_question(
    parts: &Parts,
    model: &Arc<Model>,
    thinking_level: ThinkingLevel,
    reason: RouteReason,
    messages: Messages,
) -> RouteRequest {
    let last = messages.iter().rev().filter_map(Message::as_assistant).find(|answer| is_good(answer));
    let previous = last.and_then(|answer| asked_model(parts, answer));
    let model = Arc::clone(model);
    RouteRequest { model, thinking_level, reason, previous, failed: None, state: None, messages }
}

/// Who gave an answer, when that is a physical model that is still known.
fn asked_model(parts: &Parts, answer: &AssistantMessage) -> Option<AskedModel> {
    let model = parts.services.models.find_physical(&answer.provider, &answer.model)?;
    let level = answer.extra.get("thinkingLevel").and_then(Value::as_str).and_then(ThinkingLevel::parse);
    Some(AskedModel { model, thinking_level: level })
}

async fn ask_router(
    parts: &Parts,
    request: RouteRequest,
    cancel: &CancellationToken,
) -> Result<(Routed, Option<Value>), RouteError> {
    let chosen = Arc::clone(&request.model);
    let model = name_of(&chosen);
    let found = parts.hooks.virtual_model(&chosen.provider, &chosen.id);
    let Some((owner, known)) = found else { return Err(RouteError::Unregistered { model }) };
    let extension = owner.path.to_string();
    let failed = |error: String, may_pass| RouteError::Failed {
        model: model.clone(),
        extension: extension.clone(),
        error,
        may_pass,
    };
    let ctx = parts.hooks.api(&owner).ctx(cancel.clone(), false).map_err(|error| failed(error.to_string(), false))?;
    let Some(_asks) = parts.activity.routers.begin((chosen.provider.to_string(), chosen.id.to_string())) else {
        return Err(RouteError::Recursion { model, extension });
    };
    let (limit, clock) = (parts.hooks.dispatcher.limit(Deadline::Decide, parts.mode), ctx.clock().clone());
    let overdue = async {
        match limit {
            Some(limit) => {
                clock.passed(limit).await;
                Deadline::Decide.passed(limit)
            }
            None => std::future::pending().await,
        }
    };
    let answer = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(RouteError::Aborted),
        answer = guarded(known.router.route(request, ctx)) => answer,
        error = overdue => Ok(Err(error)),
    };
    let Route { model: target, thinking_level, state } = match answer {
        Ok(Ok(route)) => route,
        Ok(Err(error)) => return Err(failed(with_place(&error), may_pass(&error))),
        Err(crash) => return Err(failed(crash.of_extension(), false)),
    };
    let Some(physical) = parts.services.models.find_physical(&target.provider, &target.id) else {
        return Err(RouteError::NotPhysical { model, extension, target: name_of(&target) });
    };
    if !parts.services.models.has_auth(&physical.provider) {
        return Err(RouteError::NoCredentials { model, extension, target: name_of(&target) });
    }
    let thinking = physical.clamp_thinking(thinking_level);
    Ok((Routed { model: physical, thinking }, state))
}

/// Why the next request is made, by what stands at the end of the branch, and what failed before a retry.
fn reason_of_request(parts: &Parts) -> (RouteReason, Option<FailedRequest>) {
    let session = parts.conversation.session();
    let mut first = true;
    let mut current = session.leaf();
    // From the leaf back to the last answer. A damaged file may lead in circles.
    for _ in 0..=session.entries().len() {
        let Some(entry) = current.and_then(|id| session.entry(&id)) else { break };
        if let (EntryKind::Message, EntryBody::Message(body)) = (entry.kind(), &*entry.body()) {
            match &*body.message {
                Message::User(_) => return (RouteReason::User, None),
                Message::Assistant(answer) if first && answer.stop_reason == StopReason::Error => {
                    let message = Arc::clone(&body.message);
                    let failed = asked_model(parts, answer).map(|asked| FailedRequest { asked, message });
                    return (RouteReason::Retry, failed);
                }
                Message::Assistant(_) => break,
                _ => first = false,
            }
        }
        first &= entry.kind() != EntryKind::CustomMessage;
        current = entry.parent_id().cloned();
    }
    (RouteReason::Continuation, None)
}

/// What the router of a virtual model remembered last on this branch.
fn router_state(parts: &Parts, model: &Model) -> Option<Value> {
    let key = (model.provider.to_string(), model.id.to_string());
    parts.conversation.router_state(key, |session| read_router_state(session, model))
}

fn read_router_state(session: &Session, model: &Model) -> Option<Value> {
    let mut current = session.leaf();
    for _ in 0..=session.entries().len() {
        let entry = current.and_then(|id| session.entry(&id))?;
        if entry.kind() == EntryKind::Custom
            && let EntryBody::Custom(custom) = &*entry.body()
            && custom.custom_type == VIRTUAL_MODEL_STATE
            && let Some(data) = &custom.data
            && data["provider"] == model.provider.as_str()
            && data["modelId"] == model.id.as_str()
        {
            return data.get("state").cloned();
        }
        current = entry.parent_id().cloned();
    }
    None
}

/// Whether a router failed with what providers say when the same request is likely to work later. Where it failed says
/// nothing of that, and one that does not answer would not answer again.
fn may_pass(error: &HandlerError) -> bool {
    match error {
        HandlerError::Failed { message, .. } => is_passing_error(message),
        _ => false,
    }
}

/// What a router failed with, and where in its source.
fn with_place(error: &HandlerError) -> String {
    match error {
        HandlerError::Failed { message, location: Some(place), .. } => format!("{message} ({place})"),
        other => other.to_string(),
    }
}
