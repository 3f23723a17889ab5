//! Telling front ends that the session is idle, also after a prompt that began no run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{AgentSession, SessionEvent};

/// How often front ends heard that the session is idle.
#[derive(Debug, Default)]
pub(crate) struct Settled(AtomicU64);

impl AgentSession {
    /// A mark for [`AgentSession::settle_after_prompt`], to be taken before the prompt is submitted.
    pub fn settled_mark(&self) -> u64 {
        self.settled.0.load(Ordering::Acquire)
    }

    /// Front ends hear that the session is idle.
    pub(crate) fn tell_settled(&self, aborted: bool) {
        self.settled.0.fetch_add(1, Ordering::AcqRel);
        self.events().send(|| SessionEvent::AgentSettled { aborted });
    }

    /// For a prompt that began no run: front ends hear that the session is idle, as they do after a run, because clients
    /// wait for it. At once when nothing is under way, otherwise when that is over; a run that settles after `mark` was
    /// taken has said it already. Extensions get no event, because nothing ran.
    pub fn settle_after_prompt(self: &Arc<Self>, mark: u64) {
        if self.settled_mark() != mark {
            return;
        }
        if self.rests() {
            return self.tell_settled(false);
        }
        let me = Arc::clone(self);
        self.runtime.spawn(async move {
            loop {
                me.wait_until_idle().await;
                me.wait_for_run().await;
                if me.settled_mark() != mark || me.is_shut_down() {
                    return;
                }
                if me.rests() {
                    return me.tell_settled(false);
                }
            }
        });
    }

    /// Whether nothing is under way, and nothing on its way to a run.
    fn rests(&self) -> bool {
        self.is_idle() && self.background.count() == 0 && self.commands.count() == 0
    }
}
