//! Messages that wait for their moment.

use std::collections::VecDeque;
use std::sync::Arc;

use tau_ai::Message;
use tau_hooks::payload::StreamingBehavior;

use tau_hooks::{QueueMode, QueuedTexts};

/// A message that waits, with the user's text when it is one.
#[derive(Debug, Clone)]
pub(crate) struct Queued {
    pub(crate) message: Arc<Message>,
    pub(crate) text: Option<String>,
}

/// No run is under way, and nobody would read its queues: what was meant for them comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no run is under way")]
pub(crate) struct NoRun<T>(pub(crate) T);

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
    /// Taken by the run, which has not come to them yet. They still count as waiting.
    pub(crate) leaving: Vec<(StreamingBehavior, Queued)>,
    /// To go right behind the next user message.
    pub(crate) next_turn: Vec<Arc<Message>>,
    /// Recorded at the end of the current turn, without asking for a request.
    pub(crate) turn_end: Vec<Arc<Message>>,
}

impl Queues {
    /// Texts of the user in the queues for the model.
    pub(crate) fn user_texts(&self) -> QueuedTexts {
        QueuedTexts {
            steering: self.texts(StreamingBehavior::Steer),
            follow_up: self.texts(StreamingBehavior::FollowUp),
        }
    }

    /// Empties the queues for the model and gives the texts of the user. What the run has taken already stays with it.
    pub(crate) fn take_back(&mut self) -> QueuedTexts {
        let texts = |queue: &mut VecDeque<Queued>| queue.drain(..).filter_map(|queued| queued.text).collect();
        QueuedTexts { steering: texts(&mut self.steering), follow_up: texts(&mut self.follow_up) }
    }

    /// Puts the texts of the user into another order, and drops those that are in `known` and not in `wanted`. What extensions
    /// queued stays in front, texts that came meanwhile stay behind, and those that the run has taken are left alone.
    pub(crate) fn arrange(&mut self, known: &QueuedTexts, wanted: &QueuedTexts) {
        let lists = [(&known.steering, &wanted.steering), (&known.follow_up, &wanted.follow_up)];
        for (queue, (known, wanted)) in [&mut self.steering, &mut self.follow_up].into_iter().zip(lists) {
            // The run has taken the first of the known ones, so equal texts are matched from the end.
            let mut known: Vec<&String> = known.iter().collect();
            let mut own = Vec::new();
            let mut arranged = VecDeque::new();
            let mut behind = VecDeque::new();
            for queued in queue.drain(..).rev() {
                match &queued.text {
                    None => arranged.push_front(queued),
                    Some(text) => match known.iter().rposition(|other| *other == text) {
                        Some(at) => {
                            known.remove(at);
                            own.insert(0, queued);
                        }
                        None => behind.push_front(queued),
                    },
                }
            }
            for text in wanted {
                if let Some(at) = own.iter().position(|queued| queued.text.as_ref() == Some(text)) {
                    arranged.push_back(own.remove(at));
                }
            }
            arranged.append(&mut behind);
            *queue = arranged;
        }
    }

    /// Takes out what extensions sent to the run, in the order in which the run would have come to it.
    pub(crate) fn take_custom(&mut self) -> Vec<Arc<Message>> {
        let mut taken = std::mem::take(&mut self.turn_end);
        for queue in [&mut self.steering, &mut self.follow_up] {
            let (texts, custom) = queue.drain(..).partition(|queued| queued.text.is_some());
            *queue = texts;
            let custom: VecDeque<Queued> = custom;
            taken.extend(custom.into_iter().map(|queued| queued.message));
        }
        taken
    }

    pub(crate) fn push(&mut self, behavior: StreamingBehavior, queued: Queued) {
        self.of(behavior).push_back(queued);
    }

