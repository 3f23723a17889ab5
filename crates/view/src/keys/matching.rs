//! Does this input mean that key?

use super::legacy::{LEGACY_KEYS, LegacyKey, control_char};
use super::protocol::{normalize_keypad, parse_kitty, parse_modify_other_keys, unshift_letter};
use super::{KeyModes, code, code_char, is_shifted, is_symbol, modifier, shifted_symbol};

/// Whether `data`, one key as the terminal sent it, is the key that `key_id` names. Names ignore case; a name
/// that means no key matches nothing.
pub fn matches_key(data: &str, key_id: &str, modes: KeyModes) -> bool {
    if is_other_than_typed(data, key_id) {
        return false;
    }
    let id = key_id.to_lowercase();
    let Some((modifiers, key)) = parts(&id) else { return false };
    Matcher { data, modifiers, modes }.matches(key)
}

/// Whether `data` is a character that was typed as itself, and `key_id` cannot name it: each such character is compared with
/// the keys of all actions.
fn is_other_than_typed(data: &str, key_id: &str) -> bool {
    let is_typed = matches!(data.as_bytes(), [byte] if byte.is_ascii_graphic());
    let may_be_shifted = || key_id.get(..6).is_some_and(|name| name.eq_ignore_ascii_case("shift+"));
    is_typed && key_id.len() > 1 && !may_be_shifted()
}

/// The modifiers of a name, and its key.
fn parts(id: &str) -> Option<(i64, &str)> {
    let known =
        [("shift+", modifier::SHIFT), ("alt+", modifier::ALT), ("ctrl+", modifier::CTRL), ("super+", modifier::SUPER)];
    let (mut modifiers, mut key) = (0, id);
    while let Some((bit, rest)) = known.iter().find_map(|(name, bit)| Some((bit, key.strip_prefix(name)?))) {
        if modifiers & bit != 0 {
            return None;
        }
        modifiers |= bit;
        key = rest;
    }
    // `ctrl++` is the key `+`.
    (!key.is_empty() && (key == "+" || !key.contains('+'))).then_some((modifiers, key))
}

/// Whether a name means a key at all: modifiers and a key, joined by `+`.
pub fn is_key(key_id: &str) -> bool {
    let id = key_id.to_lowercase();
    let Some((_, key)) = parts(&id) else { return false };
    let known = ["escape", "esc", "space", "tab", "enter", "return", "backspace"];
    known.contains(&key)
        || LEGACY_KEYS.iter().any(|legacy| legacy.name.eq_ignore_ascii_case(key))
        || single_char(key).is_some()
}

struct Matcher<'a> {
    data: &'a str,
    modifiers: i64,
    modes: KeyModes,
}

