//! The session as a file for others, and files of others as sessions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tau_hooks::payload::{SessionStartReason, SwitchReason};
use tau_hooks::{HostView as _, Replaced};
use tau_session::session_dir_for;

use super::AgentSession;
use super::replace::{Next, ReplaceError};
use crate::aside::aside;
use crate::export::{ExportError, HtmlOptions, Import, ToolInfo, default_name, export_to};
use crate::session::replace::replace;
use crate::session::switch::{env_at, session_dir, switch_is_cancelled};

/// Why a session file was not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] ExportError),
    /// The session cannot be replaced.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
}

impl AgentSession {
    /// Writes the session to a file and gives its path: this branch as lines where `path` ends in `.jsonl`, else a page
    /// with everything. Without a path the page gets a name of its own in the working directory; a path begins there,
    /// and `~` is the home directory.
    ///
    /// # Errors
    /// When there is nothing to export, and when the file cannot be written.
    pub fn export(&self, path: Option<PathBuf>) -> Result<PathBuf, ExportError> {
        let session = self.parts.conversation.session();
        let path = path.unwrap_or_else(|| default_name(&session, session.file()));
        let path = self.parts.conversation.env().resolve(&path.to_string_lossy(), &self.parts.conversation.cwd());
        let active = self.active_tools();
        let tools = self.all_tools().into_iter().filter(|tool| active.contains(&tool.name));
        let options = HtmlOptions {
            system_prompt: Some(self.system_prompt()),
            tools: tools.map(|tool| ToolInfo { name: tool.name, description: tool.description }).collect(),
        };
        export_to(&session, &path, session.file(), &options)?;
        Ok(path)
    }

    /// Goes on with a copy of a session file from elsewhere, in the directory of the session, or, if that is wanted, in
    /// this one. A path begins in the working directory. Handlers of `session_before_switch` are told where the copy will
    /// be; when one of them says no, there is none.
    ///
    /// # Errors
    /// When the file is not there, is no session file, or cannot be copied; when its directory is gone, or the session
    /// cannot be replaced. Then nothing has changed and there is no copy.
    pub(crate) async fn import_session(self: &Arc<Self>, source: &Path, here: bool) -> Result<Replaced, ImportError> {
        let live = self.live();
        let _changing = self.parts.lifecycle.changing.lock().await;
        let cwd = self.parts.conversation.cwd();
        let source = self.parts.conversation.env().resolve(&source.to_string_lossy(), &cwd);
        let folder = session_dir(&self.parts)
            .unwrap_or_else(|| session_dir_for(&self.parts.conversation.env().agent_dir(), &cwd));
        let import = aside(move || Import::plan(&source, &folder, here.then_some(&*cwd))).await?;
        let env = env_at(&self.parts, import.cwd(), Some(import.target()))?;
        if switch_is_cancelled(&live, SwitchReason::Resume, Some(import.target())).await {
            return Ok(Replaced::cancelled());
        }
        let copies = import.copies();
        let session = aside(move || import.open()).await?;
        let copy = session.file().filter(|_| copies).map(Path::to_owned);
        let done = replace(&live, Next { env, ..Next::new(session, SessionStartReason::Resume) }).await;
        if let (Err(ReplaceError::Busy | ReplaceError::ShuttingDown), Some(copy)) = (&done, copy) {
            // The session of before stays open; nobody asked for another file.
            if let Err(error) = std::fs::remove_file(&copy) {
                tracing::warn!(file = %copy.display(), %error, "a copy that nobody needs stays");
            }
        }
        Ok(done.map(|()| Replaced::default())?)
    }
}
