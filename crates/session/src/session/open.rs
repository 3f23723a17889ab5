//! How sessions come into being.

use std::fs;
use std::path::{Path, PathBuf};

use parking_lot::{Mutex, RwLock};

use super::{NewSession, Session, Storage};
use crate::load::{self, Text};
use crate::tree::Tree;
use crate::{Header, Problem, SessionError, id, list, location, migrate};

impl Session {
    /// A new session whose file will be in `dir`. No file exists before [`Self::persist`].
    pub fn create(dir: &Path, cwd: &Path, new: NewSession) -> Result<Self, SessionError> {
        let header = Header::new(id::session_id(new.id)?, location::now(), cwd, new.parent_session);
        let file = new.file.unwrap_or_else(|| dir.join(location::file_name(&header.timestamp, &header.id)));
        let path = std::path::absolute(&file).map_err(SessionError::io("resolve", &file))?;
        Ok(Self::new(header, Tree::default(), Vec::new(), Some(path.clone()), Storage::Planned(path)))
    }

    /// A new session that never becomes a file.
    pub fn in_memory(cwd: &Path, new: NewSession) -> Result<Self, SessionError> {
        let header = Header::new(id::session_id(new.id)?, location::now(), cwd, new.parent_session);
        Ok(Self::new(header, Tree::default(), Vec::new(), None, Storage::Memory))
    }

    /// Opens a session file. A file of an older version is rewritten in today's; any other is left alone, even
    /// when it is damaged: see [`Self::problems`].
    ///
    /// # Errors
    /// [`SessionError::NotASession`] for an empty file and one without a valid header.
    pub fn open(path: &Path) -> Result<Self, SessionError> {
        let path = std::path::absolute(path).map_err(SessionError::io("resolve", path))?;
        let (mut text, (mut header, mut header_line)) = Self::read(&path)?;
        if header.version < crate::FORMAT_VERSION {
            let migrated = migrate::to_current(&text, header_line, header.version)?;
            migrate::replace_file(&path, &migrated)?;
            text = Text::new(migrated);
            (header, header_line) = text.header(&path)?;
        }
        let (tree, problems) = load::load(&text, header_line);
        Ok(Self::new(header, tree, problems, Some(path.clone()), Storage::Closed(path)))
    }

    /// The session in a file of any version, to be looked at: it lives in memory, and the file stays as it is.
    ///
    /// # Errors
    /// [`SessionError::NotASession`] for an empty file and one without a valid header.
    pub fn view(path: &Path) -> Result<Self, SessionError> {
        let (header, tree, problems) = Self::peek_all(path)?;
        Ok(Self::new(header, tree, problems, None, Storage::Memory))
    }

    /// The tree in a file of any version; the file stays as it is.
    pub(crate) fn peek(path: &Path) -> Result<Tree, SessionError> {
        Ok(Self::peek_all(path)?.1)
    }

    fn peek_all(path: &Path) -> Result<(Header, Tree, Vec<Problem>), SessionError> {
        let (mut text, (mut header, mut header_line)) = Self::read(path)?;
        if header.version < crate::FORMAT_VERSION {
            text = Text::new(migrate::to_current(&text, header_line, header.version)?);
            (header, header_line) = text.header(path)?;
        }
        let (tree, problems) = load::load(&text, header_line);
        Ok((header, tree, problems))
    }

    fn read(path: &Path) -> Result<(Text, (Header, usize)), SessionError> {
        let text = Text::new(fs::read(path).map_err(SessionError::io("read", path))?);
        let header = text.header(path)?;
        Ok((text, header))
    }

    /// Opens the session of `cwd` in `dir` that was written last, or creates one.
    pub fn continue_recent(dir: &Path, cwd: &Path) -> Result<Self, SessionError> {
        match list::most_recent(dir, cwd) {
            Some(path) => Self::open(&path),
            None => Self::create(dir, cwd, NewSession::default()),
        }
    }

    fn new(header: Header, tree: Tree, problems: Vec<Problem>, path: Option<PathBuf>, storage: Storage) -> Self {
        Self { header, problems, storage: Mutex::new(storage), path, tree: RwLock::new(tree) }
    }

    /// A session with entries that is not a file yet. `path` is `None` for one that never becomes one.
    pub(crate) fn planned(header: Header, tree: Tree, path: Option<PathBuf>) -> Self {
        let storage = path.clone().map_or(Storage::Memory, Storage::Planned);
        Self::new(header, tree, Vec::new(), path, storage)
    }
}
