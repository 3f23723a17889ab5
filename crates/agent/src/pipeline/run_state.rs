//! A run that is under way: how it begins, and what ends it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tau_ai::Message;
use tau_hooks::{Host, Scope};
use tokio_util::sync::CancellationToken;

use super::run_count::RunCount;
use crate::parts::Parts;
use crate::settings::RuleContext;
use crate::work::Item;

/// How long handlers may take for the events that follow an abort.
const AFTER_ABORT: Duration = Duration::from_secs(5);

/// A run that is under way, with everything that lives as long as it does. While it is open no other can begin.
pub(crate) struct Run {
    pub(crate) cancel: CancellationToken,
    /// Fires some time after `cancel`.
    late: CancellationToken,
    pub(crate) recovery: Mutex<Recovery>,
    /// Its id, and how many turns and requests it has begun.
    pub(super) count: Arc<RunCount>,
    /// Rules cut off the answer that came last.
    pub(crate) rule_break: Mutex<Option<RuleBreak>>,
    parts: Weak<Parts>,
    is_closed: AtomicBool,
    /// What was at work was stopped because the run cannot go on.
    has_failed: AtomicBool,
    _work: Item,
}

/// What a run has done so far about failures.
#[derive(Debug, Default)]
pub(crate) struct Recovery {
    /// Attempts to repeat a failed request since it last worked.
    pub(crate) attempt: u32,
    /// Room was made for the request that failed; making more will not help.
    pub(crate) made_room: bool,
    /// A login was renewed because the provider did not take it, and no request has worked since.
    pub(crate) login_renewed: bool,
    /// Nobody was asked for the last answer, because the router of a virtual model failed: whether to ask it again. What
    /// the answer says holds names of files too, so its words tell nothing.
    pub(crate) router_failed: Option<bool>,
}

/// An answer was cut off by rules.
#[derive(Debug)]
pub(crate) struct RuleBreak {
    /// What becomes of the answer.
    pub(super) context: RuleContext,
    /// What the model is told.
    pub(super) message: Arc<Message>,
}

impl Run {
    /// Begins a run unless one is under way or the session has ended.
    pub(crate) fn begin(parts: &Arc<Parts>) -> Option<Self> {
        if parts.lifecycle.has_ended() {
            return None;
        }
        let cancel = parts.activity.begin_run()?;
        let late = CancellationToken::new();
        parts.services.runtime.spawn(expire(cancel.clone(), late.clone()));
        Some(Self {
            cancel,
            late,
            recovery: Mutex::default(),
            count: Arc::new(RunCount::new(&parts.services.sources.ids)),
            rule_break: Mutex::default(),
            parts: Arc::downgrade(parts),
            is_closed: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            _work: parts.lifecycle.background.begin(),
        })
    }

    /// Begins a run unless one is under way, or the session of that number was replaced by another meanwhile. Waits while
    /// it is being replaced, and for handlers of `agent_settled`.
    pub(crate) async fn begin_in(parts: &Arc<Parts>, number: u64) -> Option<Self> {
        let _open = parts.lifecycle.settle_gate.read().await;
        (parts.conversation.number() == number).then(|| Self::begin(parts)).flatten()
    }

    /// Begins a run in place of whatever is under way, which is aborted. `None` when the session has ended, and when it is
    /// no longer the one with that number or about to be replaced.
    pub(crate) async fn take_over(parts: &Arc<Parts>, number: u64) -> Option<Self> {
        loop {
            let mut idle = std::pin::pin!(parts.activity.idle.notified());
            // From here on no end of a run is missed.
            idle.as_mut().enable();
            let begun = Self::begin_in(parts, number).await;
            // Asked when the run is there: whoever leaves the session aborts what he finds.
            if parts.conversation.is_left() || parts.conversation.number() != number {
                return None;
            }
            if begun.is_some() || parts.lifecycle.has_ended() {
                return begun;
            }
            parts.abort();
            idle.await;
        }
    }

    /// Whether somebody aborted it. Rules that cut off an answer do not.
    pub(crate) fn was_aborted(&self) -> bool {
        self.cancel.is_cancelled() && !self.has_failed.load(Ordering::Acquire)
    }

    /// Stops what is at work because the run cannot go on; this is no abort.
    pub(crate) fn fail(&self) {
        if !self.cancel.is_cancelled() {
            self.has_failed.store(true, Ordering::Release);
            self.cancel.cancel();
        }
    }

    /// What ends the run.
    pub(crate) fn ends(&self) -> RunEnds {
        RunEnds { cancel: self.cancel.clone(), late: self.late.clone(), count: Arc::clone(&self.count) }
    }

    /// Ends the run if nothing waits for it any more; afterwards the session is idle and queues take nothing. An
    /// aborted run ends in any case.
    pub(crate) fn close(&self) -> bool {
        let Some(parts) = self.parts.upgrade() else { return true };
        if !self.cancel.is_cancelled() {
            if !parts.activity.end_run_if_empty() {
                return false;
            }
            self.is_closed.store(true, Ordering::Release);
            return true;
        }
        self.end(&parts);
        true
    }

    /// Ends a run that could not start, unless extensions sent something to it: then that is given and the run goes on.
    pub(crate) fn close_or_take(&self) -> Vec<Arc<Message>> {
        let Some(parts) = self.parts.upgrade() else { return Vec::new() };
        let left = parts.activity.take_custom_or_end_run();
        if left.is_empty() {
            self.is_closed.store(true, Ordering::Release);
        }
        left
    }

    /// Ends the run whatever waits for it.
    fn end(&self, parts: &Parts) {
        // Before another run can have calls of its own.
        parts.conversation.close_calls();
        self.is_closed.store(true, Ordering::Release);
        parts.activity.end_run();
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.late.cancel();
        if let (false, Some(parts)) = (self.is_closed.load(Ordering::Acquire), self.parts.upgrade()) {
            self.end(&parts);
        }
    }
}

/// What ends a run, for work of the run that is a task of its own.
#[derive(Clone)]
pub(crate) struct RunEnds {
    /// Fires when the run is aborted.
    pub(crate) cancel: CancellationToken,
    /// Fires some time after `cancel`, and when the run is over.
    late: CancellationToken,
    count: Arc<RunCount>,
}

impl RunEnds {
    /// A scope that ends when the run is aborted. Events after that, such as the end of the run, get a scope that ends a
    /// little later: an abort cuts off what is at work and still reaches every handler, but it waits for none for ever.
    pub(crate) fn scope(&self, host: &Arc<dyn Host>) -> Scope {
        let cancel = if self.cancel.is_cancelled() { &self.late } else { &self.cancel };
        Scope { run: self.count.ids(), ..Scope::until(Arc::clone(host), cancel.clone()) }
    }
}

/// Fires `late` some time after `cancel`. The run's own tokens end this together with the run.
async fn expire(cancel: CancellationToken, late: CancellationToken) {
    tokio::select! {
        () = cancel.cancelled() => {}
        () = late.cancelled() => return,
    }
    tokio::select! {
        () = tokio::time::sleep(AFTER_ABORT) => late.cancel(),
        () = late.cancelled() => {}
    }
}
