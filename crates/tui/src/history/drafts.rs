//! What is being written, kept until it is sent.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::time::SystemTime;

use super::file::{HistoryError, make_folder, replace};
use super::is_secret;

/// The ending of a text, and of the file whose lock says that its owner lives.
const TEXT: &str = "draft";
const LOCK: &str = "lock";
/// The most drafts kept whose processes have ended.
const MOST: usize = 20;

/// The drafts of a project: one of this process, and those that other processes left behind.
///
/// Each process has a file of its own. It holds a lock, which the system gives back however the process ends: a draft
/// whose lock is free may be taken over.
#[derive(Debug)]
pub struct Drafts {
    folder: PathBuf,
    own: Option<Own>,
    failing: Option<io::ErrorKind>,
}

/// The place of this process's draft.
#[derive(Debug)]
struct Own {
    text: PathBuf,
    lock: PathBuf,
    _held: File,
}

impl Drafts {
    /// Drafts in this folder, which is made when the first is saved.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, own: None, failing: None }
    }

    /// Keeps the text that is being written, in place of what was kept before. A blank text, and one that is a secret,
    /// leaves nothing. Writes to a disk, so it is for a thread that may wait, and not for every key.
    ///
    /// # Errors
    /// When it cannot be written; what was kept before stays then. The same failure is reported once, until writing has
    /// succeeded again.
    pub fn save_draft(&mut self, text: &str) -> Result<(), HistoryError> {
        let saved = self.save(text);
        let kind = saved.as_ref().err().map(HistoryError::kind);
        let is_known = kind.is_some() && kind == self.failing;
        self.failing = kind;
        if is_known { Ok(()) } else { saved }
    }

    /// Takes over the newest draft whose process has ended; it is this process's from then on. Others stay for the next
    /// call.
    ///
    /// # Errors
    /// When the folder cannot be read, or the draft cannot be kept.
    pub fn take_draft(&mut self) -> Result<Option<String>, HistoryError> {
        let mut left = left_behind(&self.folder).map_err(HistoryError::new("cannot read", &self.folder))?;
        let newest = left.pop();
        // Old drafts that were never taken are removed.
        let surplus = left.len().saturating_sub(MOST);
        left.into_iter().take(surplus).for_each(Left::remove);
        let Some(newest) = newest else { return Ok(None) };
        let text = fs::read(&newest.text).map_err(HistoryError::new("cannot read", &newest.text))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        // First kept here, then removed there: a crash in between leaves two, not none.
        self.save(&text)?;
        newest.remove();
        Ok(Some(text).filter(|text| !text.trim().is_empty()))
    }

    fn save(&mut self, text: &str) -> Result<(), HistoryError> {
        if text.trim().is_empty() || is_secret(text) {
            let Some(own) = &self.own else { return Ok(()) };
            return match fs::remove_file(&own.text) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    Err(HistoryError::new("cannot remove", &own.text)(error))
                }
                _ => Ok(()),
            };
        }
        let own = match self.own.take() {
            Some(own) => own,
            None => Own::new(&self.folder).map_err(HistoryError::new("cannot write to", &self.folder))?,
        };
        let saved = replace(&own.text, text.as_bytes()).map_err(HistoryError::new("cannot write", &own.text));
        self.own = Some(own);
        saved
    }
}

impl Own {
    /// A place that no other process has.
    fn new(folder: &Path) -> io::Result<Self> {
        make_folder(folder)?;
        for number in 0_u32.. {
            let name = format!("{}-{number}", process::id());
            let (text, lock) = (folder.join(format!("{name}.{TEXT}")), folder.join(format!("{name}.{LOCK}")));
            if text.exists() {
                continue;
            }
            let held = open_lock(&lock)?;
            match held.try_lock() {
                Ok(()) if is_file_of(&held, &lock) && !text.exists() => return Ok(Self { text, lock, _held: held }),
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                // Without locks no process could tell whether a draft has an owner.
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists))
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // A draft that is still there keeps its lock file, for those who look whether its owner lives.
        if !self.text.exists() {
            remove(&self.lock);
        }
    }
}

/// A draft whose process has ended. While this exists, no other process can take it.
struct Left {
    text: PathBuf,
    lock: PathBuf,
    _held: File,
}

impl Left {
    fn remove(self) {
        remove(&self.text);
        remove(&self.lock);
    }
}

/// Drafts whose processes have ended, the oldest first.
fn left_behind(folder: &Path) -> io::Result<Vec<Left>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut left: Vec<(SystemTime, Left)> = Vec::new();
    for text in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if text.extension().is_none_or(|extension| extension != TEXT) {
            continue;
        }
        let lock = text.with_extension(LOCK);
        let (Ok(held), Ok(at)) = (open_lock(&lock), fs::metadata(&text).and_then(|metadata| metadata.modified()))
        else {
            continue;
        };
        if held.try_lock().is_err() || !is_file_of(&held, &lock) {
            continue;
        }
        let left_draft = Left { text, lock, _held: held };
        if left_draft.text.exists() {
            left.push((at, left_draft))
        } else {
            // Another process has just taken it.
            remove(&left_draft.lock)
        }
    }
    left.sort_by_key(|(at, _)| *at);
    Ok(left.into_iter().map(|(_, left)| left).collect())
}

fn open_lock(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)
}

/// Whether an open file is still the one of that name: another process may have removed it meanwhile.
fn is_file_of(file: &File, path: &Path) -> bool {
    let (Ok(open), Ok(named)) = (file.metadata(), fs::metadata(path)) else { return false };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

/// Removes a file. One that stays is found again at the next start.
fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path) {
        tracing::debug!(%error, path = %path.display(), "a file of a draft was not removed");
    }
}
