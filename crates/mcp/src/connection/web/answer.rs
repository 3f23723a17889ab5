//! The body of an answer: undone, read within limits, and described where it is none of the protocol.

use std::fmt;
use std::io::Cursor;

use futures_util::StreamExt;
use futures_util::stream::{BoxStream, unfold};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::{Sse, SseStream};
use tau_http::{Decoder, Unanswered};

use super::fault::Fault;
use crate::summary::one_line;

/// How much of foreign text is shown in a description, in characters.
const EXCERPT: usize = 100;
/// One odd character in so many is too many for a text.
const ODD_SHARE: usize = 10;

/// Why a body ends before its end.
#[derive(Debug)]
pub(super) enum BodyError {
    Broken(Unanswered),
    /// It is not in the encoding that its header names.
    Encoding,
    Large,
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(why) => f.write_str(&why.root),
            Self::Encoding => f.write_str("it is not compressed in the way that its header says"),
            Self::Large => write!(f, "a message is larger than {} MiB", super::super::MOST >> 20),
        }
    }
}

impl std::error::Error for BodyError {}

/// An answer whose body is not read yet.
pub(super) struct Answer {
    pub(super) status: u16,
    /// The type of its content without parameters, in lower case; empty when it has none.
    pub(super) kind: String,
    response: Response,
    decoder: Decoder,
}

impl Answer {
    pub(super) fn new(response: Response) -> Result<Self, Fault> {
        let status = response.status().as_u16();
        let kind = response.headers().get(CONTENT_TYPE).map(|kind| String::from_utf8_lossy(kind.as_bytes()));
        let kind = kind.as_deref().and_then(|kind| kind.split(';').next()).unwrap_or_default();
        let kind = kind.trim().to_ascii_lowercase();
        let decoder = Decoder::of(response.headers()).map_err(|unknown| Fault::Foreign {
            status,
            what: format!("{} in the encoding \"{}\"", named(&kind), one_line(&unknown.0, EXCERPT)),
        })?;
        Ok(Self { status, kind, response, decoder })
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, BodyError> {
        let piece = self.response.chunk().await.map_err(|error| BodyError::Broken(Unanswered::of(error)))?;
        let Some(piece) = piece else { return Ok(None) };
        self.decoder.decode(&piece).map(Some).map_err(|_| BodyError::Encoding)
    }

    /// All of the body.
    pub(super) async fn whole(&mut self, most: usize) -> Result<Vec<u8>, Fault> {
        let mut body = Vec::new();
        loop {
            match self.next().await {
                Ok(Some(piece)) if piece.len() > most - body.len() => return Err(Fault::Large),
                Ok(Some(piece)) => body.extend_from_slice(&piece),
                Ok(None) => return Ok(body),
                Err(BodyError::Broken(why)) => return Err(Fault::Unanswered(why, None)),
                Err(_) => {
                    let what = format!("{} that is not compressed in the way that its header says", named(&self.kind));
                    return Err(Fault::Foreign { status: self.status, what });
                }
            }
        }
    }

    /// The beginning of the body, as far as it comes.
    pub(super) async fn beginning(&mut self, most: usize) -> Vec<u8> {
        let mut body = Vec::new();
        while body.len() < most
            && let Ok(Some(piece)) = self.next().await
        {
            body.extend_from_slice(&piece);
        }
        body.truncate(most);
        body
    }

    /// The body as events, each within a limit.
    pub(super) fn events(self, most: usize) -> BoxStream<'static, Result<Sse, SseError>> {
        let pieces = unfold(Some((self, Growing::default())), move |state| async move {
            let (mut answer, mut growing) = state?;
            match answer.next().await {
                Ok(Some(piece)) if growing.takes(&piece, most) => {
                    Some((Ok(Cursor::new(piece)), Some((answer, growing))))
                }
                Ok(Some(_)) => Some((Err(BodyError::Large), None)),
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        });
        SseStream::from_bytes_stream(pieces.boxed()).boxed()
    }
}

/// How long the event is that is being read.
#[derive(Default)]
struct Growing {
    event: usize,
    line: usize,
    returned: bool,
}

impl Growing {
    /// `false` when an event is longer than `most`.
    fn takes(&mut self, piece: &[u8], most: usize) -> bool {
        for byte in piece {
            match byte {
                b'\n' if std::mem::take(&mut self.returned) => {}
                b'\n' | b'\r' => {
                    self.returned = *byte == b'\r';
                    // An empty line ends an event.
                    self.event = if self.line == 0 { 0 } else { self.event + 1 };
                    self.line = 0;
                }
                _ => {
                    self.returned = false;
                    self.line += 1;
                    self.event += 1;
                }
            }
            if self.event > most {
                return false;
            }
        }
        true
    }
}

fn named(kind: &str) -> String {
    if kind.is_empty() { "content of no type".to_owned() } else { one_line(kind, EXCERPT) }
}

/// Whether something can be shown as text. Old text has a few bytes that are not UTF-8; what is compressed has many.
fn is_text(body: &[u8], text: &str) -> bool {
    let is_odd = |c: &char| (c.is_control() && !c.is_whitespace()) || *c == char::REPLACEMENT_CHARACTER;
    !body.contains(&0) && text.chars().filter(is_odd).count() * ODD_SHARE <= text.chars().count()
}

/// What a body says, in a line: the title of a page, else how a text begins. A page without a title says nothing.
pub(super) fn excerpt(body: &[u8], most: usize) -> String {
    let text = String::from_utf8_lossy(body);
    if !is_text(body, &text) {
        return format!("{} bytes of binary data", body.len());
    }
    let lower = text.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|at| {
        let begin = at + lower[at..].find('>')? + 1;
        text.get(begin..begin + lower[begin..].find('<')?)
    });
    let rest = if lower.trim_start().starts_with('<') { "" } else { &text };
    one_line(title.unwrap_or(rest), most)
}

/// What an answer is that is no message.
pub(super) fn described(kind: &str, body: &[u8]) -> String {
    let kind = named(kind);
    match excerpt(body, EXCERPT) {
        _ if body.trim_ascii().is_empty() => format!("{kind} that is empty"),
        said if said.is_empty() => kind,
        said => format!("{kind} ({said})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_a_longest_length_whatever_ends_its_lines() {
        for end in ["\n", "\r\n", "\r"] {
            let mut growing = Growing::default();
            let event = format!("data: 12345{end}{end}");
            assert!((0..100).all(|_| growing.takes(event.as_bytes(), 20)), "{end:?}");
            let lines = format!("data: 12345{end}").repeat(3);
            assert!(!growing.takes(lines.as_bytes(), 20), "{end:?}");
        }
    }

    #[test]
    fn what_is_no_message_is_described() {
        let page = b"<html><head><Title>Sign in to the\nproxy</title></head>";
        assert_eq!(described("text/html", page), "text/html (Sign in to the proxy)");
        assert_eq!(described("text/html", b"<p>Hello</p>"), "text/html");
        assert_eq!(described("", b"hello\x1b[31m"), "content of no type (hello)");
        assert_eq!(described("application/json", b" "), "application/json that is empty");
        let packed = [0x1f, 0x8b, 8, 0, 0, 0xff, 0xfe];
        assert_eq!(described("application/json", &packed), "application/json (7 bytes of binary data)");
    }
}
