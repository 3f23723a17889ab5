//! Reading one settings file.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};
use tau_sys::lock::{FileLock, LockError};

use super::key::KeyPath;
use super::place::Layer;
use super::strange_key::StrangeKey;
use super::table::{Kind, keys};
use crate::json;

/// How long a reader waits for a writer before it believes what it sees.
const READ_PATIENCE: Duration = Duration::from_secs(1);

/// What can go wrong with a settings file. The file is named in every case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The text is not JSON, not UTF-8, or not an object. It counts as empty and is never written.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line of the first wrong character, from 1.
        line: usize,
        /// Column of it, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// The file exists but cannot be read.
    #[error("{}: cannot be read: {message}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        message: String,
    },
    /// What the file says about guards cannot be understood; the rest of it is used.
    #[error("{}: {key} must be {expected}", path.display())]
    Requirements {
        /// The file.
        path: PathBuf,
        /// The key with the wrong value.
        key: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// A key that was to switch a guard on has no effect; the rest of the file is used.
    #[error("{0}")]
    Guard(StrangeKey),
    /// A key is there twice, so the file is not written: one of the two would be lost.
    #[error("{}: {} is there twice; remove one of them first", path.display(), key.written())]
    Twice {
        /// The file.
        path: PathBuf,
        /// The key.
        key: KeyPath,
    },
    /// Something else is where the objects around a key would be, so the file is not written: it would be lost.
    #[error("{}: {} is not an object; correct or remove it first", path.display(), key.written())]
    NotObject {
        /// The file.
        path: PathBuf,
        /// What is no object.
        key: KeyPath,
    },
    /// The file cannot be written; its old content is intact.
    #[error("{}: cannot be written: {message}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        message: String,
    },
    /// Another program keeps the file locked, or took the lock over.
    #[error("{}: {reason}", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// What happened to the lock.
        reason: LockError,
    },
    /// The project is not trusted, so its settings are neither read nor written.
    #[error("{}: the project is not trusted, its settings are left alone", path.display())]
    Untrusted {
        /// The file.
        path: PathBuf,
    },
}

impl SettingsError {
    /// Whether it is what a file says about a guard with this key.
    pub(super) fn is_about(&self, wanted: &str, file: &Path) -> bool {
        matches!(self, Self::Requirements { path, key, .. } if *key == wanted && path == file)
    }

    /// The file it is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::Guard(StrangeKey { path, .. })
            | Self::Malformed { path, .. }
            | Self::Unreadable { path, .. }
            | Self::Requirements { path, .. }
            | Self::Twice { path, .. }
            | Self::NotObject { path, .. }
            | Self::Unwritable { path, .. }
            | Self::Locked { path, .. }
            | Self::Untrusted { path } => path,
        }
    }

    /// Whether nothing of the file was used: it could not be read, or makes no sense as a whole.
    pub fn is_of_whole_file(&self) -> bool {
        matches!(self, Self::Malformed { .. } | Self::Unreadable { .. })
    }
}

/// What a settings file holds.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// Its keys.
    pub(super) settings: Map<String, Value>,
    /// The keys that are there twice.
    pub(super) twice: Vec<KeyPath>,
}

/// Reads a settings file. A missing file is an empty object.
///
/// No lock is taken as long as the content is fine. Some programs empty the file before they fill it, always under the
/// lock: so when the content looks damaged and somebody holds the lock, wait for them and look again.
pub(super) fn read(path: &Path) -> Result<Content, SettingsError> {
    let first = read_now(path);
    let suspicious = !matches!(&first, Ok(content) if !content.settings.is_empty());
    if suspicious && FileLock::is_held(path) {
        let _lock = FileLock::acquire(path, READ_PATIENCE);
        return read_now(path);
    }
    first
}

/// Reads a settings file as it is at this moment.
pub(super) fn read_now(path: &Path) -> Result<Content, SettingsError> {
    let bytes = match tau_tools::read_small_file(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !leads_nowhere(path) => return Ok(Content::default()),
        Err(error) => return Err(SettingsError::Unreadable { path: path.into(), message: error.to_string() }),
    };
    parse(path, &bytes)
}

/// Whether there is no file because a link on the way to it leads nowhere: something is meant to be there.
pub(crate) fn leads_nowhere(path: &Path) -> bool {
    let last = path.ancestors().find(|part| part.symlink_metadata().is_ok());
    last.is_some_and(|part| part.metadata().is_err())
}

/// What is wrong with what the file of a layer says about guards.
pub(super) fn requirements(layer: Layer, path: &Path, settings: &Map<String, Value>) -> Option<SettingsError> {
    let wrong = |key, expected| Some(SettingsError::Requirements { path: path.into(), key, expected });
    let tau = settings.get("tau").filter(|tau| !tau.is_null())?;
    let Some(tau) = tau.as_object() else { return wrong("tau", "an object") };
    let required = tau.get(keys::REQUIRED.last_name()).filter(|names| !names.is_null());
    let strict = tau.get("shellHooks").and_then(|of| of.get(keys::SHELL_HOOKS_STRICT.last_name()));
    if required.is_some_and(|names| !Kind::TextList.accepts(names)) {
        return wrong(keys::REQUIRED.name(), "a list of texts");
    }
    let is_strange = |strict: &Value| layer == Layer::Global && !strict.is_null() && !strict.is_boolean();
    strict.is_some_and(is_strange).then(|| wrong(keys::SHELL_HOOKS_STRICT.name(), "true or false")).flatten()
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Content, SettingsError> {
    let malformed =
        |line, column, message: String| SettingsError::Malformed { path: path.into(), line, column, message };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        malformed(line, column, "the file is not UTF-8 text".into())
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(malformed(1, 1, "the file is empty; write {} into it, or remove it".to_owned()));
    }
    match json::parse(text) {
        Ok((Value::Object(settings), twice)) => {
            Ok(Content { settings, twice: twice.into_iter().map(KeyPath::of).collect() })
        }
        Ok(_) => Err(malformed(1, 1, "settings must be a JSON object".into())),
        Err(error) => {
            let full = error.to_string();
            let position = format!(" at line {} column {}", error.line(), error.column());
            let message = full.strip_suffix(&position).unwrap_or(&full).to_owned();
            Err(malformed(error.line(), error.column(), message))
        }
    }
}
