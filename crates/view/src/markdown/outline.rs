//! Where the blocks of a text begin that may still be open at its end.

use std::ops::Range;

/// What begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Paragraph,
    Code,
    Table,
    List,
    Item,
    Quote,
    Rule,
    /// A heading, or markup that is shown as written.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
    /// How many blocks or items are before it in the same container.
    pub(super) index: usize,
}

/// The last block of the text, the last one in that, and so on; and where the outermost blocks begin.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) path: Vec<Mark>,
    pub(super) outermost: Vec<usize>,
    level: usize,
}

impl Outline {
    pub(super) fn begin(&mut self, kind: Kind, range: &Range<usize>, index: usize) {
        if self.level == 0 {
            self.outermost.push(range.start);
        }
        self.path.truncate(self.level);
        self.path.push(Mark { kind, range: range.clone(), index });
    }

    pub(super) fn enter(&mut self) {
        self.level += 1;
    }

    pub(super) fn leave(&mut self) {
        self.level -= 1;
    }
}
