//! Watching the branch.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::head::{Branch, branch, git_folder_above};
use tau_sys::watch::{Message, Pace, WatchThread, is_windows_drive};

/// Reports the branch of a folder until it is dropped.
pub struct BranchWatch {
    _thread: WatchThread,
}

impl BranchWatch {
    /// Calls `report` on another thread with the branch of the work tree that contains `folder`: once at the start, and
    /// again whenever it changes. `None` means that there is no repository.
    pub fn start(folder: PathBuf, report: impl FnMut(Option<Branch>) + Send + 'static) -> Self {
        Self::with(folder, Pace::default(), report)
    }

    /// As [`BranchWatch::start`], at another pace.
    pub fn with(folder: PathBuf, pace: Pace, report: impl FnMut(Option<Branch>) + Send + 'static) -> Self {
        let work = Work { folder, pace, report: Box::new(report), last: None };
        Self { _thread: WatchThread::start("tau-branch", |messages, incoming| work.run(messages, incoming)) }
    }
}

struct Work {
    folder: PathBuf,
    pace: Pace,
    report: Box<dyn FnMut(Option<Branch>) + Send>,
    /// The last report.
    last: Option<Option<Branch>>,
}

/// What the files say that determine the branch.
fn files(git: &Path) -> Vec<Option<Vec<u8>>> {
    let target = fs::read_link(git.join("HEAD")).ok().map(|target| target.into_os_string().into_encoded_bytes());
    let content = |name: &str| super::head::read(&git.join(name)).ok();
    vec![Some(git.as_os_str().as_encoded_bytes().to_vec()), target, content("HEAD"), content("reftable/tables.list")]
}

/// A git folder: one that was removed and made again at the same path is another one, for a watcher too.
type Identity = (PathBuf, u64, u64);

fn identity(git: &Path) -> Option<Identity> {
    let metadata = fs::metadata(git).ok()?;
    Some((git.to_owned(), metadata.dev(), metadata.ino()))
}

impl Work {
    fn run(mut self, messages: &Sender<Message>, incoming: &Receiver<Message>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime.inspect_err(|error| tracing::warn!(%error, "the branch cannot be watched")) else {
            return;
        };
        // The watcher stays as long as the git folder is the same.
        let mut watched: Option<(Option<Identity>, RecommendedWatcher)> = None;
        // What the branch was read from: the same files need no second look, which may start git.
        let mut read = None;
        loop {
            let git = git_folder_above(&self.folder);
            let now = git.as_deref().and_then(identity);
            if watched.as_ref().is_none_or(|(watched, _)| *watched != now) {
                drop(watched.take());
                watched = self.watcher(git.as_deref(), messages).map(|watcher| (now, watcher));
            }
            // Watched first, read then: a change in between is not missed.
            let files = git.as_deref().map(files).unwrap_or_default();
            if read.as_ref() != Some(&files) {
                let now = git.as_deref().and_then(|git| runtime.block_on(branch(git, &self.folder)));
                self.tell(now);
                read = Some(files);
            }
            if !self.pace.wait(incoming, watched.is_some()) {
                return;
            }
        }
    }

    fn tell(&mut self, now: Option<Branch>) {
        if self.last.as_ref() != Some(&now) {
            (self.report)(now.clone());
            self.last = Some(now);
        }
    }

    /// Watches the files that determine the branch; `None` if they cannot be watched.
    fn watcher(&self, git: Option<&Path>, messages: &Sender<Message>) -> Option<RecommendedWatcher> {
        let messages = messages.clone();
        let counts = counted_names(git);
        let changed = move |event: notify::Result<Event>| {
            let is_one = match &event {
                Ok(event) => !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(|path| counts(path)),
                // A change may have been missed.
                Err(_) => true,
            };
            if is_one {
                messages.send(Message::Changed).unwrap_or_default();
            }
        };
        let folder = git.unwrap_or(&self.folder);
        if self.pace.polls || is_windows_drive(folder) {
            return None;
        }
        let watching = notify::recommended_watcher(changed).and_then(|mut watcher| {
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
            if let Some(tables) = git.map(|git| git.join("reftable")).filter(|tables| tables.is_dir()) {
                watcher.watch(&tables, RecursiveMode::NonRecursive)?;
            }
            Ok(watcher)
        });
        watching.inspect_err(|error| tracing::debug!(%error, "the branch is looked for instead of watched")).ok()
    }
}

/// The relevant files: `HEAD`, the list of tables and the git folder itself; without a repository, a new `.git`.
fn counted_names(git: Option<&Path>) -> impl Fn(&Path) -> bool + Send + 'static {
    let git = git.map(Path::to_owned);
    move |path: &Path| {
        let is_named = |names: &[&str]| path.file_name().is_some_and(|name| names.iter().any(|other| name == *other));
        match &git {
            Some(git) => path == git || is_named(&["HEAD", "tables.list"]),
            None => is_named(&[".git"]),
        }
    }
}
