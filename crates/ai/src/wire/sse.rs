//! Reads a stream of server-sent events, as the HTML standard defines them.
//!
//! Bytes go in as they arrive, events come out. Every byte is looked at once, wherever the pieces are cut: what a line
//! or an event costs grows with its length and no faster.

use std::collections::VecDeque;

use bytes::Bytes;

/// Most bytes of one event. An answer is made of thousands of small ones; whatever sends more is not a model.
const MAX_EVENT: usize = 64 << 20;

/// The mark that may stand at the very beginning of a stream and means nothing.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    /// Its type; `message` when the stream names none.
    pub event: String,
    /// Its data, lines joined by `\n`.
    pub data: String,
}

/// Why a stream of bytes is not a stream of events.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum SseError {
    /// A line is not text.
    #[error("line {line} is not valid UTF-8")]
    NotText {
        /// Counted from one.
        line: u64,
    },
    /// An event is longer than any honest one.
    #[error("the event that ends at or after line {line} is larger than {} MiB", MAX_EVENT >> 20)]
    TooLarge {
        /// Counted from one.
        line: u64,
    },
}

/// Turns bytes into events.
#[derive(Debug)]
pub(super) struct Reader {
    /// The line that has not ended.
    line: Vec<u8>,
    /// Lines that have ended.
    lines: u64,
    /// The last byte was a carriage return, so that a line feed right behind it ends no other line.
    after_return: bool,
    event: String,
    data: String,
    has_data: bool,
    ready: VecDeque<Event>,
    limit: usize,
}

impl Default for Reader {
    fn default() -> Self {
        Self::with_limit(MAX_EVENT)
    }
}

