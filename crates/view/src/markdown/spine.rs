//! The open blocks of a text whose beginning is laid out: what it takes to read the rest as if the beginning were there.
//!
//! The rest is read behind a few lines that stand for the beginning. They open the same lists, items and blocks. The
//! lines of what they open are left out of the layout.

use super::CodeLines;
use super::measures::Above;
use crate::wrap::Flow;

/// A container that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Level {
    /// Each line marks it.
    Quote,
    List(ListLevel),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListLevel {
    /// What an item begins with, up to its content.
    pub(super) first: String,
    pub(super) start: Option<u64>,
    /// How many items are above the open one, or above the next if none is open.
    pub(super) count: usize,
    pub(super) loose: bool,
    /// Whether the rest goes on in the item that is last above.
    pub(super) item_open: bool,
    /// The box of the open item.
    pub(super) checked: Option<bool>,
}

/// A block without other blocks in it that is open.
pub(super) enum Leaf {
    Code(CodeAbove),
    Table {
        /// Its first two lines.
        opening: String,
        above: Above,
    },
    /// A paragraph that no list or quote contains.
    Paragraph(Box<ParagraphAbove>),
}

/// The lines of a code block above the rest.
pub(super) struct CodeAbove {
    /// The line that opens it; empty for indented code.
    pub(super) opening: String,
    /// Colours the next line.
    pub(super) colours: Option<Box<dyn CodeLines>>,
}

/// The words of a paragraph above the rest.
#[derive(Clone)]
pub(super) struct ParagraphAbove {
    pub(super) flow: Flow,
    /// What stands before text in the document, and after it.
    pub(super) around: (String, String),
    pub(super) pending: super::pending::Pending,
}

/// The open blocks, from the outside to the inside.
#[derive(Clone, Copy)]
pub(super) struct Spine<'a> {
    pub(super) levels: &'a [Level],
    pub(super) leaf: Option<&'a Leaf>,
}

impl Spine<'_> {
    /// The lines that stand for what is above.
    pub(super) fn preamble(&self) -> String {
        let mut text = String::new();
        let mut prefix = String::new();
        for level in self.levels {
            match level {
                Level::Quote => prefix.push_str("> "),
                Level::List(list) => {
                    text.push_str(&format!("{prefix}{}x\n", list.first));
                    if list.loose {
                        text.push_str(prefix.trim_end());
                        text.push('\n');
                    }
                    if list.item_open {
                        text.push_str(&format!("{prefix}{}# x\n", list.first));
                        prefix.push_str(&" ".repeat(list.first.chars().count()));
                    }
                }
            }
        }
        match self.leaf {
            Some(Leaf::Code(CodeAbove { opening, .. }) | Leaf::Table { opening, .. }) => text.push_str(opening),
            Some(Leaf::Paragraph(_)) | None => {}
        }
        text
    }

    /// What a line in these containers begins with.
    pub(super) fn prefix(&self) -> String {
        self.levels
            .iter()
            .map(|level| match level {
                Level::Quote => "> ".to_owned(),
                Level::List(list) => " ".repeat(list.first.chars().count()),
            })
            .collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.levels.is_empty() && self.leaf.is_none()
    }
}
