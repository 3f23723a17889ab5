//! What the server answers.

use std::time::Duration;

use serde_json::Value;

/// One answer. Built from a constructor and refined by the methods.
///
/// ```
/// use tau_testkit::loopback::Reply;
/// use serde_json::json;
///
/// let reply = Reply::text("I will look.").tool_call("call_1", "read", json!({"path": "a.txt"})).split_deltas(3);
/// # let _ = reply;
/// ```
#[derive(Debug, Clone, Default)]
pub struct Reply {
    /// The content, in order.
    pub parts: Vec<Part>,
    /// How it ends.
    pub end: End,
    /// Token counts.
    pub usage: ReplyUsage,
    /// The reason in the words of the wire format; derived from the content when absent.
    pub stop: Option<String>,
    /// Most characters of one delta.
    pub delta_chars: Option<usize>,
    /// Most bytes of one piece of the body, wherever that cuts.
    pub piece_bytes: Option<usize>,
    /// Pause before each piece of the body.
    pub delay: Duration,
    /// Pause before the status line.
    pub head_delay: Duration,
    /// Headers of the answer.
    pub headers: Vec<(String, String)>,
    /// Status and body of a refusal.
    pub(super) refusal: Option<(u16, Vec<u8>)>,
    pub(super) verbatim: Option<(String, Vec<u8>)>,
    pub(super) never_answers: bool,
    /// The body as it stands, in place of what the parts come to.
    pub(super) pieces: Option<Vec<Vec<u8>>>,
    /// The body begins with a byte order mark.
    pub byte_order_mark: bool,
}

/// A piece of content.
#[derive(Debug, Clone)]
pub enum Part {
    /// Text.
    Text(String),
    /// Reasoning, with the signature of formats that have one.
    Thinking {
        /// The text.
        text: String,
        /// The signature.
        signature: Option<String>,
    },
    /// Encrypted reasoning; only `anthropic-messages` has it.
    RedactedThinking(String),
    /// A tool call whose arguments are sent as this text.
    ToolCall {
        /// Id.
        id: String,
        /// Tool.
        name: String,
        /// JSON text, or what a confused model makes of it.
        arguments: String,
    },
    /// A line sequence of the event stream as it stands, without its closing blank line.
    Raw(String),
}

/// How a reply ends.
#[derive(Debug, Clone, Default)]
pub enum End {
    /// As the format demands.
    #[default]
    Finish,
    /// With an error event.
    Error {
        /// The provider's kind of error, for example `overloaded_error`.
        kind: String,
        /// Its words.
        message: String,
    },
    /// The body ends properly, but the answer is not complete.
    Truncate,
    /// The connection breaks.
    Cut,
    /// Nothing more comes, and the connection stays open.
    Hang,
}

/// Token counts, in the terms of [`tau_ai::Usage`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyUsage {
    /// Prompt tokens outside the cache.
    pub input: u64,
    /// Generated tokens.
    pub output: u64,
    /// Prompt tokens from the cache.
    pub cache_read: u64,
    /// Prompt tokens put into the cache.
    pub cache_write: u64,
    /// Generated tokens that were reasoning.
    pub reasoning: u64,
}

impl Default for ReplyUsage {
    fn default() -> Self {
        Self { input: 10, output: 5, cache_read: 0, cache_write: 0, reasoning: 0 }
    }
}

impl Reply {
    /// An empty answer, to be filled.
    pub fn new() -> Self {
        Self::default()
    }

