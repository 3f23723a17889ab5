//! A run: turns until the model has nothing left to do, then settling.

use std::sync::Arc;

use tau_ai::{Message, StopReason};
use tau_hooks::events::{AgentEnd, AgentSettled, AgentStart, TurnStart};
use tau_hooks::payload::{AgentEndEvent, AgentSettledEvent, Empty, Outcome, TurnStartEvent};
use tau_hooks::{HistoryMessage, Messages};
use tau_session::SessionError;

use super::PromptError;
use super::recover::Last;
use super::request::failure;
use super::tools::Batch;
use crate::crash::{Crash, guarded};
use crate::session::{AgentSession, Run, SessionEvent};

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
pub(super) struct Ran {
    pub(super) outcome: Outcome,
    messages: Messages,
    pub(super) last: Option<Last>,
}

impl AgentSession {
    /// Runs until everything is done and the session is idle again. Dropping the returned future does not stop the
    /// run.
    pub(crate) async fn run_to_end(self: &Arc<Self>, run: Run, messages: Vec<Arc<Message>>) -> Result<(), PromptError> {
        let me = Arc::clone(self);
        let task = tokio::spawn(async move { me.run_all(run, messages).await });
        match task.await {
            Ok(done) => Ok(done?),
            Err(error) => Err(Crash::of_task(error).map_or(PromptError::ShuttingDown, PromptError::Crashed)),
        }
    }

    /// Whatever happens on the way, a panic too, the run is over at the end and everybody was told.
    async fn run_all(self: &Arc<Self>, mut run: Run, messages: Vec<Arc<Message>>) -> Result<(), RunError> {
        let done = guarded(self.run_until_settled(&mut run, messages)).await.unwrap_or_else(|crash| Err(crash.into()));
        let Err(error) = done else { return Ok(()) };
        // Dropping the run ends it, should telling of its end panic as well.
        guarded(self.abandon(&mut run)).await?;
        Err(error)
    }

    async fn run_until_settled(
        self: &Arc<Self>,
        run: &mut Run,
        mut messages: Vec<Arc<Message>>,
    ) -> Result<(), RunError> {
        self.recall_rules();
        self.record_choices()?;
        loop {
            let ran = self.turns(run, messages).await?;
            messages = match self.what_next(run, ran).await? {
                Some(more) => more,
                None => match self.settle(run).await? {
                    Some(more) => more,
                    None => return Ok(()),
                },
            };
        }
    }

    /// Ends a run, unless something arrived at the last moment; then that is what to go on with.
    async fn settle(self: &Arc<Self>, run: &mut Run) -> Result<Option<Vec<Arc<Message>>>, SessionError> {
        self.record_tools()?;
        self.sync_session().await;
        loop {
            {
                let _gate = self.settle_gate().write().await;
                if run.close() {
                    self.settled(run.was_aborted()).await;
                    return Ok(None);
                }
            }
            self.record_parked(run).await?;
            if let Some(queued) = self.queued_next(run) {
                return Ok(Some(queued));
            }
        }
    }

    /// Ends a run that cannot go on: its session cannot be written, or part of tau panicked.
    async fn abandon(self: &Arc<Self>, run: &mut Run) {
        run.fail();
        self.record_parked_bash();
        let _gate = self.settle_gate().write().await;
        run.close();
        self.settled(run.was_aborted()).await;
    }

    /// Takes in the messages that extensions wanted to have recorded without asking for a request.
    pub(crate) async fn record_parked(self: &Arc<Self>, run: &Run) -> Result<(), SessionError> {
        loop {
            let parked = self.take_turn_end();
            if parked.is_empty() {
                return Ok(());
            }
            for message in parked {
                self.add_message(&run.scope(self), message).await?;
            }
        }
    }

    /// The messages to go on with although the model is done: none when a failed request is repeated, queued ones, or
    /// none when an extension asks for another request.
    async fn what_next(self: &Arc<Self>, run: &Run, ran: Ran) -> Result<Option<Vec<Arc<Message>>>, SessionError> {
        self.record_parked(run).await?;
        if let Some(rules) = self.after_rule_break(run, ran.last.as_ref())? {
            return Ok(Some(vec![rules]));
        }
        if self.recover(run, ran.last.as_ref()).await? {
            return Ok(Some(Vec::new()));
        }
        if run.cancel.is_cancelled() {
            self.cancel_retry(run).await;
        }
        if let Some(queued) = self.queued_next(run) {
            return Ok(Some(queued));
        }
        if let Some(reminder) = self.todo_reminder(run, &ran).await {
            return Ok(Some(vec![reminder]));
        }
        let go_on = !run.cancel.is_cancelled() && self.before_settle(run, ran.outcome).await?;
        self.record_parked(run).await?;
        Ok(match go_on {
            true => Some(Vec::new()),
            false => self.queued_next(run),
        })
    }

