//! Which key is this input?

use super::legacy::LEGACY_KEYS;
use super::protocol::{normalize_keypad, parse_kitty, parse_modify_other_keys, unshift_letter};
use super::{KeyModes, code, code_char, is_shifted, is_symbol, modifier, shifted_symbol};

/// The identifier of the key that `data` is, such as `ctrl+c`; `None` for what is not a single known key.
pub fn parse_key(data: &str, modes: KeyModes) -> Option<String> {
    if let Some(report) = parse_kitty(data) {
        let (code, modifiers) =
            shifted_symbol(report.shifted, report.modifiers, is_symbol).unwrap_or((report.code, report.modifiers));
        return key_id(code, modifiers, report.base);
    }
    if let Some((code, modifiers)) = parse_modify_other_keys(data) {
        let (code, modifiers) = shifted_symbol(Some(code), modifiers, is_shifted).unwrap_or((code, modifiers));
        return key_id(code, modifiers, None);
    }
    if modes.kitty && matches!(data, "\x1b\r" | "\n") {
        return Some("shift+enter".to_owned());
    }
    legacy_key_id(data).or_else(|| fixed_key_id(data, modes).map(str::to_owned)).or_else(|| {
        match data.strip_prefix('\x1b') {
            Some(rest) if !modes.kitty => escaped_key_id(rest),
            _ => plain_key_id(data),
        }
    })
}

fn legacy_key_id(data: &str) -> Option<String> {
    LEGACY_KEYS.iter().find_map(|key| {
        let prefix = if key.plain.contains(&data) {
            ""
        } else if key.shift == Some(data) {
            "shift+"
        } else if key.ctrl == Some(data) {
            "ctrl+"
        } else if key.alt.contains(&data) {
            "alt+"
        } else {
            return None;
        };
        Some(format!("{prefix}{}", key.name))
    })
}

fn fixed_key_id(data: &str, modes: KeyModes) -> Option<&'static str> {
    let id = match data {
        "\x1b" => "escape",
        "\x1c" => "ctrl+\\",
        "\x1d" => "ctrl+]",
        "\x1f" => "ctrl+-",
        "\x1b\x1b" => "ctrl+alt+[",
        "\x1b\x1c" => "ctrl+alt+\\",
        "\x1b\x1d" => "ctrl+alt+]",
        "\x1b\x1f" => "ctrl+alt+-",
        "\t" => "tab",
        "\r" | "\n" | "\x1bOM" => "enter",
        "\0" => "ctrl+space",
        " " => "space",
        "\x7f" => "backspace",
        "\x08" if modes.windows_terminal => "ctrl+backspace",
        "\x08" => "backspace",
        "\x1b[Z" => "shift+tab",
        "\x1b\x7f" | "\x1b\x08" => "alt+backspace",
        "\x1b\r" if !modes.kitty => "alt+enter",
        "\x1b " if !modes.kitty => "alt+space",
        "\x1bB" if !modes.kitty => "alt+left",
        "\x1bF" if !modes.kitty => "alt+right",
        _ => return None,
    };
    Some(id)
}

/// Alt sends an escape before the key.
fn escaped_key_id(rest: &str) -> Option<String> {
    let mut chars = rest.chars();
    let (ch, None) = (chars.next()?, chars.next()) else { return None };
    match ch {
        '\x01'..='\x1a' => Some(format!("ctrl+alt+{}", control_letter(ch))),
        ch if ch.is_ascii_lowercase() || ch.is_ascii_digit() || is_symbol(ch) => Some(format!("alt+{ch}")),
        _ => None,
    }
}

fn plain_key_id(data: &str) -> Option<String> {
    let mut chars = data.chars();
    let (ch, None) = (chars.next()?, chars.next()) else { return None };
    match ch {
        '\x01'..='\x1a' => Some(format!("ctrl+{}", control_letter(ch))),
        ' '..='~' => Some(ch.to_string()),
        _ => None,
    }
}

fn control_letter(control: char) -> char {
    char::from_u32(u32::from(control) + 96).unwrap_or(control)
}

fn key_id(code: i64, modifiers: i64, base: Option<i64>) -> Option<String> {
    let reported = unshift_letter(normalize_keypad(code), modifiers);
    let named =
        |code: i64| code_char(code).filter(|&ch| ch.is_ascii_lowercase() || ch.is_ascii_digit() || is_symbol(ch));
    // As in matching: the place of a key counts only where the layout has no Latin key on it.
    let code = if named(reported).is_some() { reported } else { base.unwrap_or(reported) };
    let name = match code {
        code::ESCAPE => "escape".to_owned(),
        code::TAB => "tab".to_owned(),
        code::ENTER | code::KEYPAD_ENTER => "enter".to_owned(),
        code::SPACE => "space".to_owned(),
        code::BACKSPACE => "backspace".to_owned(),
        _ => match LEGACY_KEYS.iter().find(|key| key.code == Some(code)) {
            Some(key) => key.name.to_owned(),
            None => named(code)?.to_string(),
        },
    };
    let modifiers = modifiers & !modifier::LOCKS;
    let names =
        [("shift+", modifier::SHIFT), ("ctrl+", modifier::CTRL), ("alt+", modifier::ALT), ("super+", modifier::SUPER)];
    if modifiers & !names.iter().map(|(_, bit)| bit).sum::<i64>() != 0 {
        return None;
    }
    let prefix: String = names.iter().filter(|(_, bit)| modifiers & bit != 0).map(|(name, _)| *name).collect();
    Some(prefix + &name)
}
