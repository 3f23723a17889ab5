//! An open session and its client.
#![expect(clippy::disallowed_methods, reason = "the program has one runtime")]

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{ContentBlock, SessionId, StopReason};
use parking_lot::Mutex;
use tau_agent::{AgentSession, Builtin, Prompt, PromptError, Prompted};
use tau_ai::StopReason as Ended;
use tau_hooks::payload::{SessionShutdownReason, StreamingBehavior};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::dialogs::{Asker, Place};
use super::lane::Lane;
use super::outbox::Outbox;
use super::speakers::Speakers;
use super::teller::Teller;
use super::{content, errors};

/// How long a prompt that was cancelled may take to end by itself. Then it is answered, and what is left of it goes on
/// alone.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often what is under way is told to stop: a run may begin after it was told first.
const AGAIN: Duration = Duration::from_millis(50);

/// One session of the client.
pub(super) struct Conversation {
    pub(super) id: SessionId,
    pub(super) session: Arc<AgentSession>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) teller: Arc<Teller>,
    asker: Arc<Asker>,
    /// Prompts that were not answered yet, by their place in the order in which they came.
    turns: Mutex<BTreeMap<u64, Signals>>,
    next_turn: AtomicU64,
    /// Fires when a prompt was answered.
    answered: Notify,
    /// Changes of options, in their order.
    pub(super) changes: Lane,
}

/// A prompt that was not answered yet; it is one of its session from the moment it came in.
pub(super) struct Turn {
    conversation: Arc<Conversation>,
    number: u64,
    signals: Signals,
    /// The prompts that came before it and were not answered then: they begin before it does.
    before: Vec<Signals>,
}

/// What becomes of a prompt.
#[derive(Clone, Default)]
struct Signals {
    cancelled: CancellationToken,
    /// Later prompts no longer wait for this one.
    begun: CancellationToken,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.conversation.turns.lock().remove(&self.number);
        self.signals.begun.cancel();
        self.conversation.answered.notify_waiters();
    }
}

impl Conversation {
    pub(super) fn new(
        id: SessionId,
        session: Arc<AgentSession>,
        Speakers { outbox, teller, asker }: Speakers,
    ) -> Arc<Self> {
        let (turns, next_turn, answered) = (Mutex::default(), AtomicU64::new(0), Notify::new());
        Arc::new(Self { id, session, outbox, teller, asker, turns, next_turn, answered, changes: Lane::new() })
    }

    /// The session is open. What is told and asked from here on is on its way, but held until the client knows of it.
    pub(super) fn begin(&self) {
        self.asker.move_to(Place::Open(self.id.clone(), Arc::downgrade(&self.session)));
        self.teller.catch_up(&self.session);
    }

    /// Takes note of a prompt.
    pub(super) fn begin_turn(self: &Arc<Self>) -> Turn {
        let number = self.next_turn.fetch_add(1, Ordering::Relaxed);
        let signals = Signals::default();
        let mut turns = self.turns.lock();
        let before = turns.values().cloned().collect();
        turns.insert(number, signals.clone());
        drop(turns);
        Turn { conversation: Arc::clone(self), number, signals, before }
    }

    /// Stops everything that is under way, and answers every question with the answer that nobody gave.
    pub(super) fn cancel(&self) {
        self.turns.lock().values().for_each(|turn| turn.cancelled.cancel());
        self.stop();
        self.asker.withdraw();
    }

    fn stop(&self) {
        self.session.abort();
        self.session.abort_bash();
        self.session.abort_compaction();
        self.session.abort_retry();
    }

    /// Waits until no prompt is at work.
    pub(super) async fn quiet(&self) {
        loop {
            let mut answered = std::pin::pin!(self.answered.notified());
            // From here on no end of a prompt is missed.
            answered.as_mut().enable();
            if self.turns.lock().is_empty() {
                return self.session.wait_until_idle().await;
            }
            answered.await;
        }
    }

    /// Ends the session.
    pub(super) async fn close(&self) {
        self.cancel();
        self.session.shut_down(SessionShutdownReason::Quit).await;
        // Nobody has to wait for this session's wish to end any more.
        self.session.exit_requested().cancel();
        self.outbox.close();
    }
}

impl Turn {
    /// Sends the prompt through the session; `ready` is waited for before that. Everything that happens on the way has
    /// been told when this returns.
    pub(super) async fn run(
        self,
        blocks: Vec<ContentBlock>,
        ready: impl Future<Output = ()>,
    ) -> Result<StopReason, Error> {
        let conversation = Arc::clone(&self.conversation);
        let teller = conversation.teller.begin_turn();
        let done = self.send(blocks, ready).await;
        conversation.asker.catch_up();
        conversation.teller.catch_up(&conversation.session);
        conversation.outbox.flush().await;
        drop(teller);
        done
    }

