//! Sessions that leave tau, as a page or as lines, and lines that come in.
//!
//! A page shows every entry of the tree; lines hold one branch. Neither asks the network for anything.

mod html;
mod import;
mod write;

use std::io;
use std::path::{Path, PathBuf};

use tau_session::{Session, SessionError};

pub use html::{HtmlOptions, ToolInfo, export_html};
pub use import::Import;

/// Why a session could not be exported or imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// There is no message yet.
    #[error("Nothing to export yet - start a conversation first")]
    Nothing,
    /// The file to be read is not there.
    #[error("File not found: {}", .0.display())]
    NotFound(PathBuf),
    /// The file to be written is the session's own.
    #[error("{} is the session's own file; choose another one", .0.display())]
    OwnFile(PathBuf),
    /// The file to be written holds another session, which would be lost.
    #[error("{} holds another session; choose another file", .0.display())]
    OtherSession(PathBuf),
    /// The file system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb phrase.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The session file cannot be read, or is none.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// Writes `session` to `path`: its branch as lines where the name ends in `.jsonl`, else a page with everything. Missing
/// folders are made, and a file that is there is replaced in one step; `own`, the file the session lives in, is not, nor is
/// the file of another session.
///
/// # Errors
/// When the session has no message and a page is asked for, when `path` is `own` or holds another session, and when the file
/// cannot be written.
pub fn export_to(session: &Session, path: &Path, own: Option<&Path>, options: &HtmlOptions) -> Result<(), ExportError> {
    if own.is_some_and(|own| write::is_same_file(own, path)) {
        return Err(ExportError::OwnFile(path.to_owned()));
    }
    if write::session_in(path).is_some_and(|id| id != session.id()) {
        return Err(ExportError::OtherSession(path.to_owned()));
    }
    let text = if path.extension().is_some_and(|extension| extension == "jsonl") {
        session.branch_jsonl()?
    } else if has_message(session) {
        export_html(session, options)
    } else {
        return Err(ExportError::Nothing);
    };
    write::replace(path, &text)
}

/// The name of a page when none is given: that of the session's file, or its id when there is no file.
pub fn default_name(session: &Session, file: Option<&Path>) -> PathBuf {
    let stem = file.and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    format!("tau-session-{}.html", stem.unwrap_or_else(|| session.id().to_owned())).into()
}

fn has_message(session: &Session) -> bool {
    let is_message = |entry: &tau_session::Entry| entry.kind() == tau_session::EntryKind::Message;
    session.entries().iter().any(|entry| is_message(entry) && !entry.is_system())
}
