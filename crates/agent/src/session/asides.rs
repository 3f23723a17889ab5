//! What goes on beside or between the turns of a run and can be stopped by itself.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Everything of this kind in a session.
#[derive(Default)]
pub(crate) struct Asides {
    compactions: Open,
    /// Those that the user asked for.
    by_hand: Open,
    retries: Open,
    commands: Open,
    /// Fires when a run has ended.
    pub(crate) idle: Notify,
}

/// The tokens of what is at work.
#[derive(Clone, Default)]
struct Open(Arc<Mutex<Vec<(u64, CancellationToken)>>>);

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

    fn stop(&self) {
        self.0.lock().iter().for_each(|(_, token)| token.cancel());
    }

    fn any(&self) -> bool {
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

    /// A shell command of the user.
    pub(crate) fn begin_command(&self) -> Aside {
        self.commands.begin(CancellationToken::new())
    }
}

impl super::AgentSession {
    /// Stops a compaction that is under way. The run it belongs to goes on.
    pub fn abort_compaction(&self) {
        self.asides.compactions.stop();
    }

    /// Whether the conversation is being compacted.
    pub fn is_compacting(&self) -> bool {
        self.asides.compactions.any()
    }

    /// Gives up repeating a failed request while waiting for the next attempt.
    pub fn abort_retry(&self) {
        self.asides.retries.stop();
    }

    /// Whether a failed request waits for being repeated.
    pub fn is_retrying(&self) -> bool {
        self.asides.retries.any()
    }

    /// Stops the shell commands of the user that are running.
    pub fn abort_bash(&self) {
        self.asides.commands.stop();
    }

    /// Whether a shell command of the user is running.
    pub fn is_bash_running(&self) -> bool {
        self.asides.commands.any()
    }
}
