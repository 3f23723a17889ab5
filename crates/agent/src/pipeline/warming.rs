//! Keeps the prompt of the last request in the cache of its provider: shortly before it would be gone, the request is sent
//! again with an answer of one token. The prompt stays cheap for what comes after a tool that takes long, or after a pause.
//!
//! Nothing waits for it, and it ends nothing: what goes wrong is logged. It stops with the next request.

use std::sync::Arc;

use futures_util::StreamExt;
use tau_ai::{AssistantMessage, Message, Model, Secrets, StopReason, StreamRequest, WarmingEstimate, WarmingPhase};
use tau_hooks::events::CacheWarmingDecision;
use tau_hooks::payload::{CacheWarmingAction, CacheWarmingDecisionEvent};
use tau_session::EntryBody;

use super::turn::Turn;
use crate::crash::guarded;
use crate::json::entry_json;
use crate::parts::{Live, Parts, SessionEvent, Warmed, WarmingStopped, WeakLive};
use crate::pipeline::credentials::ready_to_ask;
use crate::pipeline::model::unknown_api;
use crate::pipeline::provider_hooks::ProviderHooks;
use crate::settings::CacheWarming;

/// What an entry of the session says tokens were spent for.
pub(crate) const CACHE_WARM: &str = "cache_warm";
/// The remark on a refresh that an extension wanted.
const WANTED: &str = "extension override";

/// From now on keeps the prompt of a request warm, which is about to be sent. Costs nothing where it is not wanted or not
/// possible.
pub(super) fn keep_warm(turn: &Turn<'_>, request: &StreamRequest) {
    if let Err(why) = begin(turn, request) {
        turn.warming.stop(why);
    }
}

fn begin(turn: &Turn<'_>, request: &StreamRequest) -> Result<(), WarmingStopped> {
    if turn.settings().cache_warming() == CacheWarming::Off {
        return Err(WarmingStopped::Off);
    }
    let times = request.warming_times().ok_or(WarmingStopped::Unsuitable)?;
    let now = turn.services.now_ms();
    let warmed = Warmed::new(turn.conversation.history(), now, times);
    warmed.schedule(now)?;
    let warmed = Arc::new(warmed);
    turn.warming.begin(Arc::clone(&warmed));
    let request = StreamRequest { hooks: None, ..request.clone() };
    turn.services.runtime.spawn(stay_warm(turn.downgrade(), warmed, request));
    Ok(())
}

/// The run is over.
pub(super) fn rest(parts: &Parts) {
    let Some(warmed) = parts.warming.current() else { return };
    let done = match parts.settings().cache_warming() {
        CacheWarming::Off => Err(WarmingStopped::Off),
        CacheWarming::Streaming => Err(WarmingStopped::Settled),
        CacheWarming::Idle => warmed.become_idle(),
    };
    if let Err(why) = done {
        parts.warming.stop_one(&warmed, why);
    }
}

/// Sends the request again whenever that is due, until it stops. Does not keep the session while it waits.
async fn stay_warm(live: WeakLive, warmed: Arc<Warmed>, request: StreamRequest) {
    let clock = request.options.sources.clock.clone();
    loop {
        tokio::select! {
            biased;
            () = warmed.cancel.cancelled() => return,
            () = clock.reached(warmed.next_ms()) => {}
        }
        let Some(live) = live.upgrade() else { return };
        let done = guarded(refresh(&live, &warmed, &request)).await;
        let done = done.unwrap_or_else(|crash| Err(WarmingStopped::Failed(crash.to_string())));
        if let Err(why) = done.and_then(|()| warmed.schedule(live.services.now_ms())) {
            let model = &request.model;
            tracing::info!(target: "tau::warming", provider = model.provider, model = model.id, %why, "stopped");
            live.warming.stop_one(&warmed, why);
            return;
        }
    }
}

/// Asks extensions, then sends the request again.
async fn refresh(live: &Live, warmed: &Warmed, request: &StreamRequest) -> Result<(), WarmingStopped> {
    warmed.note_refreshing();
    let check = || {
        still_wanted(live, warmed, request)?;
        warmed.in_time(live.services.now_ms())
    };
    check()?;
    let estimate = request.model.warming_estimate(last_prompt(live), warmed.phase());
    let by_extension = decide(live, warmed, &estimate).await?;
    check()?;
    let answer = tokio::select! {
        biased;
        () = warmed.cancel.cancelled() => return Err(WarmingStopped::Ended),
        answer = ask(live, warmed, request) => answer?,
    };
    still_wanted(live, warmed, request)?;
    note_spent(live, &answer, by_extension)?;
    // Another refresh would cost the full price of the prompt, too.
    if answer.usage.cache_read == 0 { Err(WarmingStopped::NotCached) } else { Ok(()) }
}

