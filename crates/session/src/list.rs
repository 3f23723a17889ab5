//! What sessions there are, read without building trees.

use std::cmp::Reverse;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::value::RawValue;
use tau_ai::{ContentBlock, MessageContent};

use crate::json::{RawFields, mending};
use crate::location::{dir_name, millis};
use crate::{Header, SessionError};

/// How far into a file its header is searched for when only the header is wanted.
const HEADER_SCAN_BYTES: u64 = 1024 * 1024;

/// One session of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionInfo {
    /// The file.
    pub path: PathBuf,
    /// The session's id.
    pub id: String,
    /// The working directory; empty when the file does not say.
    pub cwd: String,
    /// The name, if it has one.
    pub name: Option<String>,
    /// The file it was forked from.
    pub parent_session: Option<String>,
    /// When it was created, in milliseconds since the epoch, if the file says so.
    pub created_ms: Option<i64>,
    /// When user or model last said something, else when it was created, else when the file was written; in
    /// milliseconds since the epoch.
    pub modified_ms: i64,
    /// How many messages it has, on all branches.
    pub message_count: usize,
    /// The text of the first user message that has one.
    pub first_message: Option<String>,
}

/// The sessions in a folder, the one with the latest activity first. A folder that does not exist has none;
/// files that are no sessions are passed over.
pub fn list_sessions(dir: &Path) -> Result<Vec<SessionInfo>, SessionError> {
    let mut sessions: Vec<_> = session_files(dir)?.iter().filter_map(|path| info(path).ok().flatten()).collect();
    sessions.sort_by(|a, b| (b.modified_ms, &b.path).cmp(&(a.modified_ms, &a.path)));
    Ok(sessions)
}

/// The session file in `dir` that was written last and has a valid header. Unless `dir` is the default folder
/// of `cwd`, other sessions may share it, so only those of `cwd` count.
pub fn most_recent(dir: &Path, cwd: &Path) -> Option<PathBuf> {
    let own_folder = dir.file_name().is_some_and(|name| *name == *dir_name(cwd));
    let written = |path: &PathBuf| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let mut files = session_files(dir).ok()?;
    files.sort_by_cached_key(|path| Reverse((written(path), path.clone())));
    files.into_iter().find(|path| {
        let header = header(path).ok().flatten();
        header.is_some_and(|header| own_folder || Path::new(&header.cwd) == cwd)
    })
}

fn session_files(dir: &Path) -> Result<Vec<PathBuf>, SessionError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(SessionError::io("list", dir)(error)),
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(paths.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect())
}

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
fn header(path: &Path) -> io::Result<Option<Header>> {
    let mut lines = Objects::new(BufReader::new(File::open(path)?.take(HEADER_SCAN_BYTES)));
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

fn info(path: &Path) -> io::Result<Option<SessionInfo>> {
    let file = File::open(path)?;
    let written = file.metadata()?.modified().ok();
    let mut lines = Objects::new(BufReader::with_capacity(64 * 1024, file));
    let mut header = None;
    while header.is_none() && lines.next(|line| header = header_line(line))? {}
    let Some(header) = header.flatten() else { return Ok(None) };
    let mut found = Found::default();
    while lines.next(|line| found.line(line))? {}

    let created_ms = millis(&header.timestamp);
    let modified_ms = found.last_activity.filter(|ms| *ms > 0).or(created_ms).or(written.and_then(since_epoch));
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

fn since_epoch(time: SystemTime) -> Option<i64> {
    i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
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
                self.message_count += 1;
                let message = fields.get("message").and_then(|raw| serde_json::from_str::<Message<'_>>(raw).ok());
                if let Some(message) = message.filter(|message| matches!(&*message.role, "user" | "assistant")) {
                    self.message(&message, || fields.str("timestamp").and_then(|time| millis(&time)));
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
            self.first_message = text(content.get()).filter(|text| !text.is_empty());
        }
    }
}

fn text(content: &str) -> Option<String> {
    match mending(content, |text| serde_json::from_str(text)).ok()? {
        MessageContent::Text(text) => Some(text),
        MessageContent::Blocks(blocks) => {
            Some(blocks.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join(" "))
        }
    }
}
