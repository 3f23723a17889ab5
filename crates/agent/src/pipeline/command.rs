//! Stage 1: commands of extensions.

use std::sync::Arc;

use crate::session::AgentSession;

impl AgentSession {
    /// Runs an extension's command if the text is one. The name ends at the first space; the rest is the argument,
    /// verbatim. No event fires, and a run that is under way goes on.
    pub(crate) async fn extension_command(self: &Arc<Self>, text: &str) -> bool {
        let Some(line) = text.strip_prefix('/') else { return false };
        let (name, args) = line.split_once(' ').unwrap_or((line, ""));
        self.hooks().run_command(name, args, self.run_signal()).await
    }
}
