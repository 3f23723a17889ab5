//! The tree as callers see it.

use std::sync::Arc;

use super::{Index, Tree};
use crate::Entry;

/// A tree of the whole session. Nodes refer to each other by position: a session is often one chain of
/// thousands of entries, and a nested structure of that depth overflows the stack when it is dropped.
#[derive(Debug, Clone)]
pub struct SessionTree {
    /// All nodes, in the order of the file.
    pub nodes: Vec<TreeNode>,
    /// The positions of the entries without a parent, in the order of the file.
    pub roots: Vec<usize>,
}

/// One entry of a [`SessionTree`].
#[derive(Debug, Clone)]
pub struct TreeNode {
    /// The entry.
    pub entry: Arc<Entry>,
    /// The positions of its children, oldest first.
    pub children: Vec<usize>,
    /// Its bookmark.
    pub label: Option<String>,
    /// When the bookmark was set.
    pub label_timestamp: Option<String>,
}

impl Tree {
    pub(crate) fn snapshot(&self) -> SessionTree {
        let times: Vec<i64> = self.entries.iter().map(|entry| entry.timestamp_ms().unwrap_or_default()).collect();
        let mut roots = Vec::new();
        let mut nodes = Vec::with_capacity(self.entries.len());
        for (at, entry) in self.entries.iter().enumerate() {
            if self.links[at].parent == Index::NONE {
                roots.push(at);
            }
            let mut children: Vec<usize> = self.child_positions(at).collect();
            children.sort_by_key(|&child| times[child]);
            let label = self.labels.get(&**entry.id());
            nodes.push(TreeNode {
                entry: Arc::clone(entry),
                children,
                label: label.map(|state| state.label.clone()),
                label_timestamp: label.map(|state| state.timestamp.clone()),
            });
        }
        SessionTree { nodes, roots }
    }
}
