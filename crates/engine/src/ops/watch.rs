//! Watching files and directories for changes.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use notify::event::{EventKind, ModifyKind, RenameMode};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use rquickjs::Ctx;
use tokio::sync::Mutex;
use tokio::sync::mpsc::{Receiver, channel};
use tokio_util::sync::CancellationToken;

use super::{List, OpError};
use crate::ops::table::{Host, Promised, ops};

ops! {
    /// Watching files and directories for changes.
    pub static OPS: watched;

    /// Watches a file or a directory; gives a number.
    fn watchOpen(path, recursive) = watch_open, Recorded;
    /// A pair of what and where; nothing when the watch was closed.
    fn watchNext(rid) = watch_next, Recorded;
    /// Stops watching.
    fn watchClose(rid) = watch_close, Pure;
}

/// What changed: `rename` or `change`, and the name below the watched directory.
type Change = (&'static str, String);

/// How many changes may wait for JavaScript.
const MOST_WAITING: usize = 16_384;

struct Watch {
    changes: Mutex<Receiver<Change>>,
    closed: CancellationToken,
    // Watches for as long as it lives.
    _watcher: RecommendedWatcher,
}

impl Watch {
    fn start(path: &Path, given: &str, recursive: bool) -> Result<Rc<Self>, OpError> {
        let failed = |error: &std::io::Error| OpError::io(error, "watch", Some(given));
        // Some systems report changes by the true name only.
        let root = path.canonicalize().map_err(|error| failed(&error))?;
        let roots = [path.to_owned(), root.clone()];
        let (sender, changes) = channel(MOST_WAITING);
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let Ok(event) = event else { return };
            let Some(kind) = kind_of(&event.kind) else { return };
            for path in &event.paths {
                // Beyond that many the system itself drops changes, and a program that watches reckons with it.
                if sender.try_send((kind, name_of(path, &roots))).is_err() {
                    tracing::debug!("a change of a watched folder was dropped");
                }
            }
        })
        .map_err(|error| of_watcher(error, &failed))?;
        let mode = if recursive { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        watcher.watch(path, mode).map_err(|error| of_watcher(error, &failed))?;
        Ok(Rc::new(Self { changes: Mutex::new(changes), closed: CancellationToken::new(), _watcher: watcher }))
    }

    async fn next(&self) -> Option<Change> {
        let mut changes = self.changes.lock().await;
        tokio::select! {
            biased;
            () = self.closed.cancelled() => None,
            change = changes.recv() => change,
        }
    }
}

fn of_watcher(error: notify::Error, failed: &dyn Fn(&std::io::Error) -> OpError) -> OpError {
    match error.kind {
        notify::ErrorKind::Io(error) => failed(&error),
        notify::ErrorKind::PathNotFound => failed(&rustix::io::Errno::NOENT.into()),
        notify::ErrorKind::MaxFilesWatch => failed(&rustix::io::Errno::NOSPC.into()),
        other => OpError::message(format!("cannot watch: {other:?}")),
    }
}

fn kind_of(kind: &EventKind) -> Option<&'static str> {
    match kind {
        EventKind::Create(_) | EventKind::Remove(_) => Some("rename"),
        // Both halves were told before.
        EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => None,
        EventKind::Modify(ModifyKind::Name(_)) => Some("rename"),
        EventKind::Modify(_) => Some("change"),
        _ => None,
    }
}

/// The name below the watched directory; of what is watched itself, its own name.
fn name_of(path: &Path, roots: &[PathBuf]) -> String {
    let below = roots.iter().find_map(|root| path.strip_prefix(root).ok());
    let name = match below {
        Some(below) if below.as_os_str().is_empty() => path.file_name().map(Path::new),
        Some(below) => Some(below),
        None => path.file_name().map(Path::new),
    };
    name.unwrap_or(path).to_string_lossy().into_owned()
}

fn watch_open<'js>(ctx: Ctx<'js>, Host(host): Host, path: String, recursive: bool) -> rquickjs::Result<u32> {
    let watch = Watch::start(&host.resolve(&path), &path, recursive).map_err(|error| error.throw(&ctx))?;
    Ok(host.resources().add(watch))
}

fn watch_next<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32) -> rquickjs::Result<Promised<'js, Option<List<String>>>> {
    let watch = host.resources().get::<Watch>(rid).map_err(|error| error.throw(&ctx))?;
    host.spawn(&ctx, async move { Ok(watch.next().await.map(|(kind, name)| List(vec![kind.to_owned(), name]))) })
}

fn watch_close(Host(host): Host, rid: u32) {
    if let Ok(watch) = host.resources().get::<Watch>(rid) {
        host.resources().close(rid);
        watch.closed.cancel();
    }
}
