//! What names look like: parts of a pattern, versions, variants, likeness.

use std::cmp::Ordering;

use crate::ThinkingLevel;
use crate::provider_names::former_provider_name;

/// How alike names must be to be worth a suggestion, from 0 to 1.
const ALIKE: f64 = 0.7;

/// The provider that a pattern begins with, and the rest. Names of providers may contain slashes: the longest counts.
pub(super) fn split_provider<'a>(providers: &[String], pattern: &'a str) -> Option<(String, &'a str)> {
    let rest = |provider: &str| {
        let head = pattern.get(..provider.len()).filter(|head| head.eq_ignore_ascii_case(provider))?;
        pattern[head.len()..].strip_prefix('/')
    };
    let of = |provider: &String| {
        let former = former_provider_name(provider);
        Some((provider.clone(), rest(provider).or_else(|| rest(former?))?))
    };
    providers.iter().filter_map(of).min_by_key(|(_, rest)| rest.len())
}

/// Splits a thinking level off the end.
pub(super) fn split_thinking(pattern: &str) -> (&str, Option<ThinkingLevel>) {
    match pattern.rsplit_once(':') {
        Some((head, tail)) => match ThinkingLevel::parse(tail) {
            Some(level) => (head, Some(level)),
            None => (pattern, None),
        },
        None => (pattern, None),
    }
}

/// Whether an id follows the newest version instead of naming a date.
pub(super) fn is_alias(id: &str) -> bool {
    let date = id.rsplit_once('-').map_or("", |(_, tail)| tail);
    !(date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()))
}

pub(super) fn squash(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The id of the model of which an id names a variant.
pub(super) fn variant_of(id: &str) -> Option<&str> {
    let by_colon = id.rsplit_once(':').map(|(of, _)| of);
    by_colon.or_else(|| ["-batch", "-fast"].iter().find_map(|end| id.strip_suffix(end)))
}

/// Compares with numbers as numbers, so that 10 comes after 9. Signs come before digits, and digits before letters of
/// either case.
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (in_a, in_b) = (digits(a), digits(b));
        let (step_a, step_b, order) = if in_a > 0 && in_b > 0 {
            let (x, y) = (a[..in_a].trim_start_matches('0'), b[..in_b].trim_start_matches('0'));
            (in_a, in_b, x.len().cmp(&y.len()).then_with(|| x.cmp(y)))
        } else {
            let rank = |c: char| (c.is_alphabetic(), c.is_numeric(), c.to_ascii_lowercase());
            match (a.chars().next(), b.chars().next()) {
                (None, None) => return Ordering::Equal,
                (None, _) => return Ordering::Less,
                (_, None) => return Ordering::Greater,
                (Some(x), Some(y)) => (x.len_utf8(), y.len_utf8(), rank(x).cmp(&rank(y))),
            }
        };
        if order != Ordering::Equal {
            return order;
        }
        (a, b) = (&a[step_a..], &b[step_b..]);
    }
}

pub(in crate::registry) fn nearest(wanted: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let wanted = wanted.to_lowercase();
    let scored = names.map(|name| (strsim::jaro_winkler(&wanted, &name.to_lowercase()), name));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= ALIKE).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_versions_sort_later() {
        let mut ids = ["gpt-5.10", "gpt-5", "gpt-5.9", "gpt-6-sol", "claude-opus-5-5", "claude-opus-5"];
        ids.sort_by(|a, b| natural(a, b));
        assert_eq!(ids, ["claude-opus-5", "claude-opus-5-5", "gpt-5", "gpt-5.9", "gpt-5.10", "gpt-6-sol"]);
    }

    #[test]
    fn dated_ids_are_no_aliases() {
        assert!(is_alias("claude-haiku-4-5") && is_alias("x-latest") && is_alias("2024"));
        assert!(!is_alias("claude-haiku-4-5-20251001"));
    }
}
