//! How large the terminal is, and when that changes.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::termios::tcgetwinsize;

/// How large a terminal is. There is always room for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Characters from left to right.
    pub columns: u16,
    /// Lines from top to bottom.
    pub rows: u16,
    /// Width and height of a cell in pixels, where the system knows it.
    pub cell: Option<(u16, u16)>,
}

impl Size {
    /// The size of a terminal. What the system does not know is taken from `COLUMNS` and `LINES`, and is 80 and 24 without.
    pub fn of(terminal: impl AsFd, variable: impl Fn(&str) -> Option<String>) -> Self {
        let known = tcgetwinsize(terminal).ok();
        let known = known.map(|size| [size.ws_col, size.ws_row, size.ws_xpixel, size.ws_ypixel]).unwrap_or_default();
        Self::from(known, variable)
    }

    fn from([columns, rows, width, height]: [u16; 4], variable: impl Fn(&str) -> Option<String>) -> Self {
        let cell = || Some((width.checked_div(columns)?, height.checked_div(rows)?));
        let cell = cell().filter(|(width, height)| *width > 0 && *height > 0);
        let or = |known: u16, name: &str, usual: u16| match known {
            0 => variable(name).and_then(|value| value.trim().parse().ok()).filter(|value| *value > 0).unwrap_or(usual),
            _ => known,
        };
        Self { columns: or(columns, "COLUMNS", 80), rows: or(rows, "LINES", 24), cell }
    }
}

/// Makes one change of many: a window that is being dragged changes its size many times a second, and each of them costs a
/// layout. It has no clock: the caller says when something happened.
#[derive(Debug, Default)]
pub struct Settling {
    first: Option<Instant>,
    last: Option<Instant>,
}

impl Settling {
    /// How long the size must stay.
    const QUIET: Duration = Duration::from_millis(8);
    /// How long a change waits at most.
    const LONGEST: Duration = Duration::from_millis(50);

    /// The size changed.
    pub fn changed(&mut self, now: Instant) {
        self.first.get_or_insert(now);
        self.last = Some(now);
    }

    /// When the change takes effect.
    pub fn deadline(&self) -> Option<Instant> {
        Some((self.last? + Self::QUIET).min(self.first? + Self::LONGEST))
    }

    /// Whether a change takes effect now; true only once for each.
    pub fn settles(&mut self, now: Instant) -> bool {
        let settles = self.deadline().is_some_and(|deadline| deadline <= now);
        if settles {
            *self = Self::default();
        }
        settles
    }
}

#[cfg(test)]
mod tests {
    use tau_sys::pty::Pty;

    use super::*;

    #[test]
    fn a_size_is_what_the_system_knows_or_the_variables_say_or_what_is_usual() {
        let size = |known, columns: &str, lines: &str| {
            let find = |name: &str| Some(if name == "COLUMNS" { columns } else { lines }.to_owned());
            let size = Size::from(known, find);
            (size.columns, size.rows, size.cell)
        };
        assert_eq!(size([100, 30, 900, 540], "", ""), (100, 30, Some((9, 18))));
        assert_eq!(size([1, 1, 0, 0], "40", "20"), (1, 1, None));
        assert_eq!(size([0, 0, 0, 0], " 40", "20"), (40, 20, None));
        assert_eq!(size([0, 0, 10, 10], "0", "-1"), (80, 24, None));
        assert_eq!(size([0, 30, 10, 10], "99999", ""), (80, 30, None));
        assert_eq!(size([100, 30, 99, 29], "", ""), (100, 30, None));
        let pty = Pty::open().expect("a terminal");
        pty.resize(120, 40).expect("a size");
        let theirs = pty.theirs().expect("the terminal");
        assert_eq!(Size::of(&theirs, |_| None), Size { columns: 120, rows: 40, cell: None });
        let file = std::fs::File::open("/dev/null").expect("a file");
        assert_eq!(Size::of(&file, |_| None), Size { columns: 80, rows: 24, cell: None });
    }

    #[test]
    fn many_changes_are_one_and_none_waits_for_ever() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut settling = Settling::default();
        assert_eq!(settling.deadline(), None);
        settling.changed(at(0));
        settling.changed(at(5));
        assert_eq!(settling.deadline(), Some(at(13)));
        assert!(!settling.settles(at(12)) && settling.settles(at(13)) && !settling.settles(at(14)));
        let counted = (0..100).filter(|milliseconds| {
            settling.changed(at(100 + milliseconds));
            settling.settles(at(100 + milliseconds))
        });
        assert_eq!(counted.collect::<Vec<_>>(), [50]);
    }
}
