//! The models that cycling goes through.

use tau_agent::shown_name;
use tau_tui::Drawn;
use tau_tui::keymap::Keymap;
use tau_tui::select::{Columns, Item, ListLook, SelectList};

use super::searched::{self, Key};
use super::{Deed, Draft, Effect, LineInput, Panel, Space, Took};

/// How many models are shown at once.
const ROWS: usize = 8;

/// A model that can be in the scope.
#[derive(Debug, Clone)]
pub(crate) struct ScopedRow {
    /// Provider and id, with a thinking level behind a colon if it has one of its own.
    pub(crate) full: String,
    pub(crate) provider: String,
    pub(crate) name: String,
    pub(crate) is_in: bool,
}

/// The choice of the scope. What is chosen holds at once; it is kept when that is asked for.
pub(crate) struct ScopedPanel {
    /// Those in the scope first, in their order.
    models: Vec<ScopedRow>,
    list: SelectList,
    search: LineInput,
    is_saved: bool,
}

impl ScopedPanel {
    pub(crate) fn new(models: Vec<ScopedRow>) -> Self {
        let mut panel =
            Self { models, list: SelectList::new(Vec::new(), ROWS), search: LineInput::default(), is_saved: true };
        panel.fill();
        panel
    }

    fn fill(&mut self) {
        let item = |model: &ScopedRow| Item {
            label: format!("{} {}", if model.is_in { "[✓]" } else { "[ ]" }, shown_name(&model.full)),
            description: shown_name(&model.name),
            also: model.full.clone(),
        };
        let items = self.models.iter().map(item).collect();
        self.list.replace(items, |one, other| one.also == other.also);
    }

    /// The scope has changed.
    fn changed(&mut self) -> Took {
        self.is_saved = false;
        self.fill();
        Took::Acts(Effect::Do(Deed::SetScope(self.names())))
    }

    fn names(&self) -> Vec<String> {
        self.models.iter().filter(|model| model.is_in).map(|model| model.full.clone()).collect()
    }

    /// All models that the query finds are in, or none.
    fn all(&mut self, is_in: bool) -> Took {
        for at in self.list.found().to_vec() {
            self.models[at].is_in = is_in;
        }
        self.changed()
    }

    /// All models of the selected one's provider are in, or none if all were.
    fn provider(&mut self) -> Took {
        let Some(at) = self.list.selected() else { return Took::Stays };
        let provider = self.models[at].provider.clone();
        let of_provider = |model: &&mut ScopedRow| model.provider == provider;
        let is_in = !self.models.iter_mut().filter(of_provider).all(|model| model.is_in);
        self.models.iter_mut().filter(of_provider).for_each(|model| model.is_in = is_in);
        self.changed()
    }

    /// Moves the selected one. What is found by a query has no order of its own.
    fn move_by(&mut self, by: isize) -> Took {
        let Some(at) = self.list.selected().filter(|_| self.search.value().is_empty()) else { return Took::Stays };
        let Some(to) = at.checked_add_signed(by).filter(|to| *to < self.models.len()) else { return Took::Stays };
        self.models.swap(at, to);
        self.changed()
    }
}

impl Panel for ScopedPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let unsaved = if self.is_saved { "" } else { " (unsaved)" };
        let mut draft = Draft::new(space, &format!("Models to cycle through{unsaved}"));
        let (text, column) = self.search.draw(space.width.saturating_sub(4).max(1));
        draft.input(" > ", &text, column);
        self.list.set_rows(space.rows.saturating_sub(7).clamp(1, ROWS));
        let columns = Columns { least: 12, most: space.width * 6 / 10 };
        let look = ListLook { styles: &space.look.styles, columns, empty: "Nothing matches" };
        draft.list(&self.list, &look);
        if !self.models.iter().any(|model| model.is_in) {
            draft.dim("none chosen: cycling goes through all");
        }
        draft.finish(&[
            ("tui.select.confirm", "in or out"),
            ("app.models.enableAll", "all"),
            ("app.models.clearAll", "none"),
            ("app.models.toggleProvider", "provider"),
            ("app.models.reorderUp", "up"),
            ("app.models.reorderDown", "down"),
            ("app.models.save", "keep"),
            ("tui.select.cancel", "leave"),
        ])
    }

    fn list(&mut self) -> Option<&mut SelectList> {
        Some(&mut self.list)
    }

    fn key(&mut self, data: &str, keys: &Keymap) -> Took {
        if keys.is(data, "app.models.enableAll") {
            return self.all(true);
        }
        if keys.is(data, "app.models.clearAll") {
            return self.all(false);
        }
        if keys.is(data, "app.models.toggleProvider") {
            return self.provider();
        }
        if keys.is(data, "app.models.reorderUp") {
            return self.move_by(-1);
        }
        if keys.is(data, "app.models.reorderDown") {
            return self.move_by(1);
        }
        if keys.is(data, "app.models.save") {
            self.is_saved = true;
            return Took::Acts(Effect::Do(Deed::SaveScope(self.names())));
        }
        match searched::key(&mut self.list, &mut self.search, data, keys) {
            Key::Chose(at) => {
                self.models[at].is_in = !self.models[at].is_in;
                self.changed()
            }
            Key::Took(took) => took,
        }
    }

    fn paste(&mut self, text: &str) {
        searched::paste(&mut self.list, &mut self.search, text);
    }
}
