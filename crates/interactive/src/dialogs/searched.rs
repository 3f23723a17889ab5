//! Keys of a list that is searched by what is typed.

use tau_tui::keymap::Keymap;
use tau_tui::select::{Picked, SelectList};

use super::{Effect, LineInput, Took};

/// What became of a key.
pub(super) enum Key {
    /// The item at this place was chosen.
    Chose(usize),
    /// Anything else.
    Took(Took),
}

/// Gives a key to the list, then to the line that searches it.
pub(super) fn key(list: &mut SelectList, search: &mut LineInput, data: &str, keys: &Keymap) -> Key {
    match list.key(data, keys) {
        Picked::Item(at) => return Key::Chose(at),
        Picked::Cancelled => return Key::Took(Took::Closes(Effect::Nothing)),
        Picked::Moved => return Key::Took(Took::Stays),
        Picked::Nothing => {}
    }
    if !search.key(data, keys) {
        return Key::Took(Took::Nothing);
    }
    list.search(search.value());
    Key::Took(Took::Stays)
}

/// Gives a paste to the line that searches the list.
pub(super) fn paste(list: &mut SelectList, search: &mut LineInput, text: &str) {
    search.paste(text);
    list.search(search.value());
}