/// Whether the next request still profits from it.
fn still_wanted(parts: &Parts, warmed: &Warmed, request: &StreamRequest) -> Result<(), WarmingStopped> {
    if warmed.cancel.is_cancelled() {
        return Err(WarmingStopped::Ended);
    }
    match (parts.settings().cache_warming(), warmed.phase()) {
        (CacheWarming::Off, _) => return Err(WarmingStopped::Off),
        (CacheWarming::Streaming, WarmingPhase::Idle) => return Err(WarmingStopped::Settled),
        _ => {}
    }
    let is_chosen = |model: &Model| (&model.provider, &model.id) == (&request.model.provider, &request.model.id);
    let is_same = parts.choices.model().is_some_and(|model| is_chosen(&model))
        && warmed.is_beginning_of(&parts.conversation.history());
    if is_same { Ok(()) } else { Err(WarmingStopped::Changed) }
}

/// How many tokens the prompt of the last answer had.
fn last_prompt(parts: &Parts) -> u64 {
    let history = parts.conversation.history();
    let last = history.iter().rev().find_map(Message::as_assistant);
    last.map_or(0, |answer| answer.usage.prompt())
}

/// Whether an extension wants a refresh that tau would not have made.
async fn decide(live: &Live, warmed: &Warmed, estimate: &WarmingEstimate) -> Result<bool, WarmingStopped> {
    let own = if estimate.is_worth_it() { CacheWarmingAction::Warm } else { CacheWarmingAction::Stop };
    let event = || CacheWarmingDecisionEvent {
        warm_cost: estimate.warm_cost,
        miss_cost: estimate.miss_cost,
        continuation_probability: estimate.continuation_probability,
        action: own,
    };
    let scope = live.scope_until(&warmed.cancel);
    let done = live.hooks.dispatcher.dispatch::<CacheWarmingDecision>(&scope, event).await;
    let wanted = done.into_folded().and_then(|folded| folded.output).and_then(|output| output.action);
    match (wanted.unwrap_or(own), own) {
        (CacheWarmingAction::Warm, own) => Ok(own == CacheWarmingAction::Stop),
        (CacheWarmingAction::Stop, CacheWarmingAction::Warm) => Err(WarmingStopped::ByExtension),
        (CacheWarmingAction::Stop, CacheWarmingAction::Stop) => Err(WarmingStopped::NotWorthIt),
    }
}

/// Sends the request again. Extensions see it on its way out, as they may have changed what was sent the first time.
async fn ask(live: &Live, warmed: &Warmed, request: &StreamRequest) -> Result<AssistantMessage, WarmingStopped> {
    let failed = WarmingStopped::Failed;
    let (model, auth) = ready_to_ask(live, &request.model).await.map_err(|error| failed(error.to_string()))?;
    if *model != *request.model {
        return Err(WarmingStopped::Changed);
    }
    let unknown = || failed(unknown_api(live, &model).to_string());
    let api = live.services.models.api_for(&model).ok_or_else(unknown)?;
    let mut again = request.replay(warmed.cancel.clone());
    again.hooks = ProviderHooks::wanted(&live.hooks, &live.scope_until(&warmed.cancel), &model);
    let options = &mut again.options;
    (options.api_key, options.headers, options.env) = (auth.api_key, auth.headers, auth.env);
    let secrets = Secrets::of_request(&again);
    let mut stream = api.stream(again);
    while let Some(item) = stream.next().await {
        let Some(answer) = item.event.final_message() else { continue };
        let mut answer = AssistantMessage::clone(answer);
        secrets.hide_in_answer(&mut answer);
        let fails = matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted);
        return if fails { Err(failed(answer.error_message.unwrap_or_default())) } else { Ok(answer) };
    }
    Err(failed("the provider's stream ended without a result".to_owned()))
}

/// Puts what a refresh cost into the session.
fn note_spent(parts: &Parts, answer: &AssistantMessage, by_extension: bool) -> Result<(), WarmingStopped> {
    let answered_by = answer.extra.get("responseModel").and_then(serde_json::Value::as_str);
    let model = answered_by.unwrap_or(&answer.model);
    let note = by_extension.then(|| WANTED.to_owned());
    let spent = EntryBody::usage(CACHE_WARM, &answer.provider, model, answer.usage.clone(), note);
    let entry = parts.conversation.session().append(spent);
    let entry = entry.map_err(|error| WarmingStopped::Failed(error.to_string()))?;
    parts.events.send(|| SessionEvent::EntryAppended { entry: entry_json(&entry) });
    Ok(())
}
