//! The page of settings.

use tau_tui::Drawn;
use tau_tui::keymap::Keymap;
use tau_tui::select::{Columns, Item, ListLook, SelectList};
use tau_view::wrap::wrap_text;

use super::searched::{self, Key};
use super::{Deed, Draft, Effect, LineInput, Panel, Space, Took};

/// How many settings are shown at once.
const ROWS: usize = 10;

/// A setting that can be changed.
#[derive(Debug, Clone)]
pub(crate) struct SettingRow {
    /// Its name in the files.
    pub(crate) key: &'static str,
    /// What people call it.
    pub(crate) label: &'static str,
    /// What it does.
    pub(crate) doc: &'static str,
    /// What it can be, as JSON.
    pub(crate) values: Vec<serde_json::Value>,
    /// What it is.
    pub(crate) value: serde_json::Value,
    /// Who says so.
    pub(crate) origin: String,
}

/// Reads the settings as they are.
type Read = Box<dyn Fn() -> Vec<SettingRow> + Send>;

/// The page.
pub(crate) struct SettingsPanel {
    read: Read,
    rows: Vec<SettingRow>,
    list: SelectList,
    search: LineInput,
}

impl SettingsPanel {
    /// With what reads the settings, each time the page is drawn.
    pub(crate) fn new(read: impl Fn() -> Vec<SettingRow> + Send + 'static) -> Self {
        let rows = read();
        let list = SelectList::new(rows.iter().map(item).collect(), ROWS);
        Self { read: Box::new(read), rows, list, search: LineInput::default() }
    }

    /// The next value of the selected setting, or the one before.
    fn change(&self, forward: bool) -> Took {
        let Some(row) = self.list.selected().and_then(|at| self.rows.get(at)) else { return Took::Stays };
        let count = row.values.len();
        let next = match row.values.iter().position(|value| *value == row.value) {
            Some(at) if forward => (at + 1) % count,
            Some(at) => (at + count - 1) % count,
            None => 0,
        };
        let (key, value) = (row.key, row.values[next].clone());
        Took::Acts(Effect::Do(Deed::ChangeSetting(key, value)))
    }
}

fn item(row: &SettingRow) -> Item {
    Item { label: row.label.to_owned(), description: shown(&row.value), also: format!("{} {}", row.key, row.doc) }
}

/// A value as people read it.
fn shown(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl Panel for SettingsPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        self.rows = (self.read)();
        // What stands in the rows has changed, their order has not.
        self.list.replace(self.rows.iter().map(item).collect(), |one, other| one.label == other.label);
        let mut draft = Draft::new(space, "Settings");
        let (text, column) = self.search.draw(space.width.saturating_sub(4).max(1));
        draft.input(" > ", &text, column);
        self.list.set_rows(space.rows.saturating_sub(9).clamp(1, ROWS));
        let columns = Columns { least: 12, most: 36 };
        let look = ListLook { styles: &space.look.styles, columns, empty: "No matching settings" };
        draft.list(&self.list, &look);
        if let Some(row) = self.list.selected().and_then(|at| self.rows.get(at)) {
            for line in wrap_text(row.doc, space.width.saturating_sub(4).max(1)) {
                draft.dim(&line);
            }
            draft.dim(&format!("{} = {} ({})", row.key, row.value, row.origin));
        }
        draft.finish(&[("tui.select.confirm", "change"), ("tui.select.cancel", "leave")])
    }

    fn list(&mut self) -> Option<&mut SelectList> {
        Some(&mut self.list)
    }

    fn key(&mut self, data: &str, keys: &Keymap) -> Took {
        if data == " " && self.search.value().is_empty() {
            return self.change(true);
        }
        if self.search.value().is_empty() && keys.is_key(data, "left") {
            return self.change(false);
        }
        if self.search.value().is_empty() && keys.is_key(data, "right") {
            return self.change(true);
        }
        match searched::key(&mut self.list, &mut self.search, data, keys) {
            Key::Chose(_) => self.change(true),
            Key::Took(took) => took,
        }
    }

    fn paste(&mut self, text: &str) {
        searched::paste(&mut self.list, &mut self.search, text);
    }
}
