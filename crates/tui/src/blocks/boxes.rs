//! Boxes for summaries.

use super::message::{box_markdown, in_box};
use super::paint::{self, boxed, grouped, tag};
use crate::look::SharedLook;
use crate::screen::{Content, Line};

/// What a summary stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SummaryKind {
    /// The conversation so far, which had so many tokens.
    Compaction {
        /// How many.
        tokens: u64,
    },
    /// A branch that was left.
    Branch,
}

/// A summary.
#[derive(Clone)]
pub struct Summary {
    look: SharedLook,
    kind: SummaryKind,
    text: String,
    expanded: bool,
    expand_key: String,
}

impl Summary {
    /// A summary as Markdown, which shows when it is expanded.
    pub fn new(look: SharedLook, kind: SummaryKind, text: &str, expanded: bool, expand_key: &str) -> Self {
        Self { look, kind, text: text.trim().to_owned(), expanded, expand_key: expand_key.to_owned() }
    }
}

impl Content for Summary {
    fn lines(&self, width: usize) -> Vec<Line> {
        let look = self.look.get();
        let (name, title) = match self.kind {
            SummaryKind::Compaction { tokens } => ("compaction", format!("Compacted from {} tokens", grouped(tokens))),
            SummaryKind::Branch => ("branch", "Branch summary".to_owned()),
        };
        let mut rows = in_box(&look, &tag(&look, name), width);
        rows.push(String::new());
        let mut title = look.styles.fg("customMessageText", &title);
        if let (false, Some(hint)) = (self.expanded, paint::to_expand(&self.expand_key)) {
            title = format!("{title} {}", paint::hint(&look, &hint));
        }
        rows.extend(in_box(&look, &title, width));
        if self.expanded && !self.text.is_empty() {
            rows.push(String::new());
            rows.extend(box_markdown(&look, &self.text, width));
        }
        boxed(&look, "customMessageBg", &rows, width)
    }

    fn estimate(&self, width: usize) -> usize {
        6 + if self.expanded { 1 + paint::estimate(&self.text, width) } else { 0 }
    }
}
