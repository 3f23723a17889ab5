//! One entry of the tree.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use tau_ai::json::replace_lone_surrogates;
use tau_ai::{JsonMap, Message, json};

use crate::body::Base;
use crate::json::{ObjectWriter, RawFields};
use crate::line::Envelope;
use crate::lines::Line;
use crate::marks::Marks;
use crate::store::Store;
use crate::{EntryBody, EntryId, EntryKind, MessageEntry, MessageRole, Paid, Problem, ProblemReason};

/// One entry of a session. It never changes. An entry that came from a file keeps its place there; its body is read when it
/// is asked for.
pub struct Entry {
    id: EntryId,
    parent_id: Option<EntryId>,
    timestamp: Box<str>,
    kind: EntryKind,
    marks: Marks,
    source: Source,
    /// The last time the body was read, it had no problem: a check for problems does not read it again.
    is_fine: AtomicBool,
    /// But for entries that stay on the disk.
    body: OnceLock<Arc<Read>>,
}

/// What an entry says. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Body(Arc<Read>);

impl Deref for Body {
    type Target = EntryBody;

    fn deref(&self) -> &EntryBody {
        &self.0.body
    }
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl PartialEq<EntryBody> for Body {
    fn eq(&self, other: &EntryBody) -> bool {
        **self == *other
    }
}

/// A body, and what is wrong with it.
#[derive(Debug)]
pub(crate) struct Read {
    body: EntryBody,
    trouble: Option<ProblemReason>,
}

/// Where the line of an entry is.
pub(crate) enum Source {
    /// In the file as it was opened.
    Stored(Stored),
    /// A line of its own, with the number and the first byte of the line of a file that it stands for.
    Line { text: Box<str>, place: Option<(usize, usize)> },
    /// Nowhere: the body is known and the line can be written from it.
    Body,
}

/// A line of a file.
pub(crate) struct Stored {
    store: Arc<Store>,
    start: usize,
    len: usize,
    number: usize,
    /// The body, as long as it is in memory, of a line that is on the disk.
    read: Mutex<Weak<Read>>,
}

impl Source {
    /// A line that is UTF-8.
    pub(crate) fn stored(store: &Arc<Store>, line: &Line<'_>) -> Self {
        let (start, len, number) = (line.start, line.original.len(), line.number);
        Self::Stored(Stored { store: Arc::clone(store), start, len, number, read: Mutex::default() })
    }
}

impl Entry {
    /// An entry that was read.
    pub(crate) fn read(
        id: EntryId,
        parent_id: Option<EntryId>,
        timestamp: &str,
        kind: EntryKind,
        marks: Marks,
        source: Source,
    ) -> Self {
        let timestamp = timestamp.into();
        Self { id, parent_id, timestamp, kind, marks, source, is_fine: AtomicBool::new(false), body: OnceLock::new() }
    }

    /// An entry that is new.
    pub(crate) fn new(id: EntryId, parent_id: Option<EntryId>, timestamp: String, body: EntryBody) -> Self {
        Self {
            id,
            parent_id,
            timestamp: timestamp.into(),
            kind: body.kind(),
            marks: Marks::of_body(&body),
            source: Source::Body,
            is_fine: AtomicBool::new(true),
            body: OnceLock::from(Arc::new(Read { body, trouble: None })),
        }
    }

    /// The id.
    pub fn id(&self) -> &EntryId {
        &self.id
    }

    /// The id of the parent as it is written, which may name no entry. `None` for a root.
    pub fn parent_id(&self) -> Option<&EntryId> {
        self.parent_id.as_ref()
    }

    /// When the entry was appended: ISO 8601, UTC. Empty when the file does not say.
    pub fn timestamp(&self) -> &str {
        &self.timestamp
    }

    /// [`Self::timestamp`] in milliseconds since the epoch.
    pub(crate) fn timestamp_ms(&self) -> Option<i64> {
        crate::clock::parse(self.timestamp())
    }

    /// The type, known without parsing the body.
    pub fn kind(&self) -> EntryKind {
        self.kind
    }

