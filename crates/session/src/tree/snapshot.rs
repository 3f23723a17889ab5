//! The tree as callers see it.

use std::borrow::Cow;
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

impl SessionTree {
    /// The tree as nested JSON: a list of `{entry, children, label?, labelTimestamp?}`.
    ///
    /// # Errors
    /// When an entry cannot be written as JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        /// What is left to write; nested by hand, because a chain of entries is as deep as it is long.
        enum Step {
            Node(usize),
            Text(Cow<'static, str>),
        }
        let mut json = String::from("[");
        let mut steps = vec![Step::Text("]".into())];
        push_list(&mut steps, &self.roots, Step::Node, Step::Text);
        while let Some(step) = steps.pop() {
            let node = match step {
                Step::Text(text) => {
                    json.push_str(&text);
                    continue;
                }
                Step::Node(at) => &self.nodes[at],
            };
            json.push_str("{\"entry\":");
            json.push_str(&node.entry.shown()?);
            json.push_str(",\"children\":[");
            let mut end = String::from("]");
            for (name, value) in [("label", &node.label), ("labelTimestamp", &node.label_timestamp)] {
                if let Some(value) = value {
                    end.push_str(&format!(",\"{name}\":{}", serde_json::to_string(value)?));
                }
            }
            end.push('}');
            steps.push(Step::Text(end.into()));
            push_list(&mut steps, &node.children, Step::Node, Step::Text);
        }
        Ok(json)
    }
}

/// Puts the nodes of a list on a stack, the first on top, with commas between them.
fn push_list<S>(steps: &mut Vec<S>, list: &[usize], node: impl Fn(usize) -> S, text: impl Fn(Cow<'static, str>) -> S) {
    for (index, &at) in list.iter().enumerate().rev() {
        steps.push(node(at));
        if index > 0 {
            steps.push(text(",".into()));
        }
    }
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
