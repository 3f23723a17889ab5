//! What is going on: the run, what it begins with, moves in the tree, and what waits for them.
//!
//! All of it is under one lock, because "no run is under way" and "nothing is queued" are decided together: a message that
//! comes when a run ends is either in its queue in time or begins another one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tau_ai::Message;
use tau_hooks::payload::{Outcome, StreamingBehavior};
use tau_hooks::{HistoryMessage, Messages};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::asides::Asides;
use super::line::Lines;
use super::lock::{Mutex, Part, Rank};
use super::queues::{NoRun, Queued, Queues, Waiting};
use super::routers::Routers;
use crate::work::Work;
use tau_hooks::{QueueMode, QueuedTexts};

const STATE: Rank = Rank::new(Part::Activity, 0);

/// While more messages than this are on their way into a queue, front ends are not told of each.
const FEW: usize = 64;

/// What a session is at.
pub(crate) struct Activity {
    state: Mutex<State>,
    /// Fires when a run has ended.
    pub(crate) idle: Notify,
    pub(crate) asides: Asides,
    /// Prompts between the first handler of `input` and their run.
    pub(crate) incoming: Work,
    /// Messages that extensions sent to the run, on their way into its queues.
    pub(crate) deliveries: Work,
    /// Something was queued and front ends do not know of it.
    queues_untold: AtomicBool,
    /// Where calls that tools make wait for each other.
    pub(crate) lines: Lines,
    pub(crate) routers: Routers,
}

#[derive(Default)]
struct State {
    run: Option<Slot>,
    /// Extensions are asked for what the run should begin with. Fires when one of them wants it aborted.
    preparing: Option<CancellationToken>,
    navigation: Option<Navigation>,
    queues: Queues,
    /// How the last sequence of turns ended.
    ended: Outcome,
    last_prompt: Option<LastPrompt>,
}

/// What took the place of the standard system prompt in the last run.
struct LastPrompt {
    /// The session of the run, by its number.
    session: u64,
    standard: Arc<str>,
    prompt: Arc<str>,
}

/// The run that is under way, as others see it.
struct Slot {
    cancel: CancellationToken,
    /// What takes the place of the standard system prompt.
    prompt: Option<Arc<str>>,
}

/// A move in the tree.
struct Navigation {
    cancel: CancellationToken,
    /// It has not left its branch yet.
    is_leaving: bool,
}

impl Default for Activity {
    fn default() -> Self {
        Self {
            state: Mutex::new(STATE, State::default()),
            idle: Notify::new(),
            asides: Asides::default(),
            incoming: Work::default(),
            deliveries: Work::default(),
            queues_untold: AtomicBool::new(false),
            lines: Lines::default(),
            routers: Routers::default(),
        }
    }
}

// ---- The run and moves in the tree ------------------------------------------------------------------------

impl Activity {
    /// Takes the place of the run; gives what aborts it. `None` when one is under way.
    pub(crate) fn begin_run(&self) -> Option<CancellationToken> {
        let mut state = self.state.lock();
        if state.run.is_some() {
            return None;
        }
        let cancel = CancellationToken::new();
        state.run = Some(Slot { cancel: cancel.clone(), prompt: None });
        state.preparing = None;
        Some(cancel)
    }

    /// Ends the run, whatever waits for it.
    pub(crate) fn end_run(&self) {
        self.state.lock().end_run();
        self.idle.notify_waiters();
    }

    /// Ends the run unless something waits for it; whether it ended. Afterwards the session is idle and queues take
    /// nothing.
    pub(crate) fn end_run_if_empty(&self) -> bool {
        let mut state = self.state.lock();
        if !state.queues.is_empty() {
            return false;
        }
        state.end_run();
        drop(state);
        self.idle.notify_waiters();
        true
    }

    /// Takes out what extensions sent to the run, in the order in which the run would have come to it. The run ends when
    /// there is nothing of the kind.
    pub(crate) fn take_custom_or_end_run(&self) -> Vec<Arc<Message>> {
        let mut state = self.state.lock();
        let left = state.queues.take_custom();
        if left.is_empty() {
            state.end_run();
            drop(state);
            self.idle.notify_waiters();
        }
        left
    }

