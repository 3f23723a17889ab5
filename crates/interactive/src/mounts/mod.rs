//! Components of extensions on the screen. Nothing here waits for one: what is painted are the last lines that it gave.

mod blocks;
mod overlays;
mod shown;
mod slot;
mod suggest;

use std::sync::Arc;
use std::time::Instant;

use tau_hooks::HandlerError;
use tau_hooks::mount::{Component, Drawn, Interrupted, Place, Signal, Stage, Turn, UiHandle, Wish};
use tokio_util::task::TaskTracker;

pub(crate) use self::blocks::Blocks;
pub(crate) use self::overlays::{Laid, Overlays};
pub(crate) use self::shown::in_words;
pub(crate) use self::slot::{Ended, Slot};
pub(crate) use self::suggest::{Own, Theirs};

/// Something about a component.
pub(crate) enum Mounting {
    /// Its factory is done.
    Made(Result<Arc<dyn Component>, HandlerError>),
    /// A turn is over.
    Turned(Turn, Result<Drawn, Interrupted>),
    /// It wants something.
    Wishes(Wish),
}

/// All places with components.
pub(crate) struct Mounts {
    slots: Vec<Slot>,
    /// Those that are over, but whose last turn may leave keys for others.
    ending: Vec<Slot>,
    tell: Arc<dyn Fn(u64, Mounting) + Send + Sync>,
    tasks: TaskTracker,
    last: u64,
}

impl Mounts {
    /// `tell` gets what there is to say about the component of a number.
    pub(crate) fn new(tell: impl Fn(u64, Mounting) + Send + Sync + 'static, tasks: TaskTracker) -> Self {
        Self { slots: Vec::new(), ending: Vec::new(), tell: Arc::new(tell), tasks, last: 0 }
    }

    /// Has a component made for a place.
    pub(crate) fn begin(&mut self, owner: &Arc<str>, place: Place, handle: &UiHandle) -> Slot {
        self.last += 1;
        let (id, tell) = (self.last, Arc::clone(&self.tell));
        let slot = Slot::new(id, Arc::clone(owner), place);
        self.slots.push(slot.clone());
        let stage = Stage::new(place, move |wish| tell(id, Mounting::Wishes(wish)));
        let (made, tell) = (handle.0.mount(stage), Arc::clone(&self.tell));
        self.tasks.spawn(async move { tell(id, Mounting::Made(made.await)) });
        slot
    }

    /// The place of a number, as long as it is there.
    pub(crate) fn get(&self, id: u64) -> Option<Slot> {
        self.slots.iter().find(|slot| slot.id() == id).cloned()
    }

    /// Takes a component away. What was typed and it was not told is for others; if a turn is under way, that is known
    /// when it is over.
    #[must_use]
    pub(crate) fn end(&mut self, slot: &Slot) -> Vec<Arc<str>> {
        self.slots.retain(|other| other.id() != slot.id());
        if let Some(component) = slot.end() {
            component.dispose();
        }
        if slot.may_leave_keys() {
            self.ending.push(slot.clone());
            return Vec::new();
        }
        slot.left_keys()
    }

    /// One of an extension may have the keys from now on that others of it had.
    pub(crate) fn focus_moves(&self, owner: &Arc<str>) {
        self.slots.iter().filter(|slot| slot.owner() == *owner).for_each(Slot::focus_moves);
    }

    /// Whether what is typed has to wait, because keys that were typed before may still come.
    pub(crate) fn holds_keys(&self) -> bool {
        !self.ending.is_empty() || self.slots.iter().any(Slot::passes_keys)
    }

    /// The last turn of a component that was taken away is over: its extension, and the keys that it left.
    pub(crate) fn ended(
        &mut self,
        id: u64,
        turn: &Turn,
        result: &Result<Drawn, Interrupted>,
    ) -> Option<(Arc<str>, Vec<Arc<str>>)> {
        let at = self.ending.iter().position(|slot| slot.id() == id)?;
        let slot = self.ending.remove(at);
        slot.ended(turn.clone(), result.clone());
        Some((slot.owner(), slot.left_keys()))
    }

    /// Those of an extension.
    pub(crate) fn of_owner(&self, owner: &Arc<str>) -> Vec<Slot> {
        self.slots.iter().filter(|slot| slot.owner() == *owner).cloned().collect()
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<Slot> {
        self.slots.clone()
    }

    /// Tells all components something.
    pub(crate) fn tell_all(&self, signal: &Signal) {
        self.slots.iter().for_each(|slot| slot.tell(signal.clone()));
    }

    /// Something happened in the session: what is shown may be another.
    pub(crate) fn redraw_all(&self) {
        self.slots.iter().for_each(Slot::redraw);
    }

    /// When the next turn is due.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let now = Instant::now();
        self.slots.iter().filter_map(|slot| slot.due(now)).min()
    }

    /// Begins the turns that are due.
    pub(crate) fn pump(&self) {
        let now = Instant::now();
        for slot in self.slots.iter().filter(|slot| slot.due(now).is_some_and(|due| due <= now)) {
            let Some((component, turn)) = slot.begin() else { continue };
            let (id, tell) = (slot.id(), Arc::clone(&self.tell));
            self.tasks.spawn(async move {
                let result = component.turn(turn.clone()).await;
                tell(id, Mounting::Turned(turn, result));
            });
        }
    }
}
