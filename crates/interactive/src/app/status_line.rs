//! The line below the footer that a command of the user writes.

use super::App;
use crate::status_line;
use crate::told::Told;
use tau_agent::settings::keys;

impl App {
    /// Runs the command again, if there is one and it would be given something new.
    pub(super) fn refresh_status_line(&mut self) {
        let Some(session) = self.session.clone() else { return };
        let settings = self.settings();
        let dock = &mut self.dock;
        let env = self.env.clone();
        let wanted = self.status_line.wants(settings.of(keys::STATUS_LINE), || dock.state(&session, &env));
        let Some((command, state)) = wanted else { return };
        let teller = self.teller.clone();
        self.tasks.spawn(async move {
            let said = status_line::run(command, state, &env).await;
            teller.tell(Told::StatusLine(said));
        });
    }

    /// Takes what the command said.
    pub(super) fn status_line_said(&mut self, said: Result<String, String>) {
        let (failure, looks_again) = self.status_line.ended(said);
        self.dock.status_line.clone_from(&self.status_line.text);
        if let Some(why) = failure {
            self.warn(&format!("The command of `tau.statusLine` failed: {why}"));
        }
        if looks_again {
            self.refresh_status_line();
        }
    }
}
