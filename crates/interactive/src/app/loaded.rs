//! What is loaded beside the session: settings, commands, the user's keys. It can be loaded again.

use tau_agent::settings::{Settings, keys};
use tau_tui::keymap::Keymap;
use tau_view::bindings::Bindings;

use super::App;
use crate::told::Told;

impl App {
    /// What settings say about the screen.
    pub(super) fn follow_settings(&mut self, settings: &Settings) {
        self.padding = usize::try_from(settings.of(keys::EDITOR_PADDING_X)).unwrap_or(0);
        self.editor.set_vi(settings.of(keys::EDITOR_KEYS) == "vi");
        let wanted = settings.given(keys::SHOW_HARDWARE_CURSOR);
        self.hardware_cursor = wanted.unwrap_or_else(|| self.env.var("PI_HARDWARE_CURSOR") == Some("1"));
        self.chat.hide_thinking(&mut self.screen.transcript, settings.of(keys::HIDE_THINKING_BLOCK));
        self.chat.set_expand_key(self.keys.key_of("app.tools.expand").unwrap_or_default());
        self.follow_mode(settings);
    }

    /// Settings have changed: what is shown follows them.
    pub(super) fn settings_changed(&mut self) {
        self.commands_changed();
        let settings = self.settings();
        self.follow_settings(&settings);
        self.theme_changed();
    }

    /// Something was loaded again, or for the first time: what is shown follows it.
    pub(super) fn loaded(&mut self) {
        self.settings_changed();
        let (env, teller) = (self.env.clone(), self.teller.clone());
        self.tasks.spawn_blocking(move || {
            let (bindings, problems) = tau_agent::keybindings::read(&env);
            teller.tell(Told::Keys { bindings: Box::new(bindings), problems });
        });
    }

    /// The user's keys were read again.
    pub(super) fn keys_are(&mut self, bindings: Bindings, problems: Vec<String>) {
        let is_kitty = self.screen.terminal.answers().kitty == Some(true);
        self.keys = Keymap::new(bindings, self.capabilities.key_modes(is_kitty));
        self.chat.set_expand_key(self.keys.key_of("app.tools.expand").unwrap_or_default());
        self.follow_ways();
        self.warn_of_keys(problems);
        self.facts.is_stale = true;
        self.screen.changed();
    }

    /// Says what is wrong with the user's keys, each thing once.
    pub(super) fn warn_of_keys(&mut self, problems: Vec<String>) {
        for problem in &problems {
            if !self.key_problems.contains(problem) {
                self.warn(problem);
            }
        }
        self.key_problems = problems;
    }
}
