//! A run: turns until the model has nothing left to do, then settling.
#![expect(clippy::disallowed_methods, reason = "a run goes on when its caller is gone, on the session's runtime")]

use std::sync::Arc;

use tau_ai::{Message, StopReason};
use tau_hooks::dialect::Failures;
use tau_hooks::events::{AgentEnd, AgentStart, TurnStart};
use tau_hooks::payload::{AgentEndEvent, Empty, Outcome, TurnStartEvent};
use tau_hooks::{HistoryMessage, Messages, Report, ReportKind};
use tau_session::SessionError;

use super::last::Last;
use super::prompt::PromptError;
use super::request::failure;
use super::tools::Batch;
use crate::crash::{Crash, guarded};
use crate::parts::{Live, Parts, SessionEvent};
use crate::pipeline::boundary::{before_settle, turn_end};
use crate::pipeline::compaction::keep_room_between;
use crate::pipeline::context::make_context;
use crate::pipeline::images::with_fitting_pictures;
use crate::pipeline::messages::add_message;
use crate::pipeline::record::{prepare_loadout, record_choices, record_tools};
use crate::pipeline::recover::{cancel_retry, note_answer, note_message, recover, will_retry};
use crate::pipeline::request::request;
use crate::pipeline::rules::{after_rule_break, note_told, recall_rules};
use crate::pipeline::run_state::Run;
use crate::pipeline::settle::{settled, sync_session};
use crate::pipeline::tell::{came_to, take_follow_ups, take_steering, tell};
use crate::pipeline::todo::todo_reminder;
use crate::pipeline::tools::tool_batch;
use crate::pipeline::turn::Turn;

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
enum RunError {
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    Crashed(#[from] Crash),
}

impl From<RunError> for PromptError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Session(error) => error.into(),
            RunError::Crashed(crash) => crash.into(),
        }
    }
}

/// How one sequence of turns went.
struct Ran {
    outcome: Outcome,
    messages: Messages,
    last: Option<Last>,
}

/// Runs until everything is done and the session is idle again. Dropping the returned future does not stop the
/// run.
pub(crate) async fn run_to_end(live: &Live, run: Run, messages: Vec<Arc<Message>>) -> Result<(), PromptError> {
    let live = live.clone();
    let task = tokio::spawn(async move { run_all(&live, &run, messages).await });
    match task.await {
        Ok(done) => Ok(done?),
        Err(error) => Err(Crash::of_task(error).map_or(PromptError::ShuttingDown, PromptError::Crashed)),
    }
}

/// Runs in the background; what keeps the run from being done is reported.
pub(crate) fn run_unattended(live: &Live, run: Run, messages: Vec<Arc<Message>>, what: &'static str) {
    let (live, runtime) = (live.clone(), &live.services.runtime);
    runtime.spawn(async move {
        if let Err(error) = run_to_end(&live, run, messages).await {
            report_failed(&live, what, &error);
        }
    });
}

/// Tells the user that something an extension asked for did not work.
pub(crate) fn report_failed(parts: &Parts, what: &str, error: &PromptError) {
    parts.hooks.dispatcher.reports.send(&Report {
        extension: "<runtime>".into(),
        event: what.to_owned(),
        kind: ReportKind::Error { message: error.to_string(), stack: None },
        location: None,
        failures: Failures::Extension,
    });
}

/// Whatever happens on the way, a panic too, the run is over at the end and everybody was told.
async fn run_all(live: &Live, run: &Run, messages: Vec<Arc<Message>>) -> Result<(), RunError> {
    let turn = Turn::new(live, run);
    let done = guarded(run_until_settled(&turn, messages)).await.unwrap_or_else(|crash| Err(crash.into()));
    let Err(error) = done else { return Ok(()) };
    // Dropping the run ends it, should telling of its end panic as well.
    guarded(abandon(&turn)).await?;
    Err(error)
}

async fn run_until_settled(turn: &Turn<'_>, mut messages: Vec<Arc<Message>>) -> Result<(), RunError> {
    recall_rules(turn);
    record_choices(turn)?;
    loop {
        let ran = turns(turn, messages).await?;
        messages = match what_next(turn, ran).await? {
            Some(more) => more,
            None => match settle(turn).await? {
                Some(more) => more,
                None => return Ok(()),
            },
        };
    }
}

