//! The wall clock, for those who have no [`Sources`](crate::Sources).
#![expect(clippy::disallowed_methods, reason = "the owner of the wall clock")]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The farthest times that JavaScript has, and with it other readers of sessions: 100 million days around the epoch.
const FARTHEST_MS: i64 = 8_640_000_000_000_000;

/// Now.
pub fn now() -> SystemTime {
    SystemTime::now()
}

/// Now, in milliseconds since the Unix epoch: the unit of every message timestamp.
pub fn now_ms() -> i64 {
    ms_since_epoch(now())
}

/// A time in milliseconds since the Unix epoch, negative before it, whatever a clock that is wrong says. Times farther away
/// than JavaScript knows become the farthest it does.
pub(crate) fn ms_since_epoch(time: SystemTime) -> i64 {
    let ms = |span: Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX).min(FARTHEST_MS);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => ms(after),
        Err(before) => -ms(before.duration()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clock_has_a_time_and_they_keep_their_order() {
        let ms = |ms: u64| Duration::from_millis(ms);
        let far = Duration::from_secs(10_000_000_000_000);
        let times = [
            UNIX_EPOCH.checked_sub(far),
            UNIX_EPOCH.checked_sub(ms(1)),
            Some(UNIX_EPOCH),
            // The year 10000.
            UNIX_EPOCH.checked_add(ms(253_402_300_800_000)),
            UNIX_EPOCH.checked_add(far),
        ];
        let read = times.map(|time| ms_since_epoch(time.expect("a time that the system has")));
        assert_eq!(read, [-FARTHEST_MS, -1, 0, 253_402_300_800_000, FARTHEST_MS]);
    }
}
