//! A list that something is chosen from.

mod draw;

pub use draw::{Columns, ListLook};

use std::cell::Cell;

use tau_view::fuzzy::fuzzy_match_words;

use crate::keymap::Keymap;

/// Something that can be chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Item {
    /// What it is called, without styles.
    pub label: String,
    /// What it is, without styles; shown behind the label where there is room.
    pub description: String,
    /// What else a query may find it by.
    pub also: String,
}

impl Item {
    /// An item that needs no description.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// The same with a description.
    #[must_use]
    pub fn about(self, description: impl Into<String>) -> Self {
        Self { description: description.into(), ..self }
    }
}

/// What became of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picked {
    /// This item was chosen, by its place among all items.
    Item(usize),
    /// The list was left.
    Cancelled,
    /// Another item is selected now, or nothing can be seen of it.
    Moved,
    /// It is none of the list's.
    Nothing,
}

/// A list of items, which a query narrows, with one selected.
#[derive(Debug, Clone, Default)]
pub struct SelectList {
    items: Vec<Item>,
    query: String,
    /// The items that the query finds, the best first.
    found: Vec<usize>,
    /// The selected one among those found.
    selected: usize,
    /// How many rows are shown at once.
    rows: usize,
    /// The row of what it is drawn in that its first row has.
    place: Cell<usize>,
}

impl SelectList {
    /// All of these, of which so many are shown at once.
    pub fn new(items: Vec<Item>, rows: usize) -> Self {
        let found = (0..items.len()).collect();
        Self { items, query: String::new(), found, selected: 0, rows: rows.max(1), place: Cell::new(0) }
    }

    /// The items.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The items that the query finds, by their place among all of them.
    pub fn found(&self) -> &[usize] {
        &self.found
    }

    /// The selected item, by its place among all of them.
    pub fn selected(&self) -> Option<usize> {
        self.found.get(self.selected).copied()
    }

    /// Selects an item, if the query finds it.
    pub fn select(&mut self, item: usize) {
        if let Some(at) = self.found.iter().position(|found| *found == item) {
            self.selected = at;
        }
    }

    /// How many rows are shown at once.
    pub fn set_rows(&mut self, rows: usize) {
        self.rows = rows.max(1);
    }

    /// Other items, with the same query. What was selected stays so if `is_same` finds it.
    pub fn replace(&mut self, items: Vec<Item>, is_same: impl Fn(&Item, &Item) -> bool) {
        let selected = self.selected().map(|at| self.items[at].clone());
        self.items = items;
        let query = std::mem::take(&mut self.query);
        self.search(&query);
        let again = selected.and_then(|was| self.items.iter().position(|item| is_same(&was, item)));
        if let Some(item) = again {
            self.select(item);
        }
    }

    /// Narrows the list to what a query finds: all of its words, each letter by letter in this order. The best comes first,
    /// and it is selected.
    pub fn search(&mut self, query: &str) {
        query.clone_into(&mut self.query);
        self.selected = 0;
        if query.trim().is_empty() {
            self.found = (0..self.items.len()).collect();
            return;
        }
        let score = |item: &Item| {
            let of = |text: &str| fuzzy_match_words(query, text);
            // What stands in the label counts before what stands elsewhere.
            of(&item.label).map(|score| (false, score)).or_else(|| {
                let elsewhere = format!("{} {} {}", item.label, item.description, item.also);
                of(&elsewhere).map(|score| (true, score))
            })
        };
        let mut found: Vec<(usize, (bool, f64))> =
            self.items.iter().enumerate().filter_map(|(at, item)| Some((at, score(item)?))).collect();
        found.sort_by(|(_, (one, a)), (_, (other, b))| one.cmp(other).then(a.total_cmp(b)));
        self.found = found.into_iter().map(|(at, _)| at).collect();
    }

    /// The query.
    pub fn query(&self) -> &str {
        &self.query
    }

    /// Takes one key, undecoded as the terminal sent it.
    pub fn key(&mut self, data: &str, keys: &Keymap) -> Picked {
        let page = isize::try_from(self.rows).unwrap_or(isize::MAX);
        let moves: [(&str, isize, bool); 4] = [
            ("tui.select.up", -1, true),
            ("tui.select.down", 1, true),
            ("tui.select.pageUp", -page, false),
            ("tui.select.pageDown", page, false),
        ];
        if let Some((_, by, wraps)) = moves.into_iter().find(|(action, ..)| keys.is(data, action)) {
            self.step(by, wraps);
            return Picked::Moved;
        }
        if keys.is(data, "tui.select.confirm") {
            return self.selected().map_or(Picked::Moved, Picked::Item);
        }
        if keys.is(data, "tui.select.cancel") {
            return Picked::Cancelled;
        }
        Picked::Nothing
    }

    /// Selects an item so many further, as far as there are any, for a wheel over the list; how many more it would have gone.
    pub fn wheel(&mut self, by: isize) -> isize {
        let before = isize::try_from(self.selected).unwrap_or(isize::MAX);
        self.step(by, false);
        by - (isize::try_from(self.selected).unwrap_or(isize::MAX) - before)
    }

    /// Selects the item that was drawn in a row, if one was.
    pub fn click(&mut self, row: usize) -> bool {
        let (first, shown) = self.window();
        let at = row.checked_sub(self.place.get()).filter(|at| *at < shown);
        if let Some(at) = at {
            self.selected = first + at;
        }
        at.is_some()
    }

    /// The first of those found that is shown, and how many are.
    fn window(&self) -> (usize, usize) {
        let shown = self.rows.min(self.found.len());
        (self.selected.saturating_sub(shown / 2).min(self.found.len() - shown), shown)
    }

    /// Selects another item, so many further; a single step goes round.
    pub fn step(&mut self, by: isize, wraps: bool) {
        let count = self.found.len();
        if count == 0 {
            return;
        }
        let last = count - 1;
        self.selected = match (by, wraps) {
            (-1, true) if self.selected == 0 => last,
            (1, true) if self.selected == last => 0,
            _ => self.selected.saturating_add_signed(by).min(last),
        };
    }
}

#[cfg(test)]
mod tests;
