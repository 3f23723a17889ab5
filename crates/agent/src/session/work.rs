//! What goes on in the background: counted, so that somebody can wait for all of it, and in order where order matters.

use std::future::Future;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};

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

/// Does one thing after the other, in the order in which they were asked for. Separate tasks would overtake each other.
#[derive(Default)]
pub(crate) struct Lane(Mutex<Option<mpsc::UnboundedSender<Job>>>);

/// Something to do, and what counts it.
type Job = (BoxFuture<'static, ()>, Item);

impl Lane {
    /// Does something once everything before it is done.
    pub(crate) fn push(&self, item: Item, work: impl Future<Output = ()> + Send + 'static) {
        let mut sender = self.0.lock();
        let sender = sender.get_or_insert_with(|| {
            let (sender, mut jobs) = mpsc::unbounded_channel::<Job>();
            tokio::spawn(async move {
                while let Some((work, item)) = jobs.recv().await {
                    // A panic of one must not keep the others from being done.
                    let _ = tokio::spawn(work).await;
                    drop(item);
                }
            });
            sender
        });
        // The task only ends with the runtime, and then nothing is done any more.
        let _ = sender.send((work.boxed(), item));
    }
}
