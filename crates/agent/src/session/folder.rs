//! Sessions whose working directory is gone.

use std::fmt;
use std::path::{Path, PathBuf};

use tau_session::Session;

/// A session cannot go on where it was, because its working directory is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingFolder {
    /// The directory that the session names.
    pub folder: PathBuf,
    /// The session's file.
    pub file: Option<PathBuf>,
    /// The directory that tau works in.
    pub here: PathBuf,
}

impl MissingFolder {
    /// What is wrong with a session that is about to be opened; a session that names no directory goes on anywhere.
    pub fn of(session: &Session, here: &Path) -> Option<Self> {
        let folder = session.cwd();
        if folder.as_os_str().is_empty() || folder.is_dir() {
            return None;
        }
        let file = session.file().map(Path::to_owned);
        Some(Self { folder: folder.to_owned(), file, here: here.to_owned() })
    }
}

impl fmt::Display for MissingFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stored session working directory does not exist: {}", self.folder.display())?;
        if let Some(file) = &self.file {
            write!(f, "\nSession file: {}", file.display())?;
        }
        write!(f, "\nCurrent working directory: {}", self.here.display())?;
        match &self.file {
            Some(file) => {
                let file = file.display();
                write!(
                    f,
                    "\nTo continue a copy of it here: tau --fork \"{file}\", or in a session: /import \"{file}\" here"
                )
            }
            None => Ok(()),
        }
    }
}

impl std::error::Error for MissingFolder {}
