//! Reads a stream of `application/vnd.amazon.eventstream` frames, as AWS documents them.
//!
//! Each frame has headers, a payload and two checksums. It becomes an event whose data is an object with one field: the name
//! of the event, with the payload as its value. That is the form in which AWS's own libraries show events.

use std::collections::VecDeque;

use aws_smithy_eventstream::frame::{DecodedFrame, MessageFrameDecoder};
use aws_smithy_types::event_stream::Message;
use bytes::{Bytes, BytesMut};
use serde_json::{Value, json};

use super::sse::Event;

/// Most bytes of one frame. AWS allows 24 MB; whatever says more in its first bytes is no stream of frames.
const MAX_FRAME: usize = 25 << 20;
/// Bytes in which a frame says how long it is, with their checksum.
const PRELUDE: usize = 12;

/// The name of an event that says that the server failed without naming an exception of the interface.
pub(super) const ERROR: &str = ":error";

/// Why a stream of bytes is not a stream of frames.
#[derive(Debug, thiserror::Error)]
pub(super) enum FrameError {
    /// A checksum or a length is wrong.
    #[error("is no stream of events: frame {frame} is damaged: {reason}")]
    Damaged {
        /// Counted from one.
        frame: u64,
        reason: String,
    },
    /// The length that a frame begins with is longer than any honest one.
    #[error("is no stream of events: frame {frame} would be larger than {} MiB", MAX_FRAME >> 20)]
    TooLarge {
        /// Counted from one.
        frame: u64,
    },
    /// The stream ends in the middle of a frame.
    #[error("ended without a stop, in the middle of frame {frame}")]
    Cut {
        /// Counted from one.
        frame: u64,
    },
}

/// Turns bytes into events.
#[derive(Debug, Default)]
pub(super) struct Reader {
    decoder: MessageFrameDecoder,
    /// What has arrived of the frame that is not complete.
    rest: BytesMut,
    /// The prelude of that frame has been seen to be sound.
    is_measured: bool,
    /// Frames that were complete.
    frames: u64,
    ready: VecDeque<Event>,
}

impl Reader {
    /// The next event of what has arrived.
    pub(super) fn next(&mut self) -> Option<Event> {
        self.ready.pop_front()
    }

    /// Whether there is an event that nobody has taken.
    pub(super) fn has_events(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Takes in the next bytes.
    ///
    /// # Errors
    /// When they cannot be part of a stream of frames. Events that were complete before them are still there.
    pub(super) fn push(&mut self, bytes: &Bytes) -> Result<(), FrameError> {
        self.rest.extend_from_slice(bytes);
        loop {
            self.measure()?;
            let frame = self.frames + 1;
            let damaged =
                |error: aws_smithy_eventstream::error::Error| FrameError::Damaged { frame, reason: error.to_string() };
            match self.decoder.decode_frame(&mut self.rest).map_err(damaged)? {
                DecodedFrame::Incomplete => return Ok(()),
                DecodedFrame::Complete(message) => {
                    self.frames = frame;
                    self.is_measured = false;
                    self.ready.extend(event(&message, frame)?);
                }
            }
        }
    }

    /// The stream is over.
    ///
    /// # Errors
    /// When it ends in the middle of a frame.
    pub(super) fn finish(&mut self) -> Result<(), FrameError> {
        // The decoder takes the first bytes of a frame away as soon as they are all there.
        if self.is_measured || !self.rest.is_empty() {
            return Err(FrameError::Cut { frame: self.frames + 1 });
        }
        Ok(())
    }

    /// Looks at the length of the next frame before anything waits for that many bytes.
    fn measure(&mut self) -> Result<(), FrameError> {
        if self.is_measured {
            return Ok(());
        }
        let Some((prelude, _)) = self.rest.split_at_checked(PRELUDE) else { return Ok(()) };
        let number = |at: usize| prelude[at..at + 4].iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
        let frame = self.frames + 1;
        if crc32(&prelude[..8]) != number(8) {
            let reason = "the checksum of its length is wrong".to_owned();
            return Err(FrameError::Damaged { frame, reason });
        }
        if usize::try_from(number(0)).is_ok_and(|length| length > MAX_FRAME) {
            return Err(FrameError::TooLarge { frame });
        }
        self.is_measured = true;
        Ok(())
    }
}

/// The checksum of AWS's frames. Only preludes are checked by it, so a table would not pay.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
    })
}

