//! Damage that was found while loading. None of it stops a session from opening.

use std::collections::{HashMap, HashSet};
use std::fmt;

use tau_ai::json::{Changes, MAX_DEPTH};

use crate::EntryId;

/// How many reasons and lines [`Problem::summary`] names.
const REASONS_SHOWN: usize = 10;
const LINES_SHOWN: usize = 20;
/// How many characters of a reason it shows.
const REASON_LENGTH: usize = 200;

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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
    /// The role of the message is unknown; the model does not see it.
    UnknownRole(String),
    /// An entry of this type cannot be read, for this reason. It is part of the tree, and nothing else.
    Unreadable(String, String),
    /// The file does not hold the line any more, for this reason: another program has cut it off or written over it.
    Lost(String),
    /// A number beyond the range of a double is read as `null`.
    NumberRange,
    /// What is nested deeper than [`tau_ai::json::MAX_DEPTH`] is read as text.
    TooDeep,
}

impl ProblemReason {
    /// Why a body is not exactly what the file has.
    pub(crate) fn of(changes: Changes) -> Option<Self> {
        match changes {
            Changes { depth: true, .. } => Some(Self::TooDeep),
            Changes { numbers: true, .. } => Some(Self::NumberRange),
            _ => None,
        }
    }
}

impl Problem {
    /// All that is wrong with a file in one sentence: how many lines, and for each reason which ones. `None` when
    /// nothing is.
    pub fn summary(problems: &[Self]) -> Option<String> {
        let mut reasons: Vec<(&ProblemReason, Vec<usize>)> = Vec::new();
        let mut known: HashMap<&ProblemReason, usize> = HashMap::new();
        for Self { line, reason, .. } in problems {
            let at = *known.entry(reason).or_insert_with(|| {
                reasons.push((reason, Vec::new()));
                reasons.len() - 1
            });
            reasons[at].1.push(*line);
        }
        let count = problems.iter().map(|problem| problem.line).collect::<HashSet<_>>().len();
        let mut parts: Vec<String> = reasons
            .iter()
            .take(REASONS_SHOWN)
            .map(|(reason, lines)| format!("{}: {}", numbers(lines), plain(reason)))
            .collect();
        if reasons.len() > parts.len() {
            parts.push(format!("and {} more reasons", reasons.len() - parts.len()));
        }
        let head = match count {
            0 => return None,
            1 => "1 line has a problem and stays in the file as it is".to_owned(),
            count => format!("{count} lines have problems and stay in the file as they are"),
        };
        Some(format!("{head}: {}", parts.join("; ")))
    }
}

/// A reason as a terminal can show it. It may quote the file, which is anybody's text.
fn plain(reason: &ProblemReason) -> String {
    let text = reason.to_string();
    text.chars().take(REASON_LENGTH).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// The numbers of some lines, as far as anybody reads them.
fn numbers(lines: &[usize]) -> String {
    let shown: Vec<String> = lines.iter().take(LINES_SHOWN).map(ToString::to_string).collect();
    let word = if lines.len() == 1 { "line" } else { "lines" };
    match lines.len() - shown.len() {
        0 => format!("{word} {}", shown.join(", ")),
        more => format!("{word} {} and {more} more", shown.join(", ")),
    }
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
            Self::UnknownRole(role) => write!(f, "unknown message role `{role}`, not sent to the model"),
            Self::Unreadable(name, error) => write!(f, "not a valid `{name}` entry, not used: {error}"),
            Self::Lost(error) => write!(f, "not in the file any more: {error}"),
            Self::NumberRange => f.write_str("a number is too large, read as null"),
            Self::TooDeep => write!(f, "nested more than {MAX_DEPTH} levels deep, read as text from there on"),
        }
    }
}
