//! How the user wants the screen.

use tau_tui::screen::{Line, Size, Tints};
use tau_tui::terminal::{Reports, Switch};

/// Where the conversation is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mode {
    /// On the main screen: what is final belongs to the scrollback of the terminal.
    #[default]
    Regular,
    /// On the whole alternate screen, in a window that scrolls.
    Full,
}

/// What of the mouse is taken from the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MouseUse {
    /// Nothing.
    Off,
    /// The wheel scrolls; clicks and drags do nothing.
    Wheel,
    /// All of it.
    All,
}

/// When a scrollbar shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Bar {
    /// For a moment after something scrolled.
    #[default]
    Auto,
    /// Whenever there is something to scroll.
    Always,
    /// Never.
    Hidden,
}

/// How the alternate screen looks and what the mouse does there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ways {
    /// What the user says about the mouse; without that it depends on the mode.
    pub(crate) mouse: Option<MouseUse>,
    /// Moves without a button may be asked for.
    pub(crate) moves: bool,
    pub(crate) bar: Bar,
    /// The colours of the scrollbar and of what a search finds.
    pub(crate) tints: Tints,
    /// Lines for a step of the wheel; without a number it depends on how fast the wheel turns.
    pub(crate) wheel: Option<usize>,
    /// Each step of the wheel counts the same: the system makes fast turns faster already.
    pub(crate) is_steady: bool,
    /// The key that goes to the end.
    pub(crate) latest_key: String,
    /// The keys that go from match to match.
    pub(crate) previous_key: String,
    pub(crate) next_key: String,
}

impl Ways {
    /// What of the mouse is taken on the alternate screen in a mode.
    pub(crate) fn mouse_in(&self, mode: Mode) -> MouseUse {
        // In regular mode the mouse belongs to the terminal, unless the user says otherwise.
        let usual = if mode == Mode::Full { MouseUse::All } else { MouseUse::Off };
        self.mouse.unwrap_or(usual)
    }

    /// What is switched on for that.
    pub(super) fn mouse_switch(&self, mode: Mode) -> Option<Switch> {
        match self.mouse_in(mode) {
            MouseUse::Off => None,
            MouseUse::Wheel => Some(Switch::Mouse(Reports::Buttons)),
            MouseUse::All if self.moves => Some(Switch::Mouse(Reports::Moves)),
            MouseUse::All => Some(Switch::Mouse(Reports::Drags)),
        }
    }

    /// What leads back to the end of the transcript.
    pub(super) fn latest(&self, size: Size) -> Line {
        let key = if self.latest_key.is_empty() { String::new() } else { format!(" · {}", self.latest_key) };
        Line::new(&format!("\x1b[7m ↓ Jump to latest message{key} \x1b[27m"), size.columns)
    }
}