    pub(crate) fn marks(&self) -> &Marks {
        &self.marks
    }

    /// The role of the message, known without the body; `None` for entries of other kinds.
    pub fn role(&self) -> Option<MessageRole> {
        self.marks.role
    }

    /// Whether this is a `system` message: a prompt or a change of tools, and no part of the conversation.
    pub fn is_system(&self) -> bool {
        self.marks.role == Some(MessageRole::System)
    }

    /// What the entry says was paid for, known without the body.
    pub fn paid(&self) -> Option<&Paid> {
        self.marks.paid.as_deref()
    }

    /// How many tools an answer calls, known without the body.
    pub fn tool_calls(&self) -> u32 {
        self.marks.tool_calls
    }

    /// What the entry says. That of a large file is read from there; when the file does not hold it any more, the body is
    /// unknown and empty, and [`Self::problem`] says so.
    pub fn body(&self) -> Body {
        Body(self.read_body())
    }

    fn read_body(&self) -> Arc<Read> {
        let Source::Stored(stored) = &self.source else { return self.kept_body() };
        let Store::Disk(disk) = &*stored.store else { return self.kept_body() };
        // Held while reading: of two who ask at once, one waits for the other.
        let mut known = stored.read.lock();
        if let Some(read) = known.upgrade() {
            return read;
        }
        let read = Arc::new(self.parse());
        // What is lost may come back, and must not be taken for what was in the file.
        if !matches!(read.trouble, Some(ProblemReason::Lost(_))) {
            *known = Arc::downgrade(&read);
            drop(known);
            disk.keep(Arc::clone(&read) as _, stored.len);
        }
        read
    }

    /// What the entry says, for somebody who keeps it in another form: if it has to be read from a large file, nothing else
    /// keeps it in memory.
    pub(crate) fn to_body(&self) -> EntryBody {
        match &self.source {
            Source::Stored(stored) if stored.is_on_disk() => match self.known() {
                Some(read) => read.body.clone(),
                None => self.parse().body,
            },
            _ => self.kept_body().body.clone(),
        }
    }

    fn kept_body(&self) -> Arc<Read> {
        Arc::clone(self.body.get_or_init(|| Arc::new(self.parse())))
    }

    /// What is wrong with the body, and where in the file it came from. A body that nobody has read is read for it.
    pub fn problem(&self) -> Option<Problem> {
        if self.is_fine.load(Ordering::Relaxed) {
            return None;
        }
        let reason = self.read_body().trouble.clone()?;
        let (line, offset) = match &self.source {
            Source::Stored(stored) => (stored.number, stored.start),
            Source::Line { place, .. } => (*place)?,
            Source::Body => return None,
        };
        Some(Problem { line, offset, reason })
    }

    /// The whole entry as JSON text, with every field the file has.
    ///
    /// # Errors
    /// When the entry has no JSON form, or its file does not hold it any more.
    pub fn json(&self) -> Result<Cow<'_, str>, serde_json::Error> {
        match &self.source {
            Source::Stored(stored) => {
                stored.text().and_then(|text| self.verify(&text).map(|()| text)).or_else(|lost| match self.known() {
                    Some(read) => self.line_of(&read.body).map(Cow::Owned),
                    None => Err(serde_json::Error::custom(lost)),
                })
            }
            Source::Line { text, .. } => Ok(Cow::Borrowed(text)),
            Source::Body => self.line_of(&self.read_body().body).map(Cow::Owned),
        }
    }