    /// What one poll takes from a queue. It counts as waiting until the run comes to it.
    pub(crate) fn take(&mut self, behavior: StreamingBehavior, mode: QueueMode) -> Vec<Arc<Message>> {
        let queue = self.of(behavior);
        let taken: Vec<Queued> = match mode {
            QueueMode::All => queue.drain(..).collect(),
            QueueMode::OneAtATime => queue.pop_front().into_iter().collect(),
        };
        let messages = taken.iter().map(|queued| Arc::clone(&queued.message)).collect();
        self.leaving.extend(taken.into_iter().map(|queued| (behavior, queued)));
        messages
    }

    /// The run came to a message: takes it from what waits, if it did.
    pub(crate) fn came_to(&mut self, message: &Arc<Message>) -> Option<Queued> {
        let at = self.leaving.iter().position(|(_, queued)| Arc::ptr_eq(&queued.message, message))?;
        Some(self.leaving.remove(at).1)
    }

    fn of(&mut self, behavior: StreamingBehavior) -> &mut VecDeque<Queued> {
        match behavior {
            StreamingBehavior::Steer => &mut self.steering,
            StreamingBehavior::FollowUp => &mut self.follow_up,
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

    /// Texts of the user that wait, in one of the two ways.
    pub(crate) fn texts(&self, behavior: StreamingBehavior) -> Vec<String> {
        let queue = match behavior {
            StreamingBehavior::Steer => &self.steering,
            StreamingBehavior::FollowUp => &self.follow_up,
        };
        let leaving = self.leaving.iter().filter(|(left, _)| *left == behavior).map(|(_, queued)| queued);
        leaving.chain(queue).filter_map(|queued| queued.text.clone()).collect()
    }

    /// Whether nothing waits for the run.
    pub(crate) fn is_empty(&self) -> bool {
        self.steering.is_empty() && self.follow_up.is_empty() && self.turn_end.is_empty()
    }

    /// Whether texts of the user wait.
    pub(crate) fn has_user_texts(&self) -> bool {
        let leaving = self.leaving.iter().map(|(_, queued)| queued);
        leaving.chain(&self.steering).chain(&self.follow_up).any(|queued| queued.text.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queued(text: Option<&str>) -> Queued {
        let message = Arc::new(Message::User(tau_ai::UserMessage::new(text.unwrap_or("of an extension"))));
        Queued { message, text: text.map(str::to_owned) }
    }

    fn texts(steering: &[&str], follow_up: &[&str]) -> QueuedTexts {
        let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        QueuedTexts { steering: list(steering), follow_up: list(follow_up) }
    }

    #[test]
    fn texts_are_moved_and_dropped_and_nothing_else_is() {
        let mut queues = Queues::default();
        for text in [Some("a"), None, Some("b"), Some("a"), Some("c")] {
            queues.push(StreamingBehavior::Steer, queued(text));
        }
        queues.push(StreamingBehavior::FollowUp, queued(Some("later")));
        let known = queues.user_texts();
        queues.push(StreamingBehavior::Steer, queued(Some("came meanwhile")));
        queues.arrange(&known, &texts(&["c", "a", "b"], &["later"]));
        assert_eq!(queues.user_texts(), texts(&["c", "a", "b", "came meanwhile"], &["later"]));
        assert_eq!(queues.steering[0].text, None);
        assert_eq!(queues.steering.len(), 5);
    }

    #[test]
    fn what_the_run_has_taken_is_left_alone() {
        let mut queues = Queues::default();
        for text in ["a", "b", "a"] {
            queues.push(StreamingBehavior::Steer, queued(Some(text)));
        }
        let known = queues.user_texts();
        assert_eq!(queues.take(StreamingBehavior::Steer, QueueMode::OneAtATime).len(), 1);
        queues.arrange(&known, &texts(&["b", "a", "a"], &[]));
        assert_eq!(queues.texts(StreamingBehavior::Steer), ["a", "b", "a"]);
        assert_eq!(queues.steering.iter().filter_map(|queued| queued.text.as_deref()).collect::<Vec<_>>(), ["b", "a"]);
    }
}
