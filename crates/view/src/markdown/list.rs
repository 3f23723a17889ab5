//! Lists.

use super::document::{Block, Item, List};
use super::render::{Renderer, TextStyle};
use super::{Style, Theme};
use crate::width::visible_width;
use crate::wrap::wrap_text;

const INDENT: &str = "    ";

impl<T: Theme> Renderer<'_, T> {
    /// Adds the lines of a list that stands in `depth` others.
    pub(super) fn list(
        &mut self,
        list: &List,
        depth: usize,
        width: usize,
        style: &TextStyle,
        lines: &mut Vec<String>,
    ) -> Result<(), T::Error> {
        let cramped = self.is_cramped(width);
        let indent = INDENT.repeat(if cramped { 0 } else { depth });
        for (index, item) in list.items.iter().enumerate() {
            let marker = self.marker(list, index, item);
            let first = format!("{indent}{}", self.theme.apply(Style::ListBullet, &marker)?);
            let continuation = format!("{indent}{}", " ".repeat(visible_width(&marker)));
            let item_width = width.saturating_sub(visible_width(&first)).max(1);
            let mut begun = false;
            for block in &item.blocks {
                if let Block::List(nested) = block {
                    self.list(nested, depth + 1, width, style, lines)?;
                    begun = true;
                    continue;
                }
                for line in self.item_block(block, item_width, style)? {
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
        Ok(())
    }

    fn marker(&self, list: &List, index: usize, item: &Item) -> String {
        let bullet = match list.start {
            _ if self.options.preserve_list_markers && !item.marker.is_empty() => item.marker.clone(),
            Some(start) => format!("{}.", start.saturating_add(index as u64)),
            None => "-".to_owned(),
        };
        let task = match item.checked {
            Some(true) => "[x] ",
            Some(false) => "[ ] ",
            None => "",
        };
        format!("{bullet} {task}")
    }
}
