//! What is wrong with a rule file, and where.

use std::path::{Path, PathBuf};

/// What is wrong with a rule file. The file counts as a whole: nothing of it is used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}:{column}: {message}", file.display())]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong there, and what to do.
    pub message: String,
}

/// What is wrong at a byte of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The byte.
    pub(crate) at: usize,
    /// What is wrong there, and what to do.
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }

    /// The same with the place for people.
    pub(crate) fn in_file(self, file: &Path, text: &str) -> Problem {
        let (line, column) = position(text, self.at);
        Problem { file: file.to_owned(), line, column, message: self.message }
    }
}

/// An unknown name, with the nearest of those that are known, or all of them if none is near.
pub(crate) fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(name, &known) {
        Some(near) => format!("unknown {what} \"{name}\"; did you mean \"{near}\"?"),
        None if known.is_empty() => format!("unknown {what} \"{name}\""),
        None => format!("unknown {what} \"{name}\"; known: {}", known.join(", ")),
    }
}

/// The known name that a misspelt one is nearest to.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', ' '], "-");
    let name = plain(name);
    let best = known.iter().map(|known| (strsim::osa_distance(&name, &plain(known)), *known)).min()?;
    let most = (name.chars().count() / 3).max(1);
    (best.0 <= most).then_some(best.1)
}

/// Line and column of a byte, in characters from 1.
pub(crate) fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
    (line, column)
}
