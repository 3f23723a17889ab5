//! Calls handlers: in order, within their limits, by the rules of their dialect, and with a record of each call.

mod above;
mod call;
mod dispatched;
mod done;
mod gates;
mod list;
mod remarks;
mod round;
mod several;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use tau_ai::Clock;

pub(crate) use self::above::{Above, Parent, Scene};
pub use self::call::RunningCall;
pub(crate) use self::call::panicked;
pub use self::dispatched::{Dispatched, Folded};
use self::gates::Gate;
pub use self::gates::Shut;
use self::list::List;
use crate::events::{EventId, TABLE};
use crate::fold::{AfterEach, Folding};
use crate::handler::{Callable, Registration};
use crate::limits::Limits;
use crate::mode::Mode;
use crate::owner::Owner;
use crate::report::Reports;
use crate::scope::Scope;
use crate::table::{Deadline, Event};
use crate::trace::Trace;
use crate::ui::UiSource;

/// Holds the handlers of a session and calls them.
pub struct Dispatcher {
    lists: Vec<List>,
    next_id: AtomicU64,
    gates: RwLock<Vec<Gate>>,
    any_gate: AtomicBool,
    limits: RwLock<Limits>,
    running: Mutex<Vec<call::Entry>>,
    /// Observers that were left behind and are still at work: they are not called again before they are done.
    left_behind: Arc<Mutex<HashSet<u64>>>,
    any_left_behind: Arc<AtomicBool>,
    /// The session that opened this one.
    above: OnceLock<Above>,
    /// What has been reported once and would otherwise be repeated with every token.
    told: Mutex<HashSet<(u64, String)>>,
    /// One record per call.
    pub trace: Trace,
    /// What the user should know.
    pub reports: Reports,
    ui: UiSource,
}

impl Dispatcher {
    pub(crate) fn new(ui: UiSource, clock: Clock) -> Self {
        Self {
            lists: TABLE.iter().map(|_| List::default()).collect(),
            next_id: AtomicU64::new(1),
            gates: RwLock::default(),
            any_gate: AtomicBool::new(false),
            limits: RwLock::default(),
            running: Mutex::default(),
            left_behind: Arc::default(),
            any_left_behind: Arc::default(),
            above: OnceLock::new(),
            told: Mutex::default(),
            trace: Trace::new(clock),
            reports: Reports::default(),
            ui,
        }
    }

    /// The time limits.
    pub fn limits(&self) -> Limits {
        self.limits.read().clone()
    }

    /// Sets the time limits.
    pub fn set_limits(&self, limits: Limits) {
        *self.limits.write() = limits;
    }

    /// How long one handler of a kind may take; `None` is as long as it wants.
    pub fn limit(&self, deadline: Deadline, mode: Mode) -> Option<Duration> {
        self.limits.read().hard(deadline, mode)
    }

    /// Adds a handler behind all others of its extension; it takes part from the next round on.
    pub fn add(&self, event: EventId, owner: Arc<Owner>, handler: Callable, location: Arc<str>) -> u64 {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.lists[event as usize].add(Registration { owner, handler, location, id });
        id
    }

    /// Removes one handler.
    pub fn remove(&self, event: EventId, id: u64) {
        self.retain(event, |registration| registration.id != id);
    }

    /// Removes every handler of an extension.
    pub fn remove_owner(&self, owner: &Arc<Owner>) {
        for row in TABLE {
            self.retain(row.id, |registration| !Arc::ptr_eq(&registration.owner, owner));
        }
    }

    /// Puts all handlers in order again, after the order of extensions changed.
    pub(crate) fn sort(&self) {
        self.lists.iter().for_each(List::sort);
    }

    fn retain(&self, event: EventId, keep: impl Fn(&Registration) -> bool) {
        self.lists[event as usize].retain(keep);
    }

    /// Whether anybody handles the event now.
    #[inline]
    pub fn has_handlers(&self, event: EventId) -> bool {
        self.lists[event as usize].is_listening()
    }

    /// The handlers of an event in the order they are called, also those that do not listen now.
    pub fn handlers(&self, event: EventId) -> Arc<[Registration]> {
        self.lists[event as usize].all()
    }

    /// The handlers of an event that listen now.
    fn awake(&self, event: EventId) -> Arc<[Registration]> {
        self.lists[event as usize].awake()
    }

    /// Whether nobody listens to an event and nothing can shut it: the quick look before [`Dispatcher::listeners`].
    #[inline]
    fn is_quiet(&self, event: EventId) -> bool {
        // In this order, as there.
        !self.has_handlers(event) && !self.has_shut_gates() && self.above.get().is_none()
    }

    /// Calls the handlers of `E`. The payload is built only when there are any; otherwise this costs next to
    /// nothing.
    pub fn dispatch<E: Event>(
        &self,
        scope: &Scope,
        payload: impl FnOnce() -> E::Payload,
    ) -> impl Future<Output = Dispatched<E>> {
        self.dispatch_typed::<E>(scope, payload, None)
    }

    /// As [`Dispatcher::dispatch`]; `after_each` brings the payload up to date after every result, and knows whose it was.
    pub async fn dispatch_with<E: Event>(
        &self,
        scope: &Scope,
        payload: impl FnOnce() -> E::Payload,
        mut after_each: impl FnMut(&mut E::Payload, &Registration) + Send,
    ) -> Dispatched<E> {
        self.dispatch_typed::<E>(scope, payload, Some(&mut after_each)).await
    }

    /// What of a dispatch has to know the types of its event. This is compiled for every place an event is fired from, and
    /// so is short.
    async fn dispatch_typed<E: Event>(
        &self,
        scope: &Scope,
        payload: impl FnOnce() -> E::Payload,
        after_each: Option<AfterEach<'_, E::Payload>>,
    ) -> Dispatched<E> {
        if self.is_quiet(E::ID) {
            return Dispatched::Unheard;
        }
        let listeners = match self.listeners(E::ID) {
            Ok(Some(listeners)) => listeners,
            Ok(None) => return Dispatched::Unheard,
            Err(shut) => return Dispatched::Shut { shut, folded: None },
        };
        let mut folding = Folding::<E>::new(payload(), after_each);
        let done = self.ask(scope, E::ID, listeners, &mut folding).await;
        Dispatched::new(done, folding)
    }
}

/// What handlers are ordered by.
fn place(owner: &Owner) -> (u8, u64) {
    (owner.dialect.layer, owner.rank())
}
