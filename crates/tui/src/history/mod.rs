//! What was written before: the prompts of a project, and what was not sent yet.
//!
//! - [`History`] is the prompts, in a file that several processes add to,
//! - [`Drafts`] keeps what is being written, through a crash too,
//! - [`HistorySearch`] finds a prompt by what is in it.
//!
//! Files are readable by the user only. Prompts that contain secrets are never written.

mod drafts;
mod file;
mod search;

use std::io;
use std::path::{Path, PathBuf};

pub use drafts::Drafts;
pub use file::HistoryError;
pub use search::{HistorySearch, Searched};

/// How many prompts are kept.
pub const MOST_PROMPTS: usize = 1_000;
/// The file is shortened when it has so many more than that.
const SLACK: usize = 200;
/// A longer prompt is kept in memory only.
const LONGEST: usize = 256 * 1024;
/// The file is shortened when it is longer than this, to half of it.
const LARGEST: u64 = 8 * 1024 * 1024;

/// Prompts that begin with this may contain a key.
const SECRET: &str = "/login";

/// Whether a text may be written to a file.
fn is_secret(text: &str) -> bool {
    let text = text.trim_start();
    text.get(..SECRET.len()).is_some_and(|start| start.eq_ignore_ascii_case(SECRET))
}

/// The prompts of a project.
#[derive(Debug)]
pub struct History {
    path: PathBuf,
    /// The oldest first.
    prompts: Vec<String>,
    damaged: usize,
    /// How many prompts the file has, as far as is known.
    in_file: usize,
    /// What failed last, so that it is said once.
    failing: Option<io::ErrorKind>,
}

impl History {
    /// The prompts in a file, which is made when the first is added. Whatever is wrong with the file, there is a
    /// history: the error says why it is empty.
    pub fn open(path: PathBuf) -> (Self, Option<HistoryError>) {
        let mut history = Self { path, prompts: Vec::new(), damaged: 0, in_file: 0, failing: None };
        let error = history.reload().err();
        (history, error)
    }

    /// Reads the file again, with what other processes have added.
    ///
    /// # Errors
    /// When it cannot be read; the prompts stay as they are.
    pub fn reload(&mut self) -> Result<(), HistoryError> {
        let content = file::read(&self.path).map_err(HistoryError::new("cannot read", &self.path))?;
        let unsaved = std::mem::take(&mut self.prompts);
        self.in_file = content.prompts.len();
        self.damaged = content.damaged;
        self.prompts = content.prompts;
        // Prompts that are only in memory stay the newest.
        let known: std::collections::HashSet<String> = self.prompts.iter().cloned().collect();
        self.prompts.extend(unsaved.into_iter().filter(|prompt| !known.contains(prompt)));
        self.cut();
        Ok(())
    }

    /// The prompts, the oldest first; at most [`MOST_PROMPTS`].
    pub fn prompts(&self) -> &[String] {
        &self.prompts
    }

    /// How many lines of the file are no prompts. They are skipped.
    pub fn damaged(&self) -> usize {
        self.damaged
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a prompt that was sent, here and in the file. Blank ones, repetitions of the newest and secrets are not
    /// kept. Writes to a disk, so it is for a thread that may wait.
    ///
    /// # Errors
    /// When the file cannot be written; the prompt is kept in memory then. The same failure is reported once, until
    /// writing has succeeded again.
    pub fn add(&mut self, text: &str) -> Result<(), HistoryError> {
        let text = text.trim();
        if text.is_empty() || is_secret(text) || self.prompts.last().is_some_and(|newest| newest == text) {
            return Ok(());
        }
        self.prompts.push(text.to_owned());
        self.cut();
        if text.len() > LONGEST {
            return Ok(());
        }
        match self.write(text) {
            Ok(()) => {
                self.failing = None;
                Ok(())
            }
            Err(error) if self.failing == Some(error.kind()) => Ok(()),
            Err(error) => {
                self.failing = Some(error.kind());
                Err(error)
            }
        }
    }

    fn write(&mut self, text: &str) -> Result<(), HistoryError> {
        let size = file::append(&self.path, text).map_err(HistoryError::new("cannot write to", &self.path))?;
        self.in_file += 1;
        if self.in_file < MOST_PROMPTS + SLACK && size <= LARGEST {
            return Ok(());
        }
        let bytes = usize::try_from(LARGEST / 2).unwrap_or(usize::MAX);
        let shortened = file::shorten(&self.path, MOST_PROMPTS, bytes);
        shortened.map_err(HistoryError::new("cannot shorten", &self.path))?;
        self.in_file = self.in_file.min(MOST_PROMPTS);
        Ok(())
    }

    fn cut(&mut self) {
        let surplus = self.prompts.len().saturating_sub(MOST_PROMPTS);
        self.prompts.drain(..surplus);
    }
}

#[cfg(test)]
mod tests;
