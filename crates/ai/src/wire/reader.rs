//! Cuts the body of an answer into events, by the framing of its format.

use bytes::Bytes;

use super::document;
#[cfg(feature = "bedrock")]
use super::frames;
use super::sse::{self, Event};

/// How a body is cut into events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events.
    Sse,
    /// None: all of it is one JSON document, which becomes one event.
    Document,
    /// Frames with checksums: `application/vnd.amazon.eventstream`.
    #[cfg(feature = "bedrock")]
    AmazonEventStream,
}

/// Turns bytes into events.
pub(super) enum Reader {
    Sse(sse::Reader),
    Document(document::Reader),
    #[cfg(feature = "bedrock")]
    Frames(frames::Reader),
}

/// What is wrong with a body, as the rest of a sentence that begins with whose it is.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error("is no event stream: {0}")]
    Sse(#[from] sse::SseError),
    #[error("{0}")]
    Document(#[from] document::DocumentError),
    #[cfg(feature = "bedrock")]
    #[error("{0}")]
    Frames(#[from] frames::FrameError),
}

impl Reader {
    pub fn new(framing: Framing) -> Self {
        match framing {
            Framing::Sse => Self::Sse(sse::Reader::default()),
            Framing::Document => Self::Document(document::Reader::default()),
            #[cfg(feature = "bedrock")]
            Framing::AmazonEventStream => Self::Frames(frames::Reader::default()),
        }
    }

    /// Whether a body that is only text can be one of these without an event.
    pub fn is_text(&self) -> bool {
        matches!(self, Self::Sse(_))
    }

    /// The next event of what has arrived.
    pub fn next(&mut self) -> Option<Event> {
        match self {
            Self::Sse(reader) => reader.next(),
            Self::Document(reader) => reader.next(),
            #[cfg(feature = "bedrock")]
            Self::Frames(reader) => reader.next(),
        }
    }

    /// Whether there is an event that nobody has taken.
    pub fn has_events(&self) -> bool {
        match self {
            Self::Sse(reader) => reader.has_events(),
            Self::Document(reader) => reader.has_events(),
            #[cfg(feature = "bedrock")]
            Self::Frames(reader) => reader.has_events(),
        }
    }

    /// Takes in the next bytes.
    ///
    /// # Errors
    /// When they cannot be part of such a body. Events that were complete before them are still there.
    pub fn push(&mut self, bytes: &Bytes) -> Result<(), ReadError> {
        match self {
            Self::Sse(reader) => Ok(reader.push(bytes)?),
            Self::Document(reader) => Ok(reader.push(bytes)?),
            #[cfg(feature = "bedrock")]
            Self::Frames(reader) => Ok(reader.push(bytes)?),
        }
    }

    /// The body is over.
    ///
    /// # Errors
    /// When it cannot end here.
    pub fn finish(&mut self) -> Result<(), ReadError> {
        match self {
            Self::Sse(reader) => Ok(reader.finish()?),
            Self::Document(reader) => Ok(reader.finish()?),
            #[cfg(feature = "bedrock")]
            Self::Frames(reader) => Ok(reader.finish()?),
        }
    }
}
