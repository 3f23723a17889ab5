//! The queue behind events that must not stop the stream.
//!
//! A token of the model is worth less than the time it takes to wake another thread. So updates are handed to
//! their handlers in order through a bounded queue: the stream goes on while there is room and waits when there
//! is none, nothing is dropped or merged, and before the next event that matters the queue is drained.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use crate::dispatch::{Dispatcher, Scope};
use crate::events::EventId;
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
    Round(Box<dyn Round>),
    Flush(oneshot::Sender<()>),
}

/// Handlers that are called in visits are told of this many updates at once, when so many wait.
const AT_ONCE: usize = 64;

/// An update that waits.
trait Round: Any + Send {
    fn event(&self) -> EventId;

    /// Calls the handlers for this update and the ones behind it, which are of the same event.
    fn run(self: Box<Self>, more: Vec<Box<dyn Round>>, dispatcher: Arc<Dispatcher>) -> BoxFuture<()>;
}

struct Update<E: Event> {
    scope: Scope,
    payload: E::Payload,
}

impl<E: Event> Round for Update<E> {
    fn event(&self) -> EventId {
        E::ID
    }

    fn run(self: Box<Self>, more: Vec<Box<dyn Round>>, dispatcher: Arc<Dispatcher>) -> BoxFuture<()> {
        let Self { scope, payload } = *self;
        let more = more.into_iter().filter_map(|round| (round as Box<dyn Any>).downcast::<Self>().ok());
        let payloads = std::iter::once(payload).chain(more.map(|update| update.payload)).collect();
        Box::pin(async move { dispatcher.dispatch_several::<E>(&scope, payloads).await })
    }
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
        let update = Update::<E> { scope: scope.clone(), payload: payload() };
        // The worker only goes away with the runtime, and then nobody is left to be told.
        if let Ok(place) = self.sender().reserve().await {
            self.waiting.fetch_add(1, Ordering::AcqRel);
            place.send(Job::Round(Box::new(update)));
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
                tokio::spawn(work(jobs, Arc::clone(&self.waiting), Arc::clone(&self.dispatcher)));
                sender
            })
            .clone()
    }
}

async fn work(mut jobs: mpsc::Receiver<Job>, waiting: Arc<AtomicUsize>, dispatcher: Arc<Dispatcher>) {
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
                let mut more = Vec::new();
                let at_once = if dispatcher.visits(first.event()) { AT_ONCE } else { 1 };
                while more.len() + 1 < at_once {
                    match jobs.try_recv() {
                        Ok(Job::Round(round)) if round.event() == first.event() => more.push(round),
                        Ok(other) => {
                            next = Some(other);
                            break;
                        }
                        Err(_) => break,
                    }
                }
                let count = more.len() + 1;
                first.run(more, Arc::clone(&dispatcher)).await;
                waiting.fetch_sub(count, Ordering::AcqRel);
            }
            Job::Flush(done) => {
                let _ = done.send(());
            }
        }
    }
}
