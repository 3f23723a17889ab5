//! Watching files. Editors write them in place or put other ones there, and each may be a link.

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

/// Reports changes of a file, or of several, until it is dropped.
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
        Work { files: vec![file], tells_gone: false, pace, report: Box::new(report) }.start()
    }

    /// As [`FileWatch::start`], for several files on one thread; also when one of them is gone. Folders that are not there yet
    /// are waited for, too.
    pub fn of_all(files: Vec<PathBuf>, report: impl FnMut() + Send + 'static) -> Self {
        let pace = Pace { settled: SETTLED, ..Pace::default() };
        Work { files, tells_gone: true, pace, report: Box::new(report) }.start()
    }
}

struct Work {
    files: Vec<PathBuf>,
    /// A file that is gone is a change.
    tells_gone: bool,
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

/// The files, and what they are links to.
fn names(files: &[PathBuf]) -> BTreeSet<PathBuf> {
    files.iter().flat_map(|file| [Some(file.to_owned()), fs::canonicalize(file).ok()]).flatten().collect()
}

/// The nearest folder around a file that is there.
fn folder_of(name: &Path) -> Option<(&Path, fs::Metadata)> {
    name.ancestors().skip(1).find_map(|folder| Some((folder, fs::metadata(folder).ok()?)))
}

fn places(names: &BTreeSet<PathBuf>) -> Places {
    let place = |(folder, found): (&Path, fs::Metadata)| (folder.to_owned(), found.dev(), found.ino());
    names.iter().filter_map(|name| folder_of(name)).map(place).collect()
}

fn content(file: &Path) -> Option<Vec<u8>> {
    // Only a file ends.
    fs::metadata(file).ok().filter(fs::Metadata::is_file)?;
    fs::read(file).ok()
}

impl Work {
    fn start(self) -> FileWatch {
        FileWatch { _thread: WatchThread::start("tau-file", |messages, incoming| self.run(messages, incoming)) }
    }

    fn run(mut self, messages: &Sender<Message>, incoming: &Receiver<Message>) {
        let mut watched: Option<(Watched, RecommendedWatcher)> = None;
        let mut read: Vec<Option<Vec<u8>>> = vec![None; self.files.len()];
        loop {
            // A folder that comes while its parent begins to be watched is not missed.
            loop {
                let names = names(&self.files);
                let now = Watched { places: places(&names), names };
                if watched.as_ref().is_some_and(|(watched, _)| *watched == now) {
                    break;
                }
                drop(watched.take());
                watched = self.watcher(&now, messages).map(|watcher| (now, watcher));
                if watched.is_none() {
                    break;
                }
            }
            // Watched first, read then: a change in between is not missed.
            let mut is_new = false;
            for (file, before) in self.files.iter().zip(&mut read) {
                let content = content(file);
                if content != *before && (content.is_some() || self.tells_gone) {
                    is_new = true;
                    *before = content;
                }
            }
            if is_new {
                (self.report)();
            }
            if !self.pace.wait(incoming, watched.is_some()) {
                return;
            }
        }
    }

    /// Watches the folders of the files; `None` if they cannot be watched.
    fn watcher(&self, Watched { places, names }: &Watched, messages: &Sender<Message>) -> Option<RecommendedWatcher> {
        if self.pace.polls || places.is_empty() || places.iter().any(|(folder, ..)| is_windows_drive(folder)) {
            return None;
        }
        let messages = messages.clone();
        // A folder on the way to a file counts as the file does.
        let relevant: BTreeSet<PathBuf> = names.iter().flat_map(|name| name.ancestors()).map(Path::to_owned).collect();
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