    /// What waits in the queues. Steering goes first: it is taken at the beginning of the next turn.
    pub(crate) fn queued_next(&self, run: &Run) -> Option<Vec<Arc<Message>>> {
        if run.cancel.is_cancelled() {
            return None;
        }
        if self.has_steering() {
            return Some(Vec::new());
        }
        Some(self.take_follow_ups()).filter(|messages| !messages.is_empty())
    }

    /// The session is idle. Prompts that handlers ask for now wait until all of them are done.
    async fn settled(self: &Arc<Self>, aborted: bool) {
        self.hooks().dispatcher.dispatch::<AgentSettled>(&self.scope(), || AgentSettledEvent { aborted }).await;
        self.tell_settled(aborted);
    }

    /// One sequence of turns, between `agent_start` and `agent_end`.
    async fn turns(self: &Arc<Self>, run: &Run, messages: Vec<Arc<Message>>) -> Result<Ran, RunError> {
        let mut ran = Ran { outcome: Outcome::Completed, messages: Messages::new(), last: None };
        let turns = async {
            self.tell::<AgentStart>(&run.scope(self), || Empty {}).await;
            self.events().send(|| SessionEvent::AgentStart);
            self.turn_loop(run, messages, &mut ran).await
        };
        let done = match guarded(turns).await {
            Ok(done) => done.map_err(RunError::from),
            Err(crash) => {
                ran.outcome = Outcome::Error;
                self.tell_crash(run, &crash, &mut ran).await?;
                Err(crash.into())
            }
        };
        self.note_outcome(ran.outcome);
        let event = || AgentEndEvent { messages: ran.messages.clone() };
        self.tell::<AgentEnd>(&run.scope(self), event).await;
        self.events().send(|| SessionEvent::AgentEnd {
            will_retry: done.is_ok() && (self.will_retry(run, &ran.messages) || run.goes_on_with_rules()),
            messages: ran.messages.clone(),
        });
        done.map(|()| ran)
    }

    /// The user reads of a crash where the answer would have been. What was at work is stopped.
    async fn tell_crash(self: &Arc<Self>, run: &Run, crash: &Crash, ran: &mut Ran) -> Result<(), SessionError> {
        run.fail();
        let message = Arc::new(failure(self.model().as_deref(), &crash.to_string(), self.now_ms()));
        ran.messages.push_item(self.add_message(&run.scope(self), message).await?);
        Ok(())
    }

    /// Adds a message of a prompt or of a queue to the conversation.
    async fn take_in(self: &Arc<Self>, run: &Run, message: Arc<Message>, ran: &mut Ran) -> Result<(), SessionError> {
        // The pictures of a prompt were made to fit when its run began.
        let message = match self.came_to(&message) {
            true => self.with_fitting_pictures(message).await,
            false => message,
        };
        self.note_message(run, &message);
        ran.messages.push_item(self.add_message(&run.scope(self), Arc::clone(&message)).await?);
        self.note_told(&message)
    }

    async fn turn_loop(
        self: &Arc<Self>,
        run: &Run,
        mut pending: Vec<Arc<Message>>,
        ran: &mut Ran,
    ) -> Result<(), SessionError> {
        for turn_index in 0.. {
            if turn_index > 0 {
                self.keep_room_between(run).await;
            }
            run.count.begin_turn();
            let scope = run.scope(self);
            let event = || TurnStartEvent { turn_index, timestamp: self.now_ms() };
            self.tell::<TurnStart>(&scope, event).await;
            self.events().send(|| SessionEvent::TurnStart);
            for message in pending.drain(..) {
                self.take_in(run, message, ran).await?;
            }
            // Only now: what handlers of those messages sent belongs to this request.
            for message in self.take_steering() {
                self.take_in(run, message, ran).await?;
            }
            self.prepare_loadout(false, &run.cancel).await;
            let context = self.context(run).await;
            self.prepare_loadout(false, &run.cancel).await;
            self.record_tools()?;
            let answer = self.request(run, context).await?;
            ran.messages.push_item(Arc::clone(&answer));
            ran.outcome = outcome_of(answer.message());
            if run.is_broken_off() {
                ran.outcome = Outcome::Aborted;
            } else if let Some(message) = answer.message().as_assistant() {
                self.note_answer(run, message).await;
            }
            let batch = self.tools_of(run, &answer, ran).await;
            self.record_parked_bash();
            let batch = batch?;
            ran.last = Some(Last { answer: Arc::clone(&answer), result_ids: batch.entry_ids.clone() });
            let go_on = self.turn_end(&run.scope(self), turn_index, &answer, &batch, ran.outcome).await?;
            self.rule_memory().lock().turn_ended();
            self.record_parked(run).await?;
            if run.cancel.is_cancelled() && ran.outcome == Outcome::Completed {
                ran.outcome = Outcome::Aborted;
            }
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
