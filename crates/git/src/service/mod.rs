//! The repository of a folder for everybody who is interested in it.
//!
//! Nothing happens until somebody subscribes. From then on one thread (`life.rs`) waits for what git's files report
//! (`watcher.rs`) and for those who ask, and has looks done on another one (`look.rs`). With the last subscriber it ends.

mod life;
mod look;
mod watcher;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use crate::{Facts, GitError, Limits, Repository};

/// What is known of the repository of a folder. It is cheap to make and to share; no call waits for a look but the
/// asynchronous ones.
pub struct GitFacts {
    shared: Arc<Shared>,
}

/// What the last look found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct View {
    /// What is there.
    pub found: Found,
    /// Whether a new look was asked for or is under way.
    pub is_stale: bool,
    /// The last question that this answers.
    answers: u64,
}

/// What a folder belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Found {
    /// Nobody has looked yet.
    #[default]
    Unknown,
    /// No repository.
    Nothing,
    /// This one.
    Repository(Arc<Facts>),
    /// One that cannot be read.
    Failed(GitError),
}

impl View {
    /// The repository, if it could be read.
    pub fn facts(&self) -> Option<&Arc<Facts>> {
        match &self.found {
            Found::Repository(facts) => Some(facts),
            Found::Unknown | Found::Nothing | Found::Failed(_) => None,
        }
    }
}

/// What the owner, the subscribers and the thread share.
struct Shared {
    folder: PathBuf,
    limits: Limits,
    view: watch::Sender<Arc<View>>,
    /// Whether the thread runs. Whoever starts or ends it holds this.
    is_alive: Mutex<bool>,
    /// The last question.
    asked: Mutex<u64>,
    /// Wakes the thread for a question.
    questions: Notify,
    /// Wakes the thread for a change that was reported.
    changes: Notify,
}

impl GitFacts {
    /// For a folder. Nothing is looked at yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::with(folder, Limits::default())
    }

    /// As [`GitFacts::new`], with other limits.
    pub fn with(folder: impl Into<PathBuf>, limits: Limits) -> Self {
        let shared = Shared {
            folder: folder.into(),
            limits,
            view: watch::Sender::default(),
            is_alive: Mutex::default(),
            asked: Mutex::default(),
            questions: Notify::new(),
            changes: Notify::new(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.shared.folder
    }

    /// What the last look found. Without subscribers it may be old.
    pub fn view(&self) -> Arc<View> {
        self.shared.view.borrow().clone()
    }

    /// Looks now, and again whenever git's files change, for as long as the receiver lives. Changes of other files are not
    /// seen: the program that makes them asks for a [refresh](GitFacts::refresh).
    pub fn subscribe(&self) -> watch::Receiver<Arc<View>> {
        let mut is_alive = self.shared.is_alive.lock();
        let receiver = self.shared.view.subscribe();
        // What was known before there was somebody is old, also where the thread has not ended yet.
        if self.shared.view.receiver_count() == 1 {
            self.shared.ask();
        }
        if !*is_alive {
            let shared = self.shared.clone();
            match thread::Builder::new().name("tau-git".to_owned()).spawn(move || life::live(&shared)) {
                Ok(_) => *is_alive = true,
                Err(error) => {
                    let why = format!("no thread can be started: {error}");
                    let failed = GitError::Folder { folder: self.shared.folder.clone(), why };
                    self.shared.publish(Found::Failed(failed), false, u64::MAX);
                }
            }
        }
        receiver
    }

    /// Asks for a new look, if somebody subscribes. Questions that come close together share one.
    pub fn refresh(&self) {
        if *self.shared.is_alive.lock() {
            self.shared.ask();
        }
    }

    /// What a look finds that begins after this call.
    pub async fn look(&self) -> Arc<View> {
        let mut views = self.subscribe();
        let question = self.shared.ask();
        let answer = views.wait_for(|view| view.answers >= question).await;
        // The sender lives as long as this.
        answer.map_or_else(|_| self.view(), |view| view.clone())
    }

    /// Asks the repository something that may take long, on a thread for such work. `None`: there is no repository.
    ///
    /// # Errors
    /// When the repository cannot be opened, or the question panics.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Repository) -> T + Send + 'static,
    ) -> Result<Option<T>, GitError> {
        let (folder, limits) = (self.shared.folder.clone(), self.shared.limits);
        let work = move || Ok(Repository::of(&folder, limits)?.map(|repository| question(&repository)));
        let answer = tokio::task::spawn_blocking(work).await;
        answer.unwrap_or_else(|error| Err(self.shared.defect(&error)))
    }
}

impl Shared {
    /// Counts a question, and wakes the thread for it.
    fn ask(&self) -> u64 {
        let mut asked = self.asked.lock();
        *asked += 1;
        self.mark();
        self.questions.notify_one();
        *asked
    }

    /// Marks what is known as old.
    fn mark(&self) {
        self.view.send_if_modified(|view| {
            let was = view.is_stale;
            if !was {
                *view = Arc::new(View { is_stale: true, ..View::clone(view) });
            }
            !was
        });
    }

    fn publish(&self, found: Found, is_stale: bool, answers: u64) {
        self.view.send_replace(Arc::new(View { found, is_stale, answers }));
    }

    /// Says what is known before a look is over.
    fn publish_early(&self, found: Found) {
        self.view.send_modify(|view| *view = Arc::new(View { found, is_stale: true, answers: view.answers }));
    }

    fn defect(&self, error: &tokio::task::JoinError) -> GitError {
        GitError::Defect { folder: self.folder.clone(), why: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_the_last_subscriber_everything_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let facts = GitFacts::new(folder.path());
        for _ in 0..3 {
            let (mut first, second) = (facts.subscribe(), facts.subscribe());
            drop(second);
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            let found = runtime.block_on(async { first.wait_for(|view| view.found == Found::Nothing).await.is_ok() });
            assert!(found && *facts.shared.is_alive.lock());
            drop(first);
            // The thread, what it watches and the looks let go of it.
            while *facts.shared.is_alive.lock() || Arc::strong_count(&facts.shared) > 1 {
                thread::yield_now();
            }
        }
    }
}
