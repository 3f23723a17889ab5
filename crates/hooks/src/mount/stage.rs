//! What a component can say to the place where it stands.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::Place;

/// Something that a component wants, at any time.
#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
    /// It looks different now.
    Redraw,
    /// A dialog or an overlay is done, with this for whoever asked.
    Done(Value),
    /// It could not be shown to the end: whoever asked gets an error.
    Failed(String),
    /// An overlay is not to be seen, or to be seen again.
    Hide(bool),
    /// An overlay wants the keys, and to lie above the others.
    Focus,
    /// An overlay gives the keys back to what had them before.
    Unfocus,
    /// An editor: its text is to be sent.
    Submit(String),
    /// An editor: its text is another now.
    Changed(String),
    /// An editor: the key of this action was typed.
    Action(String),
    /// An editor: a key was typed that may be a shortcut of an extension.
    Shortcut(String),
}

/// The place where a component stands.
#[derive(Clone)]
pub struct Stage {
    place: Place,
    tell: Arc<dyn Fn(Wish) + Send + Sync>,
    is_done: Arc<AtomicBool>,
    gave_keys_away: Arc<AtomicBool>,
}

impl Stage {
    /// A place; `tell` gets what the component wants, on any thread, and returns soon.
    pub fn new(place: Place, tell: impl Fn(Wish) + Send + Sync + 'static) -> Self {
        Self { place, tell: Arc::new(tell), is_done: Arc::default(), gave_keys_away: Arc::default() }
    }

    /// What kind of place it is.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Says what the component wants. What makes no sense at its place is left out.
    pub fn wish(&self, wish: Wish) {
        if matches!(wish, Wish::Done(_) | Wish::Failed(_)) {
            self.is_done.store(true, Ordering::Release);
        }
        match wish {
            Wish::Unfocus | Wish::Hide(true) => self.gave_keys_away.store(true, Ordering::Release),
            Wish::Focus | Wish::Hide(false) => self.gave_keys_away.store(false, Ordering::Release),
            _ => {}
        }
        (self.tell)(wish);
    }

    /// The component said that it is done. What is typed from then on is for others.
    pub fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Acquire)
    }

    /// The component gave the keys back, or hid, and has not asked for them since.
    pub fn gave_keys_away(&self) -> bool {
        self.gave_keys_away.load(Ordering::Acquire)
    }

    /// It looks different now.
    pub fn redraw(&self) {
        self.wish(Wish::Redraw);
    }
}

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stage").field("place", &self.place).finish_non_exhaustive()
    }
}
