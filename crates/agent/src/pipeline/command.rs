//! Stage 1: commands of extensions.

use std::sync::Arc;

use crate::session::AgentSession;

impl AgentSession {
    /// Runs an extension's command if the text is one. The name ends at the first space; the rest is the argument,
    /// verbatim. No event fires, and a run that is under way goes on.
    pub(crate) async fn extension_command(self: &Arc<Self>, text: &str) -> bool {
        let Some((name, args)) = parts(text) else { return false };
        self.hooks().run_command(name, args, self.run_signal()).await
    }
    /// The extension's command that the text is, if any.
    pub fn extension_command_name(&self, text: &str) -> Option<String> {
        let (name, _) = parts(text)?;
        self.hooks().commands().into_iter().map(|entry| entry.name).find(|known| known == name)
    }
}

fn parts(text: &str) -> Option<(&str, &str)> {
    let line = text.strip_prefix('/')?;
    Some(line.split_once(' ').unwrap_or((line, "")))
}
