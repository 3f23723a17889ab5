//! The Kitty keyboard protocol and xterm's modifyOtherKeys.

use super::{code, code_char, modifier};

/// A key as the Kitty protocol reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) code: i64,
    /// What the key gives with shift.
    pub(super) shifted: Option<i64>,
    /// The key at the same place of a US keyboard.
    pub(super) base: Option<i64>,
    pub(super) modifiers: i64,
}

/// Reads a Kitty sequence: `CSI code[:shifted[:base]][;modifiers[:event]] u`, or one of the functional keys
/// that keep their legacy end (`A`-`D`, `H`, `F`, `~`).
pub(super) fn parse_kitty(data: &str) -> Option<Report> {
    let body = data.strip_prefix("\x1b[")?;
    let last = body.chars().next_back()?;
    let body = &body[..body.len() - last.len_utf8()];
    if last == 'u' {
        return parse_csi_u(body);
    }
    let (first, rest) = match body.split_once(';') {
        Some((first, rest)) => (first, Some(rest)),
        None => (body, None),
    };
    let code = match last {
        // F3 is left out: with modifiers it looks like a report of the cursor.
        'P' | 'Q' | 'S' if (first == "1" && rest.is_some()) || (first.is_empty() && rest.is_none()) => match last {
            'P' => code::F1,
            'Q' => code::F1 - 1,
            _ => code::F1 - 3,
        },
        'A'..='D' | 'H' | 'F' if first == "1" && rest.is_some() => match last {
            'A' => code::UP,
            'B' => code::DOWN,
            'C' => code::RIGHT,
            'D' => code::LEFT,
            'H' => code::HOME,
            _ => code::END,
        },
        '~' => {
            let (number, _) = if rest.is_none() { with_event(first)? } else { (number(first)?, None) };
            match number {
                2 => code::INSERT,
                3 => code::DELETE,
                5 => code::PAGE_UP,
                6 => code::PAGE_DOWN,
                7 => code::HOME,
                8 => code::END,
                // The numbers have gaps where old keyboards had them.
                11..=15 => code::F1 + 11 - number,
                17..=21 => code::F1 + 12 - number,
                23 | 24 => code::F1 + 13 - number,
                _ => return None,
            }
        }
        _ => return None,
    };
    let modifiers = match rest {
        Some(rest) => with_event(rest)?.0,
        None => 1,
    };
    Some(Report { code, shifted: None, base: None, modifiers: modifiers - 1 })
}

fn parse_csi_u(body: &str) -> Option<Report> {
    let (key, modifiers) = match body.split_once(';') {
        Some((key, modifiers)) => (key, Some(with_event(modifiers)?.0)),
        None => (body, None),
    };
    let mut parts = key.split(':');
    let code = number(parts.next()?)?;
    let shifted = match parts.next() {
        Some("") | None => None,
        Some(shifted) => Some(number(shifted)?),
    };
    let base = parts.next().map(number).map_or(Some(None), |base| base.map(Some))?;
    // Without modifiers an event type may follow the base key directly.
    let event = parts.next().map(number).map_or(Some(None), |event| event.map(Some))?;
    if parts.next().is_some() || (event.is_some() && modifiers.is_some()) {
        return None;
    }
    Some(Report { code, shifted, base, modifiers: modifiers.unwrap_or(1) - 1 })
}

fn number(digits: &str) -> Option<i64> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().unwrap_or(i64::MAX / 2))
}

/// Reads `number[:event]`.
fn with_event(text: &str) -> Option<(i64, Option<i64>)> {
    match text.split_once(':') {
        Some((value, event)) => Some((number(value)?, Some(number(event)?))),
        None => Some((number(text)?, None)),
    }
}

/// Reads `CSI 27 ; modifiers ; code ~` into code and modifiers.
pub(super) fn parse_modify_other_keys(data: &str) -> Option<(i64, i64)> {
    let (modifiers, code) = data.strip_prefix("\x1b[27;")?.strip_suffix('~')?.split_once(';')?;
    Some((number(code)?, number(modifiers)? - 1))
}

/// Keypad keys as the keys they stand for.
pub(super) fn normalize_keypad(code: i64) -> i64 {
    match code {
        57399..=57408 => code - 57399 + i64::from(b'0'),
        57409 => i64::from(b'.'),
        57410 => i64::from(b'/'),
        57411 => i64::from(b'*'),
        57412 => i64::from(b'-'),
        57413 => i64::from(b'+'),
        57415 => i64::from(b'='),
        57416 => i64::from(b','),
        57417 => code::LEFT,
        57418 => code::RIGHT,
        57419 => code::UP,
        57420 => code::DOWN,
        57421 => code::PAGE_UP,
        57422 => code::PAGE_DOWN,
        57423 => code::HOME,
        57424 => code::END,
        57425 => code::INSERT,
        57426 => code::DELETE,
        _ => code,
    }
}

/// With shift, some terminals report the capital letter; the key is the small one.
pub(super) fn unshift_letter(code: i64, modifiers: i64) -> i64 {
    let shifted = modifiers & !modifier::LOCKS & modifier::SHIFT != 0;
    if shifted && (65..=90).contains(&code) { code + 32 } else { code }
}

/// Whether `data` is a Kitty sequence for letting a key go. Pasted text never is, whatever it contains.
pub fn is_key_release(data: &str) -> bool {
    has_event(data, ":3")
}

/// Whether `data` is a Kitty sequence for a key that is held down. Pasted text never is.
pub fn is_key_repeat(data: &str) -> bool {
    has_event(data, ":2")
}

fn has_event(data: &str, event: &str) -> bool {
    !data.contains("\x1b[200~")
        && data.match_indices(event).any(|(index, _)| {
            data[index + event.len()..].starts_with(['u', '~', 'A', 'B', 'C', 'D', 'H', 'F', 'P', 'Q', 'S'])
        })
}

/// The character a Kitty `CSI u` sequence types, if it has no modifier besides shift and the locks.
pub fn decode_kitty_printable(data: &str) -> Option<char> {
    if !data.ends_with('u') {
        return None;
    }
    let report = parse_kitty(data)?;
    if report.modifiers & !(modifier::SHIFT | modifier::LOCKS) != 0 {
        return None;
    }
    let code = match report.shifted {
        Some(shifted) if report.modifiers & modifier::SHIFT != 0 => shifted,
        _ => report.code,
    };
    printable(normalize_keypad(code))
}

/// The character that `data` types, in the Kitty protocol or as modifyOtherKeys.
pub fn decode_printable(data: &str) -> Option<char> {
    decode_kitty_printable(data).or_else(|| {
        let (code, modifiers) = parse_modify_other_keys(data)?;
        let plain = modifiers & !modifier::LOCKS & !modifier::SHIFT == 0;
        plain.then_some(code).and_then(printable)
    })
}

fn printable(code: i64) -> Option<char> {
    // The protocol has keys that type nothing where Unicode has characters for private use.
    (code >= 32 && !(57344..=63743).contains(&code)).then_some(code).and_then(code_char)
}
