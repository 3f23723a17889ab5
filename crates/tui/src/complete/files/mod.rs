//! The files below a folder, found by some of their letters.
//!
//! While a search is open, one background thread fills the [`FileIndex`] and another ranks its paths. A search returns
//! what is known now, and calls back when there is more.

mod rank;
mod store;
mod walk;
mod work;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

pub use walk::Limits;
pub(super) use walk::is_plain_name;

use work::Shared;

/// The most paths that a search returns.
pub const MOST_FOUND: usize = 20;

/// What a search has found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The best first, relative to the folder of the index; the paths of folders end in a slash.
    pub paths: Vec<String>,
    /// Whether this is the final result, unless files change.
    pub settled: bool,
}

/// How an index behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    /// How many paths it holds, and how long it reads folders.
    pub limits: Limits,
    /// A search reads the folders again when the last reading is older than this.
    pub stale: Duration,
    /// It must also be this many times older than the reading took, so that a huge folder is not read all the time.
    pub rest: u32,
    /// How long its threads continue after the last search is closed.
    pub grace: Duration,
    /// Up to this many paths are ranked on the caller's thread, which is faster than waiting for another thread.
    pub at_once: usize,
}

impl Default for Manner {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            stale: Duration::from_secs(10),
            rest: 20,
            grace: Duration::from_secs(2),
            at_once: 1_000,
        }
    }
}

/// The files below a folder. The first search starts reading.
pub struct FileIndex {
    shared: Arc<Shared>,
}

impl FileIndex {
    /// The files below `root`.
    pub fn new(root: PathBuf) -> Self {
        Self::with(root, Manner::default())
    }

    /// As [`FileIndex::new`], with other limits.
    pub fn with(root: PathBuf, manner: Manner) -> Self {
        Self { shared: Arc::new(Shared::new(root, manner)) }
    }

    /// Sets the recently used paths, the newest first, relative to the folder; those of folders end in a slash. The
    /// next search uses them.
    pub fn set_recent(&self, paths: Vec<String>) {
        self.shared.set_recent(paths);
    }

    /// Starts a search, which replaces the previous one. When the result changes, `more` is called with it on another
    /// thread.
    pub fn search(&self, query: &str, more: impl Fn(&Found) + Send + Sync + 'static) -> Search {
        let ticket = Arc::new(Ticket {
            query: query.to_owned(),
            found: Mutex::default(),
            more: Box::new(more),
            is_live: AtomicBool::new(true),
        });
        Shared::begin(&self.shared, &ticket);
        Search { shared: Arc::clone(&self.shared), ticket }
    }

    /// The number of paths known now.
    pub fn count(&self) -> usize {
        self.shared.count()
    }

    /// Whether a thread is reading folders now.
    #[cfg(test)]
    pub(crate) fn is_reading(&self) -> bool {
        self.shared.is_reading()
    }
}

impl Drop for FileIndex {
    fn drop(&mut self) {
        self.shared.close();
    }
}

/// A search that runs until it is dropped.
pub struct Search {
    shared: Arc<Shared>,
    ticket: Arc<Ticket>,
}

impl Search {
    /// The result so far.
    pub fn now(&self) -> Found {
        self.ticket.found.lock().clone()
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.ticket.is_live.store(false, Ordering::Relaxed);
        self.shared.end(&self.ticket);
    }
}

/// What the threads share with a search.
struct Ticket {
    query: String,
    found: Mutex<Found>,
    more: Box<dyn Fn(&Found) + Send + Sync>,
    is_live: AtomicBool,
}

impl Ticket {
    fn is_live(&self) -> bool {
        self.is_live.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests;
