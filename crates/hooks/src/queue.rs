//! The queue behind events that must not stop the stream.
//!
//! A token of the model is worth less than the time it takes to wake another thread. So updates are handed to
//! their handlers in order through a bounded queue: the stream goes on while there is room and waits when there
//! is none, nothing is dropped or merged, and before the next event that matters the queue is drained.
#![expect(clippy::disallowed_methods, reason = "the queue belongs to the runtime on which the first event comes")]

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures_util::FutureExt;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use crate::dispatch::Dispatcher;
use crate::events::EventId;
use crate::fold::{AnyFolding, Folding};
use crate::scope::Scope;
use crate::table::Event;

/// Updates that fit into the queue.
const CAPACITY: usize = 256;

/// A queue of rounds, worked off by a task of its own.
pub struct UpdateQueue {
    dispatcher: Arc<Dispatcher>,
    sender: Mutex<Option<mpsc::Sender<Job>>>,
    progress: Arc<Progress>,
}

/// How far the task is.
#[derive(Default)]
struct Progress {
    waiting: AtomicUsize,
    /// What a round panicked with, until whoever posted it hears of it.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    panicked: AtomicBool,
}

impl Progress {
    /// Passes on the panic of a round: it ends the run that the update belongs to, as a panic of the run itself does.
    fn pass_on(&self) {
        if self.panicked.swap(false, Ordering::AcqRel)
            && let Some(panic) = self.panic.lock().take()
        {
            std::panic::resume_unwind(panic);
        }
    }
}

enum Job {
    Round(Update),
    Flush(oneshot::Sender<()>),
}

/// Handlers that are called in visits are told of this many updates at once, when so many wait.
const AT_ONCE: usize = 64;

/// An update that waits.
struct Update {
    event: EventId,
    scope: Scope,
    folding: Box<dyn AnyFolding>,
}

impl UpdateQueue {
    pub(crate) fn new(dispatcher: Arc<Dispatcher>) -> Self {
        Self { dispatcher, sender: Mutex::default(), progress: Arc::default() }
    }

    /// Queues a round for the handlers of `E`; waits only when the queue is full.
    ///
    /// # Panics
    /// When a round before this one did.
    pub async fn post<E: Event>(&self, scope: &Scope, payload: impl FnOnce() -> E::Payload) {
        if !self.dispatcher.has_handlers(E::ID) {
            return;
        }
        self.progress.pass_on();
        let folding = Box::new(Folding::<E>::new(payload(), None));
        self.put(Update { event: E::ID, scope: scope.clone(), folding }).await;
    }

    async fn put(&self, update: Update) {
        // The worker ends with the runtime it is on, and this runs on one: there is another worker then.
        if let Ok(place) = self.sender().reserve().await {
            self.progress.waiting.fetch_add(1, Ordering::AcqRel);
            place.send(Job::Round(update));
        }
    }

    /// Waits until every queued round is done. Free when nothing was queued.
    ///
    /// # Panics
    /// When one of them did.
    pub async fn drain(&self) {
        if self.progress.waiting.load(Ordering::Acquire) > 0 {
            let (done, drained) = oneshot::channel();
            if self.sender().send(Job::Flush(done)).await.is_ok() {
                // Without an answer the worker has ended, and with it what it had to do.
                let _ = drained.await;
            }
        }
        self.progress.pass_on();
    }

    fn sender(&self) -> mpsc::Sender<Job> {
        let mut sender = self.sender.lock();
        // Runs are on the session's own threads, but a library may end a runtime and begin another.
        if sender.as_ref().is_some_and(mpsc::Sender::is_closed) {
            *sender = None;
        }
        sender
            .get_or_insert_with(|| {
                let (sender, jobs) = mpsc::channel(CAPACITY);
                tokio::spawn(work(jobs, Arc::clone(&self.progress), Arc::clone(&self.dispatcher)));
                sender
            })
            .clone()
    }
}

async fn work(mut jobs: mpsc::Receiver<Job>, progress: Arc<Progress>, dispatcher: Arc<Dispatcher>) {
    let mut next = None;
    loop {
        let job = match next.take() {
            Some(job) => job,
            None => match jobs.recv().await {
                Some(job) => job,
                None => return,
            },
        };
        match job {
            Job::Round(first) => {
                let Update { event, scope, folding } = first;
                let mut foldings = vec![folding];
                let at_once = if dispatcher.visits(event) { AT_ONCE } else { 1 };
                while foldings.len() < at_once {
                    match jobs.try_recv() {
                        Ok(Job::Round(next)) if next.event == event => foldings.push(next.folding),
                        Ok(other) => {
                            next = Some(other);
                            break;
                        }
                        Err(_) => break,
                    }
                }
                let count = foldings.len();
                let round = AssertUnwindSafe(dispatcher.dispatch_several(&scope, event, foldings));
                if let Err(panic) = round.catch_unwind().await {
                    *progress.panic.lock() = Some(panic);
                    progress.panicked.store(true, Ordering::Release);
                }
                progress.waiting.fetch_sub(count, Ordering::AcqRel);
            }
            Job::Flush(done) => {
                // The one that waits may have been aborted.
                let _ = done.send(());
            }
        }
    }
}
