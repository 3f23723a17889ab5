//! Entries of extensions, which are shown when an extension draws them.

use serde_json::Value;
use tau_tui::blocks::{Note, NoteKind};
use tau_tui::screen::{Content, Transcript};

use super::Chat;

impl Chat {
    /// Shows an entry, if an extension draws its kind.
    pub(crate) fn show_entry(&mut self, transcript: &mut Transcript, entry: &Value) {
        if entry["type"] != "custom" {
            return;
        }
        let Some(kind) = entry["customType"].as_str() else { return };
        let Some(side) = self.painter.as_ref().and_then(|painter| painter.of_entry(kind)) else { return };
        let (look, text) = (self.look.clone(), format!("[{kind}] its renderer failed"));
        let otherwise = move || Some(Box::new(Note::new(look.clone(), NoteKind::Warning, &text)) as Box<dyn Content>);
        self.push_own(transcript, kind, side, entry.clone(), otherwise);
    }
}
