//! Drawing a list.

use tau_view::truncate::truncate_to_width;
use tau_view::width::visible_width;

use super::SelectList;
use crate::style::Styles;

/// From this width on there is room for descriptions, and the least room that one is worth.
const ROOM: usize = 40;
const LEAST: usize = 10;

/// How wide the labels are, where descriptions follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    /// At least.
    pub least: usize,
    /// At most.
    pub most: usize,
}

impl Default for Columns {
    fn default() -> Self {
        Self { least: 32, most: 32 }
    }
}

/// How a list is drawn.
#[derive(Debug)]
pub struct ListLook<'a> {
    /// The colours.
    pub styles: &'a Styles,
    /// How wide the labels are.
    pub columns: Columns,
    /// What stands there when nothing is found.
    pub empty: &'a str,
}

impl SelectList {
    /// [`SelectList::draw`] from a row of something on, so that a click there is found.
    pub fn draw_from(&self, row: usize, width: usize, look: &ListLook<'_>) -> Vec<String> {
        self.place.set(row);
        self.draw(width, look)
    }

    /// The rows of the list around the selected one, and which part of it they are when they are not all.
    pub fn draw(&self, width: usize, look: &ListLook<'_>) -> Vec<String> {
        if self.found.is_empty() {
            return vec![look.styles.fg("muted", &truncate_to_width(&format!("  {}", look.empty), width, "…", false))];
        }
        let (first, shown) = self.window();
        let label = self.label_width(width, look.columns);
        let mut lines: Vec<String> = (first..first + shown).map(|at| self.row(at, width, label, look.styles)).collect();
        if shown < self.found.len() {
            let place = format!("  ({}/{})", self.selected + 1, self.found.len());
            lines.push(look.styles.fg("muted", &truncate_to_width(&place, width, "", false)));
        }
        lines
    }

    fn label_width(&self, width: usize, columns: Columns) -> usize {
        let widest = self.found.iter().map(|at| visible_width(&self.items[*at].label) + 2).max().unwrap_or(0);
        widest.clamp(columns.least, columns.most.max(columns.least)).min(width.saturating_sub(2))
    }

    fn row(&self, at: usize, width: usize, label: usize, styles: &Styles) -> String {
        let item = &self.items[self.found[at]];
        let is_selected = at == self.selected;
        let mark = if is_selected { "→ " } else { "  " };
        let room = width.saturating_sub(2 + label);
        let description = item.description.split('\n').next().unwrap_or_default();
        if description.is_empty() || width <= ROOM || room < LEAST {
            let line = truncate_to_width(&format!("{mark}{}", item.label), width, "…", false);
            return if is_selected { styles.fg("accent", &line) } else { line };
        }
        // A space at least divides the two.
        let name = truncate_to_width(&item.label, label.saturating_sub(1), "…", false);
        let gap = " ".repeat(label - visible_width(&name));
        let description = truncate_to_width(description, room, "…", false);
        if is_selected {
            styles.fg("accent", &format!("{mark}{name}{gap}{description}"))
        } else {
            format!("{mark}{name}{gap}{}", styles.fg("muted", &description))
        }
    }
}
