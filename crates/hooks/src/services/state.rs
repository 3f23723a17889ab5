//! Files in which an extension remembers something between sessions.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Whom a state is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StateScope {
    /// The user, in all projects.
    User,
    /// One project, under all its names.
    Project,
}

/// What can go wrong with a file of an extension's state. The file is named in every case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The file holds something else than it should. It is left as it is.
    #[error("{}: the file is damaged: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the place.
        message: String,
    },
    /// The file cannot be read or written.
    #[error("{}: {message}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        message: String,
    },
    /// Another program holds the lock, or took it away.
    #[error("{}: {message}", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// What happened to the lock.
        message: String,
    },
    /// The name is none for a file: it has something else than letters, digits, `-` and `_`.
    #[error("{}: \"{name}\" cannot be the name of a file of state: use letters, digits, - and _", folder.display())]
    BadName {
        /// The folder.
        folder: PathBuf,
        /// The name.
        name: String,
    },
}

/// Changes a value that is being held.
pub type StateChange<'a> = &'a mut dyn FnMut(&mut Value);

/// A folder of JSON files; a file that is not there holds `null`. The agent implements this.
pub trait StateStore: Send + Sync {
    /// The folder, which may not exist yet.
    fn path(&self) -> &Path;

    /// The value in a file; `name` is a plain word.
    ///
    /// # Errors
    /// When the file cannot be read or understood.
    fn read(&self, name: &str) -> Result<Value, StateError>;

    /// Changes the value in a file while no other program can, and replaces the file in one step.
    ///
    /// # Errors
    /// When the file cannot be understood, locked or written; it is unchanged then.
    fn update(&self, name: &str, change: StateChange<'_>) -> Result<(), StateError>;

    /// Moves a file that cannot be understood out of the way, and gives its new place.
    ///
    /// # Errors
    /// When it cannot be locked or moved.
    fn set_aside(&self, name: &str) -> Result<PathBuf, StateError>;
}

/// The folder of one extension's state. Only the user can read what is in it.
#[derive(Clone)]
pub struct StateDir(Arc<dyn StateStore>);

impl StateDir {
    /// A folder that something else keeps, as in a test.
    pub fn new(store: Arc<dyn StateStore>) -> Self {
        Self(store)
    }

    /// The folder. It is there once something was written. Files of another kind, such as a database, may lie in it too;
    /// tau looks at none of them.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The file that holds one value of the type `T`.
    ///
    /// # Errors
    /// When the name has something else than letters, digits, `-` and `_`.
    pub fn file<T>(&self, name: &str) -> Result<StateFile<T>, StateError> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(StateError::BadName { folder: self.path().into(), name: name.to_owned() });
        }
        Ok(StateFile { dir: self.clone(), name: name.into(), value: PhantomData })
    }
}

/// A file that holds one value of the type `T`; one that is not there holds the default. Readers need no lock: they see the
/// old value or the new one. Writers take turns, in this program and in others.
pub struct StateFile<T> {
    dir: StateDir,
    name: Arc<str>,
    value: PhantomData<fn() -> T>,
}

impl<T> Clone for StateFile<T> {
    fn clone(&self) -> Self {
        Self { dir: self.dir.clone(), name: Arc::clone(&self.name), value: PhantomData }
    }
}

impl<T: Serialize + DeserializeOwned + Default> StateFile<T> {
    /// The file.
    pub fn path(&self) -> PathBuf {
        self.dir.path().join(format!("{}.json", self.name))
    }

    /// The value.
    ///
    /// # Errors
    /// When the file cannot be read, or holds something else.
    pub fn read(&self) -> Result<T, StateError> {
        self.typed(self.dir.0.read(&self.name)?)
    }

    /// Changes the value as it is now, and gives it as it is then. Nothing is written when nothing changes. Waits while
    /// another program holds the lock: from an async function use [`StateFile::change`].
    ///
    /// # Errors
    /// When the file holds something else, cannot be locked or written; it is unchanged then.
    pub fn update(&self, change: impl FnOnce(&mut T)) -> Result<T, StateError> {
        let mut change = Some(change);
        let mut changed = None;
        self.dir.0.update(&self.name, &mut |held| {
            let Some(change) = change.take() else { return };
            let mut value = match self.typed(held.clone()) {
                Ok(value) => value,
                Err(error) => return changed = Some(Err(error)),
            };
            change(&mut value);
            match serde_json::to_value(&value) {
                Ok(json) => *held = json,
                Err(error) => return changed = Some(Err(self.malformed(&error))),
            }
            changed = Some(Ok(value));
        })?;
        changed.unwrap_or_else(|| {
            tau_ai::broken("a state was not changed");
            self.read()
        })
    }

    /// As [`StateFile::update`], on a thread that may wait.
    ///
    /// # Errors
    /// As [`StateFile::update`].
    pub async fn change(&self, change: impl FnOnce(&mut T) + Send + 'static) -> Result<T, StateError>
    where
        T: Send + 'static,
    {
        let file = self.clone();
        match tokio::task::spawn_blocking(move || file.update(change)).await {
            Ok(done) => done,
            // What `change` panicked with goes on here; without a panic the program ends.
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(error) => Err(StateError::Io { path: self.path(), message: error.to_string() }),
        }
    }

    /// Moves a file that cannot be understood out of the way, and gives its new place.
    ///
    /// # Errors
    /// When it cannot be locked or moved.
    pub fn set_aside(&self) -> Result<PathBuf, StateError> {
        self.dir.0.set_aside(&self.name)
    }

    fn typed(&self, value: Value) -> Result<T, StateError> {
        match value {
            Value::Null => Ok(T::default()),
            value => serde_json::from_value(value).map_err(|error| self.malformed(&error)),
        }
    }

    fn malformed(&self, error: &serde_json::Error) -> StateError {
        StateError::Malformed { path: self.path(), message: error.to_string() }
    }
}
