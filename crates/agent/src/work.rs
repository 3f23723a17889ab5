//! What goes on in the background: counted, so that somebody can wait for all of it.

use std::time::Duration;

use tokio::sync::watch;

/// Runs, prompts on their way to one, and handlers that nobody waits for.
#[derive(Debug, Clone)]
pub(crate) struct Work(watch::Sender<usize>);

/// One thing that goes on.
#[derive(Debug)]
pub(crate) struct Item(watch::Sender<usize>);

impl Default for Work {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl Work {
    /// Counts one thing until the returned item is dropped.
    pub(crate) fn begin(&self) -> Item {
        self.0.send_modify(|count| *count += 1);
        Item(self.0.clone())
    }

    /// How many things go on.
    pub(crate) fn count(&self) -> usize {
        *self.0.borrow()
    }

    /// Waits until nothing goes on.
    pub(crate) async fn done(&self) {
        // The sender outlives the receiver, so this only ends with a count of nothing.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Waits until something goes on.
    pub(crate) async fn any(&self) {
        // The sender outlives the receiver, so this only ends with a count.
        let _ = self.0.subscribe().wait_for(|count| *count > 0).await;
    }

    /// As [`Work::done`], but not for ever; whether it is done.
    pub(crate) async fn done_within(&self, time: Duration) -> bool {
        tokio::time::timeout(time, self.done()).await.is_ok()
    }
}

impl Drop for Item {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}
