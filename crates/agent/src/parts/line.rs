//! A line in which everybody waits for those before.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// Where calls that tools make wait for each other, for a whole session.
#[derive(Default)]
pub(crate) struct Lines {
    /// For their gates.
    pub(crate) gates: Line,
    /// For their tools, if those run alone.
    pub(crate) alone: Line,
}

/// Lets one at a time through, in the order in which they joined.
#[derive(Default)]
pub(crate) struct Line(Arc<Mutex<()>>);

/// A place in a line; given up when it is dropped.
pub(crate) enum Place {
    First(Turn),
    Behind(Pin<Box<dyn Future<Output = Turn> + Send>>),
}

/// Those behind wait until this is dropped.
pub(crate) type Turn = OwnedMutexGuard<()>;

impl Line {
    /// Joins the line, now.
    pub(crate) fn join(&self) -> Place {
        // Without a budget: a task that has used up its own would not get a place.
        let lock = tokio::task::unconstrained(Arc::clone(&self.0).lock_owned());
        let mut lock: Pin<Box<dyn Future<Output = Turn> + Send>> = Box::pin(lock);
        // A lock gets its place in the line when it is polled for the first time.
        match lock.as_mut().now_or_never() {
            Some(turn) => Place::First(turn),
            None => Place::Behind(lock),
        }
    }
}

impl Place {
    /// Waits for those before.
    pub(crate) async fn turn(self) -> Turn {
        match self {
            Self::First(turn) => turn,
            Self::Behind(lock) => lock.await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn places_are_taken_when_they_are_asked_for() {
        let line = Line::default();
        let order = Arc::new(parking_lot::Mutex::new(Vec::new()));
        let places: Vec<Place> = (0..300).map(|_| line.join()).collect();
        let waiting = places.into_iter().enumerate().rev().map(|(number, place)| {
            let order = Arc::clone(&order);
            async move {
                let turn = place.turn().await;
                order.lock().push(number);
                drop(turn);
            }
        });
        futures_util::future::join_all(waiting).await;
        assert_eq!(*order.lock(), (0..300).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_place_that_is_given_up_holds_nobody_up() {
        let line = Line::default();
        let (first, second, third) = (line.join(), line.join(), line.join());
        drop(second);
        let turn = first.turn().await;
        let mut third = std::pin::pin!(third.turn());
        assert!(third.as_mut().now_or_never().is_none());
        drop(turn);
        third.await;
    }
}
