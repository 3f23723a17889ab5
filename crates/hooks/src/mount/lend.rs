//! The terminal, while an extension lends it to another program.

use std::fmt;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// An extension wants the terminal for another program, or gives it back. The extension waits until the front end says
/// that it is done.
#[derive(Clone)]
pub struct Lend {
    /// It wants it; otherwise it gives it back.
    pub wants: bool,
    done: Arc<(Mutex<bool>, Condvar)>,
    over: CancellationToken,
}

impl Lend {
    /// A wish of an extension.
    pub fn new(wants: bool) -> Self {
        Self { wants, done: Arc::default(), over: CancellationToken::new() }
    }

    /// The front end has done it, or cannot.
    pub fn done(&self) {
        *self.done.0.lock() = true;
        self.done.1.notify_all();
    }

    /// Waits until the front end has done it; whether it has within `limit`. Blocks the thread.
    pub fn wait(&self, limit: Duration) -> bool {
        let mut done = self.done.0.lock();
        self.done.1.wait_while_for(&mut done, |done| !*done, limit);
        *done
    }

    /// The extension no longer has the terminal, or no longer wants it. Called by whichever side knows first.
    pub fn end(&self) {
        self.over.cancel();
    }

    /// Whether somebody has said that it is over.
    pub fn is_over(&self) -> bool {
        self.over.is_cancelled()
    }

    /// Completes when somebody says that it is over.
    pub async fn ended(&self) {
        self.over.cancelled().await;
    }

    /// Whether the extension has the terminal.
    pub fn is_held(&self) -> bool {
        self.wants && *self.done.0.lock() && !self.is_over()
    }
}

impl fmt::Debug for Lend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lend").field("wants", &self.wants).finish_non_exhaustive()
    }
}

/// Compared by identity.
impl PartialEq for Lend {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.done, &other.done)
    }
}
