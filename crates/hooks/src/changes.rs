//! What a handler's result changed, for the trace.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// What one result changed in the payload that later handlers, or the pipeline, go on with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Changes {
    /// Names of the fields that differ now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Cow<'static, str>>,
    /// Session entries whose message differs or is gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entry_ids: Vec<String>,
    /// How many bytes the changed parts grew (negative: shrank).
    pub byte_delta: i64,
    /// For lists and texts that a provider caches: how much of the front stayed as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchanged_prefix: Option<Prefix>,
}

/// The longest front part that a change left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prefix {
    /// Messages in a message list, bytes in a text.
    pub length: usize,
    /// Hash of that part; equal parts have equal hashes within a process.
    pub hash: u64,
}

impl Changes {
    /// Nothing changed.
    pub fn none() -> Self {
        Self::default()
    }

    /// Whether anything changed.
    pub fn any(&self) -> bool {
        !self.fields.is_empty()
    }

    /// Notes a change of a field and by how many bytes it grew.
    pub fn field(&mut self, name: &'static str, before: usize, after: usize) {
        self.fields.push(name.into());
        self.byte_delta += after as i64 - before as i64;
    }

    /// Notes a change of a text field, with the front part that stayed.
    pub fn text(&mut self, name: &'static str, before: &str, after: &str) {
        if before == after {
            return;
        }
        self.field(name, before.len(), after.len());
        let length = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
        self.unchanged_prefix = Some(Prefix { length, hash: xxhash_rust::xxh3::xxh3_64(&before.as_bytes()[..length]) });
    }

    /// Notes a change of a JSON value.
    pub fn json(&mut self, name: &'static str, before: &serde_json::Value, after: &serde_json::Value) {
        if before != after {
            self.text(name, &before.to_string(), &after.to_string());
        }
    }

    /// Notes a change of anything that can be compared and serialised.
    pub fn value<T: Serialize + PartialEq>(&mut self, name: &'static str, before: &T, after: &T) {
        if before != after {
            self.field(name, json_len(before), json_len(after));
        }
    }
}

/// Size of a value as JSON text, in bytes.
pub fn json_len(value: &impl Serialize) -> usize {
    struct Counter(usize);
    impl std::io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // A value that cannot be serialised has no size; counting is for the trace only.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}
