//! Messages that wait for their moment.

use std::collections::VecDeque;
use std::sync::Arc;

use tau_ai::Message;

use crate::settings::QueueMode;

/// A message that waits, with the user's text when it is one.
#[derive(Debug, Clone)]
pub(crate) struct Queued {
    pub(crate) message: Arc<Message>,
    pub(crate) text: Option<String>,
}

/// What waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// Something for the model.
    pub(crate) queued: bool,
    /// Something to record at the end of the turn.
    pub(crate) parked: bool,
}

/// The queues of a session.
#[derive(Debug, Default)]
pub(crate) struct Queues {
    /// For the next request.
    pub(crate) steering: VecDeque<Queued>,
    /// For when the model would otherwise stop.
    pub(crate) follow_up: VecDeque<Queued>,
    /// To go right behind the next user message.
    pub(crate) next_turn: Vec<Arc<Message>>,
    /// Recorded at the end of the current turn, without asking for a request.
    pub(crate) turn_end: Vec<Arc<Message>>,
    /// Shell commands of the user, recorded at the end of the run.
    pub(crate) bash: Vec<Arc<Message>>,
}

impl Queues {
    /// What one poll takes from a queue.
    pub(crate) fn take(queue: &mut VecDeque<Queued>, mode: QueueMode) -> Vec<Queued> {
        match mode {
            QueueMode::All => queue.drain(..).collect(),
            QueueMode::OneAtATime => queue.pop_front().into_iter().collect(),
        }
    }

    /// What [`Queues::take`] would take.
    pub(crate) fn peek(queue: &VecDeque<Queued>, mode: QueueMode) -> impl Iterator<Item = &Queued> {
        let count = match mode {
            QueueMode::All => queue.len(),
            QueueMode::OneAtATime => 1,
        };
        queue.iter().take(count)
    }

    /// Texts of the user in a queue.
    pub(crate) fn texts(queue: &VecDeque<Queued>) -> Vec<String> {
        queue.iter().filter_map(|queued| queued.text.clone()).collect()
    }

    /// Whether nothing waits for the run.
    pub(crate) fn is_empty(&self) -> bool {
        self.steering.is_empty() && self.follow_up.is_empty() && self.turn_end.is_empty() && self.bash.is_empty()
    }

    /// Whether texts of the user wait.
    pub(crate) fn has_user_texts(&self) -> bool {
        self.steering.iter().chain(&self.follow_up).any(|queued| queued.text.is_some())
    }
}
