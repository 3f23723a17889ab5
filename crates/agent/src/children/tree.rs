//! Which sessions belong together, and what ends a child.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::future::join_all;
use parking_lot::Mutex;
use tau_hooks::{ChildInfo, ChildLife, ChildSession as _, Owner};
use tokio_util::sync::CancellationToken;

use super::OPEN;
use super::handle::Child;
use crate::session::AgentSession;

/// How long the end of a session waits for the ends of its children.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where a child session comes from.
pub(crate) struct Lineage {
    pub(crate) info: ChildInfo,
    /// Counts the sessions of the whole tree, but for the first.
    pub(super) open: OpenSessions,
    /// This one.
    pub(super) _place: Place,
}

/// The children of a session.
#[derive(Default)]
pub(crate) struct Children {
    open: Mutex<Vec<Arc<Child>>>,
    tree: OpenSessions,
}

/// How many child sessions are open in a tree.
#[derive(Clone, Default)]
pub(super) struct OpenSessions(Arc<AtomicUsize>);

/// Counts one session until it is dropped.
pub(super) struct Place(OpenSessions);

impl OpenSessions {
    /// Takes a place; `None` when there are too many.
    pub(super) fn take(&self) -> Option<Place> {
        let place = Place(self.clone());
        let before = self.0.fetch_add(1, Ordering::AcqRel);
        (before < OPEN).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// What ends a child besides its parent.
pub(super) struct Ends {
    pub(super) by: Arc<Owner>,
    /// The run that it was opened in, when it does not outlive that.
    pub(super) run: CancellationToken,
}

impl AgentSession {
    /// The sessions of this tree.
    pub(super) fn open_sessions(&self) -> OpenSessions {
        self.lineage().map_or_else(|| self.children().tree.clone(), |lineage| lineage.open.clone())
    }

    /// Takes a child in. From now on it ends with this session.
    pub(super) fn adopt(self: &Arc<Self>, child: &Arc<Child>, ends: Ends) {
        self.children().open.lock().push(Arc::clone(child));
        let (parent, child) = (Arc::downgrade(self), Arc::clone(child));
        let parent_ends = self.ending().clone();
        self.runtime().spawn(async move {
            let session = Arc::clone(child.session());
            tokio::select! {
                () = child.ended().cancelled() => {}
                () = parent_ends.cancelled() => {}
                () = ends.by.gone().cancelled() => {}
                () = ends.run.cancelled() => {}
                // It asked for its own end.
                () = session.exit_requested().cancelled() => {}
            }
            child.close().await;
            forget(&parent, &child);
        });
    }

    /// Stops what children are at that do not work in the background.
    pub(crate) fn abort_children(&self) {
        let open = self.children().open.lock().clone();
        open.iter().filter(|child| child.life() == ChildLife::Run).for_each(|child| child.abort());
    }

    /// Ends all children.
    pub(crate) async fn close_children(&self) {
        let open = std::mem::take(&mut *self.children().open.lock());
        let closed = join_all(open.iter().map(|child| child.close()));
        // One that does not end has been told to, and asks gates that are shut.
        if tokio::time::timeout(PATIENCE, closed).await.is_err() {
            let names: Vec<&str> = open.iter().map(|child| child.name()).collect();
            tracing::warn!(children = names.join(", "), "child sessions did not end in time and were left behind");
        }
    }
}

fn forget(parent: &Weak<AgentSession>, child: &Arc<Child>) {
    if let Some(parent) = parent.upgrade() {
        parent.children().open.lock().retain(|other| !Arc::ptr_eq(other, child));
    }
}
