//! Characters that nobody sees, and characters that reorder what is seen.

use std::fmt::Write as _;

const BLACK_FLAG: char = '\u{1f3f4}';

/// Whether a character reorders text or has no look of its own, and no script or emoji needs it.
fn is_hidden(ch: char) -> bool {
    matches!(
        ch,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{200b}'
            | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0100}'..='\u{e01ef}'
    )
}

fn is_tag(ch: char) -> bool {
    ('\u{e0000}'..='\u{e007f}').contains(&ch)
}

/// Drops hidden characters.
#[derive(Debug, Default, Clone)]
pub(super) struct Hidden {
    /// Whether the characters before are a flag that tags may name.
    flag: bool,
}

impl Hidden {
    /// Takes note of a character that is seen.
    pub(super) fn plain(&mut self) {
        self.flag = false;
    }

    /// What is left of a character; separators become line feeds.
    pub(super) fn filter(&mut self, ch: char) -> Option<char> {
        if is_tag(ch) {
            return Some(ch).filter(|_| self.flag);
        }
        if is_hidden(ch) {
            return None;
        }
        self.flag = ch == BLACK_FLAG;
        Some(match ch {
            '\u{2028}' | '\u{2029}' => '\n',
            ch => ch,
        })
    }
}

/// `text` with a visible form of every control character, such as `␛`, and of every hidden one, such as `<U+202E>`.
/// Line feeds and tabs stay.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut hidden = Hidden::default();
    for ch in text.chars() {
        let is_shown = !ch.is_control() && hidden.filter(ch) == Some(ch);
        if is_shown {
            shown.push(ch);
            continue;
        }
        // What stands for the character is seen.
        hidden.plain();
        match ch {
            '\n' | '\t' => shown.push(ch),
            '\0'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + u32::from(ch))),
            '\u{7f}' => shown.push('␡'),
            ch => {
                // Writing into a string does not fail.
                let _ = write!(shown, "<U+{:04X}>", u32::from(ch));
            }
        }
    }
    shown
}