impl Reader {
    fn with_limit(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            lines: 0,
            after_return: false,
            event: String::new(),
            data: String::new(),
            has_data: false,
            ready: VecDeque::new(),
            limit,
        }
    }

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
    /// When they cannot be part of an event stream. Events that were complete before them are still there.
    pub(super) fn push(&mut self, bytes: &Bytes) -> Result<(), SseError> {
        let mut rest = &bytes[..];
        if rest.is_empty() {
            return Ok(());
        }
        if std::mem::take(&mut self.after_return) {
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', rest) {
            self.check_length(end)?;
            if self.line.is_empty() {
                self.take_line(&rest[..end])?;
            } else {
                self.line.extend_from_slice(&rest[..end]);
                self.end_line()?;
            }
            let returned = rest[end] == b'\r';
            rest = &rest[end + 1..];
            if returned {
                match rest.strip_prefix(b"\n") {
                    Some(behind) => rest = behind,
                    None => self.after_return = rest.is_empty(),
                }
            }
        }
        self.grow(rest)
    }

    /// The stream is over. Servers forget the blank line behind their last event, or even the end of its last line.
    ///
    /// # Errors
    /// As [`Reader::push`].
    pub(super) fn finish(&mut self) -> Result<(), SseError> {
        if !self.line.is_empty() {
            self.end_line()?;
        }
        self.dispatch();
        Ok(())
    }

    fn grow(&mut self, part: &[u8]) -> Result<(), SseError> {
        self.check_length(part.len())?;
        self.line.extend_from_slice(part);
        Ok(())
    }

    /// Whether the event may have so many bytes more.
    fn check_length(&self, more: usize) -> Result<(), SseError> {
        if self.line.len() + self.data.len() + more > self.limit {
            return Err(SseError::TooLarge { line: self.lines + 1 });
        }
        Ok(())
    }

    /// The line that was collected has ended.
    fn end_line(&mut self) -> Result<(), SseError> {
        let mut line = std::mem::take(&mut self.line);
        self.take_line(&line)?;
        // The room is used again.
        line.clear();
        self.line = line;
        Ok(())
    }

    /// Takes in a whole line.
    fn take_line(&mut self, line: &[u8]) -> Result<(), SseError> {
        self.lines += 1;
        let bytes = match self.lines {
            1 => line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line),
            _ => line,
        };
        let text = std::str::from_utf8(bytes).map_err(|_| SseError::NotText { line: self.lines })?;
        if text.is_empty() {
            self.dispatch();
        } else {
            let (name, value) = text.split_once(':').unwrap_or((text, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            // A line with nothing before the colon is a comment; `id` and `retry` are about reconnecting.
            match name {
                "event" => value.clone_into(&mut self.event),
                "data" => {
                    if self.has_data {
                        self.data.push('\n');
                    }
                    self.has_data = true;
                    self.data.push_str(value);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A blank line: what was collected is an event, if there is any data.
    fn dispatch(&mut self) {
        let event = std::mem::take(&mut self.event);
        if std::mem::take(&mut self.has_data) {
            let event = if event.is_empty() { "message".to_owned() } else { event };
            self.ready.push_back(Event { event, data: std::mem::take(&mut self.data) });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(pieces: &[&[u8]]) -> Result<Vec<(String, String)>, SseError> {
        let mut reader = Reader::default();
        let mut events = Vec::new();
        for piece in pieces {
            reader.push(&Bytes::copy_from_slice(piece))?;
            events.extend(std::iter::from_fn(|| reader.next()));
        }
        reader.finish()?;
        events.extend(std::iter::from_fn(|| reader.next()));
        Ok(events.into_iter().map(|event| (event.event, event.data)).collect())
    }

    fn event(name: &str, data: &str) -> (String, String) {
        (name.to_owned(), data.to_owned())
    }

    #[test]
    fn fields_comments_and_line_ends_are_those_of_the_standard() {
        let text = ": hello\nevent: ping\ndata: one\ndata:two\ndata:  three\r\n\r\nid: 7\nretry: 5\ndata\n\n\
                    event: nothing\n\ndata: last\rdata: line\r\rdatas: no\n\n";
        let expected = [event("ping", "one\ntwo\n three"), event("message", ""), event("message", "last\nline")];
        assert_eq!(read(&[text.as_bytes()]).expect("events"), expected);
    }

    #[test]
    fn a_byte_order_mark_at_the_beginning_means_nothing() {
        let text = "\u{feff}data: a\n\n\u{feff}data: b\n\n";
        assert_eq!(read(&[text.as_bytes()]).expect("events"), [event("message", "a")]);
        assert_eq!(read(&["\u{feff}".as_bytes()]).expect("no events"), []);
        let cut: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(read(&cut).expect("events"), [event("message", "a")]);
    }

    #[test]
    fn an_event_may_end_with_the_stream() {
        assert_eq!(read(&[b"data: a"]).expect("events"), [event("message", "a")]);
        assert_eq!(read(&[b"data: a\r"]).expect("events"), [event("message", "a")]);
        assert_eq!(read(&[b"data: a\n\n"]).expect("events"), [event("message", "a")]);
    }

    #[test]
    fn what_is_no_text_is_an_error_with_its_line() {
        assert_eq!(read(&[b"data: a\n\ndata: \xff\n\n"]), Err(SseError::NotText { line: 3 }));
    }

    #[test]
    fn an_event_that_never_ends_is_an_error() {
        let mut reader = Reader::with_limit(100);
        let error = loop {
            if let Err(error) = reader.push(&Bytes::from_static(b"data: 12345678\n")) {
                break error;
            }
        };
        assert_eq!(error, SseError::TooLarge { line: 11 });
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_changes_nothing(
            lines in proptest::collection::vec("(data|event|id|)(: ?)[a-zä🙈:]{0,6}|", 0..12),
            ends in proptest::collection::vec(prop_oneof![Just("\n"), Just("\r"), Just("\r\n")], 12),
            cuts in proptest::collection::vec(0_usize..120, 0..10),
        ) {
            let text: String = lines.iter().zip(&ends).flat_map(|(line, end)| [line.as_str(), *end]).collect();
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&pieces), read(&[bytes]));
        }
    }
}
