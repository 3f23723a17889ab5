//! What goes on in the background in an order.
#![expect(clippy::disallowed_methods, reason = "inside of a task of the session's runtime")]

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tau_hooks::{Hooks, Report};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use super::lock::{Mutex, Part, Rank};
use crate::crash::Crash;
use crate::work::Item;

const LANE: Rank = Rank::new(Part::Lifecycle, 1);

/// Does one thing after the other, in the order in which they were asked for. Separate tasks would overtake each other.
///
/// What extensions ask for comes from threads that end before the session does, with a runtime of their own: the work goes
/// to the session's.
pub(crate) struct Lane {
    runtime: Handle,
    hooks: Arc<Hooks>,
    sender: Mutex<Option<mpsc::UnboundedSender<Job>>>,
    waiting: Arc<AtomicUsize>,
}

/// Something to do, and what counts it.
type Job = (BoxFuture<'static, ()>, Item);

impl Lane {
    /// A lane whose work is done on `runtime`. What becomes of work that nobody waits for is reported to `hooks`.
    pub(crate) fn new(runtime: &Handle, hooks: &Arc<Hooks>) -> Self {
        let (runtime, hooks) = (runtime.clone(), Arc::clone(hooks));
        Self { runtime, hooks, sender: Mutex::new(LANE, None), waiting: Arc::default() }
    }

    /// Whether nothing waits and nothing is at work.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.load(Ordering::Acquire) == 0
    }

    /// Waits until everything that was asked for so far is done.
    pub(crate) async fn caught_up(&self, item: Item) {
        if self.is_empty() {
            return;
        }
        let (done, reached) = oneshot::channel();
        self.push(item, async move {
            // The one that waits may have given up.
            let _ = done.send(());
        });
        // Without an answer the lane has ended, which `push` has reported: nothing before this is done any more.
        let _ = reached.await;
    }

    /// Does something once everything before it is done.
    pub(crate) fn push(&self, item: Item, work: impl Future<Output = ()> + Send + 'static) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        let sent = {
            let mut sender = self.sender.lock();
            let sender = sender.get_or_insert_with(|| self.begin());
            sender.send((work.boxed(), item))
        };
        // The task only ends with the session's threads.
        if sent.is_err() {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            report(&self.hooks, "dropped: the threads of the session have ended");
        }
    }

    fn begin(&self) -> mpsc::UnboundedSender<Job> {
        let (sender, mut jobs) = mpsc::unbounded_channel::<Job>();
        let (waiting, hooks) = (Arc::clone(&self.waiting), Arc::clone(&self.hooks));
        self.runtime.spawn(async move {
            while let Some((work, item)) = jobs.recv().await {
                // A panic of one must not keep the others from being done.
                if let Some(crash) = tokio::spawn(work).await.err().and_then(Crash::of_task) {
                    report(&hooks, &crash.to_string());
                }
                waiting.fetch_sub(1, Ordering::AcqRel);
                drop(item);
            }
        });
        sender
    }
}

fn report(hooks: &Hooks, text: &str) {
    hooks.dispatcher.reports.send(&Report::diagnostic("session", "background", text));
}
