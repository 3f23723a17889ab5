//! Work that is done in the order in which it was asked for, without making anybody else wait.
#![expect(clippy::disallowed_methods, reason = "the program has one runtime")]

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

/// Changes to a session: each begins when the one before is done. Ends when it is dropped.
pub(super) struct Lane(mpsc::UnboundedSender<BoxFuture<'static, ()>>);

impl Lane {
    pub(super) fn new() -> Self {
        let (sender, mut work) = mpsc::unbounded_channel::<BoxFuture<'static, ()>>();
        tokio::spawn(async move {
            while let Some(work) = work.recv().await {
                // Whoever waits for its answer finds that there is none, and says so; what comes next is done.
                drop(AssertUnwindSafe(work).catch_unwind().await);
            }
        });
        Self(sender)
    }

    pub(super) fn push(&self, work: impl Future<Output = ()> + Send + 'static) {
        // The other end lives as long as this one: no panic ends it.
        let _ = self.0.send(Box::pin(work));
    }

    /// Waits for what was pushed before. Takes its place in the order when it is called, not when it is awaited.
    pub(super) fn done(&self) -> impl Future<Output = ()> + Send + use<> {
        let (sender, done) = oneshot::channel();
        self.push(async move {
            // The one that waits may have given up.
            let _ = sender.send(());
        });
        async move {
            // Without an answer there is nothing left to wait for.
            let _ = done.await;
        }
    }
}
