//! The sequences terminals sent for keys before there were protocols for it.

use super::code;

/// A key that has escape sequences of its own.
#[derive(Debug)]
pub(super) struct LegacyKey {
    pub(super) name: &'static str,
    /// Its code in the Kitty protocol; keys without one are only known by their legacy sequences.
    pub(super) code: Option<i64>,
    pub(super) plain: &'static [&'static str],
    pub(super) shift: Option<&'static str>,
    pub(super) ctrl: Option<&'static str>,
    /// Sequences that shells read as this key with alt.
    pub(super) alt: &'static [&'static str],
}

impl LegacyKey {
    /// The function key of this number.
    const fn function(name: &'static str, number: i64, plain: &'static [&'static str]) -> Self {
        Self { name, code: Some(code::F1 + 1 - number), plain, shift: None, ctrl: None, alt: &[] }
    }

    const fn editing(
        name: &'static str,
        code: i64,
        plain: &'static [&'static str],
        shift: &'static str,
        ctrl: &'static str,
    ) -> Self {
        Self { name, code: Some(code), plain, shift: Some(shift), ctrl: Some(ctrl), alt: &[] }
    }
}

#[rustfmt::skip]
pub(super) static LEGACY_KEYS: &[LegacyKey] = &[
    LegacyKey { alt: &["\x1bp"], ..LegacyKey::editing("up", code::UP, &["\x1b[A", "\x1bOA"], "\x1b[a", "\x1bOa") },
    LegacyKey { alt: &["\x1bn"], ..LegacyKey::editing("down", code::DOWN, &["\x1b[B", "\x1bOB"], "\x1b[b", "\x1bOb") },
    LegacyKey { alt: &["\x1bf"], ..LegacyKey::editing("right", code::RIGHT, &["\x1b[C", "\x1bOC"], "\x1b[c", "\x1bOc") },
    LegacyKey { alt: &["\x1bb"], ..LegacyKey::editing("left", code::LEFT, &["\x1b[D", "\x1bOD"], "\x1b[d", "\x1bOd") },
    LegacyKey::editing("home", code::HOME, &["\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~"], "\x1b[7$", "\x1b[7^"),
    LegacyKey::editing("end", code::END, &["\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~"], "\x1b[8$", "\x1b[8^"),
    LegacyKey::editing("insert", code::INSERT, &["\x1b[2~"], "\x1b[2$", "\x1b[2^"),
    LegacyKey::editing("delete", code::DELETE, &["\x1b[3~"], "\x1b[3$", "\x1b[3^"),
    LegacyKey::editing("pageUp", code::PAGE_UP, &["\x1b[5~", "\x1b[[5~"], "\x1b[5$", "\x1b[5^"),
    LegacyKey::editing("pageDown", code::PAGE_DOWN, &["\x1b[6~", "\x1b[[6~"], "\x1b[6$", "\x1b[6^"),
    LegacyKey {
        name: "clear", code: None, plain: &["\x1b[E", "\x1bOE"], shift: Some("\x1b[e"), ctrl: Some("\x1bOe"), alt: &[],
    },
    LegacyKey::function("f1", 1, &["\x1bOP", "\x1b[11~", "\x1b[[A"]),
    LegacyKey::function("f2", 2, &["\x1bOQ", "\x1b[12~", "\x1b[[B"]),
    LegacyKey::function("f3", 3, &["\x1bOR", "\x1b[13~", "\x1b[[C"]),
    LegacyKey::function("f4", 4, &["\x1bOS", "\x1b[14~", "\x1b[[D"]),
    LegacyKey::function("f5", 5, &["\x1b[15~", "\x1b[[E"]),
    LegacyKey::function("f6", 6, &["\x1b[17~"]),
    LegacyKey::function("f7", 7, &["\x1b[18~"]),
    LegacyKey::function("f8", 8, &["\x1b[19~"]),
    LegacyKey::function("f9", 9, &["\x1b[20~"]),
    LegacyKey::function("f10", 10, &["\x1b[21~"]),
    LegacyKey::function("f11", 11, &["\x1b[23~"]),
    LegacyKey::function("f12", 12, &["\x1b[24~"]),
];

/// The control character that ctrl and `key` send, for keys that have one.
pub(super) fn control_char(key: char) -> Option<char> {
    match key {
        'a'..='z' | '[' | '\\' | ']' | '_' => char::from_u32(u32::from(key) & 0x1f),
        // The same key as `_` on a US keyboard.
        '-' => Some('\x1f'),
        _ => None,
    }
}
