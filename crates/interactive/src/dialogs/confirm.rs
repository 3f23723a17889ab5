//! A yes-or-no question: what it is about is shown whole, and can be scrolled.

use tau_hooks::dialogs::DialogAnswer;
use tau_tui::Drawn;
use tau_tui::editor::typed;
use tau_tui::keymap::Keymap;
use tau_tui::select::{Columns, Item, ListLook, Picked, SelectList};
use tau_view::untrusted::plain;
use tau_view::wrap::wrap_text;
use uuid::Uuid;

use super::{Draft, Effect, Panel, Space, Took};

/// A yes-or-no question.
pub(crate) struct ConfirmPanel {
    id: Uuid,
    title: String,
    message: String,
    list: SelectList,
    /// The first line of the message that is shown.
    first: usize,
    /// How many lines are shown of how many.
    shown: (usize, usize),
}

impl ConfirmPanel {
    pub(super) fn new(id: Uuid, title: String, message: String) -> Self {
        let list = SelectList::new(vec![Item::new("Yes"), Item::new("No")], 2);
        Self { id, title, message: plain(&message), list, first: 0, shown: (0, 0) }
    }

    fn answer(&self, yes: bool) -> Took {
        Took::Closes(Effect::Answer(self.id, DialogAnswer::Confirmed(yes)))
    }

    fn scroll(&mut self, by: isize) -> Took {
        let (shown, all) = self.shown;
        self.first = self.first.saturating_add_signed(by).min(all.saturating_sub(shown));
        Took::Stays
    }
}

impl Panel for ConfirmPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let mut draft = Draft::new(space, &self.title);
        let lines = wrap_text(&self.message, space.width.saturating_sub(2).max(1));
        let all = if self.message.is_empty() { 0 } else { lines.len() };
        // Behind it come its place in the message, two answers, the keys and a rule.
        let room = draft.room(5).max(3);
        let shown = all.min(room);
        self.first = self.first.min(all - shown);
        self.shown = (shown, all);
        draft.lines(lines.into_iter().skip(self.first).take(shown).map(|line| format!(" {line}")));
        if shown < all {
            draft.dim(&format!("lines {} to {} of {all}", self.first + 1, self.first + shown));
        }
        let columns = Columns { least: 5, most: 5 };
        draft.list(&self.list, &ListLook { styles: &space.look.styles, columns, empty: "" });
        let mut hints = vec![("tui.select.confirm", "choose"), ("tui.select.cancel", "no")];
        if shown < all {
            hints.insert(0, ("tui.select.pageDown", "more"));
        }
        draft.finish(&hints)
    }

    fn list(&mut self) -> Option<&mut SelectList> {
        Some(&mut self.list)
    }

    fn key(&mut self, data: &str, keys: &Keymap) -> Took {
        let page = isize::try_from(self.shown.0.max(1)).unwrap_or(isize::MAX);
        if keys.is(data, "tui.select.pageDown") {
            return self.scroll(page);
        }
        if keys.is(data, "tui.select.pageUp") {
            return self.scroll(-page);
        }
        match self.list.key(data, keys) {
            Picked::Item(at) => return self.answer(at == 0),
            Picked::Cancelled => return self.answer(false),
            Picked::Moved => return Took::Stays,
            Picked::Nothing => {}
        }
        match typed(data).as_deref() {
            Some("y" | "Y") => self.answer(true),
            Some("n" | "N") => self.answer(false),
            Some("j") => {
                self.list.step(1, true);
                Took::Stays
            }
            Some("k") => {
                self.list.step(-1, true);
                Took::Stays
            }
            _ => Took::Nothing,
        }
    }
}
