//! `auth.json`, as far as one entry is concerned.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};
use tau_ai::{JsonMap, former_provider_name, provider_name};

use crate::json;
use crate::settings::{FileLock, KeyPath, LockError, create_private_folder, replace_private_file};

/// Age after which the lock of another program is abandoned. Some hold it while they wait for a provider and touch it
/// only now and then.
const STALE: Duration = Duration::from_secs(30);
/// How long to wait for the lock: longer than an abandoned one lives.
const PATIENCE: Duration = Duration::from_secs(45);
/// How often the lock is touched while it is held: others take it for abandoned after ten seconds.
const TOUCH: Duration = Duration::from_secs(3);

/// What can go wrong with `auth.json`. Its content is in no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuthFileError {
    /// It is no JSON object, so it is not touched.
    #[error("{}:{line}: not a JSON object; it is left as it is", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line of the first wrong character, from 1.
        line: usize,
    },
    /// A key is there twice, so it is not changed: one of the two would be lost.
    #[error("{}: {} is there twice; tau does not change the file until one of them is removed", path.display(), key.written())]
    Twice {
        /// The file.
        path: PathBuf,
        /// The key, without its value.
        key: KeyPath,
    },
    /// It cannot be read or written; the old content is intact.
    #[error("{}: {message}", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// What the system says.
        message: String,
    },
    /// Another program keeps it locked, or took the lock over.
    #[error("{}: {reason}", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// What happened to the lock.
        reason: LockError,
    },
}

/// What is stored for a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredKind {
    /// A login with an account.
    Account,
    /// An API key.
    Key,
    /// Something that another program understands.
    Other,
}

impl fmt::Display for StoredKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Account => "account",
            Self::Key => "API key",
            Self::Other => "of another kind",
        })
    }
}

/// The names that a provider goes by, the present one first.
fn names(provider: &str) -> impl Iterator<Item = &str> {
    let present = provider_name(provider);
    std::iter::once(present).chain(former_provider_name(present))
}

/// What is wrong with the text of an `auth.json` that is read all the same: a key is there twice. A text that is no JSON
/// is not looked at.
pub fn check_auth_text(path: &Path, text: &str) -> Option<AuthFileError> {
    let (_, twice) = json::parse(text.strip_prefix('\u{feff}').unwrap_or(text)).ok()?;
    twice_error(path, twice)
}

fn twice_error(path: &Path, twice: BTreeSet<Vec<String>>) -> Option<AuthFileError> {
    let key = KeyPath::of(twice.into_iter().next()?);
    Some(AuthFileError::Twice { path: path.to_owned(), key })
}

/// `auth.json` while nobody else may change it.
pub(super) struct AuthFile {
    path: PathBuf,
    lock: FileLock,
}

impl AuthFile {
    /// Takes the lock.
    pub(super) async fn open(path: &Path) -> Result<Self, AuthFileError> {
        let path = path.to_owned();
        let wanted = path.clone();
        let take = move || {
            let folder = wanted.parent().map_or(Ok(()), create_private_folder);
            let failed = |error: std::io::Error| LockError::Failed { path: wanted.clone(), message: error.to_string() };
            folder.map_err(failed).and_then(|()| FileLock::acquire_after(&wanted, PATIENCE, STALE))
        };
        let taken = tokio::task::spawn_blocking(take).await;
        match taken {
            Ok(Ok(lock)) => Ok(Self { path, lock }),
            Ok(Err(reason)) => Err(AuthFileError::Locked { path, reason }),
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Waits for something and keeps the lock meanwhile.
    pub(super) async fn during<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                // A lock that was lost is noticed before anything is written.
                () = tokio::time::sleep(TOUCH) => drop(self.lock.touch()),
            }
        }
    }

    fn all(&self) -> Result<JsonMap, AuthFileError> {
        let text = match tau_tools::read_small_text(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Map::new()),
            Err(error) => return Err(self.failed(&error)),
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if text.trim().is_empty() {
            return Ok(Map::new());
        }
        // The reader's own message may quote the content.
        let malformed = |line: usize| AuthFileError::Malformed { path: self.path.clone(), line: line.max(1) };
        match json::parse(text).map_err(|error| malformed(error.line()))? {
            (Value::Object(all), twice) => twice_error(&self.path, twice).map_or(Ok(all), Err),
            _ => Err(malformed(1)),
        }
    }

    /// What it says of a provider, under its present name or else a former one.
    pub(super) fn entry(&self, provider: &str) -> Result<Option<JsonMap>, AuthFileError> {
        let mut all = self.all()?;
        let found = names(provider).find_map(|name| all.remove(name));
        match found {
            Some(Value::Object(entry)) => Ok(Some(entry)),
            _ => Ok(None),
        }
    }

    /// What is stored for a provider.
    pub(super) fn kind(&self, provider: &str) -> Result<Option<StoredKind>, AuthFileError> {
        let kinds = self.kinds()?;
        let find = |name: &str| kinds.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind);
        Ok(names(provider).find_map(find))
    }

    /// The providers it says something of, in the order of the file.
    pub(super) fn kinds(&self) -> Result<Vec<(String, StoredKind)>, AuthFileError> {
        let kind = |entry: &Value| match entry.get("type").and_then(Value::as_str) {
            Some("oauth") => StoredKind::Account,
            Some("api_key") => StoredKind::Key,
            _ => StoredKind::Other,
        };
        Ok(self.all()?.into_iter().map(|(provider, entry)| (provider, kind(&entry))).collect())
    }

    /// Replaces what it says of a provider, or removes it. Tells whether there was something.
    pub(super) fn put(&self, provider: &str, entry: Option<JsonMap>) -> Result<bool, AuthFileError> {
        let mut all = self.all()?;
        let name = provider_name(provider);
        // Another program may read only the former name, so what it keeps there stays until something is removed: then
        // it would come back otherwise.
        let (before, former) = match entry {
            Some(entry) => (all.insert(name.to_owned(), Value::Object(entry)), None),
            None => (all.shift_remove(name), former_provider_name(name).and_then(|former| all.shift_remove(former))),
        };
        let text = serde_json::to_string_pretty(&all).map_err(|error| self.failed(&error))?;
        self.lock.verify().map_err(|reason| AuthFileError::Locked { path: self.path.clone(), reason })?;
        replace_private_file(&self.path, text.as_bytes()).map_err(|error| self.failed(&error))?;
        Ok(before.or(former).is_some())
    }

    fn failed(&self, error: &dyn fmt::Display) -> AuthFileError {
        AuthFileError::Failed { path: self.path.clone(), message: error.to_string() }
    }
}
