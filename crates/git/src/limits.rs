//! How much a look may do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How much a look may do, and what it believes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// After this time the status is cut.
    pub time: Duration,
    /// After this time nobody waits for a look any more.
    pub patience: Duration,
    /// How many untracked files are counted.
    pub untracked: usize,
    /// How many commits are looked at for the distance to the upstream.
    pub commits: usize,
    /// How many names of branches and of tags are given.
    pub names: usize,
    /// Whether the settings of the user and the system count, as they do for git.
    pub user_settings: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(5),
            patience: Duration::from_secs(30),
            untracked: 2_000,
            commits: 20_000,
            names: 500,
            user_settings: true,
        }
    }
}

/// Stops work from another thread.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stops it: what was found so far is the result, and says that it is not all.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.0
    }
}