/// What a frame says; nothing if it is of a kind that the interface does not define.
fn event(message: &Message, frame: u64) -> Result<Option<Event>, FrameError> {
    let header = |wanted: &str| {
        let header = message.headers().iter().find(|header| header.name().as_str() == wanted)?;
        header.value().as_string().ok().map(|text| text.as_str())
    };
    let (name, data) = match header(":message-type") {
        Some("error") => {
            let code = header(":error-code").unwrap_or_default();
            let message = header(":error-message").unwrap_or_default();
            return Ok(Some(Event {
                event: ERROR.to_owned(),
                data: json!({"code": code, "message": message}).to_string(),
            }));
        }
        Some("exception") => (header(":exception-type"), message.payload()),
        // Other kinds may come, but an event is what a frame is unless it says something else.
        _ => (header(":event-type"), message.payload()),
    };
    let Some(name) = name else { return Ok(None) };
    let not_text = |_| FrameError::Damaged { frame, reason: "its payload is not valid UTF-8".to_owned() };
    let payload = std::str::from_utf8(data).map_err(not_text)?;
    let payload = if payload.trim().is_empty() { "{}" } else { payload };
    Ok(Some(Event { event: name.to_owned(), data: format!("{{{}:{payload}}}", Value::from(name)) }))
}

#[cfg(test)]
mod tests {
    use aws_smithy_eventstream::frame::write_message_to;
    use aws_smithy_types::event_stream::{Header, HeaderValue};
    use proptest::prelude::*;

    use super::*;

    fn frame(headers: &[(&'static str, &str)], payload: &str) -> Vec<u8> {
        let mut message = Message::new(payload.as_bytes().to_vec());
        for (name, value) in headers {
            message = message.add_header(Header::new(*name, HeaderValue::String((*value).to_owned().into())));
        }
        let mut bytes = Vec::new();
        write_message_to(&message, &mut bytes).expect("a frame");
        bytes
    }

    fn read(pieces: &[&[u8]]) -> Result<Vec<(String, String)>, String> {
        let mut reader = Reader::default();
        for piece in pieces {
            reader.push(&Bytes::copy_from_slice(piece)).map_err(|error| error.to_string())?;
        }
        reader.finish().map_err(|error| error.to_string())?;
        Ok(std::iter::from_fn(|| reader.next()).map(|event| (event.event, event.data)).collect())
    }

    fn some() -> Vec<u8> {
        [
            frame(&[(":message-type", "event"), (":event-type", "messageStart")], r#"{"role":"assistant"}"#),
            frame(&[(":message-type", "exception"), (":exception-type", "throttlingException")], ""),
            frame(&[(":message-type", "error"), (":error-code", "Oops"), (":error-message", "Bad \"luck\"")], ""),
            frame(&[(":message-type", "news")], "no JSON"),
        ]
        .concat()
    }

    #[test]
    fn frames_become_events_with_their_names() {
        let event = |name: &str, data: &str| (name.to_owned(), data.to_owned());
        let expected = [
            event("messageStart", r#"{"messageStart":{"role":"assistant"}}"#),
            event("throttlingException", r#"{"throttlingException":{}}"#),
            event(":error", r#"{"code":"Oops","message":"Bad \"luck\""}"#),
        ];
        assert_eq!(read(&[&some()]).expect("events"), expected);
        assert_eq!(read(&[]).expect("no events"), []);
    }

    #[test]
    fn damage_is_an_error_with_its_place() {
        let whole = some();
        let first =
            frame(&[(":message-type", "event"), (":event-type", "messageStart")], r#"{"role":"assistant"}"#).len();
        let broken = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            read(&[&bytes]).expect_err("damage")
        };
        assert_eq!(broken(0), "is no stream of events: frame 1 is damaged: the checksum of its length is wrong");
        assert!(
            broken(30).starts_with("is no stream of events: frame 1 is damaged: message checksum"),
            "{}",
            broken(30)
        );
        assert_eq!(
            broken(first + 9),
            "is no stream of events: frame 2 is damaged: the checksum of its length is wrong"
        );
        assert_eq!(read(&[&whole[..first + 20]]).expect_err("cut"), "ended without a stop, in the middle of frame 2");
        assert_eq!(read(&[&whole[..5]]).expect_err("cut"), "ended without a stop, in the middle of frame 1");
        assert_eq!(
            read(&[b"<html><body>"]).expect_err("text"),
            "is no stream of events: frame 1 is damaged: the checksum of its length is wrong"
        );
        let mut huge = (1_u32 << 30).to_be_bytes().to_vec();
        huge.extend([0; 4]);
        huge.extend(crc32(&huge).to_be_bytes());
        assert_eq!(read(&[&huge]).expect_err("length"), "is no stream of events: frame 1 would be larger than 25 MiB");
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_changes_nothing(cuts in proptest::collection::vec(0_usize..400, 0..12)) {
            let bytes = some();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&pieces), read(&[&bytes]));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&[&bytes]);
        }
    }
}
