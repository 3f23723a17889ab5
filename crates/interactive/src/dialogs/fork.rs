//! The choice of the prompt in front of which a fork begins.

use tau_tui::Drawn;
use tau_tui::keymap::Keymap;
use tau_tui::select::{Columns, Item, ListLook, SelectList};
use tau_view::untrusted::plain;

use super::searched::{self, Key};
use super::{Draft, Effect, LineInput, Panel, Space, Took};

/// How many prompts are shown at once.
const ROWS: usize = 10;

/// The choice of a prompt, with the newest selected.
pub(crate) struct ForkPanel {
    /// Their entries.
    ids: Vec<String>,
    list: SelectList,
    search: LineInput,
}

impl ForkPanel {
    /// With entries and texts, the oldest first.
    pub(crate) fn new(prompts: Vec<(String, String)>) -> Self {
        let item = |text: &str| Item::new(plain(text).split_whitespace().collect::<Vec<_>>().join(" "));
        let mut list = SelectList::new(prompts.iter().map(|(_, text)| item(text)).collect(), ROWS);
        list.select(prompts.len().saturating_sub(1));
        Self { ids: prompts.into_iter().map(|(id, _)| id).collect(), list, search: LineInput::default() }
    }
}

impl Panel for ForkPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let mut draft = Draft::new(space, "Fork in front of a prompt, which returns to the editor");
        let (text, column) = self.search.draw(space.width.saturating_sub(4).max(1));
        draft.input(" > ", &text, column);
        // Behind it come its place in the list, which message it is, the keys and a rule.
        self.list.set_rows(draft.room(4).clamp(1, ROWS));
        let look = ListLook { styles: &space.look.styles, columns: Columns::default(), empty: "Nothing matches" };
        draft.list(&self.list, &look);
        if let Some(at) = self.list.selected() {
            draft.dim(&format!("Message {} of {}", at + 1, self.ids.len()));
        }
        draft.finish(&[("tui.select.confirm", "fork"), ("tui.select.cancel", "leave")])
    }

    fn list(&mut self) -> Option<&mut SelectList> {
        Some(&mut self.list)
    }

    fn key(&mut self, data: &str, keys: &Keymap) -> Took {
        match searched::key(&mut self.list, &mut self.search, data, keys) {
            Key::Chose(at) => {
                let line = self.ids.get(at).map(|id| format!("/fork {id}"));
                Took::Closes(line.map_or(Effect::Nothing, Effect::Send))
            }
            Key::Took(took) => took,
        }
    }

    fn paste(&mut self, text: &str) {
        searched::paste(&mut self.list, &mut self.search, text);
    }
}
