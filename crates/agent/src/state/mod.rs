//! What tau itself remembers between sessions, under the agent folder.
//!
//! Everything that tau keeps for its own use, and that is neither a setting nor a session, goes through [`StateDir`]:
//!
//! ```text
//! <agentDir>/tau/NAME.json                    what holds for the user
//! <agentDir>/tau/projects/KEY/NAME.json       what holds for one project
//! <agentDir>/tau/extensions/EXTENSION/NAME.json, and the same in the folder of a project: what extensions keep
//! ```
//!
//! A project's key is made of its path without symbolic links, so a project has one state under all its names. A file
//! holds one JSON value of a type that its owner chooses. Files are replaced in one step, so a reader needs no lock and
//! sees the old value or the new one; writers take turns by the lock that programs sharing the agent folder agree on.
//! Only the user can read any of it. A file that cannot be understood is an error, never an empty value, and nobody
//! writes over it: [`StateFile::set_aside`] moves it away.

mod files;

use std::fs::{self, Permissions};
use std::io;
use std::marker::PhantomData;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

pub use files::FILES;

use crate::settings::{FileLock, LockError, create_private_folder, leads_nowhere, replace_private_file};

/// The folder below the agent folder.
const FOLDER: &str = "tau";
/// The folder of all projects.
const PROJECTS: &str = "projects";
/// The folder of all extensions.
const EXTENSIONS: &str = "extensions";
/// Longer than an abandoned lock lives.
const PATIENCE: Duration = Duration::from_secs(12);
/// How long a reader waits for a writer before it believes what it sees.
const READ_PATIENCE: Duration = Duration::from_secs(1);
/// How much of a project's name is part of its key.
const KEY_NAME: usize = 32;

/// What can go wrong with a file of tau's state. The file is named in every case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
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
    /// The lock cannot be had or was lost.
    #[error("{}: {reason}", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// What happened to the lock.
        reason: LockError,
    },
}

/// A folder of tau's state. Nothing of it exists before something is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDir {
    /// The folder of all state, which nobody else may look into.
    root: PathBuf,
    path: PathBuf,
}

/// A file in a [`StateDir`], or beside it where other programs look for it, which holds one value of the type `T`; a file
/// that does not exist holds the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateFile<T> {
    dir: Option<StateDir>,
    path: PathBuf,
    value: PhantomData<fn() -> T>,
}

impl StateDir {
    /// What holds for the user, in all projects.
    pub fn of_user(agent_dir: &Path) -> Self {
        let root = agent_dir.join(FOLDER);
        Self { path: root.clone(), root }
    }

    /// What holds for the project in `folder`.
    pub fn of_project(agent_dir: &Path, folder: &Path) -> Self {
        let root = agent_dir.join(FOLDER);
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
        Self { path: root.join(PROJECTS).join(key_of(&folder)), root }
    }

    /// What an extension keeps in this folder; `key` is the name of its part.
    pub fn of_extension(self, key: &str) -> Self {
        Self { path: self.path.join(EXTENSIONS).join(key), root: self.root }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file for values of a kind; `name` is a plain word.
    pub fn file<T>(&self, name: &str) -> StateFile<T> {
        StateFile { path: self.path.join(format!("{name}.json")), dir: Some(self.clone()), value: PhantomData }
    }

    /// Creates the folder. One that others can look into is closed.
    fn create(&self) -> io::Result<()> {
        create_private_folder(&self.path)?;
        for folder in [&self.root, &self.path] {
            if fs::metadata(folder)?.permissions().mode() & 0o077 != 0 {
                fs::set_permissions(folder, Permissions::from_mode(0o700))?;
            }
        }
        Ok(())
    }
}

/// A name that people recognise, and a hash that tells projects with the same name apart.
pub(crate) fn key_of(folder: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let name: String =
        name.chars().take(KEY_NAME).map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let hash = Sha256::digest(folder.as_os_str().as_bytes());
    let hash: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{name}-{hash}")
}

impl<T> StateFile<T> {
    /// A file whose place and form other programs know too.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { dir: None, path, value: PhantomData }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl<T: Serialize + DeserializeOwned + Default + Clone + PartialEq> StateFile<T> {
    /// The value, for programs that share the file with some that empty it before they fill it, always under the lock.
    ///
    /// # Errors
    /// As [`StateFile::read`].
    pub(crate) fn read_settled(&self) -> Result<T, StateError> {
        match self.read() {
            Ok(value) if value != T::default() => Ok(value),
            _ if FileLock::is_held(&self.path) => {
                let _lock = FileLock::acquire(&self.path, READ_PATIENCE);
                self.read()
            }
            other => other,
        }
    }

    /// The value. Costs one failed system call when there is no file.
    ///
    /// # Errors
    /// When the file cannot be read or understood.
    pub fn read(&self) -> Result<T, StateError> {
        let bytes = match tau_tools::read_small_file(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !leads_nowhere(&self.path) => {
                return Ok(T::default());
            }
            Err(error) => return Err(self.io(&error)),
        };
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
        serde_json::from_slice(bytes)
            .map_err(|error| StateError::Malformed { path: self.path.clone(), message: error.to_string() })
    }

    /// Changes the value as it is now, and gives it as it is then. Nothing is written when nothing changes. Blocks while
    /// another program holds the lock.
    ///
    /// # Errors
    /// When the file cannot be understood, locked or written; it is unchanged then.
    pub fn update(&self, change: impl FnOnce(&mut T)) -> Result<T, StateError> {
        match &self.dir {
            Some(dir) => dir.create(),
            None => self.path.parent().map_or(Ok(()), create_private_folder),
        }
        .map_err(|error| self.io(&error))?;
        let lock = self.lock()?;
        let before = self.read()?;
        let mut value = before.clone();
        change(&mut value);
        if value != before {
            let mut text = serde_json::to_vec_pretty(&value).map_err(|error| self.io(&error.into()))?;
            text.push(b'\n');
            lock.verify().map_err(|reason| self.locked(reason))?;
            replace_private_file(&self.path, &text).map_err(|error| self.io(&error))?;
        }
        Ok(value)
    }

    /// Moves a file that cannot be understood out of the way, and gives its new place.
    ///
    /// # Errors
    /// When it cannot be locked or moved.
    pub fn set_aside(&self) -> Result<PathBuf, StateError> {
        let aside = self.path.with_extension("json.damaged");
        let lock = self.lock()?;
        lock.verify().map_err(|reason| self.locked(reason))?;
        fs::rename(&self.path, &aside).map_err(|error| self.io(&error))?;
        Ok(aside)
    }

    fn lock(&self) -> Result<FileLock, StateError> {
        FileLock::acquire(&self.path, PATIENCE).map_err(|reason| self.locked(reason))
    }

    fn io(&self, error: &io::Error) -> StateError {
        StateError::Io { path: self.path.clone(), message: error.to_string() }
    }

    fn locked(&self, reason: LockError) -> StateError {
        StateError::Locked { path: self.path.clone(), reason }
    }
}

#[cfg(test)]
mod tests;
