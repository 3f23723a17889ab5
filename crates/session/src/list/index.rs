//! What is known of session files, so that a list need not read those that have not changed.

use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::SessionInfo;
use super::read::info;
use crate::private;

/// The first line of an index; another one is not read.
const VERSION: &str = "{\"tau-session-index\":1}";

/// What was read of session files, with the size and time at which they were read. It is a cache: it may be lost at any
/// time, and of two programs that write it at once the later one wins.
#[derive(Debug, Default)]
pub struct SessionIndex {
    file: Option<PathBuf>,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    files: HashMap<PathBuf, Seen>,
    changed: bool,
}

/// What one file was like. `info` is `None` for a file that is no session.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Seen {
    stamp: Stamp,
    info: Option<SessionInfo>,
}

/// Tells whether a file is still what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Stamp {
    /// Seconds and nanoseconds since the epoch; the seconds are negative before it.
    pub(super) written: (i64, u32),
    pub(super) size: u64,
}

impl Stamp {
    pub(super) fn of(meta: &Metadata) -> Self {
        let seconds = |span: Duration| i64::try_from(span.as_secs()).unwrap_or(i64::MAX);
        let written = match meta.modified().map(|time| time.duration_since(UNIX_EPOCH)) {
            Ok(Ok(after)) => (seconds(after), after.subsec_nanos()),
            Ok(Err(before)) => match before.duration() {
                whole if whole.subsec_nanos() == 0 => (-seconds(whole), 0),
                part => (-seconds(part) - 1, 1_000_000_000 - part.subsec_nanos()),
            },
            Err(_) => (0, 0),
        };
        Self { written, size: meta.len() }
    }
}

impl SessionIndex {
    /// An index that is kept in a file. One that is missing or damaged is empty.
    pub fn load(file: &Path) -> Self {
        let text = fs::read_to_string(file).unwrap_or_default();
        let mut lines = text.lines();
        let mut files = HashMap::new();
        if lines.next() == Some(VERSION) {
            files.extend(lines.filter_map(|line| serde_json::from_str::<(PathBuf, Seen)>(line).ok()));
        }
        Self { file: Some(file.to_owned()), known: Mutex::new(Known { files, changed: false }) }
    }

    /// What a file holds, read only when it is not known or has changed.
    pub(super) fn look(&self, path: &Path, stamp: Stamp) -> Option<SessionInfo> {
        if let Some(seen) = self.known.lock().files.get(path).filter(|seen| seen.stamp == stamp) {
            return seen.info.clone();
        }
        let info = info(path).ok().flatten();
        let mut known = self.known.lock();
        known.files.insert(path.to_owned(), Seen { stamp, info: info.clone() });
        known.changed = true;
        info
    }

    /// Forgets files of `dirs` that are not among `present`.
    pub(super) fn forget_others(&self, dirs: &[PathBuf], present: &HashSet<&Path>) {
        let mut known = self.known.lock();
        let before = known.files.len();
        let gone = |path: &Path| dirs.iter().any(|dir| path.parent() == Some(dir)) && !present.contains(path);
        known.files.retain(|path, _| !gone(path));
        known.changed |= known.files.len() != before;
    }

    /// Writes the index to its file if there is anything new. At any moment there is a whole file.
    ///
    /// # Errors
    /// When it cannot be written; the index of before stays.
    pub fn save(&self) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let text = {
            let mut known = self.known.lock();
            if !std::mem::replace(&mut known.changed, false) {
                return Ok(());
            }
            let mut text = String::from(VERSION);
            text.push('\n');
            for entry in &known.files {
                text.push_str(&serde_json::to_string(&entry)?);
                text.push('\n');
            }
            text
        };
        let dir = file.parent().unwrap_or(Path::new("."));
        private::create_dir_all(dir)?;
        let mut new = tempfile::NamedTempFile::new_in(dir)?;
        new.write_all(text.as_bytes())?;
        new.persist(file)?;
        Ok(())
    }
}
