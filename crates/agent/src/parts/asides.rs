//! What goes on beside or between the turns of a run and can be stopped by itself.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::lock::{Mutex, Part, Rank};

/// Taken last in its part: what it holds is stopped from anywhere.
const OPEN: Rank = Rank::new(Part::Activity, 2);

/// Everything of this kind in a session.
#[derive(Default)]
pub(crate) struct Asides {
    pub(crate) compactions: Open,
    /// Those that the user asked for.
    by_hand: Open,
    pub(crate) retries: Open,
    pub(crate) commands: Open,
    /// Templates of extensions on their way to become a prompt.
    pub(crate) expansions: Open,
}

/// The tokens of what is at work.
#[derive(Clone)]
pub(crate) struct Open(Arc<Mutex<Vec<(u64, CancellationToken)>>>);

impl Default for Open {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(OPEN, Vec::new())))
    }
}

/// One thing at work, until it is dropped.
pub(crate) struct Aside {
    open: Open,
    id: u64,
    token: CancellationToken,
}

impl Aside {
    /// Fires when it is to stop.
    pub(crate) fn token(&self) -> CancellationToken {
        self.token.clone()
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        self.open.0.lock().retain(|(id, _)| *id != self.id);
    }
}

impl Open {
    fn begin(&self, token: CancellationToken) -> Aside {
        let mut open = self.0.lock();
        let id = open.last().map_or(0, |(id, _)| id + 1);
        open.push((id, token.clone()));
        Aside { open: self.clone(), id, token }
    }

    /// Stops all of them.
    pub(crate) fn stop(&self) {
        self.0.lock().iter().for_each(|(_, token)| token.cancel());
    }

    pub(crate) fn any(&self) -> bool {
        !self.0.lock().is_empty()
    }
}

impl Asides {
    /// A compaction within a run; it also ends with the run.
    pub(crate) fn begin_compaction(&self, run: &CancellationToken) -> Aside {
        self.compactions.begin(run.child_token())
    }

    /// Says that the user compacts the conversation, until it is dropped.
    pub(crate) fn begin_by_hand(&self) -> Aside {
        self.by_hand.begin(CancellationToken::new())
    }

    pub(crate) fn is_compacting_by_hand(&self) -> bool {
        self.by_hand.any()
    }

    /// The pause before a failed request is repeated.
    pub(crate) fn begin_retry(&self, run: &CancellationToken) -> Aside {
        self.retries.begin(run.child_token())
    }

    /// A template of an extension; it also ends with the session.
    pub(crate) fn begin_expansion(&self, ending: &CancellationToken) -> Aside {
        self.expansions.begin(ending.child_token())
    }

    /// A shell command of the user.
    pub(crate) fn begin_command(&self) -> Aside {
        self.commands.begin(CancellationToken::new())
    }
}
