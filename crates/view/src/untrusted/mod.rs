//! Text from models, tools, files and branches, made safe to show.
//!
//! A terminal obeys what is printed on it. Such text may contain sequences that move the cursor, fill the clipboard or
//! rename the window, characters that reorder what is read, and characters that nobody sees. Four forms:
//!
//! - [`plain`] has none of them; [`Cleaner`] does the same for text that arrives in parts,
//! - [`output`] keeps colours, and shows lines as they end after carriage returns and backspaces,
//! - [`visible`] shows what is hidden instead of dropping it, for text that somebody must judge, such as a command,
//! - [`tokens`] takes text apart that may have styles and links, such as a line of the screen.
//!
//! The work is linear in the length of the text, whatever it holds.

mod hidden;
mod line;
mod machine;
mod pieces;

pub use hidden::visible;
pub use pieces::{Token, Tokens, tokens};

use self::hidden::Hidden;
use self::line::Line;
use self::machine::{Machine, Step};
use self::pieces::{Piece, Pieces};

/// `text` without escape sequences, without control characters but line feeds and tabs, and without what reorders or
/// hides text: directional marks, overrides and isolates (U+061C, U+200E, U+200F, U+202A–202E, U+2066–2069), zero-width
/// spaces and joins (U+200B, U+2060–2064, U+FEFF), soft hyphens, fillers that look like nothing (U+034F, U+115F, U+1160,
/// U+17B4, U+17B5, U+180E, U+3164, U+FFA0), annotations (U+FFF9–FFFB), tags outside of flags (U+E0000–E007F) and the
/// variation selectors U+E0100–E01EF. Joiners that emoji and scripts need stay (U+200C, U+200D, U+FE00–FE0F). Carriage
/// returns and the separators of lines and paragraphs become line feeds.
///
/// A sequence without its end takes no more than its line along.
pub fn plain(text: &str) -> String {
    Cleaner::default().clean(text)
}

/// [`plain`] for text that arrives in parts, which may part a sequence.
#[derive(Debug, Default)]
pub struct Cleaner {
    machine: Machine,
    hidden: Hidden,
    /// Whether the last character that was kept is a line feed in place of a carriage return.
    returned: bool,
}

impl Cleaner {
    /// The next part of the text.
    pub fn clean(&mut self, part: &str) -> String {
        let mut cleaned = String::with_capacity(part.len());
        for ch in part.chars() {
            let Step::Char(ch) = self.machine.next(ch) else { continue };
            match self.hidden.filter(ch) {
                // One of `\r`, `\r\n` and `\r\r\n` ends one line.
                Some('\r') => {
                    if !std::mem::replace(&mut self.returned, true) {
                        cleaned.push('\n');
                    }
                }
                Some('\n') if std::mem::take(&mut self.returned) => {}
                Some('\u{8}') | None => {}
                Some(ch) => {
                    self.returned = false;
                    cleaned.push(ch);
                }
            }
        }
        cleaned
    }
}

/// The output of a command: as [`plain`], but with its colours. In each line, carriage returns and backspaces move, and
/// later characters replace earlier ones, as in a terminal; so do the sequences that move within a line or erase it.
/// Blinking and concealed text is shown as any other.
pub fn output(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut line = Line::default();
    for piece in Pieces::new(text) {
        match piece {
            Piece::Text(run) => line.text(run),
            Piece::Tab => line.put('\t'),
            Piece::Return => line.back_to_start(),
            Piece::Backspace => line.backspace(),
            Piece::Newline => {
                line.finish(&mut cleaned);
                cleaned.push('\n');
            }
            Piece::Control(parameters, last) => line.control(parameters, last),
            Piece::Command(_) => {}
        }
    }
    line.finish(&mut cleaned);
    cleaned
}
