//! Naming what was pressed, from the bytes a terminal sends for it.
//!
//! Terminals speak three dialects, often mixed: the legacy sequences, xterm's modifyOtherKeys, and the Kitty
//! keyboard protocol, which also tells presses from repeats and releases. A key is named by an identifier such as
//! `ctrl+c`, `shift+tab` or `pageUp`: modifiers in any order, then a key name, a letter, a digit or a symbol.

mod legacy;
mod matching;
mod naming;
mod protocol;

pub use matching::{is_key, matches_key};
pub use naming::parse_key;
pub use protocol::{decode_kitty_printable, decode_printable, is_key_release, is_key_repeat};

/// What is known about the terminal, where its bytes alone are ambiguous.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyModes {
    /// The Kitty protocol is on: then some legacy sequences can only come from key mappings of the user.
    pub kitty: bool,
    /// The terminal is Windows Terminal, which sends 0x08 for ctrl+backspace instead of for backspace.
    pub windows_terminal: bool,
}

/// Modifier bits, as the Kitty protocol and xterm count them (less one).
mod modifier {
    pub(super) const SHIFT: i64 = 1;
    pub(super) const ALT: i64 = 2;
    pub(super) const CTRL: i64 = 4;
    pub(super) const SUPER: i64 = 8;
    /// Caps Lock and Num Lock, which change no key.
    pub(super) const LOCKS: i64 = 64 + 128;
}

/// Key codes: Unicode code points, and negative numbers for keys without one.
mod code {
    pub(super) const TAB: i64 = 9;
    pub(super) const ENTER: i64 = 13;
    pub(super) const ESCAPE: i64 = 27;
    pub(super) const SPACE: i64 = 32;
    pub(super) const BACKSPACE: i64 = 127;
    pub(super) const KEYPAD_ENTER: i64 = 57414;
    pub(super) const UP: i64 = -1;
    pub(super) const DOWN: i64 = -2;
    pub(super) const RIGHT: i64 = -3;
    pub(super) const LEFT: i64 = -4;
    pub(super) const DELETE: i64 = -10;
    pub(super) const INSERT: i64 = -11;
    pub(super) const PAGE_UP: i64 = -12;
    pub(super) const PAGE_DOWN: i64 = -13;
    pub(super) const HOME: i64 = -14;
    pub(super) const END: i64 = -15;
    /// The first of twelve, counted down.
    pub(super) const F1: i64 = -21;
}

/// The symbol that a key types with shift, without that shift: `ctrl++` is ctrl, shift and `=` on many keyboards.
fn shifted_symbol(code: Option<i64>, modifiers: i64, is_allowed: impl Fn(char) -> bool) -> Option<(i64, i64)> {
    let code = protocol::normalize_keypad(code?);
    (modifiers & modifier::SHIFT != 0 && code_char(code).is_some_and(is_allowed))
        .then_some((code, modifiers & !modifier::SHIFT))
}

/// Whether `ch` is a symbol that needs shift on a US keyboard.
fn is_shifted(ch: char) -> bool {
    "~!@#$%^&*()_+|{}:<>?".contains(ch)
}

/// Whether `ch` is an ASCII symbol that names a key.
fn is_symbol(ch: char) -> bool {
    ch.is_ascii_punctuation() && ch != '"'
}

fn code_char(code: i64) -> Option<char> {
    u32::try_from(code).ok().and_then(char::from_u32)
}
