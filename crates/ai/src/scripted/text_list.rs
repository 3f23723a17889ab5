//! A list of texts that may be written as a single text.

use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// One text or several.
#[derive(Debug, Clone, Default)]
pub struct TextList(Vec<String>);

impl TextList {
    /// The texts.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Nothing was given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

struct OneOrMore;

impl<'de> Visitor<'de> for OneOrMore {
    type Value = TextList;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list of texts")
    }

    fn visit_str<E>(self, text: &str) -> Result<TextList, E> {
        Ok(TextList(vec![text.to_owned()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<TextList, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = items.next_element()? {
            texts.push(text);
        }
        Ok(TextList(texts))
    }
}

impl<'de> Deserialize<'de> for TextList {
    // Not an untagged enum: that would lose the line of an error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMore)
    }
}
