//! A run: turns until the model has nothing left to do, then settling.

use std::sync::Arc;

use tau_ai::{Message, StopReason, now_ms};
use tau_hooks::events::{AgentEnd, AgentSettled, AgentStart, TurnStart};
use tau_hooks::payload::{AgentEndEvent, Empty, Outcome, TurnStartEvent};
use tau_hooks::{HistoryMessage, Messages};
use tau_session::SessionError;

use super::PromptError;
use super::tools::Batch;
use crate::session::{AgentSession, Run, SessionEvent};

/// How one sequence of turns went.
struct Ran {
    outcome: Outcome,
    messages: Messages,
}

impl AgentSession {
    /// Runs until everything is done and the session is idle again. Dropping the returned future does not stop the
    /// run.
    pub(crate) async fn run_to_end(self: &Arc<Self>, run: Run, messages: Vec<Arc<Message>>) -> Result<(), PromptError> {
        let me = Arc::clone(self);
        let task = tokio::spawn(async move { me.run_all(run, messages).await });
        match task.await {
            Ok(done) => Ok(done?),
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Err(PromptError::ShuttingDown),
        }
    }

    async fn run_all(self: &Arc<Self>, run: Run, messages: Vec<Arc<Message>>) -> Result<(), SessionError> {
        let mut next = Some(messages);
        let mut done = Ok(());
        while let Some(messages) = next.take() {
            match self.turns(&run, messages).await {
                Ok(outcome) => next = self.what_next(&run, outcome).await,
                Err(error) => done = Err(error),
            }
        }
        self.sync_session().await;
        self.settle(run).await;
        done
    }

    /// Whether to go on although the model is done: queued messages, or an extension that asks for it.
    async fn what_next(self: &Arc<Self>, run: &Run, outcome: Outcome) -> Option<Vec<Arc<Message>>> {
        if outcome == Outcome::Completed && self.has_queued() {
            return Some(self.take_follow_ups());
        }
        self.before_settle(run, outcome).await.then(Vec::new)
    }

    /// The session is idle from here on. Prompts that handlers of `agent_settled` ask for wait until all of them are
    /// done.
    async fn settle(self: &Arc<Self>, run: Run) {
        let _gate = self.settle_gate().write().await;
        drop(run);
        self.hooks().dispatcher.dispatch::<AgentSettled>(&self.scope(), || Empty {}).await;
        self.events().send(|| SessionEvent::AgentSettled);
    }

    /// One sequence of turns, between `agent_start` and `agent_end`.
    async fn turns(self: &Arc<Self>, run: &Run, messages: Vec<Arc<Message>>) -> Result<Outcome, SessionError> {
        self.hooks().dispatcher.dispatch::<AgentStart>(&run.scope(self), || Empty {}).await;
        self.events().send(|| SessionEvent::AgentStart);
        let mut ran = Ran { outcome: Outcome::Completed, messages: Messages::new() };
        let done = self.turn_loop(run, messages, &mut ran).await;
        let Ran { outcome, messages } = ran;
        let event = || AgentEndEvent { messages: messages.clone() };
        self.hooks().dispatcher.dispatch::<AgentEnd>(&run.scope(self), event).await;
        self.events().send(|| SessionEvent::AgentEnd { messages, will_retry: false });
        done.map(|()| outcome)
    }

    async fn turn_loop(
        self: &Arc<Self>,
        run: &Run,
        mut pending: Vec<Arc<Message>>,
        ran: &mut Ran,
    ) -> Result<(), SessionError> {
        for turn_index in 0.. {
            let scope = run.scope(self);
            let event = || TurnStartEvent { turn_index, timestamp: now_ms() };
            self.hooks().dispatcher.dispatch::<TurnStart>(&scope, event).await;
            self.events().send(|| SessionEvent::TurnStart);
            pending.extend(self.take_steering());
            for message in pending.drain(..) {
                ran.messages.push_item(self.add_message(&run.scope(self), message).await?);
            }
            let context = self.context(run).await;
            let answer = self.request(run, context).await?;
            ran.messages.push_item(Arc::clone(&answer));
            ran.outcome = outcome_of(answer.message());
            let batch = self.tools_of(run, &answer, ran).await?;
            let go_on = self.turn_end(&run.scope(self), turn_index, &answer, &batch, ran.outcome).await?;
            if ran.outcome != Outcome::Completed {
                return Ok(());
            }
            let called = !batch.results.is_empty() && !batch.terminate;
            if called || go_on || self.has_steering() {
                continue;
            }
            pending = self.take_follow_ups();
            if pending.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn tools_of(
        self: &Arc<Self>,
        run: &Run,
        answer: &Arc<HistoryMessage>,
        ran: &mut Ran,
    ) -> Result<Batch, SessionError> {
        let Some(message) = answer.message().as_assistant() else { return Ok(Batch::default()) };
        if ran.outcome != Outcome::Completed {
            return Ok(Batch::default());
        }
        let batch = self.tool_batch(run, message).await?;
        for item in batch.results.items() {
            ran.messages.push_item(Arc::clone(item));
        }
        if run.cancel.is_cancelled() {
            ran.outcome = Outcome::Aborted;
        }
        Ok(batch)
    }
}

fn outcome_of(message: &Message) -> Outcome {
    match message.as_assistant().map(|message| &message.stop_reason) {
        Some(StopReason::Error) => Outcome::Error,
        Some(StopReason::Aborted) => Outcome::Aborted,
        _ => Outcome::Completed,
    }
}
