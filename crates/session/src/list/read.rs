//! Reading one file as far as a list needs it.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;
use tau_ai::{ContentBlock, MessageContent, json};

use super::SessionInfo;
use crate::json::RawFields;
use crate::private::open_regular;
use crate::{Header, clock};

/// How far into a file its header is searched for when only the header is wanted.
const HEADER_SCAN_BYTES: u64 = 1024 * 1024;

/// How much of the first message a list shows, in characters.
const FIRST_MESSAGE_CHARS: usize = 1000;

/// The lines of a file that are JSON objects, one at a time.
struct Objects<R> {
    reader: R,
    line: Vec<u8>,
}

impl<R: BufRead> Objects<R> {
    fn new(reader: R) -> Self {
        Self { reader, line: Vec::new() }
    }

    /// Calls `see` with the next line; `false` at the end.
    fn next(&mut self, see: impl FnOnce(&str)) -> io::Result<bool> {
        self.line.clear();
        if self.reader.read_until(b'\n', &mut self.line)? == 0 {
            return Ok(false);
        }
        see(String::from_utf8_lossy(&self.line).trim());
        Ok(true)
    }
}

/// The header, if the first line that is JSON is one.
pub(super) fn header(path: &Path) -> io::Result<Option<Header>> {
    let mut lines = Objects::new(BufReader::new(open_regular(path)?.take(HEADER_SCAN_BYTES)));
    let mut found = None;
    while found.is_none() && lines.next(|line| found = header_line(line))? {}
    Ok(found.flatten())
}

/// `None` for a line that is no JSON, `Some(None)` for one that is no header.
fn header_line(line: &str) -> Option<Option<Header>> {
    serde_json::from_str::<serde::de::IgnoredAny>(line).ok()?;
    Some(Header::parse(line).ok())
}

/// What is read of a message.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(default)]
    role: String,
    timestamp: Option<serde_json::Number>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

#[derive(Default)]
struct Found {
    name: Option<String>,
    message_count: usize,
    first_message: Option<String>,
    last_activity: Option<i64>,
}

/// Everything a list shows of a file; `None` when it is no session.
pub(super) fn info(path: &Path) -> io::Result<Option<SessionInfo>> {
    let file = open_regular(path)?;
    let written = file.metadata()?.modified().ok();
    let mut lines = Objects::new(BufReader::with_capacity(64 * 1024, file));
    let mut header = None;
    while header.is_none() && lines.next(|line| header = header_line(line))? {}
    let Some(header) = header.flatten() else { return Ok(None) };
    let mut found = Found::default();
    while lines.next(|line| found.line(line))? {}

    let created_ms = clock::parse(&header.timestamp);
    let modified_ms = found.last_activity.filter(|ms| *ms > 0).or(created_ms).or(written.map(clock::since_epoch));
    Ok(Some(SessionInfo {
        path: path.to_owned(),
        id: header.id,
        cwd: header.cwd,
        name: found.name,
        parent_session: header.parent_session,
        created_ms,
        modified_ms: modified_ms.unwrap_or_default(),
        message_count: found.message_count,
        first_message: found.first_message,
    }))
}

impl Found {
    fn line(&mut self, line: &str) {
        let Ok(fields) = RawFields::parse(line) else { return };
        match fields.str("type").as_deref() {
            Some("session_info") => {
                let name = fields.str("name").map(|name| name.trim().to_owned());
                self.name = name.filter(|name| !name.is_empty());
            }
            Some("message") => {
                let message = fields.get("message").and_then(|raw| serde_json::from_str::<Message<'_>>(raw).ok());
                // A prompt or a change of tools is no part of the conversation.
                let counts = message.as_ref().is_none_or(|message| message.role != "system");
                self.message_count += usize::from(counts);
                if let Some(message) = message.filter(|message| matches!(&*message.role, "user" | "assistant")) {
                    self.message(&message, || fields.str("timestamp").and_then(|time| clock::parse(&time)));
                }
            }
            _ => {}
        }
    }

    fn message(&mut self, message: &Message<'_>, entry_time: impl FnOnce() -> Option<i64>) {
        let Some(content) = message.content else { return };
        let time = message.timestamp.as_ref().and_then(|time| time.as_f64()).map(|ms| ms as i64);
        self.last_activity = self.last_activity.max(time.or_else(entry_time));
        if self.first_message.is_none() && message.role == "user" {
            let text = text(content.get()).filter(|text| !text.is_empty());
            self.first_message = text.map(|text| text.chars().take(FIRST_MESSAGE_CHARS).collect());
        }
    }
}

fn text(content: &str) -> Option<String> {
    match json::read(content).ok()? {
        MessageContent::Text(text) => Some(text),
        MessageContent::Blocks(blocks) => {
            Some(blocks.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join(" "))
        }
    }
}
