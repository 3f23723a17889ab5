//! The handle on a session.

mod change;
mod open;
mod restore;
mod write;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use imbl::Vector;
use parking_lot::{Mutex, RwLock};
use tau_ai::Sources;

use crate::context::{self, Choices, SessionContext};
use crate::file::AppendFile;
use crate::notice::Notices;
use crate::place::Place;
use crate::store::Store;
use crate::tools::RecordedTools;
use crate::tree::{CurrentLabel, Tree};
use crate::{Entry, EntryId, EntryKind, FileNotice, Header, Problem, SessionTree};

/// How a new session differs from the default.
#[derive(Debug, Clone, Default)]
pub struct NewSession {
    /// Its id; a UUIDv7 by default.
    pub id: Option<String>,
    /// The file it continues, for the header.
    pub parent_session: Option<String>,
    /// Its file, in place of a name made of time and id.
    pub file: Option<PathBuf>,
    /// Where its id and its times come from.
    pub sources: Sources,
}

/// A session: a tree of entries, and the leaf at which the conversation goes on.
///
/// Share it with [`Arc`]. Changes are made one after another; reading never waits for a change to reach the
/// file.
#[derive(Debug)]
pub struct Session {
    header: Header,
    problems: Vec<Problem>,
    /// The file that `problems` are in.
    problem_file: Option<PathBuf>,
    /// Taken before `tree`, and held while writing.
    storage: Mutex<Storage>,
    place: Option<Place>,
    /// What the file held when it was opened, and how many entries that were.
    loaded: Option<(Arc<Store>, usize)>,
    /// What the file lacks because others took it away: what comes below it is written below what is still there.
    lost: Mutex<restore::Lost>,
    /// Held for moments only.
    tree: RwLock<Tree>,
    notices: Notices,
    /// Where ids and times of entries come from.
    sources: RwLock<Sources>,
}

/// Where the entries go beside the tree.
#[derive(Debug)]
enum Storage {
    /// Nowhere.
    Memory,
    /// Into a file that is not there yet.
    Planned,
    /// Into a file.
    Open {
        file: AppendFile,
        /// Entries of the tree that could not be written, in their order. They go before any other.
        unwritten: VecDeque<Arc<Entry>>,
    },
}

impl Storage {
    fn open(file: AppendFile) -> Self {
        Self::Open { file, unwritten: VecDeque::new() }
    }
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

    /// Ids and times of further entries come from here.
    pub fn set_sources(&self, sources: Sources) {
        *self.sources.write() = sources;
    }

    pub(crate) fn sources(&self) -> Sources {
        self.sources.read().clone()
    }

    /// The working directory of the header.
    pub fn cwd(&self) -> &Path {
        Path::new(&self.header.cwd)
    }

    /// The file, also while it is only planned; `None` in memory.
    pub fn file(&self) -> Option<&Path> {
        self.place.as_ref().map(Place::path)
    }

    /// Whether the file exists, so that appended entries are in it.
    pub fn is_persisted(&self) -> bool {
        matches!(*self.storage.lock(), Storage::Open { .. })
    }

    /// What was wrong with the file when it was opened, in the order of its lines. See [`Self::branch_problems`] too.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// What is wrong with entries of the current branch and shows only when they are read. Reads them.
    pub fn branch_problems(&self) -> Vec<Problem> {
        problems_of(self.branch_path(None).iter())
    }

    /// As [`Self::branch_problems`], of what counts for the model: what stands before a compaction is not read.
    pub fn context_problems(&self) -> Vec<Problem> {
        problems_of(self.context_path(None).iter())
    }

    /// The file that [`Self::problems`] and [`Self::branch_problems`] speak of: for a fork, the one it was made from.
    pub fn problem_file(&self) -> Option<&Path> {
        self.problem_file.as_deref()
    }

    /// Calls `listener` with what happens to the file, also with what has happened so far. The first listener stays.
    pub fn listen(&self, listener: impl Fn(&FileNotice) + Send + Sync + 'static) {
        self.notices.listen(Box::new(listener));
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
            None => tree.path(None, |_| true),
            Some(None) => Vec::new(),
            Some(found) => tree.path(found, |_| true),
        }
    }

    /// The entries of a kind on the path from the root to the leaf. It costs less than to look for them on the whole path.
    pub fn branch_entries(&self, kind: EntryKind) -> Vec<Arc<Entry>> {
        self.tree.read().path(None, |entry| entry.kind() == kind)
    }

    /// The part of a path that counts for the model. Empty when there is no such entry.
    fn context_path(&self, from: Option<&str>) -> Vec<Arc<Entry>> {
        let tree = self.tree.read();
        match from.map(|id| tree.find(id)) {
            None => context::visible(tree.upward(None), tree.ids_are_unique()),
            Some(None) => Vec::new(),
            Some(found) => context::visible(tree.upward(found), tree.ids_are_unique()),
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
        SessionContext { messages: context::messages(&self.context_path(None)), choices: self.choices() }
    }

    /// What was chosen at the leaf, without reading the messages.
    pub fn choices(&self) -> Choices {
        context::choices(self.tree.read().upward(None))
    }

    /// Which tools were active at the leaf; `None` when the branch does not say.
    pub fn recorded_tools(&self) -> Option<RecordedTools> {
        crate::tools::recorded(&self.tree.read().path(None, Entry::is_system))
    }

    /// What the model would see at another entry. Empty when there is no such entry.
    pub fn context_at(&self, id: &str) -> SessionContext {
        let tree = self.tree.read();
        let Some(found) = tree.find(id) else { return SessionContext::default() };
        let choices = context::choices(tree.upward(Some(found)));
        drop(tree);
        SessionContext { messages: context::messages(&self.context_path(Some(id))), choices }
    }

    fn leaf_id(&self) -> Option<EntryId> {
        self.tree.read().leaf().map(|leaf| leaf.id().clone())
    }

    pub(crate) fn current_labels(&self) -> Vec<CurrentLabel> {
        self.tree.read().labels()
    }
}

fn problems_of<'a>(entries: impl Iterator<Item = &'a Arc<Entry>>) -> Vec<Problem> {
    // State of extensions can be large, and tau does not look into it.
    let read = entries.filter(|entry| entry.kind() != EntryKind::Custom);
    let mut problems: Vec<Problem> = read.filter_map(|entry| entry.problem()).collect();
    problems.sort_by_key(|problem| problem.line);
    problems
}