    /// Whether no run is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.state.lock().run.is_none()
    }

    /// Whether extensions find the session idle: moving in the tree is something, too.
    pub(crate) fn looks_idle(&self) -> bool {
        let state = self.state.lock();
        state.run.is_none() && state.navigation.is_none()
    }

    /// Stops the run that is under way and the summary of a branch that is being left; does not wait for it.
    pub(crate) fn cancel_run(&self) {
        self.state.lock().cancel_run();
    }

    /// As [`Self::cancel_run`], when an extension asks for it. While handlers of `before_agent_start` are asked, what they
    /// add still belongs to the run, which ends before its first request.
    pub(crate) fn cancel_run_for_extension(&self) {
        let state = self.state.lock();
        match &state.preparing {
            Some(stop) => stop.cancel(),
            None => state.cancel_run(),
        }
    }

    /// Fires when the run that is under way is aborted; never without one.
    pub(crate) fn run_signal(&self) -> CancellationToken {
        self.state.lock().run.as_ref().map(|run| run.cancel.clone()).unwrap_or_default()
    }

    /// What takes the place of the standard system prompt in the run that is under way.
    pub(crate) fn run_prompt(&self) -> Option<Arc<str>> {
        self.state.lock().run.as_ref()?.prompt.clone()
    }

    /// Sets what takes the place of the standard system prompt in this run of the session of that number.
    pub(crate) fn set_run_prompt(&self, prompt: Option<String>, session: u64, standard: Arc<str>) {
        let prompt: Option<Arc<str>> = prompt.map(Into::into);
        let mut state = self.state.lock();
        if let Some(run) = &mut state.run {
            run.prompt.clone_from(&prompt);
        }
        state.last_prompt = prompt.map(|prompt| LastPrompt { session, standard, prompt });
    }

    /// What took the place of this standard system prompt in the last run of the session of that number.
    pub(crate) fn last_prompt(&self, session: u64, standard: &Arc<str>) -> Option<Arc<str>> {
        let state = self.state.lock();
        let last = state.last_prompt.as_ref().filter(|last| last.session == session && last.standard == *standard);
        last.map(|last| Arc::clone(&last.prompt))
    }

    /// Waits until no run is under way.
    pub(crate) async fn wait_for_run(&self) {
        loop {
            let mut idle = std::pin::pin!(self.idle.notified());
            // From here on no end of a run is missed.
            idle.as_mut().enable();
            if self.is_idle() {
                return;
            }
            idle.await;
        }
    }

    /// Extensions are asked for what a run begins with, until the result is dropped.
    pub(crate) fn begin_preparing(&self) -> Preparing<'_> {
        let stop = CancellationToken::new();
        self.state.lock().preparing = Some(stop.clone());
        Preparing { activity: self, stop }
    }

    /// How the last sequence of turns ended. An abort while a tool ran leaves no answer that would tell of it.
    pub(crate) fn last_outcome(&self) -> Outcome {
        self.state.lock().ended
    }

    pub(crate) fn note_outcome(&self, outcome: Outcome) {
        self.state.lock().ended = outcome;
    }

    /// The leaf is about to move in the tree.
    pub(crate) fn begin_navigation(&self, cancel: CancellationToken) {
        self.state.lock().navigation = Some(Navigation { cancel, is_leaving: true });
    }

    /// The leaf has left its branch.
    pub(crate) fn note_left_branch(&self) {
        if let Some(navigation) = &mut self.state.lock().navigation {
            navigation.is_leaving = false;
        }
    }

    pub(crate) fn end_navigation(&self) {
        self.state.lock().navigation = None;
    }

    /// Whether the leaf moves in the tree.
    pub(crate) fn is_navigating(&self) -> bool {
        self.state.lock().navigation.is_some()
    }

    /// Whether the leaf is about to move to another branch.
    pub(crate) fn is_leaving_branch(&self) -> bool {
        self.state.lock().navigation.as_ref().is_some_and(|navigation| navigation.is_leaving)
    }
}

// ---- The queues -------------------------------------------------------------------------------------------