    /// An answer of some text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new().then_text(text)
    }

    /// A refusal: an HTTP status with a body.
    pub fn http_error(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { refusal: Some((status, body.into())), ..Self::default() }
    }

    /// An accepted answer whose body is these bytes, sent in these pieces. It ends properly, unless [`Reply::cut`] or
    /// [`Reply::hang`] say otherwise.
    pub fn bytes<B: Into<Vec<u8>>>(pieces: impl IntoIterator<Item = B>) -> Self {
        Self { pieces: Some(pieces.into_iter().map(Into::into).collect()), ..Self::default() }
    }

    /// An answer whose body is there already, with its `content-type`.
    pub fn verbatim(kind: impl Into<String>, body: impl Into<Vec<u8>>) -> Self {
        Self { verbatim: Some((kind.into(), body.into())), ..Self::default() }
    }

    /// No answer at all: the request is read, then nothing happens.
    pub fn silence() -> Self {
        Self { never_answers: true, ..Self::default() }
    }

    fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// Adds text.
    pub fn then_text(self, text: impl Into<String>) -> Self {
        self.part(Part::Text(text.into()))
    }

    /// Adds reasoning.
    pub fn thinking(self, text: impl Into<String>, signature: Option<&str>) -> Self {
        self.part(Part::Thinking { text: text.into(), signature: signature.map(str::to_owned) })
    }

    /// Adds encrypted reasoning.
    pub fn redacted_thinking(self, data: impl Into<String>) -> Self {
        self.part(Part::RedactedThinking(data.into()))
    }

    /// Adds a tool call.
    pub fn tool_call(self, id: impl Into<String>, name: impl Into<String>, arguments: Value) -> Self {
        self.raw_tool_call(id, name, arguments.to_string())
    }

    /// Adds a tool call with any text as its arguments.
    pub fn raw_tool_call(self, id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.part(Part::ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() })
    }

    /// Adds lines of the event stream as they stand, for example `data: nonsense`.
    pub fn raw(self, lines: impl Into<String>) -> Self {
        self.part(Part::Raw(lines.into()))
    }

    /// Sets the token counts.
    pub fn usage(mut self, usage: ReplyUsage) -> Self {
        self.usage = usage;
        self
    }

    /// Sets the stop reason in the words of the wire format.
    pub fn stop(mut self, reason: impl Into<String>) -> Self {
        self.stop = Some(reason.into());
        self
    }

    /// Cuts text, reasoning and arguments into deltas of at most `chars` characters.
    pub fn split_deltas(mut self, chars: usize) -> Self {
        self.delta_chars = Some(chars.max(1));
        self
    }

    /// Sends the body in pieces of at most `bytes` bytes, wherever that cuts lines and characters.
    pub fn split_bytes(mut self, bytes: usize) -> Self {
        self.piece_bytes = Some(bytes.max(1));
        self
    }

    /// Begins the body with a byte order mark.
    pub fn byte_order_mark(mut self) -> Self {
        self.byte_order_mark = true;
        self
    }

    /// Waits before each piece of the body.
    pub fn delay(mut self, pause: Duration) -> Self {
        self.delay = pause;
        self
    }

    /// Waits before the answer begins.
    pub fn head_delay(mut self, pause: Duration) -> Self {
        self.head_delay = pause;
        self
    }

    /// Adds a header to the answer.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Ends with an error event.
    pub fn error_event(mut self, kind: impl Into<String>, message: impl Into<String>) -> Self {
        self.end = End::Error { kind: kind.into(), message: message.into() };
        self
    }

    /// Ends the body before the answer is complete.
    pub fn truncate(mut self) -> Self {
        self.end = End::Truncate;
        self
    }

    /// Breaks the connection after the content.
    pub fn cut(mut self) -> Self {
        self.end = End::Cut;
        self
    }

    /// Never ends: after the content the connection stays open.
    pub fn hang(mut self) -> Self {
        self.end = End::Hang;
        self
    }

    /// Text in pieces of the wanted size; an empty text is one empty piece.
    pub(super) fn deltas<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let Some(size) = self.delta_chars else { return vec![text] };
        let mut pieces = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.char_indices().nth(size).map_or(rest.len(), |(at, _)| at);
            let (piece, left) = rest.split_at(end);
            pieces.push(piece);
            rest = left;
        }
        pieces
    }

    pub(super) fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::ToolCall { .. }))
    }
}
