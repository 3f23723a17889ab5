//! Entries that stand before their parent. No program writes such a file; hands and merge tools do.

use std::collections::HashMap;

use super::{Index, Tree};
use crate::ProblemReason;

impl Tree {
    /// Links entries whose parent came after them. A link that would close a cycle is left out. Returns why
    /// each entry that stays without its parent does so.
    pub(crate) fn link_forward(&mut self, waiting: &[Index]) -> Vec<(Index, ProblemReason)> {
        let mut targets: HashMap<u32, Index> = HashMap::new();
        let mut problems = Vec::new();
        for &child in waiting {
            let Some(parent_id) = child.get().and_then(|at| self.entries[at].parent_id()) else { continue };
            match self.index.get(&**parent_id) {
                Some(&parent) => {
                    targets.insert(child.0, Index(parent));
                }
                None => problems.push((child, ProblemReason::UnknownParent(parent_id.clone()))),
            }
        }
        for closing in self.cycle_closers(waiting, &targets) {
            targets.remove(&closing.0);
            if let Some(parent_id) = closing.get().and_then(|at| self.entries[at].parent_id()) {
                problems.push((closing, ProblemReason::Cycle(parent_id.clone())));
            }
        }
        for &child in waiting {
            if let Some(parent) = targets.get(&child.0) {
                self.link(child, *parent);
                self.is_tangled = true;
            }
        }
        problems.sort_by_key(|(at, _)| *at);
        problems
    }

    /// One link of every cycle that `targets` would close: that of the cycle's first entry in the file, which
    /// has to be a forward one. Linear, as every entry is walked over once.
    fn cycle_closers(&self, waiting: &[Index], targets: &HashMap<u32, Index>) -> Vec<Index> {
        if targets.is_empty() {
            return Vec::new();
        }
        let mut walk_of = vec![0_usize; self.links.len()];
        let mut closers = Vec::new();
        for (walk, &start) in waiting.iter().enumerate() {
            let mut current = start;
            let mut path = Vec::new();
            while let Some(at) = current.get() {
                if walk_of[at] == walk + 1 {
                    let cycle = path.iter().skip_while(|&&index| index != current);
                    closers.extend(cycle.min());
                }
                if walk_of[at] != 0 {
                    break;
                }
                walk_of[at] = walk + 1;
                path.push(current);
                current = targets.get(&current.0).copied().unwrap_or(self.links[at].parent);
            }
        }
        closers
    }
}
