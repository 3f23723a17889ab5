//! Whether an entry lies above another one, without looking at everything in between.
//!
//! Every entry knows its depth and one entry far above it. The jumps are laid so that two jumps of the same length are
//! followed by one that is longer than both; so any entry above is reached in a number of steps that grows with the
//! logarithm of the depth, and an entry is added in one step.

use super::{Index, Tree};

impl Tree {
    /// Notes depth and jump of an entry that has just got its parent and has no children yet.
    pub(super) fn note_ancestors(&mut self, child: Index, parent: Index) {
        let (Some(child), Some(parent_at)) = (child.get(), parent.get()) else { return };
        let above = self.links[parent_at];
        let jump = above.jump.get().map(|at| self.links[at]);
        let far = jump.and_then(|jump| Some((jump, self.links[jump.jump.get()?])));
        let is_pair = far.is_some_and(|(near, far)| above.depth - near.depth == near.depth - far.depth);
        let longer = jump.map(|jump| jump.jump).filter(|_| is_pair);
        let links = &mut self.links[child];
        links.depth = above.depth + 1;
        links.jump = longer.unwrap_or(parent);
    }

    /// Whether an entry lies between the root and the leaf, the leaf included.
    pub(crate) fn is_on_branch(&self, id: Index) -> bool {
        let Some(wanted) = id.get() else { return false };
        let mut current = self.leaf;
        while let Some(at) = current.get() {
            if current == id {
                return true;
            }
            let links = &self.links[at];
            let is_below =
                |index: &Index| index.get().is_some_and(|at| self.links[at].depth >= self.links[wanted].depth);
            current = match Some(links.jump).filter(is_below) {
                Some(jump) if !self.is_tangled => jump,
                _ if self.is_tangled || is_below(&links.parent) => links.parent,
                _ => return false,
            };
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::{Effect, Tree};
    use crate::{Entry, EntryBody, EntryId};

    fn tree(parents: &[Option<usize>]) -> Tree {
        let mut tree = Tree::default();
        for (at, parent) in parents.iter().enumerate() {
            let parent = parent.map(|parent| EntryId::from(parent.to_string().as_str()));
            let id = EntryId::from(at.to_string().as_str());
            let entry = Entry::new(id, parent, String::new(), EntryBody::custom("n", None));
            tree.push(Arc::new(entry), Effect::None);
        }
        tree
    }

    proptest! {
        #[test]
        fn what_lies_above_is_what_a_walk_finds(parents in vec(any::<Option<prop::sample::Index>>(), 1..60)) {
            let parents: Vec<Option<usize>> = parents
                .iter()
                .enumerate()
                // The first entry is a root; the others hang below any that came before, mostly the last.
                .map(|(at, parent)| (at > 0).then(|| parent.map_or(at - 1, |parent| parent.index(at))))
                .collect();
            let mut tree = tree(&parents);
            for leaf in 0..parents.len() {
                tree.set_leaf(tree.find(&leaf.to_string()));
                let above: Vec<usize> = std::iter::successors(Some(leaf), |&at| parents[at]).collect();
                for at in 0..parents.len() {
                    let found = tree.is_on_branch(tree.find(&at.to_string()).expect("an entry"));
                    prop_assert_eq!(found, above.contains(&at));
                }
            }
        }
    }

    #[test]
    fn the_way_up_is_short() {
        let parents: Vec<Option<usize>> = (0..100_000_usize).map(|at| at.checked_sub(1)).collect();
        let tree = tree(&parents);
        let (mut steps, mut at, wanted) = (0, 99_999, 4711);
        while at != wanted {
            let links = tree.links[at];
            let jump = links.jump.get().filter(|&jump| jump >= wanted);
            at = jump.or(links.parent.get()).expect("a way");
            steps += 1;
        }
        assert!(steps < 60, "{steps}");
    }
}
