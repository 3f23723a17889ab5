//! One change to a file at a time.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use crate::paths::normalize;

// Sessions of one process work on the same files, and so do extensions that change files themselves: only a
// queue that all of them share keeps them from losing each other's changes.
static SHARED: LazyLock<MutationQueue> = LazyLock::new(MutationQueue::default);

/// Serialises changes of the same file; changes of different files run side by side. Waiting is in order.
/// A file is told by its real path, so that links to it wait for each other.
#[derive(Debug, Clone, Default)]
pub struct MutationQueue {
    files: Arc<Mutex<HashMap<PathBuf, Arc<AsyncMutex<()>>>>>,
}

/// The right to change a file, until it is dropped.
#[derive(Debug)]
pub struct MutationGuard {
    guard: Option<OwnedMutexGuard<()>>,
    key: PathBuf,
    queue: MutationQueue,
}

impl MutationQueue {
    /// The queue that all tools of this process use.
    pub fn shared() -> &'static Self {
        &SHARED
    }

    /// Waits for the turn to change `path`, which need not exist.
    pub async fn lock(&self, path: &Path) -> MutationGuard {
        let key = real_path(path);
        let lock = self.files.lock().entry(key.clone()).or_default().clone();
        let guard = lock.lock_owned().await;
        MutationGuard { guard: Some(guard), key, queue: self.clone() }
    }
}

impl Drop for MutationGuard {
    fn drop(&mut self) {
        self.guard = None;
        let mut files = self.queue.files.lock();
        // Under the map's lock nobody can come to share the entry: alone here means that nobody waits.
        if files.get(&self.key).is_some_and(|lock| Arc::strong_count(lock) == 1) {
            files.remove(&self.key);
        }
    }
}

/// The real path of the part that exists, with the rest appended.
fn real_path(path: &Path) -> PathBuf {
    let path = normalize(path);
    let mut existing = path.as_path();
    loop {
        match std::fs::canonicalize(existing) {
            Ok(real) => {
                return path.strip_prefix(existing).map_or_else(
                    |_| path.clone(),
                    |rest| {
                        if rest.as_os_str().is_empty() { real.clone() } else { real.join(rest) }
                    },
                );
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                match existing.parent() {
                    Some(parent) => existing = parent,
                    None => return path,
                }
            }
            Err(_) => return path,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn links_share_a_queue_and_nothing_is_left_behind() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a");
        std::fs::write(&file, "").unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let queue = MutationQueue::default();
        let first = queue.lock(&file).await;
        let waiting = tokio::spawn({
            let (queue, link) = (queue.clone(), link.clone());
            async move { queue.lock(&link).await }
        });
        let other = queue.lock(&dir.path().join("new/b")).await;
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        drop(waiting.await.unwrap());
        drop(other);
        assert_eq!(queue.files.lock().len(), 0);
    }
}