    async fn send(&self, blocks: Vec<ContentBlock>, ready: impl Future<Output = ()>) -> Result<StopReason, Error> {
        let prompt = content::prompt(blocks).await?;
        ready.await;
        let mut kind = Kind::of(&self.conversation.session, &prompt.text);
        if kind == Kind::Extension {
            self.signals.begun.cancel();
        } else {
            self.others_begun().await;
            // A reload may have brought a command of that name.
            kind = Kind::of(&self.conversation.session, &prompt.text);
        }
        if self.signals.cancelled.is_cancelled() {
            return Ok(StopReason::Cancelled);
        }
        let Some(done) = self.submit(prompt, kind).await? else { return Ok(StopReason::Cancelled) };
        let conversation = &self.conversation;
        let done = done.map_err(|error| errors::of_prompt(&error, &conversation.id))?;
        if self.signals.cancelled.is_cancelled() {
            return Ok(StopReason::Cancelled);
        }
        match done {
            Prompted::Builtin(done) if !done.is_silent() => conversation.teller.say(&format!("{done}\n")),
            _ => {}
        }
        match conversation.teller.ended() {
            Some((Ended::Error, why)) => {
                let answer = conversation.session.last_answer();
                let answer = answer.as_deref().and_then(|message| message.as_assistant());
                let why = answer.and_then(|answer| conversation.session.explain_failure(answer)).or(why);
                Err(errors::failed(why.unwrap_or_else(|| "The request to the model failed.".to_owned())))
            }
            Some((Ended::Aborted, _)) => Ok(StopReason::Cancelled),
            Some((Ended::Length, _)) => Ok(StopReason::MaxTokens),
            _ => Ok(StopReason::EndTurn),
        }
    }

    /// Waits until the prompt has come to its end and the session is idle; `None` when it was cancelled and does not end.
    async fn submit(&self, mut prompt: Prompt, kind: Kind) -> Result<Option<Result<Prompted, PromptError>>, Error> {
        let conversation = &self.conversation;
        // A run that an extension began is no reason to send the user away.
        prompt.streaming_behavior = self.is_first().then_some(StreamingBehavior::FollowUp);
        let own = kind != Kind::Extension;
        if own {
            conversation.teller.expect_own();
        }
        let session = Arc::clone(&conversation.session);
        let mut work = tokio::spawn(async move {
            let done = session.prompt(prompt).await?;
            // Extensions may have asked for more.
            session.wait_until_idle().await;
            Ok(done)
        });
        if kind != Kind::Builtin {
            self.signals.begun.cancel();
        }
        let done = tokio::select! {
            done = &mut work => Some(done),
            () = self.signals.cancelled.cancelled() => {
                let mut patience = std::pin::pin!(tokio::time::sleep(PATIENCE));
                loop {
                    conversation.stop();
                    tokio::select! {
                        done = &mut work => break Some(done),
                        () = &mut patience => break None,
                        () = tokio::time::sleep(AGAIN) => {}
                    }
                }
            }
        };
        let done = done.transpose().map_err(errors::failed)?;
        if own && !matches!(done, Some(Ok(Prompted::Ran | Prompted::Queued))) {
            conversation.teller.forget_own();
        }
        Ok(done)
    }

    /// Waits until every earlier prompt has begun, built-in commands until they are done: what a later prompt finds depends
    /// on them. Ends early when this prompt is cancelled.
    async fn others_begun(&self) {
        for other in &self.before {
            tokio::select! {
                () = other.begun.cancelled() => {}
                () = self.signals.cancelled.cancelled() => return,
            }
        }
    }

    /// Whether every earlier prompt was answered.
    fn is_first(&self) -> bool {
        self.conversation.turns.lock().first_key_value().is_none_or(|(first, _)| *first >= self.number)
    }
}

/// What answers a prompt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A command of an extension: it runs beside everything else.
    Extension,
    /// A command of tau itself.
    Builtin,
    /// The model.
    Text,
}

impl Kind {
    fn of(session: &AgentSession, text: &str) -> Self {
        if session.extension_command_name(text).is_some() {
            Self::Extension
        } else if Builtin::typed(text).is_some() {
            Self::Builtin
        } else {
            Self::Text
        }
    }
}
