//! The paths of an index, packed.

use std::sync::Arc;

/// Paths stored back to back: hundreds of thousands of separate strings would cost more than their text.
#[derive(Debug, Default)]
pub(super) struct Part {
    text: String,
    ends: Vec<usize>,
}

impl Part {
    pub(super) fn push(&mut self, path: &str) {
        self.text.push_str(path);
        self.ends.push(self.text.len());
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.text[start..*end])
    }
}

/// All paths found so far. Parts never change, so they can be read without a lock.
#[derive(Debug, Clone, Default)]
pub(super) struct Paths {
    parts: Vec<Arc<Part>>,
    count: usize,
}

impl Paths {
    pub(super) fn push(&mut self, part: Part) {
        self.count += part.len();
        self.parts.push(Arc::new(part));
    }

    /// How many paths there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The parts from this one on.
    pub(super) fn since(&self, part: usize) -> &[Arc<Part>] {
        self.parts.get(part..).unwrap_or_default()
    }
}
