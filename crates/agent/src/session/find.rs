//! Which session file a text means.

use std::path::{Path, PathBuf};

use tau_session::{find_sessions, session_dirs};

use super::AgentSession;
use crate::session::switch::session_dir;
use crate::settings::Environment;

/// A session file that a text means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundSession {
    /// It is a path; there may be no file.
    Path(PathBuf),
    /// The id, or its beginning, of a session beside the others of this directory.
    Here(PathBuf),
    /// The same of another project.
    Elsewhere(PathBuf),
}

impl FoundSession {
    /// The file.
    pub fn into_path(self) -> PathBuf {
        match self {
            Self::Path(path) | Self::Here(path) | Self::Elsewhere(path) => path,
        }
    }
}

/// Why a text means no session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FindSessionError {
    /// No session has such an id.
    #[error("No session found matching '{0}'")]
    NoMatch(String),
    /// Several do.
    #[error("Several sessions match '{text}': {}. Give more of the id.", ids.join(", "))]
    Ambiguous {
        /// The text.
        text: String,
        /// Their ids.
        ids: Vec<String>,
    },
}

/// Finds the session that `text` means: a path, or the beginning of an id, first in `dir` and then in all projects.
///
/// # Errors
/// When no session or more than one has such an id.
pub fn find_session(text: &str, env: &Environment, dir: &Path) -> Result<FoundSession, FindSessionError> {
    let path = env.resolve(text, &env.cwd);
    if text.contains(['/', '\\']) || text.ends_with(".jsonl") || path.is_file() {
        return Ok(FoundSession::Path(path));
    }
    if let Some(found) = only(find_sessions(&[dir.to_owned()], text), text)? {
        return Ok(FoundSession::Here(found));
    }
    let all = find_sessions(&session_dirs(&env.agent_dir()), text);
    let no_match = || FindSessionError::NoMatch(text.to_owned());
    only(all, text)?.map(FoundSession::Elsewhere).ok_or_else(no_match)
}

fn only(mut found: Vec<(PathBuf, String)>, text: &str) -> Result<Option<PathBuf>, FindSessionError> {
    if found.len() > 1 {
        let ids = found.into_iter().map(|(_, id)| id).collect();
        return Err(FindSessionError::Ambiguous { text: text.to_owned(), ids });
    }
    Ok(found.pop().map(|(path, _)| path))
}

impl AgentSession {
    /// As [`find_session`], beside the session that is open.
    ///
    /// # Errors
    /// As [`find_session`].
    pub fn find_session(&self, text: &str) -> Result<FoundSession, FindSessionError> {
        find_session(text, &self.parts.conversation.env(), &session_dir(&self.parts).unwrap_or_default())
    }
}
