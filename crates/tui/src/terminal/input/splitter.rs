//! From bytes to sequences.

use std::time::Duration;

use super::timing::Timing;

/// The longest CSI sequence, in bytes. Longer ones are dropped.
const LONGEST_CSI: usize = 1024;
/// The longest string of a terminal (OSC, DCS, APC). Longer ones are dropped.
const LONGEST_STRING: usize = 64 * 1024;

/// What the bytes were split into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// A character, or an escape sequence that is not one of the others.
    Sequence(String),
    /// A report of the mouse in the old format: its three bytes.
    X10([u8; 3]),
    /// A string of the terminal (OSC, DCS, APC) with its end.
    Text(String),
    /// A piece of something whose rest did not come.
    Rest(String),
    /// The mark in front of a paste.
    PasteStart,
    /// The mark after a paste.
    PasteEnd,
}

/// Splits what a terminal sends, byte by byte: whatever the reads, the sequences are the same. Pastes are none of its
/// business: after [`Piece::PasteStart`] the caller takes the bytes until the paste ends.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    /// The beginning of a sequence.
    pending: Vec<u8>,
    state: State,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    /// A character of several bytes has begun, maybe after an escape.
    Utf8,
    Escape,
    Csi,
    /// After `CSI [`, as the console of Linux sends function keys.
    ConsoleKey,
    /// After `CSI M`, in the old format of the mouse.
    X10,
    Ss3,
    Text(Kind),
    /// After an escape in a string.
    TextEscape(Kind),
    /// A sequence that is too long is dropped up to its end.
    LongCsi,
    LongText,
    LongTextEscape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Osc,
    Dcs,
    Apc,
}

impl Kind {
    /// Whether a string of a terminal can begin like this. Otherwise it was a key with alt.
    fn begins_with(self, byte: u8) -> bool {
        match self {
            Self::Osc => byte.is_ascii_digit() || matches!(byte, b'L' | b'l' | b'I'),
            Self::Dcs => byte.is_ascii_digit() || matches!(byte, b'>' | b'!' | b'+' | b'$' | b'|' | b'='),
            Self::Apc => byte == b'G',
        }
    }
}

impl Splitter {
    /// Whether nothing is pending.
    pub(super) fn is_idle(&self) -> bool {
        self.state == State::Ground
    }

    /// How long the rest of what is pending may take; `None` when nothing is.
    pub(super) fn patience(&self, timing: &Timing) -> Option<Duration> {
        match self.state {
            State::Ground => None,
            State::Escape => Some(timing.escape),
            State::LongCsi | State::LongText | State::LongTextEscape => Some(timing.reply),
            _ if self.is_reply() => Some(timing.reply),
            _ => Some(timing.sequence),
        }
    }

    /// Whether what is pending can only be an answer or a report, because no key sends it.
    fn is_reply(&self) -> bool {
        match self.state {
            State::Text(_) => self.pending.len() > 2,
            State::TextEscape(_) => true,
            State::Csi => matches!(self.pending.get(2), Some(b'?' | b'<' | b'>')),
            State::X10 => true,
            _ => false,
        }
    }

    /// Takes a byte.
    pub(super) fn push(&mut self, byte: u8, out: &mut impl FnMut(Piece)) {
        match self.state {
            State::Ground => self.ground(byte, out),
            State::Utf8 => self.utf8(byte, out),
            State::Escape => self.escape(byte, out),
            State::Csi => self.csi(byte, out),
            State::ConsoleKey => match byte {
                0x20..0x7f => self.finish(byte, out),
                _ => self.abort(byte, out),
            },
            State::X10 => {
                self.pending.push(byte);
                if let &[_, _, _, one, two, three] = self.pending.as_slice() {
                    self.reset();
                    out(Piece::X10([one, two, three]));
                }
            }
            State::Ss3 => match byte {
                0x20..0x7f => self.finish(byte, out),
                _ => self.abort(byte, out),
            },
            State::Text(kind) => self.text(kind, byte, out),
            State::TextEscape(kind) => match byte {
                b'\\' => {
                    self.pending.push(byte);
                    let text = self.take();
                    out(Piece::Text(text));
                }
                _ => {
                    // The escape begins something else.
                    self.pending.pop();
                    self.state = State::Text(kind);
                    self.abort(0x1b, out);
                    self.push(byte, out);
                }
            },
            State::LongCsi => match byte {
                0x20..0x40 => {}
                0x40..0x7f => self.reset(),
                _ => self.abort(byte, out),
            },
            State::LongText => match byte {
                0x07 => self.reset(),
                0x1b => self.state = State::LongTextEscape,
                ..0x20 => self.abort(byte, out),
                _ => {}
            },
            State::LongTextEscape => match byte {
                b'\\' => self.reset(),
                _ => {
                    self.abort(0x1b, out);
                    self.push(byte, out);
                }
            },
        }
    }

