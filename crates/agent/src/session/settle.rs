//! Telling front ends that the session is idle, also after a prompt that began no run.

use std::sync::Arc;

use super::AgentSession;
use crate::parts::{Live, Parts};
use crate::pipeline::settle::tell_settled;

impl AgentSession {
    /// A mark for [`AgentSession::settle_after_prompt`], to be taken before the prompt is submitted.
    pub fn settled_mark(&self) -> u64 {
        self.parts.lifecycle.settled_mark()
    }

    /// For a prompt that began no run: front ends hear that the session is idle, as they do after a run, because clients
    /// wait for it. At once when nothing is under way, otherwise when that is over; a run that settles after `mark` was
    /// taken has said it already. Extensions get no event, because nothing ran.
    pub fn settle_after_prompt(self: &Arc<Self>, mark: u64) {
        if self.settled_mark() != mark {
            return;
        }
        if rests(&self.parts) {
            return tell_settled(&self.parts, false);
        }
        let live = self.live();
        self.parts.services.runtime.spawn(async move { settle_later(&live, mark).await });
    }
}

async fn settle_later(live: &Live, mark: u64) {
    loop {
        live.lifecycle.wait_until_idle().await;
        live.activity.wait_for_run().await;
        // Handlers of `agent_settled` are part of the end of a run.
        drop(live.lifecycle.settle_gate.read().await);
        if live.lifecycle.settled_mark() != mark || live.lifecycle.has_ended() {
            return;
        }
        if rests(live) {
            return tell_settled(live, false);
        }
    }
}

/// Whether nothing is under way, and nothing on its way to a run.
fn rests(parts: &Parts) -> bool {
    parts.activity.is_idle() && parts.lifecycle.is_quiet()
}
