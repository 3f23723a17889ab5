//! What follows from the end of a panel.

use super::App;
use crate::dialogs::{Deed, Effect};

impl App {
    /// Does what a panel ended with.
    pub(super) fn effect(&mut self, effect: Effect) {
        self.screen.changed_by_key();
        match effect {
            Effect::Answer(id, answer) => {
                if let Err(error) = self.back_end.answer(id, answer) {
                    // Somebody was faster, or the asker gave up: its panel is gone by then.
                    tracing::debug!(%error, "an answer does not count");
                }
            }
            Effect::Send(line) => self.send_command(&line),
            Effect::Queue { known, wanted } => self.arrange_queue(&known, &wanted),
            Effect::Edit(text) => {
                self.editor.set_text(&text);
                self.edited();
            }
            early @ (Effect::Session(_) | Effect::Forks(_) | Effect::Folder(_)) => self.answer_early(early),
            Effect::Do(deed) => self.act(deed),
            Effect::Nothing => {}
        }
    }

    fn act(&mut self, deed: Deed) {
        match deed {
            Deed::SaveModel { provider, id } => self.save_model(&provider, &id),
            Deed::SaveThinking(level) => self.save_thinking(&level),
            Deed::SetScope(names) => self.set_scope(&names),
            Deed::SaveScope(names) => self.save_scope(names),
            Deed::ChangeSetting(key, value) => self.change_setting(key, value),
            Deed::RenameSession(path, name, shelf) => self.rename_session(path, name, shelf),
            Deed::DeleteSession(path, shelf) => self.delete_session(path, shelf),
            Deed::Label { id, label } => self.label_entry(&id, &label),
            Deed::Copy(text) => self.copy_text(text),
            Deed::PreviewTheme(name) => self.preview_theme(name),
            Deed::ChooseTheme(name) => self.keep_theme(&name),
        }
    }
}
