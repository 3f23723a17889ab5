//! Items that are older than those that are known.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tau_hooks::Api;
use tokio_util::sync::CancellationToken;

use crate::shared::forge::{Item, Place, one};

/// How many there are at least when not all are known.
const KNOWN: usize = 200;
/// For how long no other key may be typed before a number is looked up, in milliseconds.
const REST: i64 = 300;
/// The most that are remembered.
const MOST: usize = 100;

/// Numbers that were looked up.
#[derive(Default)]
pub(super) struct Older {
    /// Counts the questions.
    asked: AtomicU64,
    known: Mutex<Vec<(Place, u64, Option<Item>)>>,
}

impl Older {
    /// The item whose number is the query, where not all items are known and none of those begins with that number: what is
    /// known is suggested at once. Nothing when another question came meanwhile, and when it cannot be looked up.
    pub(super) async fn find(&self, api: &Api, place: &Place, query: &str, all: &[Item]) -> Option<Item> {
        let question = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        // The newest stands first.
        let newest = all.first().filter(|_| all.len() >= KNOWN)?.number;
        let number: u64 = query.parse().ok().filter(|number| (1..newest).contains(number))?;
        if all.iter().any(|item| item.number.to_string().starts_with(query)) {
            return None;
        }
        let known = |known: &&(Place, u64, Option<Item>)| known.0 == *place && known.1 == number;
        if let Some((_, _, item)) = self.known.lock().iter().find(known) {
            return item.clone();
        }
        let clock = api.sources().ok()?.clock;
        clock.reached(clock.now_ms().saturating_add(REST)).await;
        if self.asked.load(Ordering::Relaxed) != question {
            return None;
        }
        match one(api, place, number, &CancellationToken::new()).await {
            Ok(item) => {
                let mut known = self.known.lock();
                if known.len() >= MOST {
                    known.clear();
                }
                known.push((place.clone(), number, item.clone()));
                item
            }
            Err(error) => {
                // The list came, so this is no more than a missing row.
                tracing::debug!(%error, number, "an older item is not suggested");
                None
            }
        }
    }
}
