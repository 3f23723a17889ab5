//! Settings that keys and panels change. Files may be slow or locked, so another thread writes them, in order.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tau_agent::settings::{KeyPath, Layer, SettingsStore};

use super::App;
use crate::told::{Said, Told};

/// Values of settings of the user; one without a value is taken out of the file.
pub(super) type Values = Vec<(KeyPath, Option<Value>)>;

/// Values that belong together, and what is said once they are written.
struct Change {
    values: Values,
    said: Option<String>,
}

/// Writes changes in the order in which they were made.
#[derive(Clone, Default)]
pub(super) struct Keeper {
    waiting: Arc<Mutex<VecDeque<Change>>>,
    /// Held by the thread that writes.
    turn: Arc<Mutex<()>>,
}

impl Keeper {
    fn add(&self, change: Change) {
        self.waiting.lock().push_back(change);
    }

    /// Writes the oldest change that waits; what there is to say about it.
    fn write_next(&self, store: &SettingsStore) -> Option<Said> {
        let _turn = self.turn.lock();
        let Change { values, said } = self.waiting.lock().pop_front()?;
        for (key, value) in values {
            if let Err(error) = store.set(Layer::Global, key, value) {
                return Some(Said::Error(error.to_string()));
            }
        }
        said.map(Said::Status)
    }
}

impl App {
    /// Keeps settings of the user, and then says something about it.
    pub(super) fn keep_settings(&mut self, values: Values, said: Option<String>) {
        let Some(session) = &self.session else { return };
        self.keeper.add(Change { values, said });
        let (keeper, store, teller) = (self.keeper.clone(), Arc::clone(session.settings()), self.teller.clone());
        self.tasks.spawn_blocking(move || {
            if let Some(said) = keeper.write_next(&store) {
                teller.tell(Told::Done(said));
            }
        });
    }

    /// Keeps one setting of the user.
    pub(super) fn keep_setting(&mut self, key: impl Into<KeyPath>, value: Value) {
        self.keep_settings(vec![(key.into(), Some(value))], None);
    }
}

#[cfg(test)]
mod tests {
    use tau_agent::settings::{Environment, keys};

    use super::*;

    #[test]
    fn changes_are_written_in_order_whichever_thread_is_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let env = Environment::new(folder.path(), folder.path());
        let store = Arc::new(SettingsStore::open(&env, false));
        let keeper = Keeper::default();
        for count in 0..20 {
            keeper.add(Change {
                values: vec![(keys::RETRY_MAX.into(), Some(count.into()))],
                said: Some(count.to_string()),
            });
        }
        let threads: Vec<_> = (0..20)
            .map(|_| {
                let (keeper, store) = (keeper.clone(), Arc::clone(&store));
                std::thread::spawn(move || matches!(keeper.write_next(&store), Some(Said::Status(_))))
            })
            .collect();
        assert!(threads.into_iter().all(|thread| thread.join().expect("it writes")));
        assert_eq!(store.snapshot().of(keys::RETRY_MAX), 19);
        assert!(keeper.write_next(&store).is_none());
    }

    #[test]
    fn what_cannot_be_written_is_an_error_and_says_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let env = Environment::new(folder.path(), folder.path());
        let store = SettingsStore::open(&env, false);
        let file = env.agent_dir().join("settings.json");
        std::fs::create_dir_all(&file).expect("a folder in the place of the file");
        let keeper = Keeper::default();
        keeper.add(Change { values: vec![(keys::OUTPUT_PAD.into(), Some(1.into()))], said: Some("kept".to_owned()) });
        assert!(matches!(keeper.write_next(&store), Some(Said::Error(_))));
    }
}
