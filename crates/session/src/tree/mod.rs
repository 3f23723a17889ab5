//! The entries in the order of the file, and how they hang together.

mod ancestry;
mod forward;
mod snapshot;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use imbl::Vector;

use crate::marks::LEAF_MARKER;
use crate::{Entry, EntryBody, EntryId};

pub use snapshot::{SessionTree, TreeNode};

/// What an entry changes beside being there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    None,
    Label { target: String, label: Option<String> },
    Name(Option<String>),
    LeafMarker,
}

impl Effect {
    pub(crate) fn of(body: &EntryBody) -> Self {
        match body {
            EntryBody::Label(label) => Self::label(&label.target_id, label.label.as_deref()),
            EntryBody::SessionInfo(info) => Self::name(info.name.as_deref()),
            EntryBody::Custom(custom) if custom.custom_type == LEAF_MARKER => Self::LeafMarker,
            _ => Self::None,
        }
    }

    pub(crate) fn label(target: &str, label: Option<&str>) -> Self {
        let label = label.filter(|label| !label.is_empty()).map(str::to_owned);
        Self::Label { target: target.to_owned(), label }
    }

    pub(crate) fn name(name: Option<&str>) -> Self {
        Self::Name(name.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned))
    }
}

/// A position in the file order. Fits into four bytes because there is one for every link of every entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Index(u32);

impl Index {
    const NONE: Self = Self(u32::MAX);

    fn new(position: usize) -> Self {
        Self(u32::try_from(position).unwrap_or(u32::MAX))
    }

    fn get(self) -> Option<usize> {
        (self != Self::NONE).then_some(self.0 as usize)
    }
}

#[derive(Debug, Clone, Copy)]
struct Links {
    parent: Index,
    first_child: Index,
    last_child: Index,
    next_sibling: Index,
    /// How many entries lie above, and one of them that is far away: see [`ancestry`].
    depth: u32,
    jump: Index,
}

#[derive(Debug, Clone)]
struct LabelState {
    label: String,
    timestamp: String,
    /// Orders labels by when their entry first got one.
    rank: usize,
}

/// A label as it is now.
pub(crate) struct CurrentLabel {
    pub(crate) target: EntryId,
    pub(crate) label: String,
    pub(crate) timestamp: String,
}

/// Every entry has at most one parent link, links form no cycle, and a parent usually precedes its children.
#[derive(Debug)]
pub(crate) struct Tree {
    entries: Vector<Arc<Entry>>,
    index: HashMap<EntryId, u32>,
    links: Vec<Links>,
    labels: HashMap<EntryId, LabelState>,
    label_rank: usize,
    name: Option<String>,
    leaf: Index,
    /// The leaf that a program finds which opens the file now.
    file_leaf: Index,
    /// Whether a parent came after its children, so that depths and jumps say nothing.
    is_tangled: bool,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            entries: Vector::new(),
            index: HashMap::new(),
            links: Vec::new(),
            labels: HashMap::new(),
            label_rank: 0,
            name: None,
            leaf: Index::NONE,
            file_leaf: Index::NONE,
            is_tangled: false,
        }
    }
}

impl Tree {
    /// Adds an entry; returns whether its id was taken and whether its parent is still to come.
    pub(crate) fn push(&mut self, entry: Arc<Entry>, effect: Effect) -> Pushed {
        let at = Index::new(self.entries.len());
        // Looked up before the entry itself is known: the link always points back, so it cannot close a cycle.
        let parent = entry.parent_id().map(|id| self.find(id));
        self.links.push(Links {
            parent: Index::NONE,
            first_child: Index::NONE,
            last_child: Index::NONE,
            next_sibling: Index::NONE,
            depth: 0,
            jump: Index::NONE,
        });
        if let Some(Some(parent)) = parent {
            self.link(at, parent);
            self.note_ancestors(at, parent);
        }
        let parent_missing = parent == Some(None);
        match effect {
            Effect::LeafMarker if parent_missing => {}
            Effect::LeafMarker => self.file_leaf = parent.flatten().unwrap_or(Index::NONE),
            _ => self.file_leaf = at,
        }
        self.leaf = self.file_leaf;
        match effect {
            Effect::Label { target, label } => self.set_label(&target, label, entry.timestamp()),
            Effect::Name(name) => self.name = name,
            Effect::None | Effect::LeafMarker => {}
        }
        let id_taken = self.index.insert(entry.id().clone(), at.0).is_some();
        self.entries.push_back(entry);
        Pushed { at, id_taken, parent_missing }
    }

    fn link(&mut self, child: Index, parent: Index) {
        let (Some(child_at), Some(parent_at)) = (child.get(), parent.get()) else { return };
        self.links[child_at].parent = parent;
        let previous = std::mem::replace(&mut self.links[parent_at].last_child, child);
        match previous.get() {
            Some(previous) => self.links[previous].next_sibling = child,
            None => self.links[parent_at].first_child = child,
        }
    }

