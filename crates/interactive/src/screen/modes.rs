//! From one screen to the other: the two modes, overlays in regular mode, other programs, the end.

use tau_tui::screen::{Dock, Line, Resized, Start};
use tau_tui::terminal::Switch;

use super::ways::Bar;
use super::{Due, Mode, Screen, Ways, Window};

/// How many lines of what happened in full-screen mode are written to the main screen.
const LINES: usize = 200;

/// What full-screen mode leaves on the main screen at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitOutput {
    /// The last lines of the conversation.
    Transcript,
    /// Nothing; what follows is how to continue.
    Nothing,
}

/// Why the mode cannot be changed now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    /// Another program has the terminal.
    #[error("another program has the terminal")]
    Lent,
    /// It cannot move its cursor.
    #[error("this terminal has no full screen (TERM=dumb)")]
    Dumb,
}

impl Screen {
    /// The mode.
    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// Takes how the alternate screen is to be.
    pub(crate) fn set_ways(&mut self, ways: Ways) {
        self.ways = ways;
        let (ways, overlaid) = (self.ways.clone(), self.overlaid_ways());
        if let Some(pager) = &mut self.pager {
            pager.window.set_ways(ways.clone());
        }
        if let Some(window) = &mut self.window {
            window.set_ways(if self.mode == Mode::Full { ways } else { overlaid });
        }
        self.follow_switches();
        self.changed();
    }

    /// In regular mode, lines have the same width beside overlays as without them.
    fn overlaid_ways(&self) -> Ways {
        Ways { bar: Bar::Hidden, ..self.ways.clone() }
    }

    /// Changes the mode. Back on the main screen, the last lines of what happened meanwhile are written there, under a line
    /// that `note` makes for a number of blocks that are left out and a width.
    ///
    /// # Errors
    /// While it cannot be changed.
    pub(crate) fn set_mode(&mut self, mode: Mode, note: impl FnOnce(usize, usize) -> Line) -> Result<(), Refused> {
        if self.mode == mode {
            return Ok(());
        }
        if self.is_left {
            return Err(Refused::Lent);
        }
        self.close_pager();
        self.drop_window();
        match mode {
            Mode::Full => {
                self.show_main();
                // What is not final does not stay there.
                self.out.clear();
                self.regular.leave(Start::Cursor, &mut self.out);
                self.terminal.writer().commit(std::mem::take(&mut self.out));
                self.mode = mode;
                self.show_window(true);
            }
            Mode::Regular => {
                self.mode = mode;
                self.show_main();
                self.cut_transcript(note);
            }
        }
        self.due = Due::Now;
        Ok(())
    }

    fn cut_transcript(&mut self, note: impl FnOnce(usize, usize) -> Line) {
        let columns = self.size().columns;
        self.transcript.begin_with_last(0, LINES, columns, |count| note(count, columns));
    }

    /// Shows the window or, without it, what is behind it.
    pub(super) fn show_window(&mut self, is_wanted: bool) {
        if is_wanted == self.window.is_some() {
            return;
        }
        if is_wanted {
            let ways = if self.mode == Mode::Full { self.ways.clone() } else { self.overlaid_ways() };
            self.window = Some(Window::new(self.size(), self.regular.features(), ways));
            self.follow_switches();
        } else {
            self.drop_window();
            if self.pager.is_none() {
                self.show_main();
            }
        }
    }

    /// Takes the window away, and its pictures off the screen.
    fn drop_window(&mut self) {
        let Some(mut window) = self.window.take() else { return };
        let mut out = Vec::new();
        window.leave(&mut out);
        if !out.is_empty() {
            self.terminal.writer().commit(out);
        }
    }

    /// Whether the alternate screen is shown.
    pub(super) fn is_alternate(&self) -> bool {
        self.pager.is_some() || self.window.is_some()
    }

    /// What paints the alternate screen.
    pub(super) fn windows(&mut self) -> impl Iterator<Item = &mut Window> {
        self.pager.as_mut().map(|pager| &mut pager.window).into_iter().chain(&mut self.window)
    }

    /// Switches on what the screen that is shown needs, and off what it does not.
    pub(super) fn follow_switches(&mut self) {
        self.switch(self.is_alternate());
    }

    /// Switches on what one of the screens needs, and off what it does not.
    pub(super) fn switch(&mut self, is_alternate: bool) {
        let mut wanted = Vec::new();
        if is_alternate {
            wanted.extend([Switch::AlternateScreen, Switch::NoWrap]);
            wanted.extend(self.ways.mouse_switch(self.mode));
        }
        for switch in self.switched.iter().rev().filter(|switch| !wanted.contains(switch)) {
            self.terminal.switch_off(*switch);
        }
        for switch in wanted.iter().filter(|switch| !self.switched.contains(switch)) {
            self.terminal.switch_on(*switch);
        }
        self.switched = wanted;
    }

    /// The main screen is shown again.
    pub(super) fn show_main(&mut self) {
        self.follow_switches();
        self.regular.forget_cursor();
        // It may have another size than the rows on it were painted for.
        if let Resized::Settle = self.regular.resize(self.size()) {
            self.ask_cursor();
        }
    }

    /// The screen was someone else's, who left the cursor in a line of its own or behind something.
    pub(crate) fn begin_again(&mut self) {
        self.is_left = false;
        for window in self.windows() {
            window.repaint();
        }
        if self.mode == Mode::Regular {
            self.regular.begin_at(Start::Cursor);
        }
        self.changed_by_key();
    }

    /// Takes what is not final off the main screen, so that another program can write below what is. In full-screen mode
    /// there is nothing, and the window stays where it is.
    pub(crate) fn leave(&mut self) {
        self.is_left = true;
        if self.mode == Mode::Full {
            return self.lost_focus();
        }
        self.close_pager();
        self.show_window(false);
        self.out.clear();
        self.regular.leave(Start::Cursor, &mut self.out);
        self.terminal.writer().commit(std::mem::take(&mut self.out));
    }

    /// A command is over that could reach the terminal: if it changed its modes, they are set again, and everything is painted.
    pub(crate) fn reassert_if_changed(&mut self) {
        if self.terminal.reassert_if_changed() && self.is_alternate() {
            for window in self.windows() {
                window.repaint();
            }
            self.changed_by_key();
        }
    }

    /// Writes what is final, or in full-screen mode the last lines of it, and leaves the screen to the shell. For the end of
    /// the program. `note` is as for [`Screen::set_mode`].
    pub(crate) fn finish(&mut self, output: ExitOutput, note: impl FnOnce(usize, usize) -> Line) {
        let was_full = self.mode == Mode::Full;
        self.close_pager();
        self.mode = Mode::Regular;
        self.show_window(false);
        if was_full && output == ExitOutput::Transcript {
            self.cut_transcript(note);
        }
        if std::mem::take(&mut self.is_left) {
            self.regular.begin_at(Start::Cursor);
        }
        let mut out = Vec::new();
        if !was_full || output == ExitOutput::Transcript {
            let nothing = Dock::default();
            while self.regular.paint(&mut self.transcript, &nothing, &mut out) {}
        }
        self.regular.leave(Start::Cursor, &mut out);
        self.terminal.writer().commit(out);
    }
}