impl Activity {
    /// Puts a message into a queue of the run; gives it back when the run ended in the meantime and nobody would read
    /// the queue.
    pub(crate) fn queue(&self, behavior: StreamingBehavior, queued: Queued) -> Result<(), NoRun<Queued>> {
        let shown = queued.text.is_some();
        let mut state = self.state.lock();
        if state.run.is_none() {
            return Err(NoRun(queued));
        }
        state.queues.push(behavior, queued);
        drop(state);
        if shown {
            self.queues_untold.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Puts a message into a queue whether or not a run is under way; without one it waits for the next.
    pub(crate) fn queue_anyway(&self, behavior: StreamingBehavior, queued: Queued) {
        self.state.lock().queues.push(behavior, queued);
    }

    /// Whether front ends are to be told of the queues now, of which they were not told yet: once few messages are on
    /// their way. An event says all that is queued, and thousands of messages at once would cost the square of their
    /// number.
    pub(crate) fn take_untold(&self) -> bool {
        self.deliveries.count() <= FEW && self.queues_untold.swap(false, Ordering::AcqRel)
    }

    /// Keeps a message for the end of the turn; gives it back when no run is under way.
    pub(crate) fn park(&self, message: Arc<Message>) -> Result<(), NoRun<Arc<Message>>> {
        let mut state = self.state.lock();
        if state.run.is_none() {
            return Err(NoRun(message));
        }
        state.queues.turn_end.push(message);
        Ok(())
    }

    /// Keeps a message to go right behind the next one of the user.
    pub(crate) fn keep_for_next_turn(&self, message: Arc<Message>) {
        self.state.lock().queues.next_turn.push(message);
    }

    /// Takes back what is queued for the model; the texts of the user are returned.
    pub(crate) fn take_back(&self) -> QueuedTexts {
        self.state.lock().queues.take_back()
    }

    /// Puts the texts of the user that wait into another order, or drops some.
    pub(crate) fn arrange(&self, known: &QueuedTexts, wanted: &QueuedTexts) {
        self.state.lock().queues.arrange(known, wanted);
    }

    /// Forgets all that waits; whether something for the model did.
    pub(crate) fn drop_queues(&self) -> bool {
        let queues = std::mem::take(&mut self.state.lock().queues);
        !queues.steering.is_empty() || !queues.follow_up.is_empty()
    }

    /// The texts of the user that are queued.
    pub(crate) fn queued_texts(&self) -> QueuedTexts {
        self.state.lock().queues.user_texts()
    }

    /// Whether texts of the user wait.
    pub(crate) fn has_user_texts(&self) -> bool {
        self.state.lock().queues.has_user_texts()
    }

    pub(crate) fn has_steering(&self) -> bool {
        !self.state.lock().queues.steering.is_empty()
    }

    /// What one poll takes from a queue.
    pub(crate) fn take(&self, behavior: StreamingBehavior, mode: QueueMode) -> Vec<Arc<Message>> {
        self.state.lock().queues.take(behavior, mode)
    }

    /// The run came to a message: if it was queued, it waits no longer. Whether it was text of the user.
    pub(crate) fn came_to(&self, message: &Arc<Message>) -> bool {
        let left = self.state.lock().queues.came_to(message);
        left.is_some_and(|queued| queued.text.is_some())
    }

    pub(crate) fn take_next_turn(&self) -> Vec<Arc<Message>> {
        std::mem::take(&mut self.state.lock().queues.next_turn)
    }

    pub(crate) fn take_turn_end(&self) -> Vec<Arc<Message>> {
        std::mem::take(&mut self.state.lock().queues.turn_end)
    }

    /// What waits to be sent or recorded.
    pub(crate) fn waiting(&self) -> Waiting {
        let queues = &self.state.lock().queues;
        Waiting {
            queued: !queues.steering.is_empty() || !queues.follow_up.is_empty(),
            parked: !queues.turn_end.is_empty(),
        }
    }

    /// What comes next: what is taken from the queues, steering first, and what is recorded at the end of the turn.
    pub(crate) fn next_messages(&self, steering: QueueMode, follow_up: QueueMode) -> Messages {
        let queues = &self.state.lock().queues;
        let (queue, mode) =
            if queues.steering.is_empty() { (&queues.follow_up, follow_up) } else { (&queues.steering, steering) };
        let queued = Queues::peek(queue, mode).map(|queued| &queued.message);
        let all = queued.chain(&queues.turn_end);
        all.map(|message| Arc::new(HistoryMessage::new(Arc::clone(message), None))).collect()
    }
}

impl State {
    fn end_run(&mut self) {
        self.queues.leaving.clear();
        self.run = None;
    }

    fn cancel_run(&self) {
        let run = self.run.iter().map(|run| &run.cancel);
        run.chain(self.navigation.iter().map(|navigation| &navigation.cancel)).for_each(CancellationToken::cancel);
    }
}

/// While it lives, extensions are asked for what a run begins with, and their aborts wait for the answers.
pub(crate) struct Preparing<'a> {
    activity: &'a Activity,
    /// Fires when an extension aborts the run.
    stop: CancellationToken,
}

impl Preparing<'_> {
    /// Waits until an extension aborts the run.
    pub(crate) async fn aborted(&self) {
        self.stop.cancelled().await;
    }

    /// Everybody was asked; whether an extension aborted the run.
    pub(crate) fn end(self) -> bool {
        let stop = self.stop.clone();
        drop(self);
        stop.is_cancelled()
    }
}

impl Drop for Preparing<'_> {
    fn drop(&mut self) {
        self.activity.state.lock().preparing = None;
    }
}
