//! The tree as lists: the branch of the leaf, and what leaves it.

use std::collections::HashMap;
use std::sync::Arc;

use tau_session::{Entry, EntryBody, EntryKind, LEAF_MARKER, Session, SessionTree};

/// A chain of entries.
#[derive(Debug, PartialEq)]
pub(super) struct Strand {
    /// It is the branch that ends at the leaf.
    pub(super) current: bool,
    /// The position of the entry it leaves; `None` where it begins at a root.
    pub(super) from: Option<usize>,
    /// Positions.
    pub(super) entries: Vec<usize>,
}

/// Whether the entry only says where the session is. A reader wants to know the place, not how it is kept.
pub(super) fn is_mark(entry: &Entry) -> bool {
    entry.kind() == EntryKind::Custom
        && matches!(&*entry.body(), EntryBody::Custom(body) if body.custom_type == LEAF_MARKER)
}

/// The branch of the leaf, then all others in the order in which they began. Each entry but a mark with nothing behind it
/// is in one of them; a branch continues with the youngest child.
pub(super) fn strands(session: &Session, tree: &SessionTree) -> Vec<Strand> {
    let positions: HashMap<*const Entry, usize> =
        tree.nodes.iter().enumerate().map(|(at, node)| (Arc::as_ptr(&node.entry), at)).collect();
    let path = session.branch_path(None);
    // An entry that came in after the tree was taken is not shown.
    let current: Vec<usize> = path.iter().filter_map(|entry| positions.get(&Arc::as_ptr(entry)).copied()).collect();
    let mut on_path = vec![false; tree.nodes.len()];
    current.iter().for_each(|&at| on_path[at] = true);
    let ends: Vec<bool> = tree.nodes.iter().map(|node| node.children.is_empty() && is_mark(&node.entry)).collect();
    let mut taken: Vec<bool> = on_path.iter().zip(&ends).map(|(on_path, end)| *on_path || *end).collect();
    let heir = |at: usize| tree.nodes[at].children.iter().rev().copied().find(|&child| !ends[child]);
    let mut parents = vec![None; tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate() {
        node.children.iter().for_each(|&child| parents[child] = Some(at));
    }
    let mut strands = vec![Strand { current: true, from: None, entries: current }];
    for first in 0..tree.nodes.len() {
        let from = parents[first];
        let is_heir = from.is_some_and(|parent: usize| !on_path[parent] && heir(parent) == Some(first));
        if taken[first] || is_heir {
            continue;
        }
        let mut entries = Vec::new();
        let mut next = Some(first);
        while let Some(at) = next.filter(|&at| !std::mem::replace(&mut taken[at], true)) {
            entries.push(at);
            next = heir(at);
        }
        strands.push(Strand { current: false, from, entries });
    }
    strands
}
