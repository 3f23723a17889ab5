//! The steps that undo goes back over.

use std::collections::VecDeque;

use super::buffer::Buffer;
use super::markers::Pastes;

/// How much the steps may hold together, in bytes; the oldest are dropped first. Several thousand steps of a long prompt
/// fit.
const MOST: usize = 16 << 20;

/// What undo goes back to.
#[derive(Debug, Clone)]
pub(super) struct Snapshot {
    pub(super) buffer: Buffer,
    pub(super) pastes: Pastes,
}

/// What undo goes back to, newest last.
#[derive(Debug, Clone, Default)]
pub(super) struct Steps {
    all: VecDeque<(Snapshot, usize)>,
    held: usize,
}

impl Steps {
    pub(super) fn push(&mut self, snapshot: Snapshot) {
        let before = self.all.back().map(|(before, _)| &before.pastes);
        let held = snapshot.buffer.held() + snapshot.pastes.held_beside(before);
        self.held += held;
        self.all.push_back((snapshot, held));
        while self.held > MOST && self.all.len() > 1 {
            self.drop_oldest();
        }
    }

    /// The next one counts what both held from then on.
    fn drop_oldest(&mut self) {
        self.all.pop_front();
        if let Some((first, held)) = self.all.front_mut() {
            *held = first.buffer.held() + first.pastes.held_beside(None);
        }
        self.held = self.all.iter().map(|(_, held)| held).sum();
    }

    pub(super) fn pop(&mut self) -> Option<Snapshot> {
        let (snapshot, held) = self.all.pop_back()?;
        self.held -= held;
        Some(snapshot)
    }

    /// Keeps the oldest steps, so many of them.
    pub(super) fn truncate(&mut self, steps: usize) {
        while self.all.len() > steps && self.pop().is_some() {}
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// How much the steps hold, in bytes.
    pub(super) fn held(&self) -> usize {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(pastes: &Pastes) -> Snapshot {
        Snapshot { buffer: Buffer::with_text("text"), pastes: pastes.clone() }
    }

    #[test]
    fn what_steps_share_counts_once_and_the_oldest_go_first() {
        let mut steps = Steps::default();
        let mut pastes = Pastes::default();
        pastes.add("x".repeat(MOST / 2));
        for _ in 0..100 {
            steps.push(step(&pastes));
        }
        assert_eq!(steps.len(), 100);
        assert!(steps.held() < MOST);
        // Now it is another text in each.
        for _ in 0..5 {
            pastes = Pastes::default();
            pastes.add("y".repeat(MOST / 2));
            steps.push(step(&pastes));
        }
        assert_eq!(steps.len(), 1);
        while steps.pop().is_some() {}
        assert_eq!(steps.held(), 0);
    }

    #[test]
    fn what_the_dropped_ones_shared_still_counts() {
        let mut steps = Steps::default();
        let mut pastes = Pastes::default();
        for _ in 0..8 {
            pastes.add("x".repeat(MOST / 4));
            steps.push(step(&pastes));
        }
        // The last one alone holds all eight.
        assert_eq!(steps.len(), 1);
        assert!(steps.held() > 2 * MOST - 1);
    }
}
