//! Bodies of requests. A conversation is large, so its messages are kept as the text that is sent, one piece each, and are
//! values only where somebody wants to look at them.

use bytes::Bytes;
use futures_util::stream;
use serde_json::{Error, Value};

use crate::JsonMap;

/// The field with the messages.
const MESSAGES: &str = "messages";
/// A body up to this size is sent in one piece, in bytes.
const WHOLE: usize = 256 * 1024;

/// Messages in their own form, in their order.
#[derive(Debug, Default)]
pub(super) struct Pieces(Vec<Bytes>);

impl Pieces {
    /// Adds a message.
    pub fn push(&mut self, message: &Value) -> Result<(), Error> {
        self.0.push(serde_json::to_vec(message)?.into());
        Ok(())
    }

    /// Adds messages that are written already.
    pub fn extend(&mut self, messages: Vec<Bytes>) {
        self.0.extend(messages);
    }

    /// Calls `change` with one message after another, the last one first, until it has changed one.
    pub fn change_last(&mut self, mut change: impl FnMut(&mut Value) -> bool) -> Result<(), Error> {
        for piece in self.0.iter_mut().rev() {
            let mut message = serde_json::from_slice(piece)?;
            if change(&mut message) {
                *piece = serde_json::to_vec(&message)?.into();
                break;
            }
        }
        Ok(())
    }
}

/// The body of a request.
#[derive(Debug)]
pub(super) struct Body {
    /// In their order. `null` stands where the messages are, if they are kept apart.
    fields: Value,
    messages: Option<Pieces>,
}

impl Body {
    /// A body whose field `messages` is the last of `fields`.
    pub fn new(mut fields: JsonMap, messages: Pieces) -> Self {
        fields.insert(MESSAGES.to_owned(), Value::Null);
        Self { fields: Value::Object(fields), messages: Some(messages) }
    }

    /// Adds fields in place of those of the same name.
    pub fn extend(&mut self, fields: JsonMap) {
        if fields.contains_key(MESSAGES) {
            self.messages = None;
        }
        if let Value::Object(own) = &mut self.fields {
            own.extend(fields);
        }
    }

    /// Takes a field other than the messages away.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.fields.as_object_mut().filter(|_| name != MESSAGES)?.shift_remove(name)
    }

    /// All of it as a value.
    ///
    /// # Errors
    /// When a message cannot be read, which those of a number beyond all limits cannot.
    pub fn into_value(self) -> Result<Value, Error> {
        let Self { mut fields, messages } = self;
        if let (Value::Object(fields), Some(Pieces(messages))) = (&mut fields, messages) {
            let messages = messages.into_iter().map(|piece| serde_json::from_slice(&piece));
            fields.insert(MESSAGES.to_owned(), Value::Array(messages.collect::<Result<_, _>>()?));
        }
        Ok(fields)
    }

    /// The text of it, in pieces, and how long that is in bytes.
    ///
    /// # Errors
    /// When a field has no JSON form.
    pub fn into_text(self) -> Result<(usize, Vec<Bytes>), Error> {
        let Self { fields, messages } = self;
        let (Value::Object(fields), Some(Pieces(messages))) = (&fields, messages) else {
            let text = Bytes::from(serde_json::to_vec(&fields)?);
            return Ok((text.len(), vec![text]));
        };
        let mut text = Text::default();
        let mut messages = Some(messages);
        for (at, (name, value)) in fields.iter().enumerate() {
            text.small.push(if at == 0 { b'{' } else { b',' });
            serde_json::to_writer(&mut text.small, name)?;
            text.small.push(b':');
            match messages.take_if(|_| name == MESSAGES) {
                Some(messages) => text.list(messages),
                None => serde_json::to_writer(&mut text.small, value)?,
            }
        }
        text.small.push(b'}');
        Ok(text.finish())
    }

    /// As it is sent: the length in bytes, and the body.
    ///
    /// # Errors
    /// As [`Self::into_text`].
    pub fn into_request(self) -> Result<(usize, reqwest::Body), Error> {
        let (len, pieces) = self.into_text()?;
        let body = match len {
            ..=WHOLE => pieces.concat().into(),
            _ => reqwest::Body::wrap_stream(stream::iter(Chunks::new(pieces).map(Ok::<_, std::convert::Infallible>))),
        };
        Ok((len, body))
    }
}

impl From<Value> for Body {
    fn from(fields: Value) -> Self {
        Self { fields, messages: None }
    }
}

/// A text in pieces.
#[derive(Default)]
struct Text {
    /// Goes before the next piece.
    small: Vec<u8>,
    pieces: Vec<Bytes>,
    len: usize,
}