    /// The rest of what is pending did not come in time, or never comes.
    pub(super) fn expire(&mut self, out: &mut impl FnMut(Piece)) {
        match self.state {
            State::Ground => {}
            State::Utf8 => self.broken(out),
            State::LongCsi | State::LongText | State::LongTextEscape => self.reset(),
            _ if self.is_reply() => {
                let rest = self.take();
                out(Piece::Rest(rest));
            }
            _ => {
                let key = self.take();
                out(Piece::Sequence(key));
            }
        }
    }

    fn ground(&mut self, byte: u8, out: &mut impl FnMut(Piece)) {
        match byte {
            0x1b => self.begin(byte, State::Escape),
            ..0x80 => out(Piece::Sequence(char::from(byte).to_string())),
            0xc2..=0xf4 => self.begin(byte, State::Utf8),
            _ => out(Piece::Sequence(char::REPLACEMENT_CHARACTER.to_string())),
        }
    }

    fn utf8(&mut self, byte: u8, out: &mut impl FnMut(Piece)) {
        self.pending.push(byte);
        match std::str::from_utf8(&self.pending) {
            Ok(_) => {
                let key = self.take();
                out(Piece::Sequence(key));
            }
            Err(error) if error.error_len().is_none() => {}
            Err(_) => {
                self.pending.pop();
                self.broken(out);
                self.ground(byte, out);
            }
        }
    }

    /// A character that is not whole, maybe after an escape.
    fn broken(&mut self, out: &mut impl FnMut(Piece)) {
        if self.pending.first() == Some(&0x1b) {
            out(Piece::Sequence("\x1b".to_owned()));
        }
        self.reset();
        out(Piece::Sequence(char::REPLACEMENT_CHARACTER.to_string()));
    }

    fn escape(&mut self, byte: u8, out: &mut impl FnMut(Piece)) {
        let state = match byte {
            b'[' => State::Csi,
            b']' => State::Text(Kind::Osc),
            b'P' => State::Text(Kind::Dcs),
            b'_' => State::Text(Kind::Apc),
            b'O' => State::Ss3,
            0xc2..=0xf4 => State::Utf8,
            // Two escapes that came at once are two keys: the second may begin a sequence, and a double escape means
            // something, also on a slow line.
            0x1b => return out(Piece::Sequence("\x1b".to_owned())),
            ..0x80 => return self.finish(byte, out),
            _ => {
                self.reset();
                out(Piece::Sequence("\x1b".to_owned()));
                return out(Piece::Sequence(char::REPLACEMENT_CHARACTER.to_string()));
            }
        };
        self.pending.push(byte);
        self.state = state;
    }

    fn csi(&mut self, byte: u8, out: &mut impl FnMut(Piece)) {
        let is_first = self.pending.len() == 2;
        match byte {
            b'[' if is_first => {
                self.pending.push(byte);
                self.state = State::ConsoleKey;
            }
            b'M' if is_first => {
                self.pending.push(byte);
                self.state = State::X10;
            }
            // rxvt ends keys that are held with shift like this.
            b'$' if !is_first && self.pending[2..].iter().all(u8::is_ascii_digit) => self.finish(byte, out),
            0x20..0x40 if self.pending.len() >= LONGEST_CSI => {
                self.pending.clear();
                self.state = State::LongCsi;
            }
            0x20..0x40 => self.pending.push(byte),
            0x40..0x7f => match (&self.pending[2..], byte) {
                (b"200", b'~') => {
                    self.reset();
                    out(Piece::PasteStart);
                }
                (b"201", b'~') => {
                    self.reset();
                    out(Piece::PasteEnd);
                }
                _ => self.finish(byte, out),
            },
            _ => self.abort(byte, out),
        }
    }

    fn text(&mut self, kind: Kind, byte: u8, out: &mut impl FnMut(Piece)) {
        let is_first = self.pending.len() == 2;
        match byte {
            _ if is_first && !kind.begins_with(byte) => self.abort(byte, out),
            0x07 => {
                self.pending.push(byte);
                let text = self.take();
                out(Piece::Text(text));
            }
            0x1b => {
                self.pending.push(byte);
                self.state = State::TextEscape(kind);
            }
            // No answer holds a control character, so this is a key, and it must work.
            ..0x20 => self.abort(byte, out),
            _ if self.pending.len() >= LONGEST_STRING => {
                self.pending.clear();
                self.state = State::LongText;
            }
            _ => self.pending.push(byte),
        }
    }

    fn begin(&mut self, byte: u8, state: State) {
        self.pending.push(byte);
        self.state = state;
    }

    fn finish(&mut self, byte: u8, out: &mut impl FnMut(Piece)) {
        self.pending.push(byte);
        let key = self.take();
        out(Piece::Sequence(key));
    }

    /// What is pending ends here, and `byte` begins something new.
    fn abort(&mut self, byte: u8, out: &mut impl FnMut(Piece)) {
        self.expire(out);
        self.ground(byte, out);
    }

    fn reset(&mut self) {
        self.pending.clear();
        self.state = State::Ground;
        // One long sequence must not be paid for until the end.
        self.pending.shrink_to(LONGEST_CSI);
    }

    fn take(&mut self) -> String {
        let text = String::from_utf8_lossy(&self.pending).into_owned();
        self.reset();
        text
    }
}
