//! How long a provider asks to wait before a request is sent again.

use std::collections::BTreeMap;
use std::time::Duration;

type Headers = BTreeMap<String, String>;

/// The pause that a refusal asks for: `retry-after-ms`, else `retry-after` (seconds or a date), else the time at which the
/// last of the limits that are used up begins anew, for a refusal that is about limits.
pub(super) fn wanted(status: u16, headers: &Headers) -> Option<Duration> {
    if let Some(millis) = headers.get("retry-after-ms").and_then(|value| value.trim().parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(millis / 1000.0).ok();
    }
    if let Some(value) = headers.get("retry-after").map(|value| value.trim()) {
        return match value.parse::<f64>() {
            Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
            Err(_) => {
                let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
                Some(until(date.as_millisecond()))
            }
        };
    }
    if status != 429 { None } else { headers.iter().filter_map(|(name, value)| reset(headers, name, value)).max() }
}

/// When a limit begins anew, if it is used up: `anthropic-ratelimit-requests-reset`, `x-ratelimit-reset-tokens` and the
/// like, next to the header that says how much is left.
fn reset(headers: &Headers, name: &str, value: &str) -> Option<Duration> {
    let limit = name.strip_prefix("anthropic-ratelimit-").or_else(|| name.strip_prefix("x-ratelimit-"))?;
    let (of, left) = if let Some(of) = limit.strip_suffix("-reset") {
        (of, name.strip_suffix("-reset").map(|start| format!("{start}-remaining"))?)
    } else if limit == "reset" || limit.starts_with("reset-") {
        (limit, name.replacen("reset", "remaining", 1))
    } else {
        return None;
    };
    // Subscriptions say whether a limit is used up instead of how much of it is left.
    let rejects =
        || headers.get(&format!("anthropic-ratelimit-{of}-status")).is_some_and(|status| status == "rejected");
    let is_used_up = headers.get(&left).is_some_and(|left| left.trim().parse() == Ok(0.0)) || rejects();
    if is_used_up { time(value.trim()) } else { None }
}

/// A point in time as RFC 3339, or in seconds or milliseconds since 1970; or a span such as `1m30.5s`, `120ms` or `2.5`.
fn time(text: &str) -> Option<Duration> {
    if let Ok(number) = text.parse::<f64>() {
        return match number {
            1e12.. => Some(until(to_ms(number))),
            1e9.. => Some(until(to_ms(number * 1000.0))),
            _ => Duration::try_from_secs_f64(number).ok(),
        };
    }
    match text.parse::<jiff::Timestamp>() {
        Ok(date) => Some(until(date.as_millisecond())),
        Err(_) => span(text),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "it is within the times that there are")]
fn to_ms(number: f64) -> i64 {
    number as i64
}

fn until(at_ms: i64) -> Duration {
    u64::try_from(at_ms.saturating_sub(crate::now_ms())).map_or(Duration::ZERO, Duration::from_millis)
}

fn span(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let unit = &rest[digits..];
        let unit = &unit[..unit.find(|c: char| c.is_ascii_digit()).unwrap_or(unit.len())];
        seconds += number
            * match unit {
                "d" => 86_400.0,
                "h" => 3600.0,
                "m" => 60.0,
                "s" => 1.0,
                "ms" => 0.001,
                _ => return None,
            };
        rest = &rest[digits + unit.len()..];
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|_| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pause(status: u16, headers: &[(&str, &str)]) -> Option<Duration> {
        wanted(status, &headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn the_wanted_pause_is_read_in_every_form() {
        let of = |name: &str, value: &str| pause(503, &[(name, value)]);
        assert_eq!(of("retry-after", "2"), Some(Duration::from_secs(2)));
        assert_eq!(of("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(of("retry-after-ms", "150"), Some(Duration::from_millis(150)));
        assert_eq!(of("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        assert!(of("retry-after", "Fri, 31 Dec 2100 23:59:59 GMT").is_some_and(|pause| pause.as_secs() > 1_000_000));
        assert_eq!(of("retry-after", "-3"), None);
        assert_eq!(of("retry-after", "soon"), None);
        assert_eq!(pause(429, &[]), None);
    }

    #[test]
    fn limits_that_are_used_up_say_when_they_begin_anew() {
        let openai = [
            ("x-ratelimit-remaining-requests", "0"),
            ("x-ratelimit-reset-requests", "120ms"),
            ("x-ratelimit-remaining-tokens", "0"),
            ("x-ratelimit-reset-tokens", "6m0.5s"),
        ];
        assert_eq!(pause(429, &openai), Some(Duration::from_millis(360_500)));
        assert_eq!(pause(500, &openai), None, "it failed for another reason");
        let mut left = openai;
        left[2].1 = "12";
        assert_eq!(pause(429, &left), Some(Duration::from_millis(120)));
        let first = [openai.as_slice(), &[("retry-after", "1")]].concat();
        assert_eq!(pause(429, &first), Some(Duration::from_secs(1)), "what is said for the purpose wins");

        let anthropic = |reset: &str| {
            pause(429, &[("anthropic-ratelimit-tokens-remaining", "0"), ("anthropic-ratelimit-tokens-reset", reset)])
        };
        assert_eq!(anthropic("2015-10-21T07:28:00Z"), Some(Duration::ZERO));
        assert!(anthropic("2100-10-21T07:28:00Z").is_some_and(|pause| pause.as_secs() > 1_000_000));
        let unified = |status: &str| {
            let reset = ("anthropic-ratelimit-unified-5h-reset", "4102444800");
            pause(429, &[("anthropic-ratelimit-unified-5h-status", status), reset])
        };
        assert!(unified("rejected").is_some_and(|pause| pause.as_secs() > 1_000_000));
        assert_eq!(unified("allowed"), None);
        let plain = |reset: &str| pause(429, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", reset)]);
        assert!(plain("4102444800000").is_some_and(|pause| pause.as_secs() > 1_000_000));
        assert_eq!([plain("2.5"), plain(""), plain("soon")], [Some(Duration::from_millis(2500)), None, None]);
    }

    proptest! {
        #[test]
        fn no_header_is_too_odd(name in "(anthropic|x)-ratelimit-[a-z-]{0,8}(-reset)?|retry-after(-ms)?", value in ".{0,12}|[0-9.eE+-]{0,30}[smhd]?") {
            pause(429, &[(&name, &value), ("x-ratelimit-remaining", "0")]);
        }
    }
}
