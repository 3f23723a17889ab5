//! What a repair did, for people.

use std::fmt;
use std::path::PathBuf;

use crate::Problem;

/// How many fixes are shown one by one.
const SHOWN: usize = 30;

/// What a repair did to a session file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// The file.
    pub path: PathBuf,
    /// What it was before; `None` when nothing was wrong, so that it was not touched.
    pub backup: Option<PathBuf>,
    /// What was done, in the order of the lines.
    pub fixes: Vec<Fix>,
    /// What is wrong and stays: nobody can say what it should be. Lines are those of the file before the repair.
    pub left: Vec<Problem>,
}

/// One thing that was put right. Lines are those of the file before the repair, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fix {
    /// The file was of this older version.
    Migrated(u64),
    /// It began with a byte order mark, which keeps other programs from reading the header.
    ByteOrderMark,
    /// Lines ended with a carriage return.
    LineEnds {
        /// The first of them.
        line: usize,
        /// How many.
        count: usize,
    },
    /// The last line had no end.
    Newline {
        /// The line.
        line: usize,
    },
    /// Nobody can read the line. It is in the backup alone.
    Removed(Problem),
    /// The line is no entry, and these whole ones were found in it.
    Salvaged {
        /// The line.
        line: usize,
        /// How many.
        entries: usize,
    },
    /// The line before it could not be read, and nothing stood before that: the entry begins the conversation now.
    First {
        /// The entry.
        line: usize,
    },
    /// The line was not UTF-8; characters of it were replaced.
    Characters {
        /// The line.
        line: usize,
    },
    /// The line before it could not be read, and cut the conversation apart: the entry is now below the one before that.
    Joined {
        /// The entry.
        line: usize,
        /// What it is below.
        to: usize,
    },
    /// The entry was its own ancestor. It begins a tree of its own.
    Cycle {
        /// The entry.
        line: usize,
    },
    /// A call had no result behind this entry, and got one.
    Answered {
        /// The call, or the last of what belongs to it.
        line: usize,
        /// The tool.
        tool: String,
        /// The result stood further down. Otherwise it says that there is none.
        is_late: bool,
    },
    /// Nobody waits for the result: it is the second of its call, or stands in the wrong place. It is no part of the
    /// conversation any more, and hangs beside it.
    Aside {
        /// The result.
        line: usize,
    },
}

/// A fix that knows its entry by the place among the entries.
pub(super) enum Unplaced {
    Answered { entry: usize, tool: String, is_late: bool },
    Aside { entry: usize },
}

impl Unplaced {
    /// With the line of its entry.
    pub(super) fn at(self, line: impl Fn(usize) -> usize) -> Fix {
        match self {
            Self::Answered { entry, tool, is_late } => Fix::Answered { line: line(entry), tool, is_late },
            Self::Aside { entry } => Fix::Aside { line: line(entry) },
        }
    }
}

impl Fix {
    /// Where it was; 0 for the whole file.
    pub fn line(&self) -> usize {
        match self {
            Self::Migrated(_) | Self::ByteOrderMark => 0,
            Self::LineEnds { line, .. }
            | Self::Newline { line }
            | Self::Characters { line }
            | Self::Joined { line, .. }
            | Self::Cycle { line }
            | Self::First { line }
            | Self::Salvaged { line, .. }
            | Self::Answered { line, .. }
            | Self::Aside { line } => *line,
            Self::Removed(problem) => problem.line,
        }
    }
}

impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Migrated(version) => write!(f, "the file was of version {version}, and is of today's"),
            Self::ByteOrderMark => f.write_str("a byte order mark at the beginning was removed"),
            Self::LineEnds { line, count: 1 } => write!(f, "line {line}: a carriage return at the end was removed"),
            Self::LineEnds { line, count } => {
                write!(f, "line {line} and {} more: carriage returns at the end were removed", count - 1)
            }
            Self::Newline { line } => write!(f, "line {line}: the end of the line was added"),
            Self::Removed(problem) => {
                // What loading says of a line that it leaves out.
                let reason = problem.reason.to_string().replacen(", skipped", "", 1);
                write!(f, "line {}: removed ({reason})", problem.line)
            }
            Self::Salvaged { line, entries: 1 } => write!(f, "line {line}: a whole entry was found in it, and stays"),
            Self::Salvaged { line, entries } => {
                write!(f, "line {line}: {entries} whole entries were found in it, and stay, each on a line of its own")
            }
            Self::First { line } => {
                write!(
                    f,
                    "line {line}: its parent cannot be read, and nothing stood before that; it is now a beginning"
                )
            }
            Self::Characters { line } => write!(f, "line {line}: what is not UTF-8 was replaced"),
            Self::Joined { line, to } => write!(f, "line {line}: its parent cannot be read; it is now below line {to}"),
            Self::Cycle { line } => write!(f, "line {line}: it was its own ancestor, and is now a beginning"),
            Self::Answered { line, tool, is_late: true } => {
                write!(f, "line {line}: the result of the call of {tool} stood too far down, and is now behind it")
            }
            Self::Answered { line, tool, is_late: false } => {
                write!(f, "line {line}: the call of {tool} had no result, and got one that says so")
            }
            Self::Aside { line } => {
                write!(f, "line {line}: no call waits for this result; it is beside the conversation now")
            }
        }
    }
}

/// Several lines. They quote the file, which is anybody's text: control characters are replaced.
impl fmt::Display for Repaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.backup {
            None => write!(f, "Nothing to repair in {}.", self.path.display())?,
            Some(backup) => {
                write!(f, "Repaired {}. What it was before is in {}.", self.path.display(), backup.display())?;
            }
        }
        for fix in self.fixes.iter().take(SHOWN) {
            write!(f, "\n- {}", plain(&fix.to_string()))?;
        }
        if self.fixes.len() > SHOWN {
            write!(f, "\n- and {} more", self.fixes.len() - SHOWN)?;
        }
        match Problem::summary(&self.left) {
            Some(left) => write!(f, "\nNot repaired: {left}."),
            None => Ok(()),
        }
    }
}

fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
