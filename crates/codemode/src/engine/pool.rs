//! How many scripts run at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use parking_lot::Mutex;
use tau_ai::Clock;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many scripts run at once, unless the user says something else.
const PLACES: usize = 2;
/// How many threads that nobody waits for any more may be there besides. What is beyond keeps its place.
const LEFT: usize = 4;
/// How long a script waits for a place.
const PATIENCE: Duration = Duration::from_secs(60);
/// The variable that says how many scripts run at once.
const VARIABLE: &str = "PI_CODEMODE_MAX_WORKERS";

/// The places for scripts of a program, which its sessions share. Scripts get them in the order in which they ask.
#[derive(Debug, Clone)]
pub struct Pool {
    free: Arc<Semaphore>,
    places: usize,
    left: Arc<AtomicUsize>,
    stuck: Arc<AtomicUsize>,
}

/// A place. It is free again when this is dropped.
#[derive(Debug, Clone)]
pub(super) struct Place(Arc<Held>);

#[derive(Debug)]
struct Held {
    permit: Mutex<Option<OwnedSemaphorePermit>>,
    left: Arc<AtomicUsize>,
    is_left: Mutex<bool>,
    /// Places that threads keep which nobody waits for.
    stuck: Arc<AtomicUsize>,
    is_stuck: Mutex<bool>,
}

impl Default for Pool {
    fn default() -> Self {
        Self::new(PLACES)
    }
}

impl Pool {
    /// With so many places, at least one.
    pub fn new(places: usize) -> Self {
        let places = places.clamp(1, Semaphore::MAX_PERMITS);
        Self { free: Arc::new(Semaphore::new(places)), places, left: Arc::default(), stuck: Arc::default() }
    }

    /// The places of this process, as many as the user's variable says. They bound what all its sessions take together.
    pub fn of_process() -> Self {
        static POOL: LazyLock<Pool> = LazyLock::new(|| {
            let places = tau_sys::variable(VARIABLE).and_then(|text| text.to_str()?.trim().parse().ok());
            Pool::new(places.filter(|places| *places > 0).unwrap_or(PLACES))
        });
        POOL.clone()
    }

    /// How many scripts run at most.
    pub fn places(&self) -> usize {
        self.places
    }

    /// How many places threads keep that did not end when their scripts were stopped.
    pub(super) fn stuck(&self) -> usize {
        self.stuck.load(Ordering::Acquire)
    }

    /// A place, as soon as there is one; `None` when there was none in time, with how long that was.
    pub(super) async fn enter(&self, clock: &Clock) -> Result<Place, Duration> {
        let patience = i64::try_from(PATIENCE.as_millis()).unwrap_or(i64::MAX);
        let free = Arc::clone(&self.free);
        tokio::select! {
            biased;
            permit = free.acquire_owned() => match permit {
                Ok(permit) => Ok(Place(Arc::new(Held {
                    permit: Mutex::new(Some(permit)),
                    left: Arc::clone(&self.left),
                    is_left: Mutex::new(false),
                    stuck: Arc::clone(&self.stuck),
                    is_stuck: Mutex::new(false),
                }))),
                // Nobody closes it.
                Err(_) => Err(Duration::ZERO),
            },
            () = clock.reached(clock.now_ms().saturating_add(patience)) => Err(PATIENCE),
        }
    }
}

impl Place {
    /// Nobody waits any more for the thread that has the place: another script gets it, unless too many threads are left
    /// behind already.
    pub(super) fn leave(&self) {
        let taken =
            self.0.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| (left < LEFT).then_some(left + 1));
        if taken.is_ok() {
            *self.0.is_left.lock() = true;
            self.0.permit.lock().take();
        } else if !std::mem::replace(&mut *self.0.is_stuck.lock(), true) {
            self.0.stuck.fetch_add(1, Ordering::AcqRel);
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if *self.is_left.get_mut() {
            self.left.fetch_sub(1, Ordering::AcqRel);
        }
        if *self.is_stuck.get_mut() {
            self.stuck.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_place_is_waited_for_and_one_that_is_left_is_free() {
        let (pool, clock) = (Pool::new(1), Clock::default());
        let first = pool.enter(&clock).await.expect("a place");
        assert_eq!(pool.enter(&clock).await.map(drop), Err(PATIENCE));
        let mut left = Vec::new();
        let mut now = first;
        for _ in 0..LEFT {
            now.leave();
            left.push(now);
            now = pool.enter(&clock).await.expect("another place");
        }
        now.leave();
        assert_eq!(pool.enter(&clock).await.map(drop), Err(PATIENCE), "too many are left");
        assert_eq!(pool.stuck(), 1);
        drop(left);
        now.leave();
        assert!(pool.enter(&clock).await.is_ok());
    }
}