impl Matcher<'_> {
    fn matches(&self, key: &str) -> bool {
        match key {
            "escape" | "esc" => self.modifiers == 0 && (self.data == "\x1b" || self.reported(code::ESCAPE)),
            "space" => self.legacy_space() || self.reported(code::SPACE),
            "tab" => {
                let legacy = match self.modifiers {
                    0 => "\t",
                    modifier::SHIFT => "\x1b[Z",
                    _ => "",
                };
                (self.data == legacy && !legacy.is_empty()) || self.reported_if_modified(code::TAB)
            }
            "enter" | "return" => {
                self.legacy_enter() || self.kitty(code::KEYPAD_ENTER) || self.reported_if_modified(code::ENTER)
            }
            "backspace" => self.legacy_backspace() || self.reported(code::BACKSPACE),
            _ => match LEGACY_KEYS.iter().find(|legacy| legacy.name.eq_ignore_ascii_case(key)) {
                Some(legacy) => self.legacy_key(legacy),
                None => single_char(key).is_some_and(|key| self.printable(key)),
            },
        }
    }

    /// As the Kitty protocol or modifyOtherKeys report it.
    fn reported(&self, code: i64) -> bool {
        self.kitty(code) || self.modify_other_keys(code)
    }

    /// Like [`Self::reported`], except that modifyOtherKeys has no business with the unmodified key.
    fn reported_if_modified(&self, code: i64) -> bool {
        self.kitty(code) || (self.modifiers != 0 && self.modify_other_keys(code))
    }

    fn modify_other_keys(&self, code: i64) -> bool {
        parse_modify_other_keys(self.data) == Some((code, self.modifiers))
    }

    fn kitty(&self, code: i64) -> bool {
        let Some(report) = parse_kitty(self.data) else { return false };
        let modifiers = report.modifiers & !modifier::LOCKS;
        if shifted_symbol(report.shifted, modifiers, is_symbol) == Some((normalize_keypad(code), self.modifiers)) {
            return true;
        }
        if modifiers != self.modifiers {
            return false;
        }
        let reported = unshift_letter(normalize_keypad(report.code), report.modifiers);
        if reported == unshift_letter(normalize_keypad(code), self.modifiers) {
            return true;
        }
        // The place of the key decides only where the layout has no Latin letter or symbol on it: on remapped
        // Latin layouts the same place is another key.
        let known = (97..=122).contains(&reported) || code_char(reported).is_some_and(is_symbol);
        !known && report.base == Some(code)
    }

    fn legacy_space(&self) -> bool {
        let data = self.data;
        match self.modifiers {
            0 => data == " ",
            modifier::CTRL => !self.modes.kitty && data == "\0",
            modifier::ALT => !self.modes.kitty && data == "\x1b ",
            _ => false,
        }
    }

    fn legacy_enter(&self) -> bool {
        let data = self.data;
        match self.modifiers {
            0 => matches!(data, "\r" | "\x1bOM") || (!self.modes.kitty && data == "\n"),
            // With the protocol on, these can only be mappings that users made for shift+enter.
            modifier::SHIFT => self.modes.kitty && matches!(data, "\x1b\r" | "\n"),
            modifier::ALT => !self.modes.kitty && data == "\x1b\r",
            _ => false,
        }
    }

    fn legacy_backspace(&self) -> bool {
        let ambiguous = if self.modes.windows_terminal { modifier::CTRL } else { 0 };
        match self.data {
            "\x7f" => self.modifiers == 0,
            "\x08" => self.modifiers == ambiguous,
            "\x1b\x7f" | "\x1b\x08" => self.modifiers == modifier::ALT,
            _ => false,
        }
    }

    fn legacy_key(&self, key: &LegacyKey) -> bool {
        let data = self.data;
        let legacy = match self.modifiers {
            0 => key.plain.contains(&data),
            modifier::SHIFT => key.shift == Some(data),
            modifier::CTRL => key.ctrl == Some(data),
            modifier::ALT => {
                let unambiguous = key.alt.contains(&data);
                let capital = match key.name {
                    "left" => data == "\x1bB",
                    "right" => data == "\x1bF",
                    _ => false,
                };
                unambiguous || (capital && !self.modes.kitty)
            }
            _ => false,
        };
        legacy || key.code.is_some_and(|code| self.kitty(code))
    }

    fn printable(&self, key: char) -> bool {
        let letter = key.is_ascii_lowercase();
        if !letter && !key.is_ascii_digit() && !is_symbol(key) {
            return false;
        }
        let control = control_char(key);
        let after_escape = |ch: char| self.data.strip_prefix('\x1b').is_some_and(|rest| is_char(rest, ch));
        let legacy = match self.modifiers {
            0 => is_char(self.data, key),
            modifier::CTRL => control.is_some_and(|control| is_char(self.data, control)),
            modifier::SHIFT => letter && is_char(self.data, key.to_ascii_uppercase()),
            modifier::ALT => !self.modes.kitty && after_escape(key),
            modifiers if modifiers == modifier::CTRL | modifier::ALT => {
                !self.modes.kitty && control.is_some_and(after_escape)
            }
            _ => false,
        };
        let code = i64::from(u32::from(key));
        legacy || self.kitty(code) || (self.modifiers != 0 && self.modify_other_letter(code))
    }

    fn modify_other_letter(&self, code: i64) -> bool {
        parse_modify_other_keys(self.data).is_some_and(|(reported, modifiers)| {
            let is_it = modifiers == self.modifiers
                && unshift_letter(reported, modifiers) == unshift_letter(code, self.modifiers);
            is_it || shifted_symbol(Some(reported), modifiers, is_shifted) == Some((code, self.modifiers))
        })
    }
}

fn single_char(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

fn is_char(text: &str, ch: char) -> bool {
    single_char(text) == Some(ch)
}