/// Ends a run, unless something arrived at the last moment; then that is what to go on with.
async fn settle(turn: &Turn<'_>) -> Result<Option<Vec<Arc<Message>>>, SessionError> {
    record_tools(turn)?;
    sync_session(turn).await;
    loop {
        {
            let _gate = turn.lifecycle.settle_gate.write().await;
            if turn.run.close() {
                settled(turn, turn.run.was_aborted()).await;
                return Ok(None);
            }
        }
        record_parked(turn).await?;
        if let Some(queued) = queued_next(turn) {
            return Ok(Some(queued));
        }
    }
}

/// Ends a run that cannot go on: its session cannot be written, or part of tau panicked.
async fn abandon(turn: &Turn<'_>) {
    turn.run.fail();
    turn.conversation.close_calls();
    let _gate = turn.lifecycle.settle_gate.write().await;
    turn.run.close();
    settled(turn, turn.run.was_aborted()).await;
}

/// Takes in the messages that extensions wanted to have recorded without asking for a request.
pub(crate) async fn record_parked(turn: &Turn<'_>) -> Result<(), SessionError> {
    loop {
        let parked = turn.activity.take_turn_end();
        if parked.is_empty() {
            return Ok(());
        }
        for message in parked {
            add_message(turn, &turn.scope(), message).await?;
        }
    }
}

/// The messages to go on with although the model is done: none when a failed request is repeated, queued ones, or
/// none when an extension asks for another request.
async fn what_next(turn: &Turn<'_>, ran: Ran) -> Result<Option<Vec<Arc<Message>>>, SessionError> {
    record_parked(turn).await?;
    if let Some(rules) = after_rule_break(turn, ran.last.as_ref())? {
        return Ok(Some(vec![rules]));
    }
    if recover(turn, ran.last.as_ref()).await? {
        return Ok(Some(Vec::new()));
    }
    if turn.is_cancelled() {
        cancel_retry(turn).await;
    }
    if let Some(queued) = queued_next(turn) {
        return Ok(Some(queued));
    }
    if let Some(reminder) = todo_reminder(turn, ran.outcome, ran.last.as_ref()).await {
        return Ok(Some(vec![reminder]));
    }
    let go_on = !turn.is_cancelled() && before_settle(turn, ran.outcome).await?;
    record_parked(turn).await?;
    Ok(if go_on { Some(Vec::new()) } else { queued_next(turn) })
}

/// What waits in the queues. Steering goes first: it is taken at the beginning of the next turn.
pub(crate) fn queued_next(turn: &Turn<'_>) -> Option<Vec<Arc<Message>>> {
    if turn.is_cancelled() {
        return None;
    }
    if turn.activity.has_steering() {
        return Some(Vec::new());
    }
    Some(take_follow_ups(turn)).filter(|messages| !messages.is_empty())
}

/// One sequence of turns, between `agent_start` and `agent_end`.
async fn turns(turn: &Turn<'_>, messages: Vec<Arc<Message>>) -> Result<Ran, RunError> {
    let mut ran = Ran { outcome: Outcome::Completed, messages: Messages::new(), last: None };
    let turns = async {
        tell::<AgentStart>(turn, &turn.scope(), || Empty {}).await;
        turn.events.send(|| SessionEvent::AgentStart);
        turn_loop(turn, messages, &mut ran).await
    };
    let done = match guarded(turns).await {
        Ok(done) => done.map_err(RunError::from),
        Err(crash) => {
            ran.outcome = Outcome::Error;
            tell_crash(turn, &crash, &mut ran).await?;
            Err(crash.into())
        }
    };
    turn.activity.note_outcome(ran.outcome);
    let event = || AgentEndEvent { messages: ran.messages.clone() };
    tell::<AgentEnd>(turn, &turn.scope(), event).await;
    turn.events.send(|| SessionEvent::AgentEnd {
        will_retry: done.is_ok() && (will_retry(turn, &ran.messages) || turn.run.goes_on_with_rules()),
        messages: ran.messages.clone(),
    });
    done.map(|()| ran)
}

