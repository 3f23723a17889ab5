//! The handlers of one event.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::RwLock;

use super::{Registration, place};

/// Handlers in the order they are called. Adding one costs the same however many there are, and so does looking at all
/// of them: they are brought into the form that rounds share when somebody looks for the first time after a change.
#[derive(Default)]
pub(super) struct List {
    state: RwLock<State>,
    /// Who is there: [`LISTENING`] and [`SLEEPERS`]; written while `state` is locked.
    present: AtomicU8,
}

/// Some handlers always listen.
const LISTENING: u8 = 1;
/// Some handlers listen only at times.
const SLEEPERS: u8 = 2;

enum State {
    /// As rounds share them.
    Shared(Arc<[Registration]>),
    /// Nobody looked since the last change.
    Changed(Vec<Registration>),
}

impl Default for State {
    fn default() -> Self {
        Self::Changed(Vec::new())
    }
}

impl List {
    /// Adds a handler behind all others of its extension.
    pub(super) fn add(&self, registration: Registration) {
        self.change(|handlers| {
            let order = place(&registration.owner);
            let at = handlers.partition_point(|other| place(&other.owner) <= order);
            handlers.insert(at, registration);
        });
    }

    /// Brings the handlers in order after the order of extensions changed.
    pub(super) fn sort(&self) {
        if !self.all().is_sorted_by_key(|registration| place(&registration.owner)) {
            self.change(|handlers| handlers.sort_by_key(|registration| place(&registration.owner)));
        }
    }

    /// Removes those that are not to be kept.
    pub(super) fn retain(&self, keep: impl Fn(&Registration) -> bool) {
        if !self.state.read().handlers().iter().all(&keep) {
            self.change(|handlers| handlers.retain(keep));
        }
    }

    /// Whether somebody listens now.
    #[inline]
    pub(super) fn is_listening(&self) -> bool {
        match self.present.load(Ordering::Acquire) {
            0 => false,
            SLEEPERS => self.all().iter().any(|registration| registration.handler.is_awake()),
            _ => true,
        }
    }

    /// The handlers that listen now.
    pub(super) fn awake(&self) -> Arc<[Registration]> {
        let all = self.all();
        if self.present.load(Ordering::Acquire) & SLEEPERS == 0 {
            return all;
        }
        all.iter().filter(|registration| registration.handler.is_awake()).cloned().collect()
    }

    /// All handlers; the list of a round does not change any more.
    pub(super) fn all(&self) -> Arc<[Registration]> {
        if let State::Shared(handlers) = &*self.state.read() {
            return Arc::clone(handlers);
        }
        let mut state = self.state.write();
        let handlers: Arc<[Registration]> = match std::mem::take(&mut *state) {
            State::Shared(handlers) => handlers,
            State::Changed(handlers) => handlers.into(),
        };
        *state = State::Shared(Arc::clone(&handlers));
        handlers
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Registration>)) {
        let mut state = self.state.write();
        let mut handlers = match std::mem::take(&mut *state) {
            State::Shared(handlers) => handlers.to_vec(),
            State::Changed(handlers) => handlers,
        };
        change(&mut handlers);
        let presence = |handler: &Registration| if handler.handler.may_sleep() { SLEEPERS } else { LISTENING };
        self.present.store(handlers.iter().map(presence).fold(0, |all, one| all | one), Ordering::Release);
        *state = State::Changed(handlers);
    }
}

impl State {
    fn handlers(&self) -> &[Registration] {
        match self {
            Self::Shared(handlers) => handlers,
            Self::Changed(handlers) => handlers,
        }
    }
}
