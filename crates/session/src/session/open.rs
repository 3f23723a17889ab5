//! How sessions come into being.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use tau_ai::Sources;

use super::{NewSession, Session, Storage};
use crate::file::AppendFile;
use crate::load::{self, Found, Loaded};
use crate::notice::Notices;
use crate::place::Place;
use crate::store::{Memory, Store};
use crate::tree::Tree;
use crate::{Header, Problem, SessionError, clock, id, list, location, migrate};

/// A file that was read.
struct Opened {
    file: AppendFile,
    store: Arc<Store>,
    found: Found,
}

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
        Self::open_with(path, Memory::default())
    }

    /// As [`Self::open`], with so much of the file in memory.
    pub fn open_with(path: &Path, memory: Memory) -> Result<Self, SessionError> {
        let path = std::path::absolute(path).map_err(SessionError::io("resolve", path))?;
        let (file, store, loaded) = match Self::read(&path, memory)? {
            Opened { file, store, found: Found::Session(loaded) } => (file, store, loaded),
            Opened { store, found: Found::Old { version, header_line }, .. } => {
                let text = Self::whole(&store, &path)?;
                migrate::replace_file(&path, &migrate::to_current(&text, header_line, version)?)?;
                match Self::read(&path, memory)? {
                    Opened { file, store, found: Found::Session(loaded) } => (file, store, loaded),
                    Opened { found: Found::Old { .. }, .. } => return Err(Self::written_over(&path)),
                }
            }
        };
        let Loaded { header, tree, problems, seen } = *loaded;
        let mut file = file;
        file.saw(seen);
        file.hold();
        let loaded = Some((store, tree.entries().len()));
        let problem_file = Some(path.clone());
        let place = Some(Place::new(path));
        Ok(Self { problems, problem_file, loaded, place, ..Self::new(header, tree, Storage::open(file)) })
    }

    /// The session in a file of any version, to be looked at: it lives in memory, and the file stays as it is.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn view(path: &Path) -> Result<Self, SessionError> {
        let Loaded { header, tree, problems, .. } = Self::peek(path)?;
        let problem_file = Some(path.to_owned());
        Ok(Self { problems, problem_file, ..Self::new(header, tree, Storage::Memory) })
    }

    /// What a file of any version holds; the file stays as it is.
    pub(crate) fn peek(path: &Path) -> Result<Loaded, SessionError> {
        let (store, version, header_line) = match Self::read(path, Memory::default())? {
            Opened { found: Found::Session(loaded), .. } => return Ok(*loaded),
            Opened { store, found: Found::Old { version, header_line }, .. } => (store, version, header_line),
        };
        let text = migrate::to_current(&Self::whole(&store, path)?, header_line, version)?;
        match load::load(&Arc::new(Store::Memory(text)), path)? {
            Found::Session(loaded) => Ok(*loaded),
            Found::Old { .. } => Err(Self::written_over(path)),
        }
    }

    fn read(path: &Path, memory: Memory) -> Result<Opened, SessionError> {
        let failed = |source| SessionError::Io { action: "read", path: path.to_owned(), source };
        let (file, content) = AppendFile::open(path).map_err(failed)?;
        let store = Arc::new(Store::of(content, memory).map_err(failed)?);
        let found = load::load(&store, path)?;
        Ok(Opened { file, store, found })
    }

    /// All bytes of a file.
    fn whole<'a>(store: &'a Store, path: &Path) -> Result<Cow<'a, [u8]>, SessionError> {
        store.bytes().map_err(SessionError::io("read", path))
    }

    /// Another program changed the file while it was migrated.
    fn written_over(path: &Path) -> SessionError {
        SessionError::io("migrate", path)(io::Error::other("another program has written an older version"))
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
            lost: Mutex::default(),
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
