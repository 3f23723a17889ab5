//! The handle on a session.

mod change;
mod open;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use imbl::Vector;
use parking_lot::{Mutex, RwLock};

use crate::context::{self, SessionContext};
use crate::file::AppendFile;
use crate::tree::{CurrentLabel, Tree};
use crate::{Entry, EntryId, Header, Problem, SessionError, SessionTree};

/// The `customType` of the `custom` entries that record a move of the leaf: the leaf is then their parent.
/// A program that does not know them continues below the marker, which is the same place of the conversation.
pub const LEAF_MARKER: &str = "tau.leaf";

/// How a new session differs from the default.
#[derive(Debug, Clone, Default)]
pub struct NewSession {
    /// Its id; a UUIDv7 by default.
    pub id: Option<String>,
    /// The file it continues, for the header.
    pub parent_session: Option<String>,
    /// Its file, in place of a name made of time and id.
    pub file: Option<PathBuf>,
}

/// A session: a tree of entries, and the leaf at which the conversation goes on.
///
/// Share it with [`Arc`]. Changes are made one after another; reading never waits for a change to reach the
/// file.
#[derive(Debug)]
pub struct Session {
    header: Header,
    problems: Vec<Problem>,
    /// Taken before `tree`, and held while writing.
    storage: Mutex<Storage>,
    path: Option<PathBuf>,
    /// Held for moments only.
    tree: RwLock<Tree>,
}

/// Where the entries go beside the tree.
#[derive(Debug)]
enum Storage {
    /// Nowhere.
    Memory,
    /// Into a file that is not there yet.
    Planned(PathBuf),
    /// Into a file that nothing was appended to yet.
    Closed(PathBuf),
    /// Into a file.
    Open(PathBuf, AppendFile),
}

impl Session {
    /// The first line of the file.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The session's id.
    pub fn id(&self) -> &str {
        &self.header.id
    }

    /// The working directory of the header.
    pub fn cwd(&self) -> &Path {
        Path::new(&self.header.cwd)
    }

    /// The file, also while it is only planned; `None` in memory.
    pub fn file(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether the file exists, so that appended entries are in it.
    pub fn is_persisted(&self) -> bool {
        matches!(*self.storage.lock(), Storage::Closed(_) | Storage::Open(..))
    }

    /// What was wrong with the file when it was opened, in the order of its lines.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Writes the file: the header and everything that was appended so far. From now on an entry is in the file
    /// when appending it returns. Does nothing when there is a file already, or never will be.
    ///
    /// # Errors
    /// [`SessionError::AlreadyExists`] when somebody else has written a file of this name. After an error there
    /// is still no file and nothing is lost.
    pub fn persist(&self) -> Result<(), SessionError> {
        let mut storage = self.storage.lock();
        let Storage::Planned(path) = &*storage else { return Ok(()) };
        let entries = self.tree.read().entries().clone();
        let mut text = self.header.to_line()?;
        text.push('\n');
        for entry in &entries {
            text.push_str(&entry.json()?);
            text.push('\n');
        }
        let file = AppendFile::create(path, &text).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => SessionError::AlreadyExists(path.clone()),
            _ => SessionError::Io { action: "create", path: path.clone(), source },
        })?;
        *storage = Storage::Open(path.clone(), file);
        Ok(())
    }

    /// Waits until what was appended is on the disk, so that it survives a power failure. Blocks for as long as
    /// the disk takes, but nobody else.
    pub fn sync(&self) -> Result<(), SessionError> {
        let (path, file) = match &*self.storage.lock() {
            Storage::Open(path, file) => (path.clone(), file.handle()),
            _ => return Ok(()),
        };
        file.sync_data().map_err(SessionError::io("flush", &path))
    }

    /// The leaf: the entry below which the next one is appended. `None` is before all entries.
    pub fn leaf(&self) -> Option<EntryId> {
        self.leaf_id()
    }

    /// All entries in the order of the file. O(1).
    pub fn entries(&self) -> Vector<Arc<Entry>> {
        self.tree.read().entries().clone()
    }

    /// The entry of that id.
    pub fn entry(&self, id: &str) -> Option<Arc<Entry>> {
        self.tree.read().get(id).cloned()
    }

    /// The path from the root to `from`, the leaf by default. Empty when there is no such entry.
    pub fn branch_path(&self, from: Option<&str>) -> Vec<Arc<Entry>> {
        let tree = self.tree.read();
        match from.map(|id| tree.find(id)) {
            None => tree.path(None),
            Some(None) => Vec::new(),
            Some(found) => tree.path(found),
        }
    }

    /// What is left behind on the way from one entry to another: the entries of the path to `from` (`None`: before all
    /// entries) that are not on the path to `to`, oldest first, and the last entry that both paths have in common.
    pub fn departure(&self, from: Option<&str>, to: &str) -> (Vec<Arc<Entry>>, Option<EntryId>) {
        let tree = self.tree.read();
        let (from, to) = (from.and_then(|id| tree.find(id)), tree.find(to));
        let (left, common) = tree.departure(from, to);
        (left, common.and_then(|at| tree.entry(at)).map(|entry| entry.id().clone()))
    }

    /// The children of an entry, in the order of the file.
    pub fn children(&self, id: &str) -> Vec<Arc<Entry>> {
        self.tree.read().children(id)
    }

    /// The whole tree. Costs time in proportion to the session.
    pub fn tree(&self) -> SessionTree {
        self.tree.read().snapshot()
    }

    /// The bookmark of an entry.
    pub fn label(&self, id: &str) -> Option<String> {
        self.tree.read().label(id).map(str::to_owned)
    }

    /// All bookmarks as pairs of entry and name, oldest first.
    pub fn labels(&self) -> Vec<(EntryId, String)> {
        let pair = |label: CurrentLabel| (label.target, label.label);
        self.tree.read().labels().into_iter().map(pair).collect()
    }

    /// The session's name, given by the latest `session_info`.
    pub fn session_name(&self) -> Option<String> {
        self.tree.read().name().map(str::to_owned)
    }

    /// What the model sees at the leaf.
    pub fn context(&self) -> SessionContext {
        let path = self.branch_path(None);
        context::build(&path)
    }

    /// What the model would see at another entry. Empty when there is no such entry.
    pub fn context_at(&self, id: &str) -> SessionContext {
        context::build(&self.branch_path(Some(id)))
    }

    fn leaf_id(&self) -> Option<EntryId> {
        self.tree.read().leaf().map(|leaf| leaf.id().clone())
    }

    pub(crate) fn current_labels(&self) -> Vec<CurrentLabel> {
        self.tree.read().labels()
    }
}

impl Storage {
    /// Writes an entry if there is a file.
    fn append(&mut self, entry: &Entry) -> Result<(), SessionError> {
        if let Self::Closed(path) = self {
            let file = AppendFile::open(path).map_err(SessionError::io("open", path))?;
            *self = Self::Open(path.clone(), file);
        }
        if let Self::Open(path, file) = self {
            file.append(&entry.json()?).map_err(SessionError::io("append to", path))?;
        }
        Ok(())
    }
}
