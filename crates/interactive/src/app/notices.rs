//! Notices of extensions. One that sends them without end keeps nobody from working: what is more than anybody reads is
//! counted.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many notices of an extension are shown within [`WINDOW`].
const MOST: usize = 50;
const WINDOW: Duration = Duration::from_secs(1);

/// How many notices came of each extension.
#[derive(Default)]
pub(super) struct Notices {
    owners: HashMap<Arc<str>, Window>,
}

struct Window {
    since: Instant,
    shown: usize,
    left_out: usize,
}

impl Notices {
    /// Whether a notice that came now is shown.
    pub(super) fn takes(&mut self, owner: &Arc<str>, now: Instant) -> bool {
        let new = || Window { since: now, shown: 0, left_out: 0 };
        let window = self.owners.entry(Arc::clone(owner)).or_insert_with(new);
        if window.left_out == 0 && now.duration_since(window.since) >= WINDOW {
            *window = new();
        }
        let is_shown = window.shown < MOST;
        *(if is_shown { &mut window.shown } else { &mut window.left_out }) += 1;
        is_shown
    }

    /// Whether something was left out that is not reported yet.
    pub(super) fn waits(&self) -> bool {
        self.owners.values().any(|window| window.left_out > 0)
    }

    /// What was left out in the windows that have ended: of whom, and how much.
    pub(super) fn left_out(&mut self, now: Instant) -> Vec<(Arc<str>, usize)> {
        let ended = |window: &&mut Window| now.duration_since(window.since) >= WINDOW && window.left_out > 0;
        let mut left_out = Vec::new();
        for (owner, window) in &mut self.owners {
            if ended(&window) {
                left_out.push((Arc::clone(owner), mem::take(&mut window.left_out)));
                (window.since, window.shown) = (now, 0);
            }
        }
        left_out.sort();
        left_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_anybody_reads_is_counted_for_each_extension() {
        let (mut notices, begin) = (Notices::default(), Instant::now());
        let (one, other): (Arc<str>, Arc<str>) = ("one".into(), "other".into());
        let shown = (0..200).filter(|_| notices.takes(&one, begin)).count();
        assert_eq!(shown, MOST);
        assert!(notices.takes(&other, begin) && notices.waits());
        assert!(notices.left_out(begin + WINDOW / 2).is_empty());
        assert_eq!(notices.left_out(begin + WINDOW), [(Arc::clone(&one), 200 - MOST)]);
        assert!(!notices.waits() && notices.takes(&one, begin + WINDOW));
        // Few, for hours.
        for second in 2..500 {
            assert!(notices.takes(&other, begin + WINDOW * second));
        }
    }
}
