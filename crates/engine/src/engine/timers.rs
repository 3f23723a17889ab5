//! When which timer is due. What a timer does is JavaScript's business.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::ExtensionId;

/// The longest delay of a timer, in milliseconds; longer ones fire at once, as in Node.
const MAX_DELAY: f64 = 2_147_483_647.0;

/// The timers of one engine.
#[derive(Default)]
pub struct Timers {
    /// By due time, then in the order they were started.
    queue: RefCell<BTreeMap<(Instant, u64), u32>>,
    by_id: RefCell<HashMap<u32, Entry>>,
    started: Cell<u64>,
    changed: Notify,
    /// What runs after the input and output of this turn, in the order it was asked for.
    immediates: RefCell<VecDeque<(u32, ExtensionId)>>,
}

struct Entry {
    due: (Instant, u64),
    every: Option<Duration>,
    extension: ExtensionId,
}

impl Timers {
    /// Starts a timer, or starts it again.
    pub fn start(&self, id: u32, delay_ms: f64, repeat: bool, extension: ExtensionId) {
        self.cancel(id);
        let delay_ms = if (1.0..=MAX_DELAY).contains(&delay_ms) { delay_ms.trunc() } else { 1.0 };
        let delay = Duration::from_secs_f64(delay_ms / 1_000.0);
        self.insert(id, delay, repeat.then_some(delay), extension);
        self.changed.notify_one();
    }

    fn insert(&self, id: u32, delay: Duration, every: Option<Duration>, extension: ExtensionId) {
        let order = self.started.get();
        self.started.set(order + 1);
        let due = (Instant::now() + delay, order);
        self.queue.borrow_mut().insert(due, id);
        self.by_id.borrow_mut().insert(id, Entry { due, every, extension });
    }

    /// Stops a timer.
    pub fn cancel(&self, id: u32) {
        if let Some(entry) = self.by_id.borrow_mut().remove(&id) {
            self.queue.borrow_mut().remove(&entry.due);
        }
    }

    /// Stops all timers.
    pub fn clear(&self) {
        self.queue.borrow_mut().clear();
        self.by_id.borrow_mut().clear();
        self.immediates.borrow_mut().clear();
    }

    /// Stops all timers of an extension.
    pub fn cancel_all(&self, extension: ExtensionId) {
        let ids: Vec<u32> =
            self.by_id.borrow().iter().filter(|(_, entry)| entry.extension == extension).map(|(id, _)| *id).collect();
        ids.into_iter().for_each(|id| self.cancel(id));
        self.immediates.borrow_mut().retain(|(_, owner)| *owner != extension);
    }

    /// Asks for a call in this turn of the pump, or in the next when this one's are running already.
    pub fn start_immediate(&self, id: u32, extension: ExtensionId) {
        self.immediates.borrow_mut().push_back((id, extension));
    }

    /// Takes an immediate back.
    pub fn cancel_immediate(&self, id: u32) {
        self.immediates.borrow_mut().retain(|(known, _)| *known != id);
    }

    /// How many timers and immediates are still to come.
    pub fn count(&self) -> usize {
        self.by_id.borrow().len() + self.immediates()
    }

    /// How many immediates wait.
    pub fn immediates(&self) -> usize {
        self.immediates.borrow().len()
    }

    /// Takes the immediate that is next.
    pub fn next_immediate(&self) -> Option<(u32, ExtensionId)> {
        self.immediates.borrow_mut().pop_front()
    }

    /// Takes the next timer that was due at that moment.
    pub fn due(&self, now: Instant) -> Option<(u32, ExtensionId)> {
        loop {
            let next = self.queue.borrow().first_key_value().map(|(due, id)| (*due, *id));
            let (due, id) = next.filter(|(due, _)| due.0 <= now)?;
            if let Some(extension) = self.fire(due, id) {
                return Some((id, extension));
            }
        }
    }

    /// Waits for the next timer; never ends while there is none.
    pub async fn next(&self) -> (u32, ExtensionId) {
        loop {
            let next = self.queue.borrow().first_key_value().map(|(due, id)| (*due, *id));
            match next {
                Some((due, id)) if due.0 <= Instant::now() => {
                    if let Some(extension) = self.fire(due, id) {
                        return (id, extension);
                    }
                }
                Some((due, _)) => tokio::select! {
                    () = tokio::time::sleep_until(due.0) => {}
                    () = self.changed.notified() => {}
                },
                None => self.changed.notified().await,
            }
        }
    }

    fn fire(&self, due: (Instant, u64), id: u32) -> Option<ExtensionId> {
        self.queue.borrow_mut().remove(&due);
        let entry = self.by_id.borrow_mut().remove(&id)?;
        if let Some(every) = entry.every {
            self.insert(id, every, Some(every), entry.extension);
        }
        Some(entry.extension)
    }
}
