//! Times as session files write them: UTC with milliseconds, in the form that JavaScript gives them. That form has four
//! digits for the years 0 to 9999 and a sign and six digits before and after; clocks that were never set, or are set
//! wrong, show such years.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use tau_ai::Sources;

const DAY_MS: i64 = 86_400_000;

/// A time in milliseconds since the epoch; negative before it.
pub(crate) fn since_epoch(time: SystemTime) -> i64 {
    let ms = |span: std::time::Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => ms(after),
        Err(before) => -ms(before.duration()),
    }
}

/// Now, in the form that headers and entries carry.
pub(crate) fn now(sources: &Sources) -> String {
    format(sources.clock.now_ms())
}

/// The farthest times that JavaScript has: 100 million days before and after the epoch.
const FARTHEST: i64 = 100_000_000 * DAY_MS;

/// A time as headers and entries carry it. Times farther away than JavaScript knows become the farthest it does.
pub(crate) fn format(ms: i64) -> String {
    let ms = ms.clamp(-FARTHEST, FARTHEST);
    let (year, month, day) = date(ms.div_euclid(DAY_MS));
    let time = ms.rem_euclid(DAY_MS);
    let (hour, minute, second) = (time / 3_600_000, time / 60_000 % 60, time / 1000 % 60);
    let year = match year {
        0..=9999 => format!("{year:04}"),
        _ => format!("{year:+07}"),
    };
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", time % 1000)
}

/// Milliseconds since the epoch of a header's or entry's timestamp.
pub(crate) fn parse(timestamp: &str) -> Option<i64> {
    if let Ok(timestamp) = timestamp.parse::<Timestamp>() {
        return Some(timestamp.as_millisecond());
    }
    // Years beyond those that calendars of libraries have.
    let signed = timestamp.strip_prefix(['+', '-']);
    let padded = signed.map_or_else(|| format!("00{timestamp}"), str::to_owned);
    let digits = padded.as_str();
    let sign = if timestamp.starts_with('-') { -1 } else { 1 };
    let number = |at: std::ops::Range<usize>| digits.get(at)?.parse::<i64>().ok();
    let shape: String = digits.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    (shape == "000000-00-00T00:00:00.000Z").then_some(())?;
    let (month, day) = (number(7..9)?, number(10..12)?);
    let (hour, minute, second, ms) = (number(13..15)?, number(16..18)?, number(19..21)?, number(22..25)?);
    let fits = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 60;
    let days = fits.then(|| number(0..6).map(|year| days(sign * year, month, day)))??;
    Some(days * DAY_MS + hour * 3_600_000 + minute * 60_000 + second * 1000 + ms)
}

/// The days since the epoch of a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March here, so that the day that leap years add is their last.
    let year = if month <= 2 { year - 1 } else { year };
    let in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + in_year - 719_468
}

/// The year, month and day of a day since the epoch.
fn date(days_since_epoch: i64) -> (i64, i64, i64) {
    let days = days_since_epoch + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let in_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    let month = (month + 2) % 12 + 1;
    (400 * era + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_look_as_in_javascript() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "+010000-01-01T00:00:00.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (-62_167_219_200_001, "-000001-12-31T23:59:59.999Z"),
            (FARTHEST, "+275760-09-13T00:00:00.000Z"),
            (-FARTHEST, "-271821-04-20T00:00:00.000Z"),
        ] {
            assert_eq!((format(ms).as_str(), parse(text)), (text, Some(ms)));
        }
        assert_eq!((format(i64::MAX), format(i64::MIN)), (format(FARTHEST), format(-FARTHEST)));
        for text in ["", "yesterday", "+010000-13-01T00:00:00.000Z", "+010000-01-01T24:00:00.000Z", "+1é0000-01-01"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn clocks_before_the_epoch_are_read() {
        assert_eq!(since_epoch(UNIX_EPOCH - std::time::Duration::from_millis(7)), -7);
        assert!(parse(&now(&Sources::default())).is_some_and(|now| (0..10_000).contains(&(tau_ai::now_ms() - now))));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(ms in -FARTHEST..=FARTHEST) {
            prop_assert_eq!(parse(&format(ms)), Some(ms));
        }

        #[test]
        fn ordinary_times_are_those_of_the_library(ms in -62_135_596_800_000_i64..253_402_207_200_000) {
            let theirs = Timestamp::from_millisecond(ms).expect("a time");
            prop_assert_eq!(format(ms), theirs.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string());
        }
    }
}