    /// As [`Self::json`], for readers who want to see the other entries too: an entry whose line others took away has the type
    /// `lost`, with the base fields and the reason.
    ///
    /// # Errors
    /// When the entry has no JSON form.
    pub fn shown(&self) -> Result<Cow<'_, str>, serde_json::Error> {
        match (self.json(), &self.source) {
            (Err(lost), Source::Stored(_)) => {
                let mut object = ObjectWriter::new();
                object.field("type", "lost")?;
                self.base().write(&mut object)?;
                object.field("reason", &lost.to_string())?;
                Ok(Cow::Owned(object.finish()))
            }
            (json, _) => json,
        }
    }

    fn base(&self) -> Base<'_> {
        Base { id: &self.id, parent_id: self.parent_id.as_ref(), timestamp: &self.timestamp }
    }

    fn line_of(&self, body: &EntryBody) -> Result<String, serde_json::Error> {
        body.to_line(&self.base())
    }

    /// The body, if it is in memory.
    fn known(&self) -> Option<Arc<Read>> {
        match &self.source {
            Source::Stored(stored) if stored.is_on_disk() => stored.read.lock().upgrade(),
            _ => self.body.get().cloned(),
        }
    }

    /// [`Self::shown`] as a JSON object.
    ///
    /// # Errors
    /// As [`Self::shown`].
    pub fn to_value(&self) -> Result<JsonMap, serde_json::Error> {
        let text = self.shown()?;
        json::read(&text)
    }

    /// Fails when what stands in the file is not the line of this entry any more. What is in memory cannot have changed.
    fn verify(&self, text: &str) -> io::Result<()> {
        let Source::Stored(stored) = &self.source else { return Ok(()) };
        let is_ours = || {
            let found: Option<Envelope<'_>> = serde_json::from_str(text).ok();
            found.is_some_and(|found| found.id.as_deref() == Some(&self.id))
        };
        if stored.is_on_disk() && !is_ours() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the line is another one now"));
        }
        Ok(())
    }

    fn parse(&self) -> Read {
        let read = self.parse_line();
        self.is_fine.store(read.trouble.is_none(), Ordering::Relaxed);
        read
    }

    fn parse_line(&self) -> Read {
        match &self.source {
            Source::Stored(stored) => stored.store.with_text(stored.start, stored.len, |text| self.parse_text(text)),
            Source::Line { text, .. } => self.parse_text(Ok(text)),
            Source::Body => self.parse_text(Ok("")),
        }
    }

    fn parse_text(&self, text: io::Result<&str>) -> Read {
        if let Some(body) = text.as_ref().ok().and_then(|text| EntryBody::read_whole(self.kind, &self.id, text)) {
            return Read { trouble: unknown_role(&body), body };
        }
        let text = match text.and_then(|text| self.verify(text).map(|()| text)) {
            Ok(text) => text,
            Err(lost) => {
                let reason = ProblemReason::Lost(lost.to_string());
                return Read { body: EntryBody::Unknown(JsonMap::new()), trouble: Some(reason) };
            }
        };
        let fixed = json_object(text);
        let text = fixed.as_deref().unwrap_or(text);
        let error = match EntryBody::read(self.kind, text) {
            Ok((body, changes)) => return Read { trouble: unknown_role(&body).or(ProblemReason::of(changes)), body },
            Err(error) => error,
        };
        let body = EntryBody::read(EntryKind::Unknown, text).map(|(body, _)| body);
        // Loading has checked that the line is an object.
        let body = body.unwrap_or_else(|_| EntryBody::Unknown(JsonMap::new()));
        Read { trouble: Some(ProblemReason::Unreadable(body.type_name().to_owned(), error.to_string())), body }
    }
}

impl Stored {
    fn is_on_disk(&self) -> bool {
        matches!(*self.store, Store::Disk(_))
    }

    /// What stands where the line was. Others may write into the file.
    fn text(&self) -> io::Result<Cow<'_, str>> {
        self.store.text(self.start, self.len)
    }
}

/// The text with halves of surrogate pairs replaced where they keep it from being an object.
fn json_object(text: &str) -> Option<String> {
    match RawFields::parse(text) {
        Ok(_) => None,
        Err(_) => replace_lone_surrogates(text),
    }
}

fn unknown_role(body: &EntryBody) -> Option<ProblemReason> {
    let EntryBody::Message(MessageEntry { message, .. }) = body else { return None };
    matches!(**message, Message::Other(_)).then(|| ProblemReason::UnknownRole(message.role().to_owned()))
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("id", &self.id)
            .field("parent_id", &self.parent_id)
            .field("timestamp", &self.timestamp())
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.shown().map_err(S::Error::custom)?;
        let raw: &RawValue = serde_json::from_str(&text).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}
