//! Time, ids and chance that are the same in every run.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tau_ai::{Clock, Ids, Random, Sources};

/// A clock that stands still until a test moves it, with ids and chance that follow from a seed.
#[derive(Debug, Clone)]
pub struct FixedSources {
    now_ms: Arc<AtomicI64>,
    sources: Sources,
}

impl FixedSources {
    /// What follows from a seed, at a time in milliseconds since the epoch.
    pub fn new(seed: u64, now_ms: i64) -> Self {
        let now_ms = Arc::new(AtomicI64::new(now_ms));
        let clock = {
            let now_ms = Arc::clone(&now_ms);
            Clock::of(move || now_ms.load(Ordering::Acquire))
        };
        let sources = Sources { clock, ids: Ids::of(seeded(seed)), random: seeded(seed.wrapping_add(1)) };
        Self { now_ms, sources }
    }

    /// The values to hand on.
    pub fn sources(&self) -> Sources {
        self.sources.clone()
    }

    /// Moves the clock on.
    pub fn advance(&self, by: Duration) {
        let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        self.now_ms.fetch_add(by, Ordering::AcqRel);
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
}