    fn set_label(&mut self, target: &str, label: Option<String>, timestamp: &str) {
        let Some(label) = label else {
            self.labels.remove(target);
            return;
        };
        let timestamp = timestamp.to_owned();
        if let Some(state) = self.labels.get_mut(target) {
            (state.label, state.timestamp) = (label, timestamp);
        } else {
            self.label_rank += 1;
            let state = LabelState { label, timestamp, rank: self.label_rank };
            self.labels.insert(EntryId::from(target), state);
        }
    }

    pub(crate) fn find(&self, id: &str) -> Option<Index> {
        // Nearly every parent is the entry before.
        if let Some(last) = self.entries.last().filter(|last| **last.id() == *id) {
            debug_assert_eq!(self.index.get(&**last.id()).map(|at| *at as usize + 1), Some(self.entries.len()));
            return Some(Index::new(self.entries.len() - 1));
        }
        self.index.get(id).map(|position| Index(*position))
    }

    pub(crate) fn entry(&self, at: Index) -> Option<&Arc<Entry>> {
        at.get().and_then(|position| self.entries.get(position))
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Arc<Entry>> {
        self.find(id).and_then(|at| self.entry(at))
    }

    pub(crate) fn entries(&self) -> &Vector<Arc<Entry>> {
        &self.entries
    }

    pub(crate) fn leaf(&self) -> Option<&Arc<Entry>> {
        self.entry(self.leaf)
    }

    pub(crate) fn file_leaf(&self) -> Option<&Arc<Entry>> {
        self.entry(self.file_leaf)
    }

    /// Moves the leaf; `None` is before all entries.
    pub(crate) fn set_leaf(&mut self, leaf: Option<Index>) {
        self.leaf = leaf.unwrap_or(Index::NONE);
    }

    /// Whether no two entries have the same id.
    pub(crate) fn ids_are_unique(&self) -> bool {
        self.index.len() == self.entries.len()
    }

    /// From `from`, the leaf by default, to the root.
    pub(crate) fn upward(&self, from: Option<Index>) -> impl Iterator<Item = &Arc<Entry>> {
        let mut current = from.unwrap_or(self.leaf);
        std::iter::from_fn(move || {
            let entry = self.entry(current)?;
            current = current.get().map_or(Index::NONE, |at| self.links[at].parent);
            Some(entry)
        })
    }

    /// Root to `from`, the leaf by default: those that are `wanted`.
    pub(crate) fn path(&self, from: Option<Index>, wanted: impl Fn(&Entry) -> bool) -> Vec<Arc<Entry>> {
        let mut path: Vec<_> = self.upward(from).filter(|entry| wanted(entry)).cloned().collect();
        path.reverse();
        path
    }

    /// The entries that are on the way to `from` but not on the way to `to`, oldest first, and where the ways part.
    pub(crate) fn departure(&self, from: Option<Index>, to: Option<Index>) -> (Vec<Arc<Entry>>, Option<Index>) {
        let above = |at: &Index| at.get().map(|at| self.links[at].parent).filter(|parent| parent.get().is_some());
        let kept: HashSet<usize> = std::iter::successors(to, above).filter_map(Index::get).collect();
        let mut left = Vec::new();
        for at in std::iter::successors(from, above) {
            if at.get().is_some_and(|at| kept.contains(&at)) {
                left.reverse();
                return (left, Some(at));
            }
            left.extend(self.entry(at).cloned());
        }
        left.reverse();
        (left, None)
    }

    fn child_positions(&self, at: usize) -> impl Iterator<Item = usize> {
        let first = self.links[at].first_child.get();
        std::iter::successors(first, |&child| self.links[child].next_sibling.get())
    }

    /// The children of an entry, in the order of the file.
    pub(crate) fn children(&self, id: &str) -> Vec<Arc<Entry>> {
        let Some(at) = self.find(id).and_then(Index::get) else { return Vec::new() };
        self.child_positions(at).map(|child| Arc::clone(&self.entries[child])).collect()
    }

    pub(crate) fn label(&self, id: &str) -> Option<&str> {
        self.labels.get(id).map(|state| &*state.label)
    }

    /// The labels, oldest first.
    pub(crate) fn labels(&self) -> Vec<CurrentLabel> {
        let mut labels: Vec<_> = self.labels.iter().collect();
        labels.sort_by_key(|(_, state)| state.rank);
        let current = |(target, state): (&EntryId, &LabelState)| CurrentLabel {
            target: target.clone(),
            label: state.label.clone(),
            timestamp: state.timestamp.clone(),
        };
        labels.into_iter().map(current).collect()
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

/// What [`Tree::push`] found.
pub(crate) struct Pushed {
    pub(crate) at: Index,
    pub(crate) id_taken: bool,
    pub(crate) parent_missing: bool,
}
