//! Time, ids and chance that are the same in every run.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tau_ai::{Clock, Ids, Random, Sources};
use tokio::sync::watch;

/// A clock that stands still until a test moves it, with ids and chance that follow from a seed.
#[derive(Debug, Clone)]
pub struct FixedSources {
    time: watch::Sender<Time>,
    sources: Sources,
}

/// What such a clock shows, and what is waited for: the time, and who waits.
#[derive(Debug, Default)]
struct Time {
    now_ms: i64,
    waits: Vec<(i64, u64)>,
    /// Counts those who have waited.
    waited: u64,
}

/// Somebody who waits, until it is dropped.
struct Wait {
    time: watch::Sender<Time>,
    number: u64,
}

impl Drop for Wait {
    fn drop(&mut self) {
        self.time.send_modify(|time| time.waits.retain(|(_, number)| *number != self.number));
    }
}

/// Waits until a clock shows a time.
async fn reach(time: watch::Sender<Time>, at: i64) {
    let mut shown = time.subscribe();
    let mut number = 0;
    time.send_modify(|time| {
        time.waited += 1;
        number = time.waited;
        time.waits.push((at, number));
    });
    let _wait = Wait { time, number };
    // The clock lives as long as this.
    let _ = shown.wait_for(|time| time.now_ms >= at).await;
}

impl FixedSources {
    /// What follows from a seed, at a time in milliseconds since the epoch.
    pub fn new(seed: u64, now_ms: i64) -> Self {
        let time = watch::Sender::new(Time { now_ms, ..Time::default() });
        let (shown, waited) = (time.clone(), time.clone());
        let clock = Clock::with_timers(move || shown.borrow().now_ms, move |at| Box::pin(reach(waited.clone(), at)));
        let sources = Sources { clock, ids: Ids::of(seeded(seed)), random: seeded(seed.wrapping_add(1)) };
        Self { time, sources }
    }

    /// The values to hand on.
    pub fn sources(&self) -> Sources {
        self.sources.clone()
    }

    /// Moves the clock on.
    pub fn advance(&self, by: Duration) {
        let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        self.time.send_modify(|time| time.now_ms += by);
    }

    /// Waits until somebody waits for a later time than now, and gives how far away the first such time is.
    pub async fn awaited(&self) -> Duration {
        let first = |time: &Time| {
            let ahead = time.waits.iter().map(|(at, _)| at - time.now_ms).filter(|ahead| *ahead > 0);
            ahead.min().and_then(|ahead| u64::try_from(ahead).ok())
        };
        let mut shown = self.time.subscribe();
        loop {
            if let Some(ahead) = first(&shown.borrow_and_update()) {
                return Duration::from_millis(ahead);
            }
            // The sender lives as long as this.
            let _ = shown.changed().await;
        }
    }

    /// Moves the clock to the time that somebody waits for, once somebody does; gives how far that was.
    pub async fn advance_to_timer(&self) -> Duration {
        let by = self.awaited().await;
        self.advance(by);
        by
    }

    /// Whether somebody waits for a time.
    pub fn is_awaited(&self) -> bool {
        !self.time.borrow().waits.is_empty()
    }
}

/// Bytes that follow from a seed and a purpose. Each purpose has a sequence of its own, so it does not matter which of
/// several that work at once asks first.
fn seeded(seed: u64) -> Random {
    let states: Mutex<HashMap<String, u64>> = Mutex::default();
    Random::of(move |purpose, bytes| {
        let mut states = states.lock();
        let state = states.entry(purpose.to_owned()).or_insert_with(|| {
            // FNV-1a: any hash will do that is the same in every build.
            purpose.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            })
        });
        for chunk in bytes.chunks_mut(8) {
            let next = split_mix(state).to_le_bytes();
            chunk.copy_from_slice(&next[..chunk.len()]);
        }
    })
}

/// SplitMix64: the next number of a sequence.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_from_a_seed_is_the_same_whoever_asks_first() {
        let [one, other] = [(); 2].map(|()| FixedSources::new(7, 1_000).sources());
        let first = [one.ids.id("a"), one.ids.id("b"), one.ids.id("a")];
        let second = [other.ids.id("b"), other.ids.id("a"), other.ids.id("a")];
        assert_eq!(first, [second[1], second[0], second[2]]);
        assert!(first[0] != first[1] && first[0] != first[2]);
        assert_ne!(FixedSources::new(8, 1_000).sources().ids.id("a"), first[0]);
        let fixed = FixedSources::new(7, 1_000);
        fixed.advance(Duration::from_millis(5));
        assert_eq!(fixed.sources().clock.now_ms(), 1_005);
    }

    #[tokio::test]
    async fn who_waits_for_a_time_gets_it_when_the_clock_is_moved() {
        let fixed = FixedSources::new(7, 1_000);
        let clock = fixed.sources().clock;
        let waits = tokio::spawn(async move { clock.reached(61_000).await });
        assert_eq!(fixed.advance_to_timer().await, Duration::from_secs(60));
        waits.await.expect("the wait");
        assert!(!fixed.is_awaited());
    }
}
