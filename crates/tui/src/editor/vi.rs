//! The keys of vi in an editor, where the user wants them. What they mean is [`tau_view::editor::vi`].

use tau_view::editor::Position;
use tau_view::editor::vi::{Did, Key, Mode, Vi};

use super::keys::typed;
use super::{EditorView, Took};
use crate::keymap::Keymap;

/// Keys that mean the same as a letter.
const LETTERS: &[(&str, char)] = &[("left", 'h'), ("right", 'l'), ("up", 'k'), ("down", 'j')];

impl EditorView {
    /// Has the keys of vi, or no more. They begin by inserting.
    pub fn set_vi(&mut self, has_vi: bool) {
        if has_vi != self.vi.is_some() {
            self.vi = has_vi.then(Vi::new);
        }
    }

    /// What the keys of vi do now, if there are any.
    pub fn vi_mode(&self) -> Option<Mode> {
        self.vi.as_ref().map(Vi::mode)
    }

    /// What is selected by keys of vi.
    pub(super) fn selected(&self) -> Option<(Position, Position)> {
        self.vi.as_ref()?.selected(&self.model)
    }

    /// Whether keys that type text are commands.
    pub fn takes_commands(&self) -> bool {
        self.vi_mode().is_some_and(|mode| mode != Mode::Insert)
    }

    /// Whether a key is for the editor before anything else gets it that does not hold the whole keyboard: escape, where it
    /// ends something of vi, and what does again what was taken back.
    pub fn takes_first(&self, data: &str, keys: &Keymap) -> bool {
        let Some(vi) = &self.vi else { return false };
        let ends = vi.mode() != Mode::Normal || vi.is_pending();
        (ends && keys.is_key(data, "escape")) || (vi.mode() != Mode::Insert && keys.is_key(data, "ctrl+r"))
    }

    /// A key in an editor that has the keys of vi.
    pub(super) fn vi_key(&mut self, data: &str, keys: &Keymap) -> Took {
        let Some(vi) = &mut self.vi else { return Took::Nothing };
        if vi.mode() == Mode::Insert {
            return self.insert_key(data, keys);
        }
        if typed(data).as_deref() == Some("/") && self.model.is_empty() && !vi.is_pending() && vi.mode() == Mode::Normal
        {
            vi.insert(&mut self.model);
            return self.insert_key(data, keys);
        }
        if let Some(key) = command(data, keys) {
            return self.command(key);
        }
        if let Some(text) = typed(data) {
            // An input method may send more than one.
            return text.chars().fold(Took::Moved, |took, character| took.and(self.character(character)));
        }
        let took = self.plain_key(data, keys);
        if let Some(vi) = &mut self.vi {
            match took {
                Took::Changed => vi.replaced(),
                Took::Moved | Took::Submit | Took::Nothing => {}
            }
            vi.settle(&mut self.model);
        }
        took
    }

    /// A key while text is inserted.
    fn insert_key(&mut self, data: &str, keys: &Keymap) -> Took {
        let Some(vi) = &mut self.vi else { return Took::Nothing };
        if self.jump.is_none() && keys.is_key(data, "escape") {
            vi.key(&mut self.model, Key::Escape);
            return Took::Moved;
        }
        vi.typing(&mut self.model);
        let took = self.plain_key(data, keys);
        if let Some(vi) = &mut self.vi {
            if self.model.is_browsing_history() {
                vi.replaced();
            } else if took == Took::Moved {
                vi.moved(&mut self.model);
            }
        }
        took
    }

    /// A character that is a command, or typed when one before it began to insert.
    pub(super) fn character(&mut self, character: char) -> Took {
        if self.takes_commands() {
            return self.command(Key::Character(character));
        }
        self.model.type_text(&character.to_string());
        Took::Changed
    }

    fn command(&mut self, key: Key) -> Took {
        let Some(vi) = &mut self.vi else { return Took::Nothing };
        let took = match vi.key(&mut self.model, key) {
            Did::Changed => Took::Changed,
            Did::Moved => Took::Moved,
            Did::Nothing => Took::Nothing,
            Did::Above => self.above(),
            Did::Below if self.model.is_browsing_history() => {
                self.model.history_next();
                Took::Changed
            }
            Did::Below => Took::Moved,
        };
        if let Some(vi) = &mut self.vi {
            vi.settle(&mut self.model);
        }
        took
    }

    /// Before a text is changed by somebody else than keys.
    pub(super) fn vi_is_changed(&mut self) {
        if let Some(vi) = &mut self.vi {
            vi.replaced();
        }
    }

    /// Before text is inserted that was not typed.
    pub(super) fn vi_types(&mut self) {
        if let Some(vi) = &mut self.vi {
            match vi.mode() {
                Mode::Insert => vi.typing(&mut self.model),
                Mode::Normal | Mode::Visual | Mode::VisualLines => vi.replaced(),
            }
        }
    }
}

/// The key of vi that is no letter of its own.
fn command(data: &str, keys: &Keymap) -> Option<Key> {
    let letter = LETTERS.iter().find(|(key, _)| keys.is_key(data, key)).map(|(_, letter)| Key::Character(*letter));
    let others =
        [("escape", Key::Escape), ("ctrl+r", Key::Redo), ("backspace", Key::Backspace), ("delete", Key::Delete)];
    letter.or_else(|| others.into_iter().find(|(key, _)| keys.is_key(data, key)).map(|(_, key)| key))
}
