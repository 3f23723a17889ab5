//! The script as its author writes it.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::matcher::Matcher;
use super::model::ScriptModel;
use super::step::Step;

/// A whole script.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a script: a map with `replies`")]
pub struct Script {
    /// What the model claims to be.
    #[serde(default)]
    pub model: ScriptModel,
    /// Characters of a delta, for steps that do not say; without it a block is one delta.
    #[serde(default)]
    pub chunk: Option<usize>,
    /// Milliseconds before each delta, for steps that do not say.
    #[serde(default)]
    pub delta_ms: u64,
    /// Start over when the replies in order are used up.
    #[serde(default, rename = "loop")]
    pub again: bool,
    /// The answers.
    pub replies: Vec<Reply>,
}

/// The answer to one request.
#[derive(Debug, Clone)]
pub struct Reply {
    /// How error messages call it, besides its number.
    pub name: Option<String>,
    /// With a condition the reply is chosen by the request, without by its place in the script.
    pub when: Option<Matcher>,
    /// How many requests it answers; `None` for any number.
    pub uses: Option<u64>,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FullReply {
    name: Option<String>,
    when: Option<Matcher>,
    expect: Option<Matcher>,
    #[serde(default)]
    once: bool,
    repeat: Option<Repeat>,
    #[serde(default)]
    steps: Vec<Step>,
}

/// `3` or `forever`.
struct Repeat(Option<u64>);

struct ReplyVisitor;

impl<'de> Visitor<'de> for ReplyVisitor {
    type Value = Reply;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a reply: a text, a list of steps, or a map with `steps`")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Reply, E> {
        let steps = vec![Step::plain_text(text).map_err(E::custom)?];
        Ok(Reply { name: None, when: None, uses: Some(1), steps })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Reply, A::Error> {
        let steps = Vec::deserialize(SeqAccessDeserializer::new(items))?;
        Step::check_order(&steps).map_err(A::Error::custom)?;
        Ok(Reply { name: None, when: None, uses: Some(1), steps })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Reply, A::Error> {
        let full = FullReply::deserialize(MapAccessDeserializer::new(map))?;
        if full.once && full.repeat.is_some() {
            return Err(A::Error::custom("a reply has either `once` or `repeat`"));
        }
        let uses = match (full.repeat, full.once, &full.when) {
            (Some(Repeat(uses)), ..) => uses,
            (None, false, Some(_)) => None,
            (None, ..) => Some(1),
        };
        let expected = full.expect.map(|matcher| Step::Expect(Box::new(matcher)));
        let steps: Vec<Step> = expected.into_iter().chain(full.steps).collect();
        Step::check_order(&steps).map_err(A::Error::custom)?;
        Ok(Reply { name: full.name, when: full.when, uses, steps })
    }
}

impl<'de> Deserialize<'de> for Reply {
    // Not an untagged enum: that would lose the line of an error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ReplyVisitor)
    }
}

struct RepeatVisitor;

impl Visitor<'_> for RepeatVisitor {
    type Value = Repeat;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of times from 1, or `forever`")
    }

    fn visit_u64<E: serde::de::Error>(self, times: u64) -> Result<Repeat, E> {
        match times {
            0 => Err(E::invalid_value(serde::de::Unexpected::Unsigned(0), &self)),
            _ => Ok(Repeat(Some(times))),
        }
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Repeat, E> {
        match word {
            "forever" => Ok(Repeat(None)),
            _ => Err(E::invalid_value(serde::de::Unexpected::Str(word), &self)),
        }
    }
}

impl<'de> Deserialize<'de> for Repeat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RepeatVisitor)
    }
}
