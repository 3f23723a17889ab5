//! Which of the two screens is painted, and how the mouse and the scrollbar are to be.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tau_agent::settings::{CountOrWord, KeyPath, Settings, keys};
use tau_tui::blocks::{earlier_messages, left_out};
use tau_tui::screen::Tints;

use super::App;
use crate::screen::{Bar, ExitOutput, Mode, MouseUse, Refused, Ways};

/// What decides about the mode beside the settings.
#[derive(Debug, Clone, Default)]
pub(super) struct Modes {
    /// What the command line says.
    flag: Option<Mode>,
    /// What the user chose in this run.
    chosen: Option<Mode>,
    /// What is selected is copied at once.
    pub(super) copies: bool,
    /// It was said that the terminal has no full screen.
    said_dumb: bool,
    /// The mode that the screen has, for what is drawn elsewhere.
    pub(super) current: CurrentMode,
}

/// The mode that the screen has.
#[derive(Debug, Clone, Default)]
pub(super) struct CurrentMode(Arc<AtomicBool>);

impl CurrentMode {
    pub(super) fn get(&self) -> Mode {
        if self.0.load(Ordering::Relaxed) { Mode::Full } else { Mode::Regular }
    }

    fn set(&self, mode: Mode) {
        self.0.store(mode == Mode::Full, Ordering::Relaxed);
    }
}

impl Modes {
    /// With what the command line says: whether the whole screen is taken.
    pub(super) fn new(is_full: Option<bool>) -> Self {
        let flag = is_full.map(|is_full| if is_full { Mode::Full } else { Mode::Regular });
        Self { flag, ..Self::default() }
    }
}

/// The mode of a value of the setting.
pub(super) fn mode_named(name: &str) -> Mode {
    if name == "fullscreen" { Mode::Full } else { Mode::Regular }
}

/// The value of the setting for a mode.
pub(super) fn name_of(mode: Mode) -> &'static str {
    match mode {
        Mode::Regular => "regular",
        Mode::Full => "fullscreen",
    }
}

impl App {
    /// What settings say about the two screens.
    pub(super) fn follow_mode(&mut self, settings: &Settings) {
        self.modes.copies = settings.of(keys::FULLSCREEN_COPY_ON_SELECT);
        self.screen.set_ways(self.ways(settings));
        let of_settings = mode_named(settings.of(keys::TUI_MODE));
        let wanted = self.modes.chosen.or(self.modes.flag).unwrap_or(of_settings);
        if let Err(why) = self.change_mode(wanted) {
            if std::mem::replace(&mut self.modes.said_dumb, true) {
                return;
            }
            self.warn(&format!("The mode stays as it is: {why}"));
        }
    }

    fn ways(&self, settings: &Settings) -> Ways {
        let key = KeyPath::dotted(keys::FULLSCREEN_MOUSE.name());
        let said = settings.of_environment(&key);
        let mouse = match said.as_ref().or(settings.of(keys::FULLSCREEN_MOUSE)) {
            Some(Value::Bool(true)) => Some(MouseUse::All),
            Some(Value::Bool(false)) => Some(MouseUse::Off),
            Some(Value::String(word)) if word == "wheel" => Some(MouseUse::Wheel),
            _ => None,
        };
        let wheel = match settings.of(keys::FULLSCREEN_WHEEL_SCROLL_LINES) {
            Some(CountOrWord::Count(lines)) => usize::try_from(lines).ok(),
            _ => None,
        };
        let bar = match settings.of(keys::FULLSCREEN_SCROLLBAR) {
            "always" => Bar::Always,
            "hidden" => Bar::Hidden,
            _ => Bar::Auto,
        };
        let key = |action: &str| self.keys.key_of(action).unwrap_or_default();
        Ways {
            mouse,
            moves: self.capabilities.mouse_moves,
            bar,
            tints: Tints::new(&self.look.get().styles),
            wheel,
            is_steady: cfg!(target_os = "macos") && !self.capabilities.remote,
            latest_key: key("tui.altScreen.bottom"),
            previous_key: key("tui.altScreen.searchPrevious"),
            next_key: key("tui.altScreen.searchNext"),
        }
    }

    /// Keys or colours are others: what names or has them on the alternate screen follows.
    pub(super) fn follow_ways(&mut self) {
        let settings = self.settings();
        self.screen.set_ways(self.ways(&settings));
    }

    /// Changes from one screen to the other, for this run.
    pub(super) fn toggle_mode(&mut self) {
        let other = if self.screen.mode() == Mode::Full { Mode::Regular } else { Mode::Full };
        self.choose_mode(other);
    }

    /// Takes a mode for this run; whether it could be taken.
    pub(super) fn choose_mode(&mut self, mode: Mode) -> bool {
        match self.change_mode(mode) {
            Ok(()) => self.modes.chosen = Some(mode),
            Err(why) => self.error(&format!("The mode cannot be changed now: {why}")),
        }
        self.screen.mode() == mode
    }

    fn change_mode(&mut self, mode: Mode) -> Result<(), Refused> {
        if mode == Mode::Full && self.capabilities.plain {
            return Err(Refused::Dumb);
        }
        let look = self.look.get();
        let pager = self.keys.key_of("tui.altScreen.pageUp").unwrap_or_default();
        self.screen.set_mode(mode, |count, width| earlier_messages(&look, count, &pager, width))?;
        self.facts.is_stale = true;
        // Components may show what the mode is.
        self.mounts.redraw_all();
        self.modes.current.set(mode);
        self.chat.resized();
        Ok(())
    }

    /// What full-screen mode leaves on the screen, and what says how much is left out of it.
    pub(super) fn finish_screen(&mut self) {
        let output = match self.settings().of(keys::FULLSCREEN_EXIT_OUTPUT) {
            "resume-hint" => ExitOutput::Nothing,
            _ => ExitOutput::Transcript,
        };
        let look = self.look.get();
        self.screen.finish(output, |count, width| left_out(&look, count, width));
    }

    /// The line of the first header that names the mode and the other one.
    pub(super) fn mode_note(&self) -> String {
        let note = match self.screen.mode() {
            Mode::Regular => "Scrolls with the terminal · --tui-mode fullscreen takes the whole screen",
            Mode::Full if self.screen.mouse() == MouseUse::Off => "Full screen · --tui-mode regular leaves it",
            Mode::Full => "Full screen · shift+drag selects as the terminal does · --tui-mode regular leaves it",
        };
        note.to_owned()
    }
}
