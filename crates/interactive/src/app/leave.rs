//! The end.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use tau_agent::settings::Layer;

use super::App;
use crate::end::{End, end_session};

/// How long the terminal may take for the last bytes.
const PATIENCE: Duration = Duration::from_secs(1);

impl App {
    /// Gives the terminal back, then ends the session. `says` how to go on with it.
    pub(super) async fn leave(mut self, says: bool) -> End {
        self.kept.write_now(&self.editor.text(), &self.env);
        self.chat.finish_all(&mut self.screen.transcript);
        self.chat.give_up_pictures(&mut self.screen.transcript);
        self.finish_screen();
        self.tell_idle();
        let Self { screen, session, tasks, back_end, .. } = self;
        screen.terminal.close(PATIENCE).await;
        // Nobody can answer any more: who asks during the end learns that at once.
        drop(back_end);
        let Some(session) = session else { return End::Own(0) };
        end_session(&session, &tasks).await;
        if says && let Some(line) = hint(&session) {
            // A terminal that is gone reads nothing.
            if writeln!(std::io::stdout().lock(), "{line}").is_err() {
                tracing::debug!("standard output is gone");
            }
        }
        End::Own(0)
    }
}

/// How to go on with a session, if there is something in its file.
pub(crate) fn hint(session: &tau_agent::AgentSession) -> Option<String> {
    let open = session.session();
    let file = open.file().filter(|file| file.exists())?;
    let folder = match file.parent().filter(|folder| !is_usual(session, folder)) {
        Some(folder) => format!(" --session-dir {}", folder.display()),
        None => String::new(),
    };
    Some(format!("To resume this session: tau{folder} --session {}", open.id()))
}

/// Whether sessions in this folder are found without naming it.
fn is_usual(session: &tau_agent::AgentSession, folder: &Path) -> bool {
    let settings = session.settings().snapshot();
    folder.starts_with(settings.paths().base(Layer::Global).join("sessions"))
        || settings.session_dir().is_some_and(|usual| usual == folder)
}
