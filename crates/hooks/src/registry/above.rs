//! The sessions above a child, whose gates are its gates, too.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use super::Hooks;
use crate::dispatch::{Above, Dispatcher, Parent, Scene, Shut};
use crate::host::Host;

impl Parent for Hooks {
    fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    fn check_open(&self) -> Result<(), Shut> {
        match (self.is_ended(), self.is_loading()) {
            (true, _) => Err(Shut::parent("has ended")),
            (false, true) => Err(Shut::parent("is loading its extensions")),
            (false, false) => Ok(()),
        }
    }

    fn scene(&self) -> Scene {
        let code = self.loaded.read().iter().filter_map(|loaded| loaded.owner.code().cloned()).collect();
        Scene { cwd: self.host().ok().map(|host| host.cwd()), code }
    }
}

impl Hooks {
    /// An empty hook system for a session that one with the hooks `parent` opens under this name. Gates of the parent, and
    /// of those above it, are gates of this one, too: what its own extensions let through is asked there, unless the same
    /// extension was asked here. When they cannot be asked, the gates are shut.
    pub fn child_of(parent: &Arc<Self>, name: &Arc<str>) -> Arc<Self> {
        let child = Self::with_sources(parent.sources.clone());
        child.stand_below(parent, name);
        *child.flags.write() = parent.flags.read().clone();
        *child.withheld.write() = parent.withheld.read().clone();
        child
    }

    /// From now on gates of `parent` are gates of this one, too, which is known there under this name; see
    /// [`Hooks::child_of`]. Only the first call counts.
    pub fn stand_below(self: &Arc<Self>, parent: &Arc<Self>, name: &Arc<str>) {
        let (above, below) = (Arc::downgrade(parent), Arc::downgrade(self));
        self.dispatcher.set_above(Above::new(below, above.clone(), name));
        self.parent.get_or_init(|| above);
    }

    /// Says whether a session of another program opened this one. Of sessions of this program it is known.
    pub fn set_of_child(&self, is_child: bool) {
        self.of_child.store(is_child, Ordering::Release);
    }

    /// Whether another session opened this one.
    pub fn is_of_child(&self) -> bool {
        self.parent.get().is_some() || self.of_child.load(Ordering::Acquire)
    }

    /// The hooks of all sessions above, the nearest first.
    pub(crate) fn parents(&self) -> Result<Vec<Arc<Self>>, Shut> {
        let mut all: Vec<Arc<Self>> = Vec::new();
        let mut next = self.parent.get().cloned();
        while let Some(parent) = next.as_ref().map(Weak::upgrade) {
            let parent = parent.ok_or_else(|| Shut::parent("has ended"))?;
            parent.check_open()?;
            next = parent.parent.get().cloned();
            all.push(parent);
        }
        Ok(all)
    }

    /// The session, for somebody who asks its gates about what another one does.
    ///
    /// # Errors
    /// When its gates cannot be asked, because it has ended or loads its extensions.
    pub fn open_host(&self) -> Result<Arc<dyn Host>, Shut> {
        self.check_open()?;
        self.host().map_err(|_| Shut::parent("is not there yet"))
    }
}
