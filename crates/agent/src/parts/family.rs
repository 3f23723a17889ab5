//! Where a session stands among others: which one opened it, and which ones its extensions opened.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use tau_hooks::{ChildInfo, ChildLife, ChildSession};

use super::lock::{Mutex, Part, Rank};

const OPEN: Rank = Rank::new(Part::Family, 0);
const SEAT: Rank = Rank::new(Part::Family, 1);

/// How many child sessions are open at most below one session that nobody opened.
pub(crate) const MOST: usize = 256;

/// How long the end of a session waits for the ends of its children.
const PATIENCE: Duration = Duration::from_secs(5);

/// A session among those above and below it.
pub(crate) struct Family {
    /// Where it comes from, when an extension of another session opened it.
    lineage: Option<Lineage>,
    /// The sessions that its extensions opened.
    open: Mutex<Vec<OpenChild>>,
    /// Counts the sessions of the whole family, but for the first.
    count: Count,
}

/// Where a child session comes from.
pub(crate) struct Lineage {
    pub(crate) info: ChildInfo,
    pub(crate) count: Count,
    /// No project is trusted: the session at the top was started with `--no-approve`.
    pub(crate) distrusts: bool,
    /// This one, counted until it ends.
    pub(crate) seat: Mutex<Option<Seat>>,
}

impl Lineage {
    pub(crate) fn new(info: ChildInfo, count: Count, distrusts: bool, seat: Seat) -> Self {
        Self { info, count, distrusts, seat: Mutex::new(SEAT, Some(seat)) }
    }
}

#[derive(Clone)]
struct OpenChild {
    child: Arc<dyn ChildSession>,
    life: ChildLife,
}

/// How many child sessions are open in a family.
#[derive(Clone, Default)]
pub(crate) struct Count(Arc<AtomicUsize>);

/// Counts one session until it is dropped.
pub(crate) struct Seat(Count);

impl Count {
    /// Counts one more; `None` when there are too many.
    pub(crate) fn take(&self) -> Option<Seat> {
        let seat = Seat(self.clone());
        let before = self.0.fetch_add(1, Ordering::AcqRel);
        (before < MOST).then_some(seat)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Family {
    pub(crate) fn new(lineage: Option<Lineage>) -> Self {
        let count = lineage.as_ref().map(|lineage| lineage.count.clone()).unwrap_or_default();
        Self { lineage, open: Mutex::new(OPEN, Vec::new()), count }
    }

    /// What the session is called and where it stands, when another one opened it.
    pub(crate) fn info(&self) -> Option<&ChildInfo> {
        self.lineage.as_ref().map(|lineage| &lineage.info)
    }

    /// Whether the session at the top trusts no project; nothing for that session itself.
    pub(crate) fn distrusts(&self) -> Option<bool> {
        self.lineage.as_ref().map(|lineage| lineage.distrusts)
    }

    /// Whether another session opened this one.
    pub(crate) fn is_child(&self) -> bool {
        self.lineage.is_some()
    }

    pub(crate) fn count(&self) -> &Count {
        &self.count
    }

    /// The session has ended: another one may take its place in the count. Somebody may keep what is left of it for long.
    pub(crate) fn leave(&self) {
        if let Some(lineage) = &self.lineage {
            drop(lineage.seat.lock().take());
        }
    }

    /// Takes a child in.
    pub(crate) fn adopt(&self, child: Arc<dyn ChildSession>, life: ChildLife) {
        self.open.lock().push(OpenChild { child, life });
    }

    /// A child has ended.
    pub(crate) fn forget(&self, child: &Arc<dyn ChildSession>) {
        self.open.lock().retain(|other| !Arc::ptr_eq(&other.child, child));
    }

    /// Stops what children are at that do not work in the background.
    pub(crate) fn abort_children(&self) {
        let open = self.open.lock().clone();
        open.iter().filter(|open| open.life == ChildLife::Run).for_each(|open| open.child.abort());
    }

    /// Ends all children.
    pub(crate) async fn close_children(&self) {
        let open = std::mem::take(&mut *self.open.lock());
        let closed = join_all(open.iter().map(|open| open.child.close()));
        // One that does not end has been told to, and asks gates that are shut.
        if tokio::time::timeout(PATIENCE, closed).await.is_err() {
            let names: Vec<String> = open.iter().map(|open| open.child.info().name.to_string()).collect();
            tracing::warn!(children = names.join(", "), "child sessions did not end in time and were left behind");
        }
    }
}
