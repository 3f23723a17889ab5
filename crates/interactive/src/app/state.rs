//! What tau is doing, for terminals and dashboards that show it.

use std::time::{Duration, Instant};

use tau_agent::settings::keys;
use tau_tui::terminal::say::{self, Blocked, State};
use tau_tui::terminal::{Shape, Switch};
use tau_view::editor::vi::Mode;

use super::App;

/// How often the terminal hears that work continues: it forgets that after a while.
const PROGRESS: Duration = Duration::from_secs(1);

/// What was told last, and how the last run ended.
pub(super) struct Doing {
    told: Option<(State, String)>,
    /// How things stand while nothing is under way.
    rest: (State, String),
}

impl Default for Doing {
    fn default() -> Self {
        Self { told: None, rest: (State::Idle, String::new()) }
    }
}

impl Doing {
    /// A run is over: it did what it was asked to, was stopped, or failed with an error.
    pub(super) fn ended(&mut self, state: State, message: &str) {
        self.rest = (state, message.lines().next().unwrap_or_default().to_owned());
    }
}

impl App {
    /// Tells the terminal what tau is doing, if it wants to know and something has changed. Called for each frame.
    pub(super) fn tell_state(&mut self) {
        let wanted = self.capabilities.program_status.or(self.screen.terminal.answers().program_status);
        if wanted == Some(true) {
            let doing = self.doing();
            self.tell(doing);
        }
    }

    /// Tells the terminal that nothing is under way any more. For the end of the program.
    pub(super) fn tell_idle(&mut self) {
        if self.doing.told.is_some() {
            self.tell((State::Idle, String::new()));
        }
    }

    /// Shows in the tab or the task bar that work is under way, where the user or an extension wants that. Called for each frame.
    pub(super) fn tell_progress(&mut self) {
        let is_wanted = self.dock.work.is_some() && self.settings().of(keys::TERMINAL_PROGRESS);
        if !is_wanted && self.progress_of.is_empty() {
            if self.progress.take().is_some() {
                self.screen.terminal.switch_off(Switch::Progress);
            }
            return;
        }
        let is_due = self.progress.is_none_or(|told| told.elapsed() >= PROGRESS);
        if is_due && self.capabilities.progress {
            match self.progress {
                None => self.screen.terminal.switch_on(Switch::Progress),
                Some(_) => self.screen.terminal.writer().commit(Switch::Progress.on()),
            }
            self.progress = Some(Instant::now());
        }
    }

    /// Gives the cursor the shape of what keys of vi do, where it is the terminal's own. Called for each frame.
    pub(super) fn shape_cursor(&mut self) {
        let mode = self.editor.vi_mode().filter(|_| self.hardware_cursor && self.panels.is_empty());
        let shape = mode.map(|mode| if mode == Mode::Insert { Shape::Bar } else { Shape::Block });
        if shape == self.cursor_shape {
            return;
        }
        match (shape, self.cursor_shape) {
            (Some(shape), _) => self.screen.terminal.switch_on(Switch::Cursor(shape)),
            (None, Some(before)) => self.screen.terminal.switch_off(Switch::Cursor(before)),
            (None, None) => {}
        }
        self.cursor_shape = shape;
    }

    fn tell(&mut self, doing: (State, String)) {
        if self.doing.told.as_ref() != Some(&doing) {
            self.screen.terminal.writer().commit(say::program_status(doing.0, &doing.1));
            self.doing.told = Some(doing);
        }
    }

    fn doing(&self) -> (State, String) {
        if let Some((title, is_permission)) = self.panels.asked() {
            let why = if is_permission { Blocked::Permission } else { Blocked::Question };
            return (State::Blocked(why), title.to_owned());
        }
        if self.asked.waits() {
            return (State::Blocked(Blocked::Question), String::new());
        }
        let name = || self.session.as_ref().and_then(|session| session.session().session_name()).unwrap_or_default();
        let begins = self.sent.begins_run && self.session.as_ref().is_some_and(|session| !session.is_idle());
        let is_sent = self.sent.waits() || begins;
        if self.dock.work.is_some() || self.chat.runs_shell() || is_sent {
            return (State::Working, name());
        }
        match &self.doing.rest {
            (state, message) if message.is_empty() => (*state, name()),
            rest => rest.clone(),
        }
    }
}
