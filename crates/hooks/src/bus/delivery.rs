//! How events reach listeners: at once, or over the queue of their engine.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::listeners::Listener;
use super::payload::panic_text;
use super::{BusError, BusEvent, BusWaker, EngineId};

thread_local! {
    /// How deep the listener that runs on this thread is nested.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// How deep the caller is nested in listeners; 0 outside of any.
pub(super) fn depth() -> usize {
    DEPTH.get()
}

/// Calls listeners one after another, at the given depth. One that panics is reported and the next one called.
pub(super) fn deliver<'a>(
    depth: usize,
    listeners: impl IntoIterator<Item = (&'a Arc<Listener>, &'a BusEvent)>,
    report: impl Fn(BusError),
) {
    for (listener, event) in listeners {
        if listener.is_removed() {
            continue;
        }
        let outer = DEPTH.replace(depth);
        let result = catch_unwind(AssertUnwindSafe(|| (listener.call)(event.clone())));
        DEPTH.set(outer);
        if let Err(panic) = result {
            let message = panic_text(panic.as_ref());
            report(BusError { channel: event.channel.clone(), owner: listener.owner.clone(), message });
        }
    }
}

/// An event on its way to one engine.
pub(super) struct Queued {
    pub(super) event: BusEvent,
    pub(super) listeners: Vec<Arc<Listener>>,
    /// The depth its listeners will run at: a chain of listeners counts across engines.
    pub(super) depth: usize,
}

/// The attached engines and their queues.
#[derive(Default)]
pub(super) struct Engines(HashMap<EngineId, Engine>);

pub(super) struct Engine {
    waker: BusWaker,
    queue: VecDeque<Queued>,
    /// The waker was called and no drain has started since.
    woken: bool,
    draining: bool,
}

impl Engines {
    pub(super) fn attached(&self, engine: EngineId) -> bool {
        engine == EngineId::NATIVE || self.0.contains_key(&engine)
    }

    /// Says whether something is waiting already, and returns the former waker to be dropped without a lock.
    pub(super) fn attach(&mut self, id: EngineId, waker: BusWaker) -> (bool, Option<BusWaker>) {
        let Some(engine) = self.0.get_mut(&id) else {
            let engine = Engine { waker, queue: VecDeque::new(), woken: false, draining: false };
            self.0.insert(id, engine);
            return (false, None);
        };
        engine.woken = !engine.queue.is_empty();
        (engine.woken, Some(std::mem::replace(&mut engine.waker, waker)))
    }

    /// Queues events. Returns the wakers to call, and the events whose engine went away in the meantime.
    pub(super) fn push(&mut self, events: Vec<(EngineId, Queued)>) -> (Vec<BusWaker>, Vec<Queued>) {
        let (mut wakers, mut late) = (Vec::new(), Vec::new());
        for (id, queued) in events {
            let Some(engine) = self.0.get_mut(&id) else {
                late.push(queued);
                continue;
            };
            engine.queue.push_back(queued);
            // A running drain looks at the queue once more when it ends.
            if !engine.draining && !std::mem::replace(&mut engine.woken, true) {
                wakers.push(engine.waker.clone());
            }
        }
        (wakers, late)
    }

    /// Begins a drain and says how many events it is to deliver; `None` when one is running, or there is no engine.
    pub(super) fn start_drain(&mut self, engine: EngineId) -> Option<usize> {
        let engine = self.0.get_mut(&engine).filter(|engine| !engine.draining)?;
        engine.draining = true;
        engine.woken = false;
        Some(engine.queue.len())
    }

    pub(super) fn next(&mut self, engine: EngineId) -> Option<Queued> {
        self.0.get_mut(&engine)?.queue.pop_front()
    }

    /// Ends a drain; returns the waker to call when more has come in.
    pub(super) fn end_drain(&mut self, engine: EngineId) -> Option<BusWaker> {
        let engine = self.0.get_mut(&engine)?;
        engine.draining = false;
        engine.woken = !engine.queue.is_empty();
        engine.woken.then(|| engine.waker.clone())
    }

    /// Forgets an engine; its queue is returned to be dropped without a lock.
    pub(super) fn remove(&mut self, engine: EngineId) -> Option<Engine> {
        self.0.remove(&engine)
    }
}
