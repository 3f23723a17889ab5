//! Reads a body that is one JSON document.

use bytes::Bytes;

use super::sse::Event;

/// Most bytes of a document. Pictures are large; what sends more than this is no answer of a model.
const MAX_DOCUMENT: usize = 256 << 20;

/// What is wrong with such a body, as the rest of a sentence that begins with whose it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum DocumentError {
    /// It is longer than any honest one.
    #[error("is larger than {} MiB", MAX_DOCUMENT >> 20)]
    TooLarge,
    /// It is not text.
    #[error("is not valid UTF-8")]
    NotText,
}

/// Collects the bytes; the whole is one event at the end.
#[derive(Debug, Default)]
pub(super) struct Reader {
    bytes: Vec<u8>,
    whole: Option<Event>,
}

impl Reader {
    pub fn next(&mut self) -> Option<Event> {
        self.whole.take()
    }

    pub fn has_events(&self) -> bool {
        self.whole.is_some()
    }

    pub fn push(&mut self, bytes: &Bytes) -> Result<(), DocumentError> {
        if self.bytes.len().saturating_add(bytes.len()) > MAX_DOCUMENT {
            return Err(DocumentError::TooLarge);
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    pub fn finish(&mut self) -> Result<(), DocumentError> {
        let data = String::from_utf8(std::mem::take(&mut self.bytes)).map_err(|_| DocumentError::NotText)?;
        self.whole = Some(Event { event: "message".to_owned(), data });
        Ok(())
    }
}
