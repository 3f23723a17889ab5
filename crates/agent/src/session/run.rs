//! A run that is under way: how it begins, what ends it, and what extensions are asked before it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tau_hooks::{Host, Scope};
use tokio_util::sync::CancellationToken;

use super::{AgentSession, Queues};
use crate::pipeline::{Recovery, RuleBreak, RunCount};
use crate::session::work::Item;

/// How long handlers may take for the events that follow an abort.
const AFTER_ABORT: Duration = Duration::from_secs(5);

/// A run that is under way. While it is open no other can begin.
pub(crate) struct Run {
    pub(crate) cancel: CancellationToken,
    /// Fires some time after `cancel`.
    late: CancellationToken,
    pub(crate) recovery: Mutex<Recovery>,
    /// Its id, and how many turns and requests it has begun.
    pub(crate) count: Arc<RunCount>,
    /// Rules cut off the answer that came last.
    pub(crate) rule_break: Mutex<Option<RuleBreak>>,
    session: Weak<AgentSession>,
    closed: bool,
    /// What was at work was stopped because the run cannot go on.
    failed: AtomicBool,
    _work: Item,
}

impl Run {
    /// Whether somebody aborted it. Rules that cut off an answer do not.
    pub(crate) fn was_aborted(&self) -> bool {
        self.cancel.is_cancelled() && !self.failed.load(Ordering::Acquire)
    }

    /// Stops what is at work because the run cannot go on; this is no abort.
    pub(crate) fn fail(&self) {
        if !self.cancel.is_cancelled() {
            self.failed.store(true, Ordering::Release);
            self.cancel.cancel();
        }
    }

    /// A scope that ends when the run is aborted. Events after that, such as the end of the run, get a scope that ends a
    /// little later: an abort cuts off what is at work and still reaches every handler, but it waits for none for ever.
    pub(crate) fn scope(&self, session: &Arc<AgentSession>) -> Scope {
        self.ends().scope(session)
    }

    /// What ends the run.
    pub(crate) fn ends(&self) -> RunEnds {
        RunEnds { cancel: self.cancel.clone(), late: self.late.clone(), count: Arc::clone(&self.count) }
    }

    /// Ends the run if nothing waits for it any more; afterwards the session is idle and queues take nothing. An
    /// aborted run ends in any case.
    pub(crate) fn close(&mut self) -> bool {
        let Some(session) = self.session.upgrade() else { return true };
        let mut queues = session.queues.lock();
        if !self.cancel.is_cancelled() && !queues.is_empty() {
            return false;
        }
        self.end(&mut queues, &session);
        true
    }

    /// Ends the run whatever waits for it.
    pub(super) fn end(&mut self, queues: &mut Queues, session: &AgentSession) {
        queues.leaving.clear();
        session.state.lock().run = None;
        session.set_run_prompt(None);
        self.closed = true;
        session.asides.idle.notify_waiters();
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
    /// See [`Run::scope`].
    pub(crate) fn scope(&self, session: &Arc<AgentSession>) -> Scope {
        let cancel = if self.cancel.is_cancelled() { &self.late } else { &self.cancel };
        Scope { run: self.count.ids(), ..Scope::until(Arc::clone(session) as Arc<dyn Host>, cancel.clone()) }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.late.cancel();
        if let (false, Some(session)) = (self.closed, self.session.upgrade()) {
            session.queues.lock().leaving.clear();
            session.state.lock().run = None;
            session.set_run_prompt(None);
            session.asides.idle.notify_waiters();
        }
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

/// While it lives, extensions are asked for what a run begins with, and their aborts wait for the answers.
pub(crate) struct Asking<'a> {
    session: &'a AgentSession,
    /// Fires when an extension aborts the run.
    stop: CancellationToken,
}

impl Asking<'_> {
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

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.session.state.lock().asking = None;
    }
}

impl AgentSession {
    /// Extensions are asked for what a run begins with, until the result is dropped.
    pub(crate) fn begin_asking(&self) -> Asking<'_> {
        let stop = CancellationToken::new();
        self.state.lock().asking = Some(stop.clone());
        Asking { session: self, stop }
    }

    /// Begins a run unless one is under way or the session has ended.
    pub(crate) fn begin_run(&self) -> Option<Run> {
        if self.is_shut_down() {
            return None;
        }
        let mut state = self.state.lock();
        if state.run.is_some() {
            return None;
        }
        let cancel = CancellationToken::new();
        state.run = Some(cancel.clone());
        state.asking = None;
        drop(state);
        let late = CancellationToken::new();
        self.runtime.spawn(expire(cancel.clone(), late.clone()));
        let work = self.background.begin();
        let recovery = Mutex::default();
        let rule_break = Mutex::default();
        Some(Run {
            cancel,
            late,
            recovery,
            count: Arc::new(RunCount::new(&self.hooks.sources.ids)),
            rule_break,
            session: self.me.clone(),
            closed: false,
            failed: AtomicBool::new(false),
            _work: work,
        })
    }
}
