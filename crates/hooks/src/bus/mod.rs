//! The event bus that extensions of every engine share.
//!
//! Within an engine an event is synchronous: [`Bus::emit`] returns after the engine's own listeners ran, in the
//! order they were registered. An engine whose values are live objects calls its own listeners itself and hands
//! their translation to [`Bus::emit_abroad`]. Rust listeners run at once as well, whoever emits, since they need no thread. Every
//! other engine has a queue that keeps the order of emission and that it empties on its own thread with
//! [`Bus::drain`].
//!
//! The list of listeners is fixed when an event is emitted. One that is taken off while its engine already delivers
//! the event still gets it; one that is taken off before its engine came to the event does not, and neither does
//! one whose owner was removed.
//!
//! A channel has no memory. A listener that came too late asks for a repetition over a second channel: since an
//! emit from inside a listener works like any other and all queues keep their order, it does not matter which of
//! the two extensions was loaded first, nor on which engines they run.

mod delivery;
mod listeners;
mod payload;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use self::delivery::{Engines, Queued, deliver, depth};
use self::listeners::{Listener, Listeners};
pub use self::payload::{BusCallable, BusHandle, BusPayload, EngineId};

/// How many listeners may be nested in one another, counted across engines, before an emit is refused: two
/// extensions that answer each other without end would otherwise take the session with them.
pub const MAX_DEPTH: usize = 64;

/// What a listener is called with.
#[derive(Debug, Clone, PartialEq)]
pub struct BusEvent {
    /// The channel it was emitted on.
    pub channel: Arc<str>,
    /// What it carries.
    pub payload: BusPayload,
    /// The engine of the emitter.
    pub from: EngineId,
    /// The extension that emitted it.
    pub owner: Arc<str>,
}

/// A listener that failed, or an emit or registration that was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("bus channel \"{channel}\", {owner}: {message}")]
pub struct BusError {
    /// The channel.
    pub channel: Arc<str>,
    /// The extension at fault: that of the listener, or of the emitter when the emit was refused.
    pub owner: Arc<str>,
    /// What went wrong.
    pub message: String,
}

/// Called with every event of a channel.
pub type BusListener = Arc<dyn Fn(BusEvent) + Send + Sync>;
/// Called with every error of the bus; it may use the bus.
pub type BusErrorSink = Arc<dyn Fn(BusError) + Send + Sync>;
/// Called when an engine's queue has something to drain.
pub type BusWaker = Arc<dyn Fn() + Send + Sync>;

/// Names a listener on its bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListenerId(u64);

/// The bus of one session. Clones share it.
#[derive(Clone)]
pub struct Bus(Arc<Shared>);

struct Shared {
    // Nothing foreign runs under this lock: no listener, waker or sink, and no destructor of a payload or listener.
    state: Mutex<State>,
    /// Changes with the listeners.
    version: AtomicU64,
    sink: BusErrorSink,
}

#[derive(Default)]
struct State {
    listeners: Listeners,
    engines: Engines,
}

/// Keeps a listener registered: dropping it takes the listener off.
#[must_use = "dropping it takes the listener off"]
#[derive(Debug)]
pub struct Subscription {
    bus: Weak<Shared>,
    id: Option<ListenerId>,
}

impl Bus {
    /// A bus that reports what goes wrong to `sink`.
    pub fn new(sink: BusErrorSink) -> Self {
        Self(Arc::new(Shared { state: Mutex::default(), version: AtomicU64::new(0), sink }))
    }

    /// Sends an event to all listeners of a channel, on behalf of the extension `owner`.
    ///
    /// An engine other than [`EngineId::NATIVE`] calls this on its own thread.
    pub fn emit(&self, channel: &str, payload: BusPayload, from: EngineId, owner: &Arc<str>) {
        self.emit_to(channel, payload, from, owner, |_| true);
    }

    /// As [`emit`](Self::emit), for an engine that calls its own listeners itself, with its value as it is: everybody
    /// else gets `payload`, its translation. To be called before its own listeners, so that none of them has had a
    /// chance to change the value, and what they emit in turn comes after this event everywhere.
    pub fn emit_abroad(&self, channel: &str, payload: BusPayload, from: EngineId, owner: &Arc<str>) {
        self.emit_to(channel, payload, from, owner, |listener| listener.engine != from);
    }

    /// Whether anybody but this engine listens to a channel. The answer holds until [`Bus::version`] changes.
    pub fn listens_elsewhere(&self, channel: &str, engine: EngineId) -> bool {
        let listeners = self.0.state.lock().listeners.on_channel(channel);
        listeners.is_some_and(|(_, list)| list.iter().any(|listener| listener.engine != engine))
    }

