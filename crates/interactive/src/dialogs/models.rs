//! The choice of a model.

use tau_agent::shown_name;
use tau_tui::Drawn;
use tau_tui::keymap::Keymap;
use tau_tui::select::{Columns, Item, ListLook, SelectList};

use super::searched::{self, Key};
use super::{Deed, Draft, Effect, LineInput, Panel, Space, Took};

/// How many models are shown at once.
const ROWS: usize = 10;

/// A model that can be chosen.
#[derive(Debug, Clone)]
pub(crate) struct ModelRow {
    pub(crate) provider: String,
    pub(crate) id: String,
    pub(crate) name: String,
    /// It is in use.
    pub(crate) is_current: bool,
    /// New sessions begin with it.
    pub(crate) is_default: bool,
    /// Cycling goes through it.
    pub(crate) is_scoped: bool,
}

impl ModelRow {
    /// How it is named where a model can be named.
    fn full(&self) -> String {
        format!("{}/{}", self.provider, self.id)
    }

    fn item(&self) -> Item {
        let mark = if self.is_current { "✓ " } else { "" };
        let default = if self.is_default { " · default" } else { "" };
        let name = if self.name == self.id { String::new() } else { format!(" ({})", self.name) };
        // Ids may come from a server or an extension.
        let label = shown_name(&format!("{}{name} [{}]", self.id, self.provider));
        Item {
            label: format!("{mark}{label}{default}"),
            also: format!("{} {}", self.full(), self.name),
            ..Item::default()
        }
    }
}

/// The choice of a model.
pub(crate) struct ModelsPanel {
    /// All of them: the one in use first, then the default.
    models: Vec<ModelRow>,
    /// Those that are shown, by their place among all.
    shown: Vec<usize>,
    scoped: bool,
    list: SelectList,
    search: LineInput,
}

impl ModelsPanel {
    /// With those of the scope first, if there is one.
    pub(crate) fn new(mut models: Vec<ModelRow>) -> Self {
        sort(&mut models);
        let scoped = models.iter().any(|model| model.is_scoped);
        let mut panel = Self {
            models,
            shown: Vec::new(),
            scoped,
            list: SelectList::new(Vec::new(), ROWS),
            search: LineInput::default(),
        };
        panel.fill();
        panel
    }

    fn fill(&mut self) {
        let is_shown = |at: &usize| !self.scoped || self.models[*at].is_scoped;
        self.shown = (0..self.models.len()).filter(is_shown).collect();
        let items = self.shown.iter().map(|at| self.models[*at].item()).collect();
        self.list.replace(items, |one, other| one.also == other.also);
    }

    fn selected(&self) -> Option<usize> {
        self.shown.get(self.list.selected()?).copied()
    }

    /// Makes the selected one the default of new sessions.
    fn save(&mut self) -> Took {
        let Some(at) = self.selected() else { return Took::Stays };
        for (other, model) in self.models.iter_mut().enumerate() {
            model.is_default = other == at;
        }
        let ModelRow { provider, id, .. } = self.models[at].clone();
        self.fill();
        Took::Acts(Effect::Do(Deed::SaveModel { provider, id }))
    }
}

fn sort(models: &mut [ModelRow]) {
    models.sort_by_key(|model| (!model.is_current, !model.is_default, model.provider.clone()));
}

impl Panel for ModelsPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let has_scope = self.models.iter().any(|model| model.is_scoped);
        let title = match (has_scope, self.scoped) {
            (false, _) => "Model".to_owned(),
            (true, true) => "Model    ◉ scoped | ○ all".to_owned(),
            (true, false) => "Model    ○ scoped | ◉ all".to_owned(),
        };
        let mut draft = Draft::new(space, &title);
        let (text, column) = self.search.draw(space.width.saturating_sub(4).max(1));
        draft.input(" > ", &text, column);
        self.list.set_rows(space.rows.saturating_sub(7).clamp(1, ROWS));
        let empty =
            if self.models.is_empty() { "No model can be used: /login stores a key" } else { "Nothing matches" };
        draft.list(&self.list, &ListLook { styles: &space.look.styles, columns: Columns::default(), empty });
        if let Some(at) = self.selected() {
            draft.dim(&format!("Model Name: {}", shown_name(&self.models[at].name)));
        }
        let mut hints = vec![("tui.select.confirm", "choose"), ("app.models.save", "make it the default")];
        if has_scope {
            hints.push(("tui.input.tab", "scope"));
        }
        hints.push(("tui.select.cancel", "leave"));
        draft.finish(&hints)
    }

    fn list(&mut self) -> Option<&mut SelectList> {
        Some(&mut self.list)
    }

    fn key(&mut self, data: &str, keys: &Keymap) -> Took {
        if keys.is(data, "app.models.save") {
            return self.save();
        }
        if keys.is(data, "tui.input.tab") {
            self.scoped = !self.scoped && self.models.iter().any(|model| model.is_scoped);
            self.fill();
            return Took::Stays;
        }
        match searched::key(&mut self.list, &mut self.search, data, keys) {
            Key::Chose(at) => {
                let line = self.shown.get(at).map(|at| format!("/model {}", self.models[*at].full()));
                Took::Closes(line.map_or(Effect::Nothing, Effect::Send))
            }
            Key::Took(took) => took,
        }
    }

    fn models(&mut self, models: &[ModelRow]) {
        self.models = models.to_vec();
        sort(&mut self.models);
        self.fill();
    }

    fn paste(&mut self, text: &str) {
        searched::paste(&mut self.list, &mut self.search, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_cannot_change_the_terminal() {
        let row = ModelRow {
            provider: "p".to_owned(),
            id: "a\u{1b}[31mb\nc\u{202e}".to_owned(),
            name: "N\u{7}".to_owned(),
            is_current: true,
            is_default: true,
            is_scoped: false,
        };
        let item = row.item();
        assert_eq!(item.label, "✓ a␛[31mb c<U+202E> (N␇) [p] · default");
        // What is sent when it is chosen names the model as it is.
        assert_eq!(row.full(), "p/a\u{1b}[31mb\nc\u{202e}");
    }
}
