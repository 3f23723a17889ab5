//! Settings that change while the program runs.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use serde_json::Value;
use tau_sys::lock::{FileLock, LockError};
use tau_sys::replace::{create_private_folder, replace_file, replace_private_file};

use super::environment::Environment;
use super::file::{self, Content, SettingsError};
use super::key::KeyPath;
use super::layers::Settings;
use super::place::Layer;

/// Longer than an abandoned lock lives, so that a crashed program never makes a write fail.
const WRITE_PATIENCE: Duration = Duration::from_secs(12);

/// The current settings, shared. Reading takes a snapshot; writing changes one key on disk and takes a new one.
#[derive(Debug)]
pub struct SettingsStore {
    current: RwLock<Arc<Settings>>,
}

impl SettingsStore {
    /// Reads the files; the project's only when `trusted`.
    pub fn open(env: &Environment, trusted: bool) -> Self {
        Self::from(Settings::load(env, trusted))
    }

    /// The settings as they are now.
    pub fn snapshot(&self) -> Arc<Settings> {
        Arc::clone(&self.current.read())
    }

    /// Reads the files again, for a project that is or is not trusted. A file that got damaged keeps its last values;
    /// the returned snapshot lists the error.
    pub fn reload(&self, trusted: bool) -> Arc<Settings> {
        let fresh = Arc::new(self.snapshot().reloaded(trusted));
        *self.current.write() = Arc::clone(&fresh);
        fresh
    }

    /// Makes settings that were read before the current ones.
    pub fn replace(&self, settings: Arc<Settings>) {
        *self.current.write() = settings;
    }

    /// Sets one key in the file of `layer`, or removes it with `None`. Everything else in the file stays, including
    /// what other programs wrote meanwhile. Blocks while another program holds the lock.
    ///
    /// # Errors
    /// When the file on disk is damaged, has a key twice or something else where the objects around this key would be (it
    /// is not touched), the project is not trusted, or the lock or the file cannot be had. The settings in memory are unchanged then.
    pub fn set(&self, layer: Layer, key: impl Into<KeyPath>, value: Option<Value>) -> Result<(), SettingsError> {
        self.update(layer, key, |_| value)
    }

    /// Makes the value of a key from the one that is in the file of `layer`, while no other program can change it: what
    /// two programs add to one list is in it afterwards. Nothing is written when nothing changes. Blocks while another
    /// program holds the lock.
    ///
    /// # Errors
    /// As [`SettingsStore::set`].
    pub fn update(
        &self,
        layer: Layer,
        key: impl Into<KeyPath>,
        change: impl FnOnce(Option<Value>) -> Option<Value>,
    ) -> Result<(), SettingsError> {
        let snapshot = self.snapshot();
        let path = snapshot.paths().file(layer);
        if layer == Layer::Project && !snapshot.is_trusted() {
            return Err(SettingsError::Untrusted { path });
        }
        let key = key.into();
        let locked = |reason: LockError| SettingsError::Locked { path: path.clone(), reason };
        let unwritable = |message: String| SettingsError::Unwritable { path: path.clone(), message };

        // The user's settings may hold what is nobody else's business; those of a project are everybody's who works on it.
        let is_private = layer == Layer::Global;
        if is_private {
            create_private_folder(snapshot.paths().base(layer)).map_err(|error| unwritable(error.to_string()))?;
        }
        let lock = FileLock::acquire(&path, WRITE_PATIENCE).map_err(locked)?;
        let Content { settings, twice } = file::read_now(&path)?;
        if let Some(key) = twice.into_iter().next() {
            return Err(SettingsError::Twice { path, key });
        }
        let mut content = Value::Object(settings);
        let before = key.get(&content).cloned();
        let after = change(before.clone());
        if before != after {
            if let Some(key) = key.obstacle(&content).filter(|_| after.is_some()) {
                return Err(SettingsError::NotObject { path, key });
            }
            key.set(&mut content, after);
            let text = serde_json::to_string_pretty(&content).map_err(|error| unwritable(error.to_string()))?;
            lock.verify().map_err(locked)?;
            let replace = if is_private { replace_private_file } else { replace_file };
            replace(&path, text.as_bytes()).map_err(|error| unwritable(error.to_string()))?;
        }
        drop(lock);
        self.reload(snapshot.is_trusted());
        Ok(())
    }
}

impl From<Settings> for SettingsStore {
    fn from(settings: Settings) -> Self {
        Self { current: RwLock::new(Arc::new(settings)) }
    }
}
