//! Who listens to which channel.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::{BusListener, EngineId, ListenerId};

/// One registered listener.
pub(super) struct Listener {
    id: ListenerId,
    pub(super) engine: EngineId,
    pub(super) owner: Arc<str>,
    pub(super) call: BusListener,
    state: AtomicU8,
}

const ON: u8 = 0;
const OFF: u8 = 1;
const REMOVED: u8 = 2;

impl Listener {
    /// Whether it is still registered.
    pub(super) fn is_on(&self) -> bool {
        self.state.load(Ordering::Acquire) == ON
    }

    /// Whether its owner or engine is gone, so that not even a running delivery may call it.
    pub(super) fn is_removed(&self) -> bool {
        self.state.load(Ordering::Acquire) == REMOVED
    }
}

/// The listeners of a channel in the order of registration. A copy shares all of it: an emit keeps the list that it
/// started with.
type List = imbl::Vector<Arc<Listener>>;

/// The listeners of all channels.
#[derive(Default)]
pub(super) struct Listeners {
    channels: HashMap<Arc<str>, List>,
    homes: HashMap<ListenerId, Arc<str>>,
    next: u64,
}

impl Listeners {
    /// The listeners of a channel, if it has any.
    pub(super) fn on_channel(&self, channel: &str) -> Option<(Arc<str>, List)> {
        self.channels.get_key_value(channel).map(|(name, list)| (name.clone(), list.clone()))
    }

    /// Adds a listener at the end of its channel.
    pub(super) fn add(&mut self, channel: &str, engine: EngineId, owner: Arc<str>, call: BusListener) -> ListenerId {
        let id = ListenerId(self.next);
        self.next += 1;
        let listener = Arc::new(Listener { id, engine, owner, call, state: AtomicU8::new(ON) });
        let known = self.channels.get_key_value(channel).map(|(name, _)| Arc::clone(name));
        let channel = known.unwrap_or_else(|| channel.into());
        self.homes.insert(id, Arc::clone(&channel));
        self.channels.entry(channel).or_default().push_back(listener);
        id
    }

    /// Takes a listener off; the list it stood in is returned to be dropped without a lock.
    pub(super) fn off(&mut self, id: ListenerId) -> Option<List> {
        let channel = self.homes.remove(&id)?;
        self.thin_out(&channel, OFF, |listener| listener.id == id)
    }

    /// Removes all listeners that `gone` picks; the lists they stood in are returned to be dropped without a lock.
    pub(super) fn remove(&mut self, gone: impl Fn(&Listener) -> bool) -> Vec<List> {
        let channels = self.channels.iter();
        let affected = channels.filter(|(_, list)| list.iter().any(|listener| gone(listener)));
        let affected = affected.map(|(channel, _)| channel.clone()).collect::<Vec<_>>();
        let removed = affected.iter().filter_map(|channel| self.thin_out(channel, REMOVED, &gone)).collect::<Vec<_>>();
        for listener in removed.iter().flat_map(|list| list.iter()).filter(|listener| listener.is_removed()) {
            self.homes.remove(&listener.id);
        }
        removed
    }

    fn thin_out(&mut self, channel: &str, state: u8, gone: impl Fn(&Listener) -> bool) -> Option<List> {
        let list = self.channels.get_mut(channel)?;
        let (out, kept) = list.iter().cloned().partition::<Vec<_>, _>(|listener| gone(listener));
        out.iter().for_each(|listener| listener.state.store(state, Ordering::Release));
        if kept.is_empty() { self.channels.remove(channel) } else { Some(mem::replace(list, kept.into())) }
    }
}
