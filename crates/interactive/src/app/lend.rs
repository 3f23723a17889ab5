//! The terminal for others: the shell while tau is stopped, and the user's own editor.

use std::path::Path;

use super::App;
use tau_agent::settings::keys;

impl App {
    /// Gives the terminal away, if a key asked for that.
    pub(super) async fn lend_if_wanted(&mut self) {
        if std::mem::take(&mut self.suspends) {
            self.suspend().await;
        }
        if std::mem::take(&mut self.edits_outside) {
            self.edit_outside().await;
        }
    }

    /// Stops the program, as ctrl+z does, until it is continued.
    pub(super) async fn suspend(&mut self) {
        self.screen.leave();
        if let Err(error) = self.screen.terminal.suspend().await {
            self.error(&format!("tau cannot be stopped: {error}"));
        }
        self.screen.begin_again();
    }

    /// Has the text of the editor, or of the question in its place, edited by the user's own editor.
    async fn edit_outside(&mut self) {
        let settings = self.settings();
        let named = settings.of(keys::EXTERNAL_EDITOR).map(str::to_owned);
        let named =
            named.or_else(|| ["VISUAL", "EDITOR"].iter().find_map(|name| self.env.var(name).map(str::to_owned)));
        let command = named.unwrap_or_else(|| "nano".to_owned());
        let folder = match tempfile::tempdir() {
            Ok(folder) => folder,
            Err(error) => return self.error(&format!("there is no place for the text: {error}")),
        };
        let file = folder.path().join("prompt.md");
        let (is_answer, text) = match self.panels.text() {
            Some(text) => (true, text),
            None => (false, self.editor.text()),
        };
        if let Err(error) = std::fs::write(&file, text) {
            return self.error(&format!("{}: {error}", file.display()));
        }
        self.screen.leave();
        let done = self.screen.terminal.lend(run(&command, &file, &self.env.cwd)).await;
        self.screen.begin_again();
        match done.and_then(|()| std::fs::read_to_string(&file).map_err(|error| error.to_string())) {
            Ok(text) if is_answer => self.panels.set_text(text.trim_end_matches('\n')),
            Ok(text) => {
                self.editor.set_text(text.trim_end_matches('\n'));
                self.edited();
            }
            Err(why) => self.error(&format!("{command}: {why}; the text is as it was")),
        }
    }
}

/// Runs an editor on a file. Its command is split at spaces; no shell reads it.
async fn run(command: &str, file: &Path, cwd: &Path) -> Result<(), String> {
    let mut words = command.split_whitespace();
    let program = words.next().ok_or("no editor is named")?;
    let mut child = tokio::process::Command::new(program);
    child.args(words).arg(file).current_dir(cwd).kill_on_drop(true);
    let status = child.status().await.map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("it ended with {status}")) }
}
