//! Lists.

use super::document::{Block, Item, List};
use super::renderer::{Renderer, TextStyle};
use super::spine::{Level, ListLevel, Spine};
use super::{Style, Theme};
use crate::width::visible_width;
use crate::wrap::wrap_text;

const INDENT: &str = "    ";

/// The rest of a list whose first items are laid out.
#[derive(Clone, Copy)]
pub(super) struct Rest<'a> {
    level: &'a ListLevel,
    /// What is left of the open item.
    inner: Spine<'a>,
}

impl<'a> Rest<'a> {
    pub(super) fn new(level: &'a ListLevel, inner: Spine<'a>) -> Self {
        Self { level, inner }
    }
}

impl<T: Theme> Renderer<'_, T> {
    /// Adds the lines of a list that stands in `depth` others, or of the rest of it; nothing when they do not fit what
    /// is above.
    pub(super) fn list(
        &mut self,
        list: &List,
        rest: Option<Rest<'_>>,
        depth: usize,
        width: usize,
        style: &TextStyle,
        lines: &mut Vec<String>,
    ) -> Result<Option<()>, T::Error> {
        if rest.is_some_and(|rest| list.loose != rest.level.loose || list.items.len() < 2) {
            return Ok(None);
        }
        let cramped = self.is_cramped(width);
        let indent = INDENT.repeat(if cramped { 0 } else { depth });
        // The first item of a rest only stands for those above it.
        for (index, item) in list.items.iter().enumerate().skip(usize::from(rest.is_some())) {
            let open = rest.filter(|rest| index == 1 && rest.level.item_open);
            let marker = match rest {
                None => self.marker(list.start, index, item, item.checked),
                Some(Rest { level, .. }) => {
                    let checked = if open.is_some() { level.checked } else { item.checked };
                    self.marker(level.start, level.count + index - 1, item, checked)
                }
            };
            let first = format!("{indent}{}", self.theme.apply(Style::ListBullet, &marker)?);
            let continuation = format!("{indent}{}", " ".repeat(visible_width(&marker)));
            let item_width = width.saturating_sub(visible_width(&first)).max(1);
            let mut begun = open.is_some();
            if open.is_some() && item.blocks.len() < 2 {
                return Ok(None);
            }
            for (position, block) in item.blocks.iter().enumerate().skip(usize::from(open.is_some())) {
                let resumed = open.filter(|_| position == 1).map(|rest| rest.inner);
                let blocks = match (block, resumed) {
                    (Block::List(nested), None) => {
                        self.list(nested, None, depth + 1, width, style, lines)?;
                        begun = true;
                        continue;
                    }
                    (Block::List(nested), Some(spine)) => {
                        let rest = match spine.levels.split_first() {
                            Some((Level::List(level), levels)) => Some(Rest::new(level, Spine { levels, ..spine })),
                            Some((Level::Quote, _)) => return Ok(None),
                            None if spine.leaf.is_some() => return Ok(None),
                            None => None,
                        };
                        if self.list(nested, rest, depth + 1, width, style, lines)?.is_none() {
                            return Ok(None);
                        }
                        continue;
                    }
                    (block, None) => self.item_block(block, item_width, style)?,
                    (block, Some(spine)) => {
                        match self.resumed(std::slice::from_ref(block), spine, item_width, style)? {
                            Some(lines) => lines,
                            None => return Ok(None),
                        }
                    }
                };
                for line in blocks {
                    if cramped {
                        lines.push(if begun { line } else { first.clone() + &line });
                        begun = true;
                        continue;
                    }
                    for line in wrap_text(&line, item_width) {
                        lines.push(format!("{}{line}", if begun { &continuation } else { &first }));
                        begun = true;
                    }
                }
            }
            if !begun {
                lines.push(first);
            }
            if list.loose && index + 1 < list.items.len() {
                lines.push(String::new());
            }
        }
        Ok(Some(()))
    }

    fn marker(&self, start: Option<u64>, index: usize, item: &Item, checked: Option<bool>) -> String {
        let bullet = match start {
            _ if self.options.preserve_list_markers && !item.marker.is_empty() => item.marker.clone(),
            Some(start) => format!("{}.", start.saturating_add(index as u64)),
            None => "-".to_owned(),
        };
        let task = match checked {
            Some(true) => "[x] ",
            Some(false) => "[ ] ",
            None => "",
        };
        format!("{bullet} {task}")
    }
}
