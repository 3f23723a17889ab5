//! What happened to a session file without anybody asking for it.

use std::fmt;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

/// Something the user should know about the file of a session. But for [`FileNotice::Lost`], nothing was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileNotice {
    /// The file was gone; it was written again, with everything that was in it.
    Recreated(PathBuf),
    /// Lines had disappeared from the file; they were appended to what it holds now.
    Restored {
        /// The file.
        path: PathBuf,
        /// How many lines.
        lines: usize,
    },
    /// Another program cut the file off or wrote over it, and these entries were in the file only.
    Lost {
        /// The file.
        path: PathBuf,
        /// How many entries.
        entries: usize,
    },
    /// Something that is not this session has the file's name; the session continues in another file.
    Moved {
        /// The name of before.
        from: PathBuf,
        /// The new file.
        to: PathBuf,
    },
    /// Entries could not be written when they were added; now they are in the file.
    Caught {
        /// The file.
        path: PathBuf,
        /// How many entries.
        entries: usize,
    },
}

impl fmt::Display for FileNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recreated(path) => {
                write!(f, "{} was deleted or moved while it was in use. It was written again in full.", path.display())
            }
            Self::Restored { path, lines } => {
                let what = if *lines == 1 { "1 line was" } else { &format!("{lines} lines were") };
                write!(
                    f,
                    "{} was changed by another program while it was in use. {what} missing and written again.",
                    path.display()
                )
            }
            Self::Lost { path, entries } => {
                let what = if *entries == 1 { "1 entry that was" } else { &format!("{entries} entries that were") };
                write!(
                    f,
                    "{} was changed by another program while it was in use. {what} only in the file cannot be restored.",
                    path.display()
                )
            }
            Self::Moved { from, to } => write!(
                f,
                "{} was replaced by something that is not this session. The session continues in {}.",
                from.display(),
                to.display()
            ),
            Self::Caught { path, entries } => {
                let what = if *entries == 1 { "1 entry" } else { &format!("{entries} entries") };
                write!(f, "{what} that could not be written before are in {} now.", path.display())
            }
        }
    }
}

type Listener = Box<dyn Fn(&FileNotice) + Send + Sync>;

/// Notices on their way to a listener. It is called when no lock is held.
#[derive(Default)]
pub(crate) struct Notices {
    waiting: Mutex<Vec<FileNotice>>,
    /// Whether any wait, so that an append need not take the lock.
    any: AtomicBool,
    listener: OnceLock<Listener>,
}

impl Notices {
    pub(crate) fn push(&self, notice: FileNotice) {
        self.waiting.lock().push(notice);
        self.any.store(true, Ordering::Release);
    }

    /// The first listener stays.
    pub(crate) fn listen(&self, listener: Listener) {
        // A session has one owner; a second one has nothing to hear.
        let _ = self.listener.set(listener);
        self.deliver();
    }

    pub(crate) fn deliver(&self) {
        let Some(listener) = self.listener.get().filter(|_| self.any.load(Ordering::Acquire)) else { return };
        self.any.store(false, Ordering::Release);
        let waiting = std::mem::take(&mut *self.waiting.lock());
        waiting.iter().for_each(listener);
    }
}

impl fmt::Debug for Notices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notices").field("waiting", &self.waiting).finish_non_exhaustive()
    }
}
