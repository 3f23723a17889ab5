//! Waiting for changes of git's files.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tau_sys::watch::is_windows_drive;

use super::Shared;
use crate::place::Place;

/// The files in a folder of git whose change is one of the facts. Folders count when they come and go.
const COUNTED: &[&str] = &[
    "BISECT_LOG",
    "CHERRY_PICK_HEAD",
    "HEAD",
    "MERGE_HEAD",
    "REVERT_HEAD",
    "config",
    "config.worktree",
    "index",
    "packed-refs",
    "rebase-apply",
    "rebase-merge",
    "shallow",
    "tables.list",
];

/// A folder: one that was removed and made again at the same path is another one.
type Identity = (PathBuf, u64, u64);

/// What is watched.
pub(super) struct Watched {
    places: Vec<Identity>,
    _watcher: RecommendedWatcher,
}

impl Watched {
    /// Watches what determines the facts: what was watched before, if it is still that. `None` where the system reports
    /// nothing; then only questions lead to looks.
    pub(super) fn renewed(
        before: Option<Self>,
        shared: &Arc<Shared>,
        folder: &Path,
        place: Option<&Place>,
    ) -> Option<Self> {
        let folders = folders(folder, place);
        let places: Vec<Identity> = folders.iter().filter_map(|(folder, _)| identity(folder)).collect();
        if let Some(before) = before
            && before.places == places
        {
            return Some(before);
        }
        if folders.iter().any(|(folder, _)| is_windows_drive(folder)) {
            return None;
        }
        let is_repository = place.is_some();
        let roots: Vec<PathBuf> = folders.iter().map(|(folder, _)| folder.clone()).collect();
        let refs = place.map(|place| place.common_dir().join("refs"));
        // The thread of the watcher must not keep what it reports to.
        let shared = Arc::downgrade(shared);
        let report = move |event: notify::Result<Event>| {
            let counts = |path: &PathBuf| {
                let name = path.file_name().map(|name| name.to_string_lossy());
                let is_one = |names: &[&str]| name.as_deref().is_some_and(|name| names.contains(&name));
                if !is_repository {
                    return is_one(&[".git"]) || roots.contains(path);
                }
                let is_ref = refs.as_ref().is_some_and(|refs| path.starts_with(refs))
                    && name.as_deref().is_some_and(|name| !name.ends_with(".lock"));
                is_ref || is_one(COUNTED) || roots.contains(path)
            };
            let is_change = match &event {
                Ok(event) => !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(counts),
                // A change may have been missed.
                Err(_) => true,
            };
            if is_change && let Some(shared) = shared.upgrade() {
                shared.changes.notify_one();
            }
        };
        let watching = notify::recommended_watcher(report).and_then(|mut watcher| {
            for (folder, mode) in &folders {
                watcher.watch(folder, *mode)?;
            }
            Ok(watcher)
        });
        watching
            .inspect_err(|error| tracing::debug!(%error, "a repository is looked at only when somebody asks"))
            .ok()
            .map(|watcher| Self { places, _watcher: watcher })
    }
}

/// The folders in which something can change.
fn folders(folder: &Path, place: Option<&Place>) -> Vec<(PathBuf, RecursiveMode)> {
    let Some(place) = place else { return vec![(folder.to_owned(), RecursiveMode::NonRecursive)] };
    let common = place.common_dir();
    let mut folders = vec![(place.git_dir.clone(), RecursiveMode::NonRecursive)];
    if common != place.git_dir {
        folders.push((common.clone(), RecursiveMode::NonRecursive));
    }
    folders.push((common.join("refs"), RecursiveMode::Recursive));
    folders.push((common.join("reftable"), RecursiveMode::NonRecursive));
    folders.retain(|(folder, _)| folder.is_dir());
    folders
}

fn identity(folder: &Path) -> Option<Identity> {
    let found = fs::metadata(folder).ok()?;
    Some((folder.to_owned(), found.dev(), found.ino()))
}
