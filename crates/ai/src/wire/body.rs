//! Bodies of requests. A conversation is large, so its messages are kept as the text that is sent, one piece each, and are
//! values only where somebody wants to look at them.

use bytes::Bytes;
use futures_util::stream;
use serde_json::{Error, Value};

use crate::JsonMap;

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
    /// The name of their field, and the messages.
    messages: Option<(&'static str, Pieces)>,
}

impl Body {
    /// A body in which the messages are the field `name`, the last one.
    pub fn new(mut fields: JsonMap, name: &'static str, messages: Pieces) -> Self {
        fields.insert(name.to_owned(), Value::Null);
        Self { fields: Value::Object(fields), messages: Some((name, messages)) }
    }

    fn is_messages(&self, name: &str) -> bool {
        self.messages.as_ref().is_some_and(|(own, _)| *own == name)
    }

    /// Adds fields in place of those of the same name.
    pub fn extend(&mut self, fields: JsonMap) {
        if fields.keys().any(|name| self.is_messages(name)) {
            self.messages = None;
        }
        if let Value::Object(own) = &mut self.fields {
            own.extend(fields);
        }
    }

    /// Makes other fields of the fields. The messages are one of them, under their name, and stay what they are.
    pub fn rebuild(mut self, change: impl FnOnce(JsonMap) -> JsonMap) -> Self {
        if let Value::Object(fields) = &mut self.fields {
            *fields = change(std::mem::take(fields));
        }
        self
    }

    /// Takes a field other than the messages away.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        if self.is_messages(name) {
            return None;
        }
        self.fields.as_object_mut()?.shift_remove(name)
    }

    /// All of it as a value.
    ///
    /// # Errors
    /// When a message cannot be read, which those of a number beyond all limits cannot.
    pub fn into_value(self) -> Result<Value, Error> {
        let Self { mut fields, messages } = self;
        if let (Value::Object(fields), Some((name, Pieces(messages)))) = (&mut fields, messages) {
            let messages = messages.into_iter().map(|piece| serde_json::from_slice(&piece));
            fields.insert(name.to_owned(), Value::Array(messages.collect::<Result<_, _>>()?));
        }
        Ok(fields)
    }

    /// The text of it.
    ///
    /// # Errors
    /// When a field has no JSON form.
    pub fn into_text(self) -> Result<Text, Error> {
        let Self { fields, messages } = self;
        let (Value::Object(fields), Some((field, Pieces(messages)))) = (&fields, messages) else {
            let text = Bytes::from(serde_json::to_vec(&fields)?);
            return Ok(Text { len: text.len(), pieces: vec![text] });
        };
        let mut text = Writer::default();
        let mut messages = Some(messages);
        for (at, (name, value)) in fields.iter().enumerate() {
            text.small.push(if at == 0 { b'{' } else { b',' });
            serde_json::to_writer(&mut text.small, name)?;
            text.small.push(b':');
            match messages.take_if(|_| name == field) {
                Some(messages) => text.list(messages),
                None => serde_json::to_writer(&mut text.small, value)?,
            }
        }
        text.small.push(b'}');
        Ok(text.finish())
    }
}

impl From<Value> for Body {
    fn from(fields: Value) -> Self {
        Self { fields, messages: None }
    }
}

/// The text of a body. A clone is the same text.
#[derive(Debug, Clone)]
pub(super) struct Text {
    /// In bytes.
    pub len: usize,
    /// All of it, in pieces.
    pub pieces: Vec<Bytes>,
}

impl Text {
    /// As it is sent.
    pub fn into_request(self) -> reqwest::Body {
        match self.len {
            ..=WHOLE => self.pieces.concat().into(),
            _ => {
                let chunks = Chunks::new(self.pieces).map(Ok::<_, std::convert::Infallible>);
                reqwest::Body::wrap_stream(stream::iter(chunks))
            }
        }
    }
}

/// A text that is written in pieces.
#[derive(Default)]
struct Writer {
    /// Goes before the next piece.
    small: Vec<u8>,
    pieces: Vec<Bytes>,
    len: usize,
}

impl Writer {
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

    fn finish(mut self) -> Text {
        self.cut();
        Text { len: self.len, pieces: self.pieces }
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
        (Body::new(fields, "messages", pieces), whole)
    }

    proptest! {
        #[test]
        fn a_body_is_sent_as_its_value_would_be(count in 0..20_usize, size in prop_oneof![0..50_usize, 7_000..9_000_usize, Just(60_000)]) {
            let (parts, whole) = body(count, size);
            let Text { len, pieces } = parts.into_text().expect("JSON");
            let chunks: Vec<Bytes> = Chunks::new(pieces.clone()).collect();
            let text = pieces.concat();
            prop_assert!(chunks.concat() == text && chunks.len() <= 2 * text.len() / Chunks::SIZE + 2);
            prop_assert_eq!(len, text.len());
            prop_assert_eq!(String::from_utf8(text).expect("text"), whole.to_string());
            prop_assert_eq!(body(count, size).0.into_value().expect("JSON"), whole);
        }
    }

    #[test]
    fn fields_are_added_and_taken_away_and_may_stand_for_the_messages() {
        let text = |body: Body| String::from_utf8(body.into_text().expect("JSON").pieces.concat()).expect("text");
        let (mut parts, _) = body(1, 1);
        assert_eq!((parts.remove("betas"), parts.remove("messages")), (Some(json!(["b"])), None));
        parts.extend(json!({"top_p": 1, "model": "other"}).as_object().expect("an object").clone());
        let expected = r#"{"model":"other","stream":true,"messages":[{"role":"user","content":"ä","n":0}],"top_p":1}"#;
        assert_eq!(text(parts), expected);
        let (mut parts, _) = body(2, 1);
        parts.extend(json!({"messages": "mine"}).as_object().expect("an object").clone());
        assert_eq!(text(parts), r#"{"model":"m","stream":true,"betas":["b"],"messages":"mine"}"#);
        let (parts, _) = body(1, 1);
        let turned = parts.rebuild(|fields| fields.into_iter().rev().filter(|(name, _)| name != "betas").collect());
        assert_eq!(text(turned), r#"{"messages":[{"role":"user","content":"ä","n":0}],"stream":true,"model":"m"}"#);
        assert_eq!(text(Body::from(json!("anything"))), "\"anything\"");
        assert_eq!(text(Body::new(JsonMap::new(), "input", Pieces::default())), r#"{"input":[]}"#);
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
        let value = Body::new(JsonMap::new(), "messages", pieces).into_value().expect("JSON");
        assert_eq!(value, json!({"messages": [{"n": 0}, {"n": 1, "seen": true}, {"n": 2}]}));
    }
}
