//! One entry of the tree.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use tau_ai::json::replace_lone_surrogates;
use tau_ai::{JsonMap, Message, json};

use crate::body::Base;
use crate::json::RawFields;
use crate::{EntryBody, EntryId, EntryKind, Problem, ProblemReason};

/// One entry of a session. It never changes. An entry that came from a file keeps its place in the file's
/// text; its body is parsed when it is first asked for.
pub struct Entry {
    id: EntryId,
    parent_id: Option<EntryId>,
    timestamp: Span,
    kind: EntryKind,
    source: Source,
    body: OnceLock<Box<Read>>,
}

/// A body, and what is wrong with it.
struct Read {
    body: EntryBody,
    trouble: Option<ProblemReason>,
}

/// Where the line of an entry is.
pub(crate) enum Source {
    /// In the text of the file.
    File { text: Arc<String>, start: usize, end: usize },
    /// A line of its own, with the number and the first byte of the line of a file that it stands for.
    Line { text: Box<str>, place: Option<(usize, usize)> },
    /// Nowhere: the body is known and the line can be written from it.
    Body,
}

/// A string that usually is a part of the entry's line.
pub(crate) enum Span {
    Within { start: u32, len: u32 },
    Own(Box<str>),
}

impl Span {
    /// Where in `line` the string `part` is, if it was borrowed from there.
    pub(crate) fn of(part: &str, line: &str) -> Self {
        let within = || {
            let start = (part.as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
            (line.get(start..start.checked_add(part.len())?)? == part).then_some(())?;
            Some(Self::Within { start: u32::try_from(start).ok()?, len: u32::try_from(part.len()).ok()? })
        };
        within().unwrap_or_else(|| Self::Own(part.into()))
    }
}

impl Entry {
    /// An entry that was read.
    pub(crate) fn read(
        id: EntryId,
        parent_id: Option<EntryId>,
        timestamp: Span,
        kind: EntryKind,
        source: Source,
    ) -> Self {
        Self { id, parent_id, timestamp, kind, source, body: OnceLock::new() }
    }

    /// An entry that is new.
    pub(crate) fn new(id: EntryId, parent_id: Option<EntryId>, timestamp: String, body: EntryBody) -> Self {
        let (timestamp, kind) = (Span::Own(timestamp.into()), body.kind());
        Self {
            id,
            parent_id,
            timestamp,
            kind,
            source: Source::Body,
            body: OnceLock::from(Box::new(Read { body, trouble: None })),
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
        match &self.timestamp {
            Span::Own(text) => text,
            Span::Within { start, len } => {
                let start = *start as usize;
                self.text().get(start..start + *len as usize).unwrap_or_default()
            }
        }
    }

    /// [`Self::timestamp`] in milliseconds since the epoch.
    pub fn timestamp_ms(&self) -> Option<i64> {
        crate::clock::parse(self.timestamp())
    }

    /// The type, known without parsing the body.
    pub fn kind(&self) -> EntryKind {
        self.kind
    }

    /// What the entry says.
    pub fn body(&self) -> &EntryBody {
        &self.read_body().body
    }

    fn read_body(&self) -> &Read {
        self.body.get_or_init(|| Box::new(self.parse()))
    }

    /// What is wrong with the body, and where in the file it came from. The body is parsed for it.
    pub fn problem(&self) -> Option<Problem> {
        let reason = self.read_body().trouble.clone()?;
        let (line, offset) = match &self.source {
            Source::File { text, start, .. } => {
                (1 + text[..*start].bytes().filter(|byte| *byte == b'\n').count(), *start)
            }
            Source::Line { place, .. } => (*place)?,
            Source::Body => return None,
        };
        Some(Problem { line, offset, reason })
    }

    /// The whole entry as JSON text, with every field the file has.
    pub fn json(&self) -> Result<Cow<'_, str>, serde_json::Error> {
        if !matches!(self.source, Source::Body) {
            return Ok(Cow::Borrowed(self.text()));
        }
        let base = Base { id: &self.id, parent_id: self.parent_id.as_ref(), timestamp: self.timestamp() };
        self.body().to_line(&base).map(Cow::Owned)
    }

    /// Whether it is worth looking at the body for something that `needle` would be a part of in the file: the body is
    /// known already, or the line has `needle`.
    pub(crate) fn may_hold(&self, needle: &str) -> bool {
        self.body.get().is_some() || self.text().contains(needle)
    }

    /// The whole entry as a JSON object.
    pub fn to_value(&self) -> Result<JsonMap, serde_json::Error> {
        let text = self.json()?;
        json::read(&text)
    }

    fn text(&self) -> &str {
        match &self.source {
            Source::File { text, start, end } => text.get(*start..*end).unwrap_or_default(),
            Source::Line { text, .. } => text,
            Source::Body => "",
        }
    }

    fn parse(&self) -> Read {
        let text = self.text();
        let fixed = json_object(text);
        let text = fixed.as_deref().unwrap_or(text);
        let error = match EntryBody::read(self.kind, text) {
            Ok((body, changes)) => {
                let trouble = match &body {
                    EntryBody::Message(entry) => unknown_role(&entry.message),
                    _ => None,
                };
                return Read { body, trouble: trouble.or(ProblemReason::of(changes)) };
            }
            Err(error) => error,
        };
        let body = EntryBody::read(EntryKind::Unknown, text).map(|(body, _)| body);
        // Loading has checked that the line is an object.
        let body = body.unwrap_or_else(|_| EntryBody::Unknown(JsonMap::new()));
        Read { trouble: Some(ProblemReason::Unreadable(body.type_name().to_owned(), error.to_string())), body }
    }
}

/// The text with halves of surrogate pairs replaced where they keep it from being an object.
fn json_object(text: &str) -> Option<String> {
    match RawFields::parse(text) {
        Ok(_) => None,
        Err(_) => replace_lone_surrogates(text),
    }
}

fn unknown_role(message: &Message) -> Option<ProblemReason> {
    matches!(message, Message::Other(_)).then(|| ProblemReason::UnknownRole(message.role().to_owned()))
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
        let text = self.json().map_err(serde::ser::Error::custom)?;
        let raw: &RawValue = serde_json::from_str(&text).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}
