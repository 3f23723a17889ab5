//! A search among the prompts of a project.

use tau_tui::Drawn;
use tau_tui::history::{HistorySearch, Searched};
use tau_tui::keymap::Keymap;

use super::{Draft, Effect, Panel, Space, Took};

/// The search.
pub(crate) struct HistoryPanel(HistorySearch);

impl HistoryPanel {
    pub(crate) fn new(search: HistorySearch) -> Self {
        Self(search)
    }
}

impl Panel for HistoryPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let mut draft = Draft::new(space, "Earlier prompts");
        draft.append(self.0.draw(space.width, &space.look.styles));
        draft.finish(&[("tui.select.confirm", "take"), ("tui.select.cancel", "leave")])
    }

    fn key(&mut self, data: &str, keys: &Keymap) -> Took {
        match self.0.key(data, keys) {
            Searched::Taken => Took::Stays,
            Searched::Nothing => Took::Nothing,
            Searched::Accepted(text) | Searched::Cancelled(text) => Took::Closes(Effect::Edit(text)),
        }
    }

    fn paste(&mut self, text: &str) {
        self.0.paste(text);
    }
}
