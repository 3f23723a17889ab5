//! The queue behind events that must not stop the stream.
//!
//! A token of the model is worth less than the time it takes to wake another thread. So updates are handed to
//! their handlers in order through a bounded queue: the stream goes on while there is room and waits when there
//! is none, nothing is dropped or merged, and before the next event that matters the queue is drained.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use crate::dispatch::{Dispatcher, Scope};
use crate::handler::BoxFuture;
use crate::table::Event;

/// Updates that fit into the queue.
const CAPACITY: usize = 256;

/// A queue of rounds, worked off by a task of its own.
pub struct UpdateQueue {
    dispatcher: Arc<Dispatcher>,
    sender: Mutex<Option<mpsc::Sender<Job>>>,
    waiting: Arc<AtomicUsize>,
}

enum Job {
    Round(BoxFuture<()>),
    Flush(oneshot::Sender<()>),
}

impl UpdateQueue {
    pub(crate) fn new(dispatcher: Arc<Dispatcher>) -> Self {
        Self { dispatcher, sender: Mutex::default(), waiting: Arc::default() }
    }

    /// Queues a round for the handlers of `E`; waits only when the queue is full.
    pub async fn post<E: Event>(&self, scope: &Scope, payload: impl FnOnce() -> E::Payload) {
        if !self.dispatcher.has_handlers(E::ID) {
            return;
        }
        let dispatcher = Arc::clone(&self.dispatcher);
        let scope = scope.clone();
        let payload = payload();
        let round = async move {
            dispatcher.dispatch::<E>(&scope, || payload).await;
        };
        // The worker only goes away with the runtime, and then nobody is left to be told.
        if let Ok(place) = self.sender().reserve().await {
            self.waiting.fetch_add(1, Ordering::AcqRel);
            place.send(Job::Round(round.boxed()));
        }
    }

    /// Waits until every queued round is done. Free when nothing was queued.
    pub async fn drain(&self) {
        if self.waiting.load(Ordering::Acquire) == 0 {
            return;
        }
        let (done, drained) = oneshot::channel();
        if self.sender().send(Job::Flush(done)).await.is_ok() {
            let _ = drained.await;
        }
    }

    fn sender(&self) -> mpsc::Sender<Job> {
        let mut sender = self.sender.lock();
        sender
            .get_or_insert_with(|| {
                let (sender, jobs) = mpsc::channel(CAPACITY);
                tokio::spawn(work(jobs, Arc::clone(&self.waiting)));
                sender
            })
            .clone()
    }
}

async fn work(mut jobs: mpsc::Receiver<Job>, waiting: Arc<AtomicUsize>) {
    while let Some(job) = jobs.recv().await {
        match job {
            Job::Round(round) => {
                round.await;
                waiting.fetch_sub(1, Ordering::AcqRel);
            }
            Job::Flush(done) => {
                let _ = done.send(());
            }
        }
    }
}
