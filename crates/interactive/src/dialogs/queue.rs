//! The prompts that wait for the model, one by one.

use tau_tui::Drawn;
use tau_tui::keymap::Keymap;
use tau_tui::queue::{Queue, QueueEditor, QueueLook, Queued};

use super::{Draft, Effect, Panel, Space, Took};

/// How many messages are shown at once.
const ROWS: usize = 8;

/// The list.
pub(crate) struct QueuePanel {
    editor: QueueEditor,
    known: Vec<Queued>,
}

impl QueuePanel {
    pub(crate) fn new(messages: Vec<Queued>) -> Self {
        Self { known: messages.clone(), editor: QueueEditor::new(messages, ROWS) }
    }
}

impl Panel for QueuePanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let mut draft = Draft::new(space, "Prompts that wait");
        let look = QueueLook { styles: &space.look.styles, keys: space.keys, rows: space.rows, cursor: true };
        draft.append(self.editor.draw(space.width, &look));
        draft.finish(&[])
    }

    fn key(&mut self, data: &str, keys: &Keymap) -> Took {
        match self.editor.key(data, keys) {
            Queue::Taken => Took::Stays,
            Queue::Nothing => Took::Nothing,
            Queue::Left => Took::Closes(Effect::Nothing),
            Queue::Changed(wanted) => {
                let known = std::mem::replace(&mut self.known, wanted.clone());
                let effect = Effect::Queue { known, wanted };
                if self.editor.messages().is_empty() { Took::Closes(effect) } else { Took::Acts(effect) }
            }
        }
    }

    fn paste(&mut self, text: &str) {
        self.editor.paste(text);
    }

    fn queued(&mut self, messages: &[Queued]) -> Option<String> {
        self.known = messages.to_vec();
        self.editor.update(messages.to_vec())
    }
}
