//! What terminals answered the last time, so that the first frame waits for no answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tau_agent::settings::Environment;
use tau_agent::state::{StateDir, StateFile};
use tau_tui::terminal::Answers;
use tokio_util::task::TaskTracker;

/// The most terminals that are remembered.
const MOST: usize = 32;

/// Answers by the name of the terminal, in `<agentDir>/tau/terminals.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct Terminals(BTreeMap<String, String>);

/// The answers of a terminal. Clones are about the same one.
#[derive(Clone)]
pub(crate) struct Known {
    file: StateFile<Terminals>,
    terminal: String,
    latest: Arc<Mutex<String>>,
}

impl Known {
    /// The answers of a terminal of this name.
    pub(crate) fn of(env: &Environment, terminal: &str) -> Self {
        let file = StateDir::of_user(&env.agent_dir()).file("terminals");
        Self { file, terminal: terminal.to_owned(), latest: Arc::default() }
    }

    /// What it answered. What cannot be read is asked again.
    pub(crate) fn read(&self) -> Answers {
        let all = self.file.read().unwrap_or_else(|error| {
            tracing::debug!(%error, "the answers of terminals cannot be read");
            Terminals::default()
        });
        let known = all.0.get(&self.terminal).map(String::as_str).unwrap_or_default();
        known.parse().unwrap_or_else(|never: std::convert::Infallible| match never {})
    }

    /// Keeps what it answers now, soon and on another thread.
    pub(crate) fn write_soon(&self, answers: &Answers, tasks: &TaskTracker) {
        *self.latest.lock() = answers.to_string();
        let me = self.clone();
        tasks.spawn_blocking(move || me.write());
    }

    fn write(&self) {
        // Whichever thread is last writes what was said last.
        let kept = self.file.update(|all| {
            if all.0.len() >= MOST && !all.0.contains_key(&self.terminal) {
                all.0.clear();
            }
            all.0.insert(self.terminal.clone(), self.latest.lock().clone());
        });
        if let Err(error) = kept {
            tracing::debug!(%error, "the answers of the terminal are not kept");
        }
    }
}
