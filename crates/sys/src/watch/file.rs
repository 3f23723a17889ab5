//! Watching one file. Editors write it in place or put another one there, and it may be a link.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::{Message, Pace, WatchThread, is_windows_drive};

/// How long a file rests before it is looked at.
const SETTLED: Duration = Duration::from_millis(100);

/// Reports changes of a file until it is dropped.
pub struct FileWatch {
    _thread: WatchThread,
}

impl FileWatch {
    /// Calls `report` on another thread: once at the start, and again whenever the file has another content. A file that is
    /// gone is waited for.
    pub fn start(file: PathBuf, report: impl FnMut() + Send + 'static) -> Self {
        Self::with(file, Pace { settled: SETTLED, ..Pace::default() }, report)
    }

    /// As [`FileWatch::start`], at another pace.
    pub fn with(file: PathBuf, pace: Pace, report: impl FnMut() + Send + 'static) -> Self {
        let work = Work { file, pace, report: Box::new(report) };
        Self { _thread: WatchThread::start("tau-file", |messages, incoming| work.run(messages, incoming)) }
    }
}

struct Work {
    file: PathBuf,
    pace: Pace,
    report: Box<dyn FnMut() + Send>,
}

/// The folders in which something of the file can change. One that was removed and made again is another one.
type Places = BTreeSet<(PathBuf, u64, u64)>;

/// What is watched: the folders, and the names in them that count.
#[derive(PartialEq, Eq)]
struct Watched {
    places: Places,
    names: BTreeSet<PathBuf>,
}

/// The file, and what it is a link to.
fn names(file: &Path) -> BTreeSet<PathBuf> {
    [Some(file.to_owned()), fs::canonicalize(file).ok()].into_iter().flatten().collect()
}

fn places(names: &BTreeSet<PathBuf>) -> Places {
    let place = |name: &PathBuf| {
        let folder = name.parent()?;
        let found = fs::metadata(folder).ok()?;
        Some((folder.to_owned(), found.dev(), found.ino()))
    };
    names.iter().filter_map(place).collect()
}

fn content(file: &Path) -> Option<Vec<u8>> {
    // Only a file ends.
    fs::metadata(file).ok().filter(fs::Metadata::is_file)?;
    fs::read(file).ok()
}

impl Work {
    fn run(mut self, messages: &Sender<Message>, incoming: &Receiver<Message>) {
        let mut watched: Option<(Watched, RecommendedWatcher)> = None;
        let mut read = None;
        loop {
            let names = names(&self.file);
            let now = Watched { places: places(&names), names };
            if watched.as_ref().is_none_or(|(watched, _)| *watched != now) {
                drop(watched.take());
                watched = self.watcher(&now, messages).map(|watcher| (now, watcher));
            }
            // Watched first, read then: a change in between is not missed.
            let content = content(&self.file);
            if content.is_some() && content != read {
                (self.report)();
                read = content;
            }
            if !self.pace.wait(incoming, watched.is_some()) {
                return;
            }
        }
    }

    /// Watches the folders of the file; `None` if they cannot be watched.
    fn watcher(&self, Watched { places, names }: &Watched, messages: &Sender<Message>) -> Option<RecommendedWatcher> {
        if self.pace.polls || places.is_empty() || places.iter().any(|(folder, ..)| is_windows_drive(folder)) {
            return None;
        }
        let messages = messages.clone();
        let relevant: BTreeSet<PathBuf> =
            names.iter().cloned().chain(places.iter().map(|(folder, ..)| folder.clone())).collect();
        let changed = move |event: notify::Result<Event>| {
            let is_one = match &event {
                Ok(event) => {
                    !matches!(event.kind, EventKind::Access(_))
                        && event.paths.iter().any(|path| relevant.contains(path))
                }
                // A change may have been missed.
                Err(_) => true,
            };
            if is_one {
                messages.send(Message::Changed).unwrap_or_default();
            }
        };
        let watching = notify::recommended_watcher(changed).and_then(|mut watcher| {
            for (folder, ..) in places {
                watcher.watch(folder, RecursiveMode::NonRecursive)?;
            }
            Ok(watcher)
        });
        watching.inspect_err(|error| tracing::debug!(%error, "a file is looked at instead of watched")).ok()
    }
}
