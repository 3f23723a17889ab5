//! After a sequence of turns: a failed request is repeated, and room is made in a context that got too large.

use tau_ai::{AssistantMessage, Message, StopReason};
use tau_hooks::Messages;
use tau_hooks::events::{AutoRetryEnd, AutoRetryStart};
use tau_hooks::payload::{AutoRetryEndEvent, AutoRetryStartEvent};
use tau_session::SessionError;

use super::last::{Last, omit};
use super::retry::{RetryPlan, retry_plan};
use crate::parts::SessionEvent;
use crate::pipeline::compaction::check_room;
use crate::pipeline::credentials::renew_login;
use crate::pipeline::routing::answering_model;
use crate::pipeline::turn::Turn;

/// Whether the failed request is to be made again. Everything for it is done then.
pub(crate) async fn recover(turn: &Turn<'_>, last: Option<&Last>) -> Result<bool, SessionError> {
    let Some(last) = last else { return Ok(false) };
    let Some(answer) = last.answer.message().as_assistant() else { return Ok(false) };
    if is_refused_login(turn, answer) && renew(turn, answer).await {
        omit(turn, last)?;
        return Ok(!turn.is_cancelled());
    }
    if let Some(plan) = plan_retry(turn, answer) {
        return retry(turn, last, plan).await;
    }
    if answer.stop_reason == StopReason::Error {
        end_retry(turn, answer.error_message.clone()).await;
    }
    Ok(check_room(turn, last, false).await? && !turn.is_cancelled())
}

/// Whether the provider did not take the login of its account. A renewed one is tried once.
fn is_refused_login(turn: &Turn<'_>, answer: &AssistantMessage) -> bool {
    let refused = answer.stop_reason == StopReason::Error
        && answer.error_message.as_deref().is_some_and(|text| text.starts_with("401"));
    refused
        && !turn.is_cancelled()
        && !turn.run.recovery.lock().login_renewed
        && turn.services.models.stored_login(&answer.provider).is_some()
}

/// Whether there is another login now. If it cannot be renewed, the refusal stands, and the user hears why.
async fn renew(turn: &Turn<'_>, answer: &AssistantMessage) -> bool {
    turn.run.recovery.lock().login_renewed = true;
    let renewed = tokio::select! {
        renewed = renew_login(turn, &answer.provider) => renewed,
        () = turn.run.cancel.cancelled() => return false,
    };
    renewed.unwrap_or_else(|error| {
        turn.report("session", "login", error.to_string());
        false
    })
}

fn plan_retry(turn: &Turn<'_>, answer: &AssistantMessage) -> Option<RetryPlan> {
    let window = answering_model(turn).map_or(0, |model| model.context_window);
    let (made, router_failed) = {
        let recovery = turn.run.recovery.lock();
        (recovery.attempt, recovery.router_failed)
    };
    // Waiting does not make a context smaller.
    let passing = router_failed.unwrap_or_else(|| answer.is_retryable() && !answer.is_context_overflow(window));
    if turn.is_cancelled() || !passing {
        return None;
    }
    retry_plan(&turn.retry_settings(), made, answer)
}

/// Whether the sequence of turns with these messages is about to be repeated.
pub(crate) fn will_retry(turn: &Turn<'_>, messages: &Messages) -> bool {
    let last = messages.iter().rev().find_map(Message::as_assistant);
    last.is_some_and(|answer| is_refused_login(turn, answer) || plan_retry(turn, answer).is_some())
}

async fn retry(turn: &Turn<'_>, last: &Last, plan: RetryPlan) -> Result<bool, SessionError> {
    turn.run.recovery.lock().attempt = plan.attempt;
    let RetryPlan { attempt, max_attempts, delay, ref error_message } = plan;
    let delay_ms = plan.delay_ms();
    let event = || AutoRetryStartEvent { attempt, max_attempts, delay_ms, error_message: error_message.clone() };
    turn.hooks.dispatcher.dispatch::<AutoRetryStart>(&turn.scope(), event).await;
    // Whoever hears of the pause may end it at once.
    let aside = turn.activity.asides.begin_retry(&turn.run.cancel);
    turn.events.send(|| SessionEvent::AutoRetryStart {
        attempt,
        max_attempts,
        delay_ms,
        error_message: error_message.clone(),
    });
    omit(turn, last)?;
    tokio::select! {
        biased;
        () = async { aside.token().cancelled().await } => {
            cancel_retry(turn).await;
            Ok(false)
        }
        () = tokio::time::sleep(delay) => Ok(true),
    }
}

/// Takes note of an answer: one that is no failure ends the attempts before it.
pub(crate) async fn note_answer(turn: &Turn<'_>, answer: &AssistantMessage) {
    match answer.stop_reason {
        StopReason::Error => {}
        StopReason::Aborted => cancel_retry(turn).await,
        StopReason::Length => retry_ended(turn, true, None).await,
        _ => {
            {
                let mut recovery = turn.run.recovery.lock();
                recovery.made_room = false;
                recovery.login_renewed = false;
            }
            retry_ended(turn, true, None).await;
        }
    }
}

/// Takes note of what the model is about to be told: a new request of the user may be made room for again.
pub(crate) fn note_message(turn: &Turn<'_>, message: &Message) {
    if matches!(message, Message::User(_)) {
        turn.run.recovery.lock().made_room = false;
    }
}

/// Nobody wants the failed request to be repeated any more.
pub(crate) async fn cancel_retry(turn: &Turn<'_>) {
    end_retry(turn, Some("Retry cancelled".to_owned())).await;
}

async fn end_retry(turn: &Turn<'_>, final_error: Option<String>) {
    retry_ended(turn, false, final_error).await;
}

async fn retry_ended(turn: &Turn<'_>, success: bool, final_error: Option<String>) {
    let attempt = std::mem::take(&mut turn.run.recovery.lock().attempt);
    if attempt == 0 {
        return;
    }
    let event = || AutoRetryEndEvent { success, attempt, final_error: final_error.clone() };
    turn.hooks.dispatcher.dispatch::<AutoRetryEnd>(&turn.scope(), event).await;
    turn.events.send(|| SessionEvent::AutoRetryEnd { success, attempt, final_error });
}
