//! Pasting.

use super::markers::is_large;
use super::{Editor, normalize};

impl Editor {
    /// Inserts a paste, without control characters. A long one is kept aside, with a marker in its place.
    pub fn paste(&mut self, text: &str) {
        let mut text = normalize(&decode_controls(text));
        text.retain(|ch| ch == '\n' || ch >= ' ');
        let in_word = self.buffer.before().ends_with(|ch: char| ch.is_ascii_alphanumeric() || ch == '_');
        // A path that is pasted behind a word is meant to be a word of its own.
        if in_word && text.starts_with(['/', '~', '.']) {
            text.insert(0, ' ');
        }
        self.begin(None);
        if is_large(&text) {
            text = self.pastes.add(text);
        }
        self.buffer.insert(&text);
    }
}

/// Some multiplexers send the control characters of a paste as the keys that type them: `CSI code ; 5 u`.
fn decode_controls(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("\x1b[") {
        decoded.push_str(&rest[..start]);
        rest = &rest[start..];
        let control = rest[2..].split_once(";5u").and_then(|(code, _)| {
            let letter = code.parse::<u8>().ok().filter(u8::is_ascii_alphabetic)?;
            Some((char::from(letter & 0x1f), 2 + code.len() + 3))
        });
        let length = match control {
            Some((control, length)) => {
                decoded.push(control);
                length
            }
            None => {
                decoded.push_str(&rest[..2]);
                2
            }
        };
        rest = &rest[length..];
    }
    decoded + rest
}
