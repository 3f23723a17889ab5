//! Counts of tokens as servers write them.

use std::fmt;

use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The largest count that is believed: what JavaScript holds exactly.
const LARGEST: u64 = (1 << 53) - 1;

/// Reads a count. Some servers write `5.0`; what is no number says nothing, and is no reason to lose an answer.
pub(in crate::wire) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    deserializer.deserialize_any(Counts)
}

struct Counts;

impl<'de> Visitor<'de> for Counts {
    type Value = Option<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a count")
    }

    fn visit_u64<E: Error>(self, count: u64) -> Result<Self::Value, E> {
        Ok(Some(count))
    }

    fn visit_i64<E: Error>(self, count: i64) -> Result<Self::Value, E> {
        Ok(u64::try_from(count).ok())
    }

    fn visit_f64<E: Error>(self, count: f64) -> Result<Self::Value, E> {
        #[expect(clippy::cast_precision_loss, reason = "it is exact up to there")]
        let is_count = count.is_finite() && (0.0..=LARGEST as f64).contains(&count);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was looked at")]
        let whole = count.round() as u64;
        Ok(is_count.then_some(whole))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Usage {
        #[serde(default, deserialize_with = "count")]
        tokens: Option<u64>,
    }

    #[test]
    fn a_count_is_read_in_any_shape_and_what_is_none_says_nothing() {
        for (text, expected) in [
            ("5", Some(5)),
            ("5.0", Some(5)),
            ("1.5", Some(2)),
            ("18446744073709551615", Some(u64::MAX)),
            ("-5", None),
            ("-5.5", None),
            ("1e30", None),
            ("null", None),
            ("\"NaN\"", None),
            ("true", None),
            ("[1, [2]]", None),
            ("{\"a\": {}}", None),
        ] {
            let usage: Usage = serde_json::from_str(&format!("{{\"tokens\": {text}}}")).expect("an object");
            assert_eq!(usage.tokens, expected, "{text}");
        }
        assert_eq!(serde_json::from_str::<Usage>("{}").expect("an object").tokens, None);
    }
}
