//! Reports of the mouse.

/// What the mouse did, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    /// What it did.
    pub kind: MouseKind,
    /// The column, from 0.
    pub column: u16,
    /// The row, from 0.
    pub row: u16,
    /// Shift was held.
    pub shift: bool,
    /// Alt was held.
    pub alt: bool,
    /// Ctrl was held.
    pub ctrl: bool,
}

/// What a mouse does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    /// A button was pressed.
    Press(Button),
    /// A button was let go. Old terminals do not say which one.
    Release(Option<Button>),
    /// It moved while a button was held.
    Drag(Button),
    /// It moved.
    Move,
    /// The wheel turned.
    Wheel(Wheel),
}

/// A button of a mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Button {
    /// The first one, which selects.
    Left,
    /// The one in the middle.
    Middle,
    /// The one for menus.
    Right,
    /// One of the buttons 8 to 11, such as "back".
    Extra(u8),
}

/// Where a wheel was turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wheel {
    /// Away from the user.
    Up,
    /// To the user.
    Down,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

/// Reads `CSI < buttons ; column ; row M` or `m`.
pub(super) fn sgr(raw: &str) -> Option<Mouse> {
    let body = raw.strip_prefix("\x1b[<")?;
    let released = body.ends_with('m');
    let body = body.strip_suffix(['M', 'm'])?;
    let mut numbers = body.split(';').map(|number| number.parse::<u16>().ok());
    let (Some(Some(code)), Some(Some(column)), Some(Some(row)), None) =
        (numbers.next(), numbers.next(), numbers.next(), numbers.next())
    else {
        return None;
    };
    report(code, column, row, released)
}

/// Reads the three bytes after `CSI M`.
pub(super) fn x10(bytes: [u8; 3]) -> Option<Mouse> {
    let [code, column, row] = bytes.map(|byte| u16::from(byte).checked_sub(32));
    let code = code?;
    // All buttons are let go with the same number.
    let released = code & 3 == 3 && code & (32 | 64 | 128) == 0;
    report(code, column?, row?, released)
}

fn report(code: u16, column: u16, row: u16, released: bool) -> Option<Mouse> {
    let button = match (code & 3, code & (64 | 128)) {
        (0, 0) => Some(Button::Left),
        (1, 0) => Some(Button::Middle),
        (2, 0) => Some(Button::Right),
        (low, 128) => Some(Button::Extra(u8::try_from(8 + low).ok()?)),
        _ => None,
    };
    let kind = match (button, code & 64 != 0, code & 32 != 0) {
        (_, true, _) => MouseKind::Wheel(match code & 3 {
            0 => Wheel::Up,
            1 => Wheel::Down,
            2 => Wheel::Left,
            _ => Wheel::Right,
        }),
        (Some(button), _, true) => MouseKind::Drag(button),
        (None, _, true) => MouseKind::Move,
        (button, _, false) if released => MouseKind::Release(button),
        (Some(button), _, false) => MouseKind::Press(button),
        (None, _, false) => return None,
    };
    let (shift, alt, ctrl) = (code & 4 != 0, code & 8 != 0, code & 16 != 0);
    // Positions count from 1; some terminals say 0 outside of the window.
    Some(Mouse { kind, column: column.saturating_sub(1), row: row.saturating_sub(1), shift, alt, ctrl })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buttons_wheels_and_modifiers_are_told_apart() {
        let kind = |raw: &str| sgr(raw).map(|mouse| (mouse.kind, mouse.column, mouse.row));
        assert_eq!(kind("\x1b[<0;20;5M"), Some((MouseKind::Press(Button::Left), 19, 4)));
        assert_eq!(kind("\x1b[<2;1;1m"), Some((MouseKind::Release(Some(Button::Right)), 0, 0)));
        assert_eq!(kind("\x1b[<33;2;3M"), Some((MouseKind::Drag(Button::Middle), 1, 2)));
        assert_eq!(kind("\x1b[<35;2;3M"), Some((MouseKind::Move, 1, 2)));
        assert_eq!(kind("\x1b[<64;2;3M"), Some((MouseKind::Wheel(Wheel::Up), 1, 2)));
        assert_eq!(kind("\x1b[<67;2;3M"), Some((MouseKind::Wheel(Wheel::Right), 1, 2)));
        assert_eq!(kind("\x1b[<128;0;3M"), Some((MouseKind::Press(Button::Extra(8)), 0, 2)));
        let held = sgr("\x1b[<28;1;1M").expect("a report");
        assert_eq!((held.shift, held.alt, held.ctrl), (true, true, true));
        for wrong in ["\x1b[<0;1M", "\x1b[<;1;1M", "\x1b[<0;1;1;1M", "\x1b[<0;99999;1M", "\x1b[<0;1;1"] {
            assert_eq!(sgr(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn old_reports_do_not_say_which_button_was_let_go() {
        let kind = |bytes| x10(bytes).map(|mouse| (mouse.kind, mouse.column, mouse.row));
        assert_eq!(kind([32, 33, 34]), Some((MouseKind::Press(Button::Left), 0, 1)));
        assert_eq!(kind([35, 255, 34]), Some((MouseKind::Release(None), 222, 1)));
        assert_eq!(kind([32 + 35, 33, 34]), Some((MouseKind::Move, 0, 1)));
        assert_eq!(kind([31, 33, 34]), None);
    }
}