impl Text {
    fn list(&mut self, items: Vec<Bytes>) {
        self.small.push(b'[');
        self.cut();
        self.pieces.reserve(items.len() * 2);
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                self.add(Bytes::from_static(b","));
            }
            self.add(item);
        }
        self.small.push(b']');
    }

    fn cut(&mut self) {
        let small = std::mem::take(&mut self.small);
        if !small.is_empty() {
            self.add(small.into());
        }
    }

    fn add(&mut self, piece: Bytes) {
        self.len += piece.len();
        self.pieces.push(piece);
    }

    fn finish(mut self) -> (usize, Vec<Bytes>) {
        self.cut();
        (self.len, self.pieces)
    }
}

/// Pieces as they are sent: small ones are put together when their turn comes.
struct Chunks(std::iter::Peekable<std::vec::IntoIter<Bytes>>);

impl Chunks {
    /// What is put together is about so large, in bytes.
    const SIZE: usize = 64 * 1024;

    fn new(pieces: Vec<Bytes>) -> Self {
        Self(pieces.into_iter().peekable())
    }
}

impl Iterator for Chunks {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let first = self.0.next()?;
        if first.len() >= Self::SIZE {
            return Some(first);
        }
        let mut chunk = Vec::with_capacity(Self::SIZE);
        chunk.extend_from_slice(&first);
        while let Some(piece) = self.0.next_if(|piece| chunk.len() + piece.len() <= Self::SIZE) {
            chunk.extend_from_slice(&piece);
        }
        Some(chunk.into())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn body(count: usize, size: usize) -> (Body, Value) {
        let messages: Vec<Value> =
            (0..count).map(|n| json!({"role": "user", "content": "ä".repeat(size), "n": n})).collect();
        let mut pieces = Pieces::default();
        messages.iter().for_each(|message| pieces.push(message).expect("JSON"));
        let fields = json!({"model": "m", "stream": true, "betas": ["b"]}).as_object().expect("an object").clone();
        let whole = json!({"model": "m", "stream": true, "betas": ["b"], "messages": messages});
        (Body::new(fields, pieces), whole)
    }

    proptest! {
        #[test]
        fn a_body_is_sent_as_its_value_would_be(count in 0..20_usize, size in prop_oneof![0..50_usize, 7_000..9_000_usize, Just(60_000)]) {
            let (parts, whole) = body(count, size);
            let (len, text) = parts.into_text().expect("JSON");
            let chunks: Vec<Bytes> = Chunks::new(text.clone()).collect();
            let text = text.concat();
            prop_assert!(chunks.concat() == text && chunks.len() <= 2 * text.len() / Chunks::SIZE + 2);
            prop_assert_eq!(len, text.len());
            prop_assert_eq!(String::from_utf8(text).expect("text"), whole.to_string());
            prop_assert_eq!(body(count, size).0.into_value().expect("JSON"), whole);
        }
    }

    #[test]
    fn fields_are_added_and_taken_away_and_may_stand_for_the_messages() {
        let text = |body: Body| String::from_utf8(body.into_text().expect("JSON").1.concat()).expect("text");
        let (mut parts, _) = body(1, 1);
        assert_eq!((parts.remove("betas"), parts.remove("messages")), (Some(json!(["b"])), None));
        parts.extend(json!({"top_p": 1, "model": "other"}).as_object().expect("an object").clone());
        let expected = r#"{"model":"other","stream":true,"messages":[{"role":"user","content":"ä","n":0}],"top_p":1}"#;
        assert_eq!(text(parts), expected);
        let (mut parts, _) = body(2, 1);
        parts.extend(json!({"messages": "mine"}).as_object().expect("an object").clone());
        assert_eq!(text(parts), r#"{"model":"m","stream":true,"betas":["b"],"messages":"mine"}"#);
        assert_eq!(text(Body::from(json!("anything"))), "\"anything\"");
        assert_eq!(text(Body::new(JsonMap::new(), Pieces::default())), r#"{"messages":[]}"#);
    }

    #[test]
    fn the_last_message_that_can_be_changed_is() {
        let mut pieces = Pieces::default();
        for n in 0..3 {
            pieces.push(&json!({ "n": n })).expect("JSON");
        }
        let change = |message: &mut Value| {
            let found = message["n"] == 1;
            message["seen"] = found.into();
            found
        };
        pieces.change_last(change).expect("JSON");
        let value = Body::new(JsonMap::new(), pieces).into_value().expect("JSON");
        assert_eq!(value, json!({"messages": [{"n": 0}, {"n": 1, "seen": true}, {"n": 2}]}));
    }
}