/// The user reads of a crash where the answer would have been. What was at work is stopped.
async fn tell_crash(turn: &Turn<'_>, crash: &Crash, ran: &mut Ran) -> Result<(), SessionError> {
    turn.run.fail();
    let message = Arc::new(failure(turn.choices.model().as_deref(), &crash.to_string(), turn.services.now_ms()));
    ran.messages.push_item(add_message(turn, &turn.scope(), message).await?);
    Ok(())
}

/// Adds a message of a prompt or of a queue to the conversation.
async fn take_in(turn: &Turn<'_>, message: Arc<Message>, ran: &mut Ran) -> Result<(), SessionError> {
    // The pictures of a prompt were made to fit when its run began.
    let message = if came_to(turn, &message) { with_fitting_pictures(turn, message).await } else { message };
    note_message(turn, &message);
    ran.messages.push_item(add_message(turn, &turn.scope(), Arc::clone(&message)).await?);
    note_told(turn, &message)
}

async fn turn_loop(turn: &Turn<'_>, mut pending: Vec<Arc<Message>>, ran: &mut Ran) -> Result<(), SessionError> {
    for turn_index in 0.. {
        if turn_index > 0 {
            keep_room_between(turn).await;
        }
        turn.run.count.begin_turn();
        let scope = turn.scope();
        let event = || TurnStartEvent { turn_index, timestamp: turn.services.now_ms() };
        tell::<TurnStart>(turn, &scope, event).await;
        turn.events.send(|| SessionEvent::TurnStart);
        for message in pending.drain(..) {
            take_in(turn, message, ran).await?;
        }
        // Only now: what handlers of those messages sent belongs to this request.
        for message in take_steering(turn) {
            take_in(turn, message, ran).await?;
        }
        prepare_loadout(turn, false, &turn.run.cancel).await;
        let context = make_context(turn).await;
        prepare_loadout(turn, false, &turn.run.cancel).await;
        record_tools(turn)?;
        let answer = request(turn, context).await?;
        ran.messages.push_item(Arc::clone(&answer));
        ran.outcome = outcome_of(answer.message());
        if turn.run.is_broken_off() {
            ran.outcome = Outcome::Aborted;
        } else if let Some(message) = answer.message().as_assistant() {
            note_answer(turn, message).await;
        }
        let batch = tools_of(turn, &answer, ran).await;
        turn.conversation.close_calls();
        let batch = batch?;
        ran.last = Some(Last { answer: Arc::clone(&answer), result_ids: batch.entry_ids.clone() });
        let go_on = turn_end(turn, &turn.scope(), turn_index, &answer, &batch, ran.outcome).await?;
        turn.prompting.rule_memory().turn_ended();
        record_parked(turn).await?;
        if turn.is_cancelled() && ran.outcome == Outcome::Completed {
            ran.outcome = Outcome::Aborted;
        }
        if ran.outcome != Outcome::Completed {
            return Ok(());
        }
        let called = !batch.results.is_empty() && !batch.terminate;
        if called || go_on || turn.activity.has_steering() {
            continue;
        }
        pending = take_follow_ups(turn);
        if pending.is_empty() {
            return Ok(());
        }
    }
    Ok(())
}

async fn tools_of(turn: &Turn<'_>, answer: &Arc<HistoryMessage>, ran: &mut Ran) -> Result<Batch, SessionError> {
    let Some(message) = answer.message().as_assistant() else { return Ok(Batch::default()) };
    if ran.outcome != Outcome::Completed {
        return Ok(Batch::default());
    }
    let batch = tool_batch(turn, message).await?;
    for item in batch.results.items() {
        ran.messages.push_item(Arc::clone(item));
    }
    if turn.is_cancelled() {
        ran.outcome = Outcome::Aborted;
    }
    Ok(batch)
}

fn outcome_of(message: &Message) -> Outcome {
    match message.as_assistant().map(|message| &message.stop_reason) {
        Some(StopReason::Error) => Outcome::Error,
        Some(StopReason::Aborted) => Outcome::Aborted,
        _ => Outcome::Completed,
    }
}
