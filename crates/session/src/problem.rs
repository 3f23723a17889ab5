//! Damage that was found while loading. None of it stops a session from opening.

use std::fmt;

use crate::EntryId;

/// One damaged place of a session file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line, counted from 1.
    pub line: usize,
    /// The byte at which the line begins.
    pub offset: usize,
    /// What is wrong.
    pub reason: ProblemReason,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemReason {
    /// Not JSON; the line is skipped. Holds the parser's message.
    InvalidJson(String),
    /// The last line was cut off while it was written; it is skipped.
    Truncated,
    /// The line holds NUL bytes, as a file system leaves them after a crash; it is skipped.
    NulBytes,
    /// The line is not UTF-8. It is loaded when it is JSON with replacement characters in their place.
    InvalidUtf8,
    /// JSON, but no object; the line is skipped.
    NotAnObject,
    /// An object without `type` or `id`; the line is skipped.
    Incomplete(&'static str),
    /// A second header; the line is skipped.
    SecondHeader,
    /// The last line is complete but has no newline. The next append adds it.
    MissingNewline,
    /// An earlier entry has this id. Both are loaded; the id now means the later one.
    DuplicateId(EntryId),
    /// The parent is not in the file; the entry becomes a root.
    UnknownParent(EntryId),
    /// The entry is its own ancestor; it becomes a root.
    Cycle(EntryId),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} (byte {}): {}", self.line, self.offset, self.reason)
    }
}

impl fmt::Display for ProblemReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidJson(error) => write!(f, "not JSON, skipped: {error}"),
            Self::Truncated => f.write_str("cut off, skipped"),
            Self::NulBytes => f.write_str("contains NUL bytes, skipped"),
            Self::InvalidUtf8 => f.write_str("not UTF-8"),
            Self::NotAnObject => f.write_str("not a JSON object, skipped"),
            Self::Incomplete(field) => write!(f, "no `{field}`, skipped"),
            Self::SecondHeader => f.write_str("a second header, skipped"),
            Self::MissingNewline => f.write_str("no newline at the end"),
            Self::DuplicateId(id) => write!(f, "the id {id} is already taken"),
            Self::UnknownParent(id) => write!(f, "the parent {id} is not in the file"),
            Self::Cycle(id) => write!(f, "the parent {id} is also a descendant"),
        }
    }
}
