//! Locks that keep an order.
//!
//! The state of a session is divided into parts, each with locks of its own. A thread that holds a lock of one part takes
//! none of another, and within a part it takes them in the order of their [`Rank`]s. So no two threads can wait for each
//! other. A debug build checks this with every lock that is taken; in a release build the check is gone.

use std::ops::{Deref, DerefMut};

/// The part of a session that a lock belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Conversation,
    Activity,
    Choices,
    Prompting,
    Lifecycle,
    Events,
    Family,
    Warming,
}

/// Where a lock stands: its part, and its place in the order of that part. The lowest is taken first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rank {
    part: Part,
    place: u8,
}

impl Rank {
    pub(crate) const fn new(part: Part, place: u8) -> Self {
        Self { part, place }
    }
}

/// A [`parking_lot::Mutex`] with a rank.
#[derive(Debug)]
pub(crate) struct Mutex<T> {
    rank: Rank,
    lock: parking_lot::Mutex<T>,
}

impl<T> Mutex<T> {
    pub(crate) const fn new(rank: Rank, value: T) -> Self {
        Self { rank, lock: parking_lot::Mutex::new(value) }
    }

    #[track_caller]
    pub(crate) fn lock(&self) -> Guard<parking_lot::MutexGuard<'_, T>> {
        let held = Held::take(self.rank);
        Guard { guard: self.lock.lock(), _held: held }
    }
}

/// A [`parking_lot::RwLock`] with a rank. Reading twice at once on one thread can wait for ever, so it counts as taking
/// the lock twice.
#[derive(Debug)]
pub(crate) struct RwLock<T> {
    rank: Rank,
    lock: parking_lot::RwLock<T>,
}

impl<T> RwLock<T> {
    pub(crate) const fn new(rank: Rank, value: T) -> Self {
        Self { rank, lock: parking_lot::RwLock::new(value) }
    }

    #[track_caller]
    pub(crate) fn read(&self) -> Guard<parking_lot::RwLockReadGuard<'_, T>> {
        let held = Held::take(self.rank);
        Guard { guard: self.lock.read(), _held: held }
    }

    #[track_caller]
    pub(crate) fn write(&self) -> Guard<parking_lot::RwLockWriteGuard<'_, T>> {
        let held = Held::take(self.rank);
        Guard { guard: self.lock.write(), _held: held }
    }
}

/// Holds a lock until it is dropped.
pub(crate) struct Guard<G> {
    guard: G,
    _held: Held,
}

impl<G: Deref> Deref for Guard<G> {
    type Target = G::Target;

    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut> DerefMut for Guard<G> {
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

#[cfg(debug_assertions)]
thread_local! {
    /// The ranks of the locks that this thread holds.
    static HELD: std::cell::RefCell<Vec<Rank>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Notes that this thread holds a lock; nothing in a release build.
struct Held {
    #[cfg(debug_assertions)]
    rank: Rank,
}

impl Held {
    #[cfg(debug_assertions)]
    #[track_caller]
    fn take(rank: Rank) -> Self {
        let before = HELD.with_borrow(|held| held.iter().copied().find(|before| !goes_before(*before, rank)));
        // A second panic would end the program and hide the first.
        if let Some(before) = before
            && !std::thread::panicking()
        {
            tau_ai::broken(&format!("the lock {rank:?} is taken while {before:?} is held"));
        }
        HELD.with_borrow_mut(|held| held.push(rank));
        Self { rank }
    }

    #[cfg(not(debug_assertions))]
    #[inline(always)]
    fn take(_: Rank) -> Self {
        Self {}
    }
}

#[cfg(debug_assertions)]
fn goes_before(held: Rank, next: Rank) -> bool {
    held.part == next.part && held.place < next.place
}

#[cfg(debug_assertions)]
impl Drop for Held {
    fn drop(&mut self) {
        HELD.with_borrow_mut(|held| {
            if let Some(place) = held.iter().rposition(|rank| *rank == self.rank) {
                held.remove(place);
            }
        });
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    const FIRST: Rank = Rank::new(Part::Activity, 0);
    const SECOND: Rank = Rank::new(Part::Activity, 1);
    const OTHER: Rank = Rank::new(Part::Choices, 9);

    fn is_refused(take: impl FnOnce()) -> bool {
        catch_unwind(AssertUnwindSafe(take)).is_err()
    }

    #[test]
    fn locks_of_a_part_are_taken_in_their_order() {
        let (first, second) = (Mutex::new(FIRST, 1), RwLock::new(SECOND, 2));
        {
            let _first = first.lock();
            assert_eq!(*second.read(), 2);
            *second.write() = 3;
        }
        // A lock that was given back counts no more.
        let held = second.read();
        assert!(is_refused(|| drop(first.lock())));
        drop(held);
        assert_eq!(*first.lock(), 1);
    }

    #[test]
    fn locks_of_two_parts_are_never_held_together() {
        let (first, other) = (Mutex::new(FIRST, ()), Mutex::new(OTHER, ()));
        let held = first.lock();
        assert!(is_refused(|| drop(other.lock())));
        drop(held);
        let _held = other.lock();
        assert!(is_refused(|| drop(first.lock())));
    }

    #[test]
    fn a_lock_is_not_taken_twice() {
        let lock = RwLock::new(FIRST, ());
        let _held = lock.read();
        assert!(is_refused(|| drop(lock.read())));
    }

    #[test]
    fn other_threads_may_hold_what_they_want() {
        let (first, other) = (Mutex::new(FIRST, ()), Mutex::new(OTHER, ()));
        let _held = other.lock();
        std::thread::scope(|scope| {
            scope.spawn(|| drop(first.lock()));
        });
    }
}
