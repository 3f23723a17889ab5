//! Places in a text from which the rest can be read.

use super::super::document::{Block, List};
use super::super::math::{Fence, LineMap};
use super::super::outline::{Kind, Mark};
use super::super::parse::Part;
use super::super::spine::{Leaf, Level, ListLevel, Spine};

/// A place with what is open there.
#[derive(Default)]
pub(super) struct Place {
    pub(super) start: usize,
    pub(super) fence: Fence,
    pub(super) levels: Vec<Level>,
    pub(super) leaf: Option<Leaf>,
}

impl Place {
    pub(super) fn spine(&self) -> Spine<'_> {
        Spine { levels: &self.levels, leaf: self.leaf.as_ref() }
    }
}

/// The text from a place on, read.
pub(super) struct Read {
    /// The text behind lines that stand for what is above it.
    pub(super) text: String,
    /// How long these are.
    pub(super) preamble: usize,
    pub(super) part: Part,
    /// Where a formula begins that later text may end, in the source.
    pub(super) open: Option<usize>,
    pub(super) lines: LineMap,
}

/// The containers around a block.
pub(super) struct Around<'a> {
    pub(super) levels: Vec<Level>,
    /// The last block in the innermost one.
    pub(super) block: &'a Block,
    /// Whether that is the block that is open at the place, or nothing was open.
    pub(super) same: bool,
}

impl Read {
    /// The source of the first block.
    pub(super) fn first_block(&self) -> &str {
        let end = self.part.outline.outermost.get(1).copied().unwrap_or(self.text.len());
        &self.text[self.preamble.min(end)..end]
    }

    pub(super) fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    /// The end of the line that begins at `start`, with its line break.
    pub(super) fn line_end(&self, start: usize) -> usize {
        self.text[start..].find('\n').map_or(self.text.len(), |end| start + end + 1)
    }

    pub(super) fn path(&self) -> &[Mark] {
        &self.part.outline.path
    }

    /// The containers around the block or item that the path has at `depth`.
    pub(super) fn around(&self, place: &Place, depth: usize) -> Option<Around<'_>> {
        let path = self.path();
        let mut blocks = self.part.blocks.as_slice();
        let mut levels: Vec<Level> = Vec::new();
        // While this is the first open block of the place, with the index that it has in its container.
        let mut same = true;
        let mut expected = 0;
        let mut at = 0;
        while at < depth {
            let block = last_block(blocks)?;
            same = same && path[at].index == expected;
            let old = place.levels.get(levels.len()).filter(|_| same);
            match (path[at].kind, block) {
                (Kind::Quote, Block::Quote(inner)) => {
                    same = matches!(old, Some(Level::Quote));
                    expected = 0;
                    levels.push(Level::Quote);
                    blocks = inner;
                    at += 1;
                }
                (Kind::List, Block::List(list)) => {
                    let old = match old {
                        Some(Level::List(old)) => Some(old),
                        _ => None,
                    };
                    let item = path.get(at + 1)?;
                    let item_open = at + 1 < depth;
                    let is_open_one = item.index == 1 && item_open && old.is_some_and(|old| old.item_open);
                    if let Some(old) = old.filter(|_| is_open_one) {
                        levels.push(Level::List(ListLevel { loose: list.loose, ..old.clone() }));
                    } else {
                        levels.push(Level::List(self.list_level(list, old, item, item_open)?));
                        same = false;
                    }
                    expected = 1;
                    blocks = &list.items.last()?.blocks;
                    at += 2;
                }
                _ => return None,
            }
        }
        let same = same && levels.len() == place.levels.len() && path.get(depth).is_some_and(|at| at.index == expected);
        // A new item has no blocks of its own yet, only its list has.
        let block = last_block(blocks).or_else(|| last_block(&self.part.blocks))?;
        Some(Around { levels, block, same })
    }

    fn list_level(&self, list: &List, old: Option<&ListLevel>, item: &Mark, item_open: bool) -> Option<ListLevel> {
        // Whether a list is loose shows in its texts only, and what is still open may turn out to be none.
        let (last, items) = list.items.split_last()?;
        let inner = if item_open { last.blocks.split_last().map_or(&[][..], |(_, blocks)| blocks) } else { &[] };
        let is_text = |block: &Block| matches!(block, Block::Text(_) | Block::Paragraph(_));
        if old.is_none() && !items.iter().flat_map(|item| &item.blocks).chain(inner).any(is_text) {
            return None;
        }
        let checked = list.items.last().and_then(|item| item.checked).filter(|_| item_open);
        Some(ListLevel {
            first: item_beginning(&self.text[item.range.start..])?,
            start: old.map_or(list.start, |old| old.start),
            count: old.map_or(item.index, |old| old.count + item.index - 1),
            loose: list.loose,
            item_open,
            checked,
        })
    }
}

pub(super) fn last_block(blocks: &[Block]) -> Option<&Block> {
    blocks.iter().rfind(|block| !matches!(block, Block::Space))
}

/// What the item that `text` begins with has before its content.
fn item_beginning(text: &str) -> Option<String> {
    let line = text.split('\n').next().unwrap_or_default();
    let indent = line.len() - line.trim_start_matches(' ').len();
    let marked = &line[indent..];
    let digits = marked.len() - marked.trim_start_matches(|ch: char| ch.is_ascii_digit()).len();
    let marker = digits + 1;
    let after = marked.get(marker..)?;
    let pad = match after.len() - after.trim_start_matches(' ').len() {
        spaces if spaces == after.len() => 1,
        spaces @ 1..=4 => spaces,
        0 => return None,
        _ => 1,
    };
    Some(format!("{}{}", &line[..indent + marker], " ".repeat(pad)))
}
