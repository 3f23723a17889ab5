//! Questions that are answered with text.

use tau_hooks::dialogs::DialogAnswer;
use tau_tui::Drawn;
use tau_tui::editor::{EditorLook, EditorView, Rule, Took as EditorTook};
use tau_tui::keymap::Keymap;
use tau_view::untrusted::plain;
use uuid::Uuid;

use super::{Draft, Effect, LineInput, Panel, Space, Took, left};

/// Words in a question that ask for something which nobody else may read.
const SECRETS: [&str; 5] = ["api key", "password", "passphrase", "secret", "token"];

/// Whether a question asks for something which nobody else may read.
pub(crate) fn is_secret(title: &str) -> bool {
    let asked = title.to_lowercase();
    SECRETS.iter().any(|word| asked.contains(word))
}

/// A line of text.
pub(crate) struct InputPanel {
    id: Uuid,
    title: String,
    placeholder: String,
    line: LineInput,
}

impl InputPanel {
    pub(super) fn new(id: Uuid, title: String, placeholder: Option<String>) -> Self {
        let line = if is_secret(&title) { LineInput::secret() } else { LineInput::default() };
        let placeholder = plain(&placeholder.unwrap_or_default());
        Self { id, title, placeholder, line }
    }
}

impl Panel for InputPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let mut draft = Draft::new(space, &self.title);
        let (text, column) = self.line.draw(space.width.saturating_sub(4).max(1));
        draft.input(" > ", &text, column);
        if self.line.value().is_empty() && !self.placeholder.is_empty() {
            draft.behind(&self.placeholder);
        }
        draft.finish(&[("tui.select.confirm", "send"), ("tui.select.cancel", "leave")])
    }

    fn key(&mut self, data: &str, keys: &Keymap) -> Took {
        if keys.is(data, "tui.select.confirm") {
            return Took::Closes(Effect::Answer(self.id, DialogAnswer::Value(self.line.value().to_owned())));
        }
        if keys.is(data, "tui.select.cancel") {
            return Took::Closes(left(self.id));
        }
        if self.line.key(data, keys) { Took::Stays } else { Took::Nothing }
    }

    fn paste(&mut self, text: &str) {
        self.line.paste(text);
    }
}

/// A longer text.
pub(crate) struct EditorPanel {
    id: Uuid,
    title: String,
    editor: EditorView,
}

impl EditorPanel {
    pub(super) fn new(id: Uuid, title: String, prefill: Option<String>) -> Self {
        let mut editor = EditorView::new();
        editor.set_text(&prefill.unwrap_or_default());
        Self { id, title, editor }
    }
}

impl Panel for EditorPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let mut draft = Draft::new(space, &self.title);
        let look = EditorLook {
            styles: &space.look.styles,
            rule: "borderMuted",
            top: Rule::default(),
            bottom: Rule::default(),
            padding: 0,
            rows: space.rows,
            cursor: true,
        };
        draft.append(self.editor.draw(space.width, &look));
        draft.finish(&[
            ("tui.input.submit", "send"),
            ("tui.input.newLine", "new line"),
            ("app.editor.external", "another editor"),
            ("tui.select.cancel", "leave"),
        ])
    }

    fn key(&mut self, data: &str, keys: &Keymap) -> Took {
        if keys.is(data, "tui.select.cancel") {
            return Took::Closes(left(self.id));
        }
        match self.editor.key(data, keys) {
            EditorTook::Submit => Took::Closes(Effect::Answer(self.id, DialogAnswer::Value(self.editor.text()))),
            EditorTook::Changed | EditorTook::Moved => Took::Stays,
            EditorTook::Nothing => Took::Nothing,
        }
    }

    fn paste(&mut self, text: &str) {
        self.editor.paste(text);
    }

    fn text(&self) -> Option<String> {
        Some(self.editor.text())
    }

    fn set_text(&mut self, text: &str) {
        self.editor.set_text(text);
    }
}
