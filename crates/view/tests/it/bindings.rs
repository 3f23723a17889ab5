//! Each action's usual keys, as terminals send them.

use std::collections::BTreeSet;

use tau_view::bindings::{BINDINGS, Platform};
use tau_view::keys::{KeyModes, matches_key, parse_key};

const LEGACY: KeyModes = KeyModes { kitty: false, windows_terminal: false };
const KITTY: KeyModes = KeyModes { kitty: true, windows_terminal: false };

const SHIFT: u8 = 1;
const ALT: u8 = 2;
const CTRL: u8 = 4;

/// A key taken apart.
struct Key<'a> {
    modifiers: u8,
    name: &'a str,
}

impl<'a> Key<'a> {
    fn of(id: &'a str) -> Self {
        let mut parts: Vec<&str> = id.split('+').collect();
        let name = parts.pop().expect("a key");
        let bit = |part: &&str| match *part {
            "shift" => SHIFT,
            "alt" => ALT,
            "ctrl" => CTRL,
            other => panic!("{other} is no modifier"),
        };
        Self { modifiers: parts.iter().map(bit).sum(), name }
    }

    /// The number and the end of the sequence of a key that types nothing.
    fn functional(&self) -> Option<(u8, char)> {
        Some(match self.name {
            "up" => (1, 'A'),
            "down" => (1, 'B'),
            "right" => (1, 'C'),
            "left" => (1, 'D'),
            "home" => (1, 'H'),
            "end" => (1, 'F'),
            "delete" => (3, '~'),
            "pageUp" => (5, '~'),
            "pageDown" => (6, '~'),
            _ => return None,
        })
    }

    fn functional_sequence(&self) -> Option<String> {
        let (number, end) = self.functional()?;
        Some(match (self.modifiers, number) {
            (0, 1) => format!("\x1b[{end}"),
            (0, number) => format!("\x1b[{number}{end}"),
            (modifiers, number) => format!("\x1b[{number};{}{end}", modifiers + 1),
        })
    }

    /// What stands for the key in the newer protocols.
    fn code(&self) -> u32 {
        match self.name {
            "escape" => 27,
            "enter" => 13,
            "tab" => 9,
            "backspace" => 127,
            name => {
                assert_eq!(name.chars().count(), 1, "{name}");
                u32::from(name.chars().next().expect("a character"))
            }
        }
    }

    /// The Kitty protocol with the first of its enhancements.
    fn csi_u(&self) -> String {
        self.functional_sequence().unwrap_or_else(|| match (self.modifiers, self.name) {
            // These stay what they are.
            (0, "enter" | "tab" | "backspace") => self.legacy().expect("a sequence"),
            (0, _) => format!("\x1b[{}u", self.code()),
            (modifiers, _) => format!("\x1b[{};{}u", self.code(), modifiers + 1),
        })
    }

    /// xterm with modifyOtherKeys at its second level, which reports what shift makes of a letter.
    fn modify_other_keys(&self) -> String {
        self.functional_sequence().unwrap_or_else(|| {
            if self.modifiers == 0 {
                return self.legacy().expect("a sequence");
            }
            let code = match char::from_u32(self.code()) {
                Some(letter) if self.modifiers & SHIFT != 0 && letter.is_ascii_lowercase() => {
                    u32::from(letter.to_ascii_uppercase())
                }
                _ => self.code(),
            };
            format!("\x1b[27;{};{code}~", self.modifiers + 1)
        })
    }

    /// What terminals sent before there were protocols; nothing where they could not tell the key from another one.
    fn legacy(&self) -> Option<String> {
        if let Some(sequence) = self.functional_sequence() {
            return Some(sequence);
        }
        let escaped = if self.modifiers & ALT != 0 { "\x1b" } else { "" };
        let plain = match (self.name, self.modifiers & !ALT) {
            ("escape", 0) => "\x1b".to_owned(),
            ("enter", 0) => "\r".to_owned(),
            ("tab", 0) => "\t".to_owned(),
            ("tab", SHIFT) => "\x1b[Z".to_owned(),
            ("backspace", 0) => "\x7f".to_owned(),
            ("-", CTRL) => "\x1f".to_owned(),
            ("enter" | "tab" | "backspace", _) => return None,
            (letter, 0) => letter.to_owned(),
            (letter, SHIFT) => letter.to_uppercase(),
            (_, CTRL) => char::from_u32(self.code() & 0x1f).expect("a control character").to_string(),
            _ => return None,
        };
        Some(format!("{escaped}{plain}"))
    }
}

/// Every key that an action has by itself, on any platform.
fn usual_keys() -> BTreeSet<&'static str> {
    let keys = |platform| BINDINGS.iter().flat_map(move |binding| binding.keys_on(platform).iter().copied());
    Platform::ALL.into_iter().flat_map(keys).collect()
}

#[test]
fn each_action_is_found_by_its_keys_in_every_encoding() {
    let mut without_legacy = BTreeSet::new();
    for platform in Platform::ALL {
        for binding in BINDINGS {
            for id in binding.keys_on(platform) {
                let key = Key::of(id);
                let legacy = key.legacy();
                if legacy.is_none() {
                    without_legacy.insert(*id);
                }
                for (data, modes) in [
                    (legacy, LEGACY),
                    (Some(key.csi_u()), KITTY),
                    (Some(key.csi_u()), LEGACY),
                    (Some(key.modify_other_keys()), LEGACY),
                ] {
                    let Some(data) = data else { continue };
                    assert!(matches_key(&data, id, modes), "{}: {data:?} is {id}", binding.id);
                    let named = parse_key(&data, modes).expect("a name");
                    // A capital letter is named as it is typed.
                    let is_typed = named.len() == 1 && data == named;
                    assert!(is_typed || matches_key(&data, &named, modes), "{}: {data:?} is {named}", binding.id);
                }
            }
        }
    }
    let expected = ["ctrl+backspace", "ctrl+shift+f", "ctrl+shift+g", "shift+ctrl+o", "shift+ctrl+p", "shift+enter"];
    assert_eq!(without_legacy.into_iter().collect::<Vec<_>>(), expected);
}

/// No usual key is taken for another one, but where the old sequences are the same.
#[test]
fn no_key_is_taken_for_another_one() {
    let mut twice = BTreeSet::new();
    for id in usual_keys() {
        let key = Key::of(id);
        let others = || {
            let is_other = |other: &&str| {
                let other = Key::of(other);
                (other.name, other.modifiers) != (key.name, key.modifiers)
            };
            usual_keys().into_iter().filter(is_other)
        };
        for data in [key.csi_u(), key.modify_other_keys()] {
            for other in others() {
                assert!(!matches_key(&data, other, KITTY), "{data:?} is {id}, not {other}");
            }
        }
        for other in others() {
            if key.legacy().is_some_and(|data| matches_key(&data, other, LEGACY)) {
                twice.insert((id, other));
            }
        }
    }
    let expected = [("alt+b", "alt+left"), ("alt+f", "alt+right"), ("alt+p", "alt+up"), ("ctrl+j", "enter")];
    assert_eq!(twice.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn the_table_has_every_action_of_the_reference_and_four_more() {
    let more = ["app.history.search", "app.message.queue", "app.pager.open", "app.tui.toggle"];
    assert_eq!(BINDINGS.iter().filter(|binding| !more.contains(&binding.id)).count(), 90);
    assert_eq!(BINDINGS.iter().filter(|binding| more.contains(&binding.id)).count(), 4);
}
