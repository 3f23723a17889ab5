//! A component of an extension in the place of the editor, until it is done.

use tau_tui::Drawn;
use tau_tui::keymap::Keymap;
use tau_tui::screen::Size;

use super::{Panel, Space, Took};
use crate::mounts::Slot;

/// How many rows of the screen are not the panel's.
const BESIDE: usize = 4;
/// How many of these a component may have, too: the last row of the conversation and the first one of the footer stay.
const MORE: usize = 1;

/// A component. It gets every key; what it wants is up to it.
pub(crate) struct ComponentPanel(Slot);

impl ComponentPanel {
    pub(crate) fn new(slot: Slot) -> Self {
        Self(slot)
    }
}

impl Panel for ComponentPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        self.0.stands(space.width, Size::new(space.width, space.rows + BESIDE));
        let mut drawn = self.0.window_rows((space.rows + MORE).max(1), space.from_end);
        if self.0.is_failing() {
            let owner = space.owner.unwrap_or("an extension");
            drawn.lines.push(space.look.styles.fg("dim", &format!(" {owner} failed; this is what it showed before")));
        }
        drawn
    }

    fn key(&mut self, data: &str, _: &Keymap) -> Took {
        self.0.key(data);
        Took::Stays
    }

    fn paste(&mut self, text: &str) {
        self.0.key(&format!("\x1b[200~{text}\x1b[201~"));
    }

    fn component(&self) -> Option<Slot> {
        Some(self.0.clone())
    }
}
