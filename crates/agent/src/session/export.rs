//! The session as a file for others, and files of others as sessions.

use std::path::{Path, PathBuf};

use tau_hooks::Host as _;
use tau_session::session_dir_for;

use super::AgentSession;
use crate::export::{ExportError, HtmlOptions, ToolInfo, default_name, export_to, import_file};

impl AgentSession {
    /// Writes the session to a file and gives its path: this branch as lines where `path` ends in `.jsonl`, else a page
    /// with everything. Without a path the page gets a name of its own in the working directory; a path begins there,
    /// and `~` is the home directory.
    ///
    /// # Errors
    /// When there is nothing to export, and when the file cannot be written.
    pub fn export(&self, path: Option<PathBuf>) -> Result<PathBuf, ExportError> {
        let session = self.session();
        let path = path.unwrap_or_else(|| default_name(&session, session.file()));
        let path = self.env().resolve(&path.to_string_lossy(), &self.cwd());
        let active = self.active_tools();
        let tools = self.all_tools().into_iter().filter(|tool| active.contains(&tool.name));
        let options = HtmlOptions {
            system_prompt: Some(self.system_prompt()),
            tools: tools.map(|tool| ToolInfo { name: tool.name, description: tool.description }).collect(),
        };
        export_to(&session, &path, session.file(), &options)?;
        Ok(path)
    }

    /// Copies a session file into the folder of this session's file and gives the path of the copy, which can then be
    /// switched to. A path begins in the working directory.
    ///
    /// # Errors
    /// When the file is not there, is no session file, or cannot be copied.
    pub fn prepare_import(&self, source: &Path) -> Result<PathBuf, ExportError> {
        let source = self.env().resolve(&source.to_string_lossy(), &self.cwd());
        let session = self.session();
        let folder = session.file().and_then(Path::parent).map(Path::to_owned);
        import_file(&source, &folder.unwrap_or_else(|| session_dir_for(&self.env().agent_dir(), &self.cwd())))
    }
}
