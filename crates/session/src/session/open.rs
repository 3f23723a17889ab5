//! How sessions come into being.

use std::path::{Path, PathBuf};

use parking_lot::{Mutex, RwLock};
use tau_ai::Sources;

use super::{NewSession, Session, Storage};
use crate::file::AppendFile;
use crate::load::{self, Text};
use crate::notice::Notices;
use crate::place::Place;
use crate::tree::Tree;
use crate::{Header, Problem, SessionError, clock, id, list, location, migrate};

impl Session {
    /// A new session whose file will be in `dir`. No file exists before [`Self::persist`].
    pub fn create(dir: &Path, cwd: &Path, new: NewSession) -> Result<Self, SessionError> {
        let sources = new.sources;
        let header = Header::new(id::session_id(new.id, &sources)?, clock::now(&sources), cwd, new.parent_session);
        let file = new.file.unwrap_or_else(|| dir.join(location::file_name(&header.timestamp, &header.id)));
        let path = std::path::absolute(&file).map_err(SessionError::io("resolve", &file))?;
        Ok(Self::planned(header, Tree::default(), Some(path)).with_sources(sources))
    }

    /// A new session that never becomes a file.
    pub fn in_memory(cwd: &Path, new: NewSession) -> Result<Self, SessionError> {
        let sources = new.sources;
        let header = Header::new(id::session_id(new.id, &sources)?, clock::now(&sources), cwd, new.parent_session);
        Ok(Self::planned(header, Tree::default(), None).with_sources(sources))
    }

    /// Opens a session file. A file of an older version is rewritten in today's; any other is left alone, even
    /// when it is damaged: see [`Self::problems`].
    ///
    /// # Errors
    /// [`SessionError::NotASession`] for an empty file and one without a valid header,
    /// [`SessionError::UnknownVersion`] for one of a version that is not known.
    pub fn open(path: &Path) -> Result<Self, SessionError> {
        let path = std::path::absolute(path).map_err(SessionError::io("resolve", path))?;
        let (mut file, mut text, (mut header, mut header_line)) = Self::read(&path)?;
        if header.version < crate::FORMAT_VERSION {
            let migrated = migrate::to_current(&text, header_line, header.version)?;
            migrate::replace_file(&path, &migrated)?;
            (file, text, (header, header_line)) = Self::read(&path)?;
        }
        let (tree, problems) = load::load(&text, header_line);
        let loaded = Some((text, tree.entries().len()));
        let problem_file = Some(path.clone());
        let place = Some(Place::new(path));
        Ok(Self { problems, problem_file, loaded, place, ..Self::new(header, tree, Storage::open(file)) })
    }

    /// The session in a file of any version, to be looked at: it lives in memory, and the file stays as it is.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn view(path: &Path) -> Result<Self, SessionError> {
        let (header, tree, problems) = Self::peek(path)?;
        let problem_file = Some(path.to_owned());
        Ok(Self { problems, problem_file, ..Self::new(header, tree, Storage::Memory) })
    }

    /// The tree in a file of any version, and what is wrong with it; the file stays as it is.
    pub(crate) fn peek(path: &Path) -> Result<(Header, Tree, Vec<Problem>), SessionError> {
        let (_, mut text, (mut header, mut header_line)) = Self::read(path)?;
        if header.version < crate::FORMAT_VERSION {
            text = Text::new(migrate::to_current(&text, header_line, header.version)?);
            (header, header_line) = text.header(path)?;
        }
        let (tree, problems) = load::load(&text, header_line);
        Ok((header, tree, problems))
    }

    fn read(path: &Path) -> Result<(AppendFile, Text, (Header, usize)), SessionError> {
        let (file, bytes) = AppendFile::open(path).map_err(SessionError::io("read", path))?;
        let text = Text::new(bytes);
        let (header, line) = text.header(path)?;
        if header.version > crate::FORMAT_VERSION {
            return Err(SessionError::UnknownVersion { path: path.to_owned(), version: header.version });
        }
        Ok((file, text, (header, line)))
    }

    /// Opens the session of `cwd` in `dir` that was written last, or creates one.
    pub fn continue_recent(dir: &Path, cwd: &Path) -> Result<Self, SessionError> {
        match list::most_recent(dir, cwd) {
            Some(path) => Self::open(&path),
            None => Self::create(dir, cwd, NewSession::default()),
        }
    }

    pub(crate) fn with_sources(self, sources: Sources) -> Self {
        Self { sources: RwLock::new(sources), ..self }
    }

    fn new(header: Header, tree: Tree, storage: Storage) -> Self {
        Self {
            header,
            problems: Vec::new(),
            problem_file: None,
            storage: Mutex::new(storage),
            place: None,
            loaded: None,
            tree: RwLock::new(tree),
            notices: Notices::default(),
            sources: RwLock::default(),
        }
    }

    /// A session with entries that is not a file yet. `path` is `None` for one that never becomes one.
    pub(crate) fn planned(header: Header, tree: Tree, path: Option<PathBuf>) -> Self {
        match path {
            None => Self::new(header, tree, Storage::Memory),
            Some(path) => Self { place: Some(Place::new(path)), ..Self::new(header, tree, Storage::Planned) },
        }
    }

    /// Says what was wrong with the file that the entries come from.
    pub(crate) fn made_from(self, file: &Path, problems: Vec<Problem>) -> Self {
        Self { problems, problem_file: Some(file.to_owned()), ..self }
    }
}