    /// A number that is another one after every change of who listens to what.
    pub fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }

    fn emit_to(
        &self,
        channel: &str,
        payload: BusPayload,
        from: EngineId,
        owner: &Arc<str>,
        wanted: impl Fn(&Listener) -> bool,
    ) {
        let Some((channel, listeners)) = self.0.state.lock().listeners.on_channel(channel) else { return };
        let depth = depth();
        if depth >= MAX_DEPTH {
            let message = format!("emit refused: {MAX_DEPTH} listeners are nested in one another");
            return self.report(BusError { channel, owner: owner.clone(), message });
        }
        let event = BusEvent { channel, payload, from, owner: owner.clone() };
        let listeners: Vec<&Arc<Listener>> = listeners.iter().filter(|listener| wanted(listener)).collect();

        // The queues first: what the listeners below emit in turn has to come after this event everywhere.
        self.enqueue(from, &event, &listeners, depth + 1);
        let at_once = listeners.iter().filter(|one| one.engine == from || one.engine == EngineId::NATIVE);
        deliver(depth + 1, at_once.map(|listener| (*listener, &event)), |error| self.report(error));
    }

    /// Queues an event for every engine that has to fetch it.
    fn enqueue(&self, from: EngineId, event: &BusEvent, listeners: &[&Arc<Listener>], depth: usize) {
        let mut abroad: Vec<(EngineId, Vec<Arc<Listener>>)> = Vec::new();
        for listener in listeners.iter().filter(|one| one.engine != from && one.engine != EngineId::NATIVE) {
            match abroad.iter_mut().find(|(engine, _)| *engine == listener.engine) {
                Some((_, list)) => list.push(Arc::clone(listener)),
                None => abroad.push((listener.engine, vec![Arc::clone(listener)])),
            }
        }
        let queued = abroad
            .into_iter()
            .map(|(engine, listeners)| (engine, Queued { event: event.clone(), listeners, depth }))
            .collect::<Vec<_>>();
        // One lock for all engines, so that no two of them see two emitters in a different order.
        let (wakers, late) = self.0.state.lock().engines.push(queued);
        drop(late);
        wakers.iter().for_each(|wake| wake());
    }

    /// Calls `listener` with every later event of a channel.
    ///
    /// `owner` is the extension it belongs to. The engine has to be attached, else the registration is refused and
    /// reported: nobody would ever deliver to it.
    pub fn on(&self, channel: &str, engine: EngineId, owner: Arc<str>, listener: BusListener) -> Subscription {
        let mut state = self.0.state.lock();
        if !state.engines.attached(engine) {
            drop(state);
            let message = "cannot listen: the engine is not attached".to_owned();
            self.report(BusError { channel: channel.into(), owner, message });
            return Subscription { bus: Weak::new(), id: None };
        }
        let id = state.listeners.add(channel, engine, owner, listener);
        drop(state);
        self.0.changed();
        Subscription { bus: Arc::downgrade(&self.0), id: Some(id) }
    }

    /// Takes a [detached](Subscription::detach) listener off. `false` when it was off already.
    pub fn off(&self, id: ListenerId) -> bool {
        self.0.off(id)
    }

    /// Makes an engine known: from now on events for it are queued, and `waker` is called (on the emitter's thread,
    /// so it only passes the word) when a queue that its owner believes empty has got something. Attaching again
    /// replaces the waker and keeps the queue.
    pub fn attach_engine(&self, engine: EngineId, waker: BusWaker) {
        let (pending, replaced) = self.0.state.lock().engines.attach(engine, waker.clone());
        drop(replaced);
        if pending {
            waker();
        }
    }

    /// Delivers, on this thread, the events that were queued for an engine until now, and says how many there were.
    ///
    /// What comes in meanwhile is left for the next call, so that a flood cannot keep an engine from its other
    /// work; the waker is called again for it. Does nothing while another `drain` of the same engine is running,
    /// further up the stack included.
    pub fn drain(&self, engine: EngineId) -> usize {
        let Some(count) = self.0.state.lock().engines.start_drain(engine) else { return 0 };
        let mut delivered = 0;
        while delivered < count {
            // One at a time, so that `remove_engine` can take away the rest.
            let Some(next) = self.0.state.lock().engines.next(engine) else { break };
            delivered += 1;
            let live = next.listeners.iter().filter(|listener| listener.is_on()).map(|one| (one, &next.event));
            deliver(next.depth, live.collect::<Vec<_>>(), |error| self.report(error));
        }
        let waker = self.0.state.lock().engines.end_drain(engine);
        if let Some(wake) = waker {
            wake();
        }
        delivered
    }

    /// Takes off all listeners of an extension, also from events that are under way.
    pub fn remove_owner(&self, owner: &str) {
        let removed = self.0.state.lock().listeners.remove(|listener| &*listener.owner == owner);
        self.0.changed();
        drop(removed);
    }

    /// Forgets an engine with its listeners and its queue.
    pub fn remove_engine(&self, engine: EngineId) {
        let mut state = self.0.state.lock();
        let removed = state.listeners.remove(|listener| listener.engine == engine);
        let queue = state.engines.remove(engine);
        drop(state);
        self.0.changed();
        drop((removed, queue));
    }

    /// Reports the failure of a listener that cannot panic or that failed after it returned.
    pub fn report(&self, error: BusError) {
        (self.0.sink)(error);
    }
}

impl Shared {
    fn changed(&self) {
        self.version.fetch_add(1, Ordering::Release);
    }

    fn off(&self, id: ListenerId) -> bool {
        let removed = self.state.lock().listeners.off(id);
        self.changed();
        removed.is_some()
    }
}

impl Subscription {
    /// Takes the listener off.
    pub fn off(self) {
        drop(self);
    }

    /// Keeps the listener until [`Bus::off`], the end of its owner or engine, or that of the bus. `None` when the
    /// registration was refused.
    pub fn detach(mut self) -> Option<ListenerId> {
        self.id.take()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let (Some(id), Some(bus)) = (self.id.take(), self.bus.upgrade()) {
            bus.off(id);
        }
    }
}

/// Reports to the log.
impl Default for Bus {
    fn default() -> Self {
        Self::new(Arc::new(|error| tracing::warn!(target: "tau::bus", "{error}")))
    }
}

impl fmt::Debug for Bus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bus").finish_non_exhaustive()
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}
