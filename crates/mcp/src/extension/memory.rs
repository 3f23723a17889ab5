//! What is remembered of servers between sessions.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tau_hooks::{Api, StateFile, StateScope};

use crate::config::Entry;
use crate::manager::{Memory, Remembered};

/// Of how many servers something is remembered.
const MOST: usize = 200;

/// What the file holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Known {
    servers: BTreeMap<String, Remembered>,
}

/// Keeps it in the state of the extension.
pub(super) struct Kept {
    api: Api,
    known: Mutex<Option<Known>>,
}

impl Kept {
    pub(super) fn new(api: Api) -> Self {
        Self { api, known: Mutex::new(None) }
    }

    fn file(&self) -> Option<StateFile<Known>> {
        self.api.state(StateScope::User).ok()?.file("servers").ok()
    }

    fn with<T>(&self, look: impl FnOnce(&mut Known) -> T) -> T {
        let mut known = self.known.lock();
        let known = known.get_or_insert_with(|| self.file().and_then(|file| file.read().ok()).unwrap_or_default());
        look(known)
    }
}

/// A server is another one when it is reached in another way. The key shows nothing of how it is reached.
fn key(entry: &Entry) -> String {
    let digest = Sha256::digest(format!("{}\0{:?}", entry.name, entry.config.transport));
    let hash: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{hash}", entry.name)
}

impl Memory for Kept {
    fn recall(&self, entry: &Entry) -> Option<Remembered> {
        self.with(|known| known.servers.get(&key(entry)).cloned())
    }

    fn keep(&self, entry: &Entry, remembered: Remembered) {
        let key = key(entry);
        let is_news =
            self.with(|known| known.servers.insert(key.clone(), remembered.clone()).as_ref() != Some(&remembered));
        let Some(file) = self.file().filter(|_| is_news) else { return };
        let work = move |_| async move {
            let done = file.change(move |known| {
                if known.servers.len() >= MOST && !known.servers.contains_key(&key) {
                    known.servers.pop_first();
                }
                known.servers.insert(key, remembered);
            });
            // Without it the next session knows a little less.
            if let Err(error) = done.await {
                tracing::debug!(%error, "what is known of an MCP server is not kept");
            }
        };
        if let Err(error) = self.api.spawn("memory", work) {
            tracing::debug!(%error, "what is known of an MCP server is not kept");
        }
    }
}
