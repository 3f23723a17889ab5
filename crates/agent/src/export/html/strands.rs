//! The tree as lists: the branch of the leaf, and what leaves it.

use std::collections::HashMap;
use std::sync::Arc;

use tau_session::{Entry, Session, SessionTree};

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

/// The branch of the leaf, then all others in the order in which they began. Each entry is in one of them; a branch goes
/// on with the youngest child.
pub(super) fn strands(session: &Session, tree: &SessionTree) -> Vec<Strand> {
    let positions: HashMap<*const Entry, usize> =
        tree.nodes.iter().enumerate().map(|(at, node)| (Arc::as_ptr(&node.entry), at)).collect();
    let path = session.branch_path(None);
    // An entry that came in after the tree was taken is not shown.
    let current: Vec<usize> = path.iter().filter_map(|entry| positions.get(&Arc::as_ptr(entry)).copied()).collect();
    let mut on_path = vec![false; tree.nodes.len()];
    current.iter().for_each(|&at| on_path[at] = true);
    let mut taken = on_path.clone();
    let mut parents = vec![None; tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate() {
        node.children.iter().for_each(|&child| parents[child] = Some(at));
    }
    let mut strands = vec![Strand { current: true, from: None, entries: current }];
    for first in 0..tree.nodes.len() {
        let from = parents[first];
        let goes_on =
            from.is_some_and(|parent: usize| !on_path[parent] && tree.nodes[parent].children.last() == Some(&first));
        if taken[first] || goes_on {
            continue;
        }
        let mut entries = Vec::new();
        let mut next = Some(first);
        while let Some(at) = next.filter(|&at| !std::mem::replace(&mut taken[at], true)) {
            entries.push(at);
            next = tree.nodes[at].children.last().copied();
        }
        strands.push(Strand { current: false, from, entries });
    }
    strands
}
