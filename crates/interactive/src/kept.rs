//! Prompts and drafts that outlive the program.
//!
//! Disks are slow: nothing here is done on the task that owns the screen, but for what is written at the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tau_agent::settings::Environment;
use tau_agent::state::StateDir;
use tau_tui::history::{Drafts, History, HistoryError};
use tokio_util::task::TaskTracker;

/// How long after a key a draft is written.
const PAUSE: Duration = Duration::from_millis(400);

/// Takes what could not be kept, and why.
pub(crate) type Fail = Arc<dyn Fn(String) + Send + Sync>;

/// What is kept of a project.
#[derive(Default)]
pub(crate) struct Kept {
    /// None until it is read.
    files: Option<Files>,
    /// Prompts that were sent before that.
    early: Vec<String>,
    latest: Arc<Mutex<String>>,
    is_scheduled: Arc<AtomicBool>,
}

#[derive(Clone)]
struct Files {
    history: Arc<Mutex<History>>,
    drafts: Arc<Mutex<Drafts>>,
}

/// What was read.
pub(crate) struct Loaded {
    files: Files,
    /// A text that a process left behind that is gone.
    pub(crate) draft: Option<String>,
    /// What is wrong with the prompts.
    pub(crate) error: Option<HistoryError>,
}

/// The drafts of a project; none of them is touched by that.
fn drafts_of(env: &Environment) -> Drafts {
    Drafts::new(StateDir::of_project(&env.agent_dir(), &env.cwd).path().join("drafts"))
}

impl Loaded {
    /// Reads what is kept of a project.
    pub(crate) fn read(env: &Environment) -> Self {
        let folder = StateDir::of_project(&env.agent_dir(), &env.cwd);
        let (history, error) = History::open(folder.path().join("prompts.jsonl"));
        let mut drafts = drafts_of(env);
        let draft = drafts.take_draft().unwrap_or_else(|error| {
            tracing::warn!(%error, "there may be a draft that cannot be read");
            None
        });
        let files = Files { history: Arc::new(Mutex::new(history)), drafts: Arc::new(Mutex::new(drafts)) };
        Self { files, draft, error }
    }
}

impl Kept {
    /// From here on prompts and drafts are kept.
    pub(crate) fn begin(&mut self, loaded: &Loaded, tasks: &TaskTracker, fail: Fail) {
        self.files = Some(loaded.files.clone());
        for prompt in std::mem::take(&mut self.early) {
            self.add(prompt, tasks, Arc::clone(&fail));
        }
    }

    /// The newest prompts, the oldest first.
    pub(crate) fn prompts(&self) -> Vec<String> {
        self.files.as_ref().map(|files| files.history.lock().prompts().to_vec()).unwrap_or_default()
    }

    /// Keeps a prompt.
    pub(crate) fn add(&mut self, text: String, tasks: &TaskTracker, fail: Fail) {
        let Some(Files { history, .. }) = self.files.clone() else { return self.early.push(text) };
        tasks.spawn_blocking(move || {
            if let Err(error) = history.lock().add(&text) {
                fail(error.to_string());
            }
        });
    }

    /// Keeps the draft soon.
    pub(crate) fn write_soon(&self, text: String, tasks: &TaskTracker, fail: Fail) {
        *self.latest.lock() = text;
        let Some(Files { drafts, .. }) = self.files.clone() else { return };
        if self.is_scheduled.swap(true, Ordering::AcqRel) {
            return;
        }
        let (latest, is_scheduled) = (Arc::clone(&self.latest), Arc::clone(&self.is_scheduled));
        let blocking = tasks.clone();
        tasks.spawn(async move {
            tokio::time::sleep(PAUSE).await;
            is_scheduled.store(false, Ordering::Release);
            blocking.spawn_blocking(move || {
                let text = latest.lock().clone();
                if let Err(error) = drafts.lock().save_draft(&text) {
                    fail(error.to_string());
                }
            });
        });
    }

    /// Keeps the draft now. For the end of the program.
    pub(crate) fn write_now(&self, text: &str, env: &Environment) {
        let saved = match &self.files {
            Some(files) => files.drafts.lock().save_draft(text),
            // A place of its own: a draft of another process that is being read stays what it is.
            None => drafts_of(env).save_draft(text),
        };
        if let Err(error) = saved {
            tracing::warn!(%error, "the draft is not kept");
        }
    }
}
