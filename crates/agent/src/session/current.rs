//! Which session is open, and where: the part of [`AgentSession`] that another session replaces as a whole.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::RwLock;
use tau_session::Session;

use super::{AgentSession, Run};
use crate::settings::Environment;

/// The open session. Read often, written when it is replaced.
pub(super) struct Current {
    open: RwLock<Open>,
    /// Counts the replacements.
    number: AtomicU64,
    /// Another session is about to take its place.
    left: AtomicBool,
}

/// While it lives, the open session is being left.
pub(super) struct Leaving<'a>(&'a AtomicBool);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

struct Open {
    session: Arc<Session>,
    env: Arc<Environment>,
}

impl Current {
    pub(super) fn new(session: Arc<Session>, env: Environment) -> Self {
        Self {
            open: RwLock::new(Open { session, env: Arc::new(env) }),
            number: AtomicU64::new(0),
            left: AtomicBool::new(false),
        }
    }

    /// Names this session among those that were open. What was asked for in one is not done in the next.
    pub(super) fn number(&self) -> u64 {
        self.number.load(Ordering::Acquire)
    }

    /// Begins to leave the open session: nothing may take it over from here on.
    pub(super) fn leave(&self) -> Leaving<'_> {
        self.left.store(true, Ordering::Release);
        Leaving(&self.left)
    }

    pub(super) fn is_left(&self) -> bool {
        self.left.load(Ordering::Acquire)
    }

    pub(super) fn replace(&self, session: Arc<Session>, env: Arc<Environment>) {
        *self.open.write() = Open { session, env };
        self.number.fetch_add(1, Ordering::AcqRel);
    }
}

impl AgentSession {
    /// The tree of the session that is open now.
    pub fn session(&self) -> Arc<Session> {
        Arc::clone(&self.current.open.read().session)
    }

    /// The working directory.
    pub fn cwd(&self) -> PathBuf {
        self.current.open.read().env.cwd.clone()
    }

    /// Which of the sessions that were open this one is.
    pub(crate) fn session_number(&self) -> u64 {
        self.current.number()
    }

    pub(crate) fn env(&self) -> Arc<Environment> {
        Arc::clone(&self.current.open.read().env)
    }

    /// Begins a run unless one is under way, or the session was replaced by another meanwhile. Waits while it is being
    /// replaced, and for handlers of `agent_settled`.
    pub(super) async fn begin_run_in(&self, number: u64) -> Option<Run> {
        let _open = self.settle_gate.read().await;
        (self.current.number() == number).then(|| self.begin_run()).flatten()
    }
}
