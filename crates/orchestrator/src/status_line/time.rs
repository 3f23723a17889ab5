//! Times as people read them.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// `⏱ 14:05 (3m ago)`.
pub(super) fn prompt(at_ms: i64, now_ms: i64, zone: TimeZone) -> String {
    let ago = Duration::from_millis(u64::try_from(now_ms.saturating_sub(at_ms)).unwrap_or(0));
    let ago = if ago < Duration::from_secs(60) { "just now".to_owned() } else { format!("{} ago", largest(ago)) };
    match Timestamp::from_millisecond(at_ms) {
        Ok(at) => format!("⏱ {} ({ago})", at.to_zoned(zone).strftime("%H:%M")),
        // Beyond the years that the calendar has.
        Err(_) => format!("⏱ {ago}"),
    }
}

/// The largest unit alone: `3m`, `2h`, `4d`.
fn largest(span: Duration) -> String {
    match span.as_secs() / 60 {
        minutes @ 0..60 => format!("{minutes}m"),
        minutes @ 60..1_440 => format!("{}h", minutes / 60),
        minutes => format!("{}d", minutes / 1_440),
    }
}

/// `45s`, `2m 5s`, `1h 2m`.
pub(super) fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m {}s", seconds / 60, seconds % 60),
        _ => format!("{}h {}m", seconds / 3_600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_has_its_time_of_day_and_its_age() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let at = 1_700_000_000_000;
        let after = |seconds: i64| prompt(at, at + seconds * 1_000, zone.clone());
        assert_eq!(after(0), "⏱ 00:13 (just now)");
        assert_eq!([59, 60, 3_599].map(after), ["⏱ 00:13 (just now)", "⏱ 00:13 (1m ago)", "⏱ 00:13 (59m ago)"]);
        assert_eq!([3_600, 86_399, 86_400].map(after), ["⏱ 00:13 (1h ago)", "⏱ 00:13 (23h ago)", "⏱ 00:13 (1d ago)"]);
        // A clock that was set back, and one that is wrong.
        assert_eq!(after(-500), "⏱ 00:13 (just now)");
        assert_eq!(prompt(i64::MIN, i64::MIN, zone), "⏱ just now");
    }

    #[test]
    fn a_span_has_its_two_largest_units() {
        let spans = [7, 125, 3_725].map(|seconds| span(Duration::from_secs(seconds)));
        assert_eq!(spans, ["7s", "2m 5s", "1h 2m"]);
    }
}
