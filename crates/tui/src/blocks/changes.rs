//! What tools changed in a file.

use tau_view::diff::{Diff, Style};

use super::paint::{self, Margin, one_line};
use crate::look::SharedLook;
use crate::screen::{Content, Line};
use crate::style::{bold, inverse};

/// Lines around a change.
const CONTEXT: usize = 3;

/// One change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Lines that were edited, with their numbers and signs.
    Edited(String),
    /// All that the file has since then.
    Written(String),
}

/// The changes of a file, one after the other.
#[derive(Clone)]
pub struct Changes {
    look: SharedLook,
    path: String,
    changes: Vec<Change>,
}

impl Changes {
    /// These.
    pub fn new(look: SharedLook, path: impl Into<String>, changes: Vec<Change>) -> Self {
        Self { look, path: path.into(), changes }
    }

    fn diffs(&self) -> impl Iterator<Item = Diff> {
        self.changes.iter().map(|change| match change {
            Change::Edited(numbered) => Diff::from_numbered(numbered),
            Change::Written(text) => Diff::between("", text, CONTEXT),
        })
    }
}

impl Content for Changes {
    fn lines(&self, width: usize) -> Vec<Line> {
        let look = self.look.get();
        let styles = &look.styles;
        let diffs: Vec<Diff> = self.diffs().collect();
        let (added, removed) = diffs.iter().fold((0, 0), |(a, r), diff| (a + diff.added, r + diff.removed));
        let margin = Margin::new(look.padding, width);
        let counts = format!(
            "{} {}",
            styles.fg("toolDiffAdded", &format!("+{added}")),
            styles.fg("toolDiffRemoved", &format!("-{removed}"))
        );
        let title = format!("{} {counts}", styles.fg("accent", &bold(&one_line(&self.path))));
        let mut lines = vec![Line::empty(), margin.line(&title)];
        for (at, diff) in diffs.iter().enumerate() {
            if at > 0 {
                lines.push(Line::new(&styles.fg("dim", "⋯"), width));
            }
            let paint = |style: Style, text: &str| match style {
                Style::Added => styles.fg("toolDiffAdded", text),
                Style::Removed => styles.fg("toolDiffRemoved", text),
                Style::Context => styles.fg("toolDiffContext", text),
                Style::AddedWords => styles.fg("toolDiffAdded", &inverse(text)),
                Style::RemovedWords => styles.fg("toolDiffRemoved", &inverse(text)),
            };
            lines.extend(diff.lines(width, paint).iter().map(|line| Line::new(line, width)));
        }
        lines
    }

    fn estimate(&self, width: usize) -> usize {
        let of = |change: &Change| match change {
            Change::Edited(text) | Change::Written(text) => paint::estimate(text, width),
        };
        2 + self.changes.iter().map(|change| 1 + of(change)).sum::<usize>()
    }
}
