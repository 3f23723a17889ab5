//! What keeps tau from working well here, said at the start.

use tau_agent::why_no_model;
use tau_tui::terminal::Question;
use tau_tui::terminal::capabilities::Multiplexer;

use super::App;
use crate::doctor;
use crate::told::Told;

impl App {
    /// Says what to do when no model can be asked.
    pub(super) fn warn_without_model(&mut self) {
        let Some(session) = self.session.clone() else { return };
        if session.model().is_some() {
            return;
        }
        let why = why_no_model(session.models());
        let text = if !session.models().has_available() {
            format!("No models available. Type /login and paste an API key. Or leave tau for that:\n{why}")
        } else {
            format!("No model is chosen. {why}")
        };
        self.warn(&text);
    }

    /// Asks tmux what it passes on to the terminal, and back from it. What it answers comes later.
    pub(super) fn ask_tmux(&self) {
        let is_inside = self.env.var("TMUX").is_some_and(|tmux| !tmux.is_empty());
        if self.capabilities.multiplexer == Some(Multiplexer::Tmux) && is_inside {
            let teller = self.teller.clone();
            self.tasks.spawn(async move { teller.tell(Told::Tmux(doctor::ask_tmux().await)) });
        }
    }

    /// Takes what tmux answered.
    pub(super) fn tmux_answered(&mut self, answer: &doctor::Tmux) {
        for problem in &answer.problems {
            self.warn(problem);
        }
        if let Some(features) = &answer.features {
            let (env, overrides) = (self.env.clone(), super::start::overrides(&self.settings()));
            self.capabilities.tmux_features(features, overrides, |name| env.var(name).map(str::to_owned));
            let had_images = self.capabilities.images.is_some();
            self.capabilities
                .tmux_images(answer.passes, &answer.terminal, overrides, |name| env.var(name).map(str::to_owned));
            if self.capabilities.images.is_some() && !had_images {
                self.screen.terminal.ask(&[Question::CellSize]);
            }
            self.theme_changed();
        }
    }
}
