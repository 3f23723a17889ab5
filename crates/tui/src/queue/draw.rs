//! Drawing the queued messages.

use tau_view::truncate::truncate_to_width;
use tau_view::untrusted;

use super::QueueEditor;
use crate::Drawn;
use crate::editor::{EditorLook, Rule};
use crate::keymap::Keymap;
use crate::style::Styles;

/// How much of a message is looked at for its row, in bytes.
const SHOWN: usize = 1024;

/// How the list is drawn.
#[derive(Debug)]
pub struct QueueLook<'a> {
    /// The colours.
    pub styles: &'a Styles,
    /// The keys that are named.
    pub keys: &'a Keymap,
    /// Rows of the screen.
    pub rows: usize,
    /// Draw the cursor as an inverse cell.
    pub cursor: bool,
}

impl QueueEditor {
    /// The messages, with an editor in place of the one that is being changed, and what keys do.
    pub fn draw(&mut self, width: usize, look: &QueueLook<'_>) -> Drawn {
        let fit = |text: &str| truncate_to_width(text, width, "…", false);
        if self.messages.is_empty() {
            return Drawn::lines(vec![look.styles.fg("muted", &fit("  No message waits"))]);
        }
        let shown = self.rows.min(self.messages.len());
        let first = self.selected.saturating_sub(shown / 2).min(self.messages.len() - shown);
        let mut drawn = Drawn::default();
        for at in first..first + shown {
            match &mut self.editing {
                Some(editor) if at == self.selected => {
                    let left = Some(self.messages[at].kind.name().to_owned());
                    let top = Rule { left, right: None };
                    let look = EditorLook {
                        styles: look.styles,
                        rule: "borderAccent",
                        top,
                        bottom: Rule::default(),
                        padding: 0,
                        rows: look.rows,
                        cursor: look.cursor,
                    };
                    drawn.append(editor.draw(width, &look));
                }
                _ => drawn.lines.push(self.row(at, width, look.styles)),
            }
        }
        if shown < self.messages.len() {
            let place = format!("  ({}/{})", self.selected + 1, self.messages.len());
            drawn.lines.push(look.styles.fg("muted", &fit(&place)));
        }
        drawn.lines.push(look.styles.fg("dim", &fit(&self.hint(look.keys))));
        drawn
    }

    fn row(&self, at: usize, width: usize, styles: &Styles) -> String {
        let message = &self.messages[at];
        let is_selected = at == self.selected;
        let mark = if is_selected { "→ " } else { "  " };
        let text = untrusted::plain(&message.text[..message.text.floor_char_boundary(SHOWN)]);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let text = lines.collect::<Vec<_>>().join(" ↵ ").replace('\t', " ");
        let kind = message.kind.name();
        let line = truncate_to_width(&format!("{mark}{kind:<9}  {text}"), width, "…", false);
        if is_selected { styles.fg("accent", &line) } else { line }
    }

    /// What the keys do; those without a key are left out.
    fn hint(&self, keys: &Keymap) -> String {
        let of_list = [
            ("tui.select.confirm", "edit"),
            ("app.models.reorderUp", "up"),
            ("app.models.reorderDown", "down"),
            ("tui.editor.deleteCharForward", "remove"),
            ("tui.select.cancel", "close"),
        ];
        let of_editor = [("tui.input.submit", "keep"), ("tui.select.cancel", "discard")];
        let actions: &[(&str, &str)] = if self.is_editing() { &of_editor } else { &of_list };
        let named = actions.iter().filter_map(|(action, what)| Some(format!("{} {what}", keys.key_of(action)?)));
        named.collect::<Vec<_>>().join(" · ")
    }
}
