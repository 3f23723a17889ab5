//! Replacing the session and moving about in its tree: what commands may ask of the session as a whole.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use tau_session::Session;

use crate::context::{ActionError, Ctx};
use crate::handler::{BoxFuture, HandlerError};
use crate::payload::ForkPosition;

/// Fills a session that is about to begin, before anybody is told of it.
pub type SessionSetup = Box<dyn FnOnce(Arc<Session>) -> BoxFuture<Result<(), HandlerError>> + Send>;

/// How a new session differs from an empty one.
#[derive(Default)]
pub struct NewSessionRequest {
    /// The file that it names as the one it continues.
    pub parent_session: Option<String>,
    /// Puts entries into it.
    pub setup: Option<SessionSetup>,
}

/// What became of a wish to go on in another session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replaced {
    /// A handler stopped it; nothing has changed.
    pub cancelled: bool,
    /// The user's text at which the session was forked, for the editor.
    pub text: Option<String>,
}

impl Replaced {
    /// A handler stopped it.
    pub fn cancelled() -> Self {
        Self { cancelled: true, text: None }
    }
}

/// How to move to another place of the tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeMove {
    /// Whether the branch that is left is summarised at the place that is gone to.
    pub summarize: bool,
    /// What the summary should look at.
    pub custom_instructions: Option<String>,
    /// Whether that replaces the standard instructions.
    pub replace_instructions: bool,
    /// A bookmark for the summary, or for the target when there is none.
    pub label: Option<String>,
}

/// What became of a wish to move in the tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TreeMoved {
    /// A handler or the user stopped it; the place is the one of before.
    pub cancelled: bool,
    /// Somebody stopped the model while it wrote the summary.
    pub aborted: bool,
    /// The chosen text of the user, which is in front of the new place: for the editor.
    pub editor_text: Option<String>,
    /// The summary as it is in the session.
    pub summary_entry: Option<Value>,
}

impl Ctx {
    /// Goes on in a new session. What is under way is stopped, extensions written in a script language begin anew, and
    /// their contexts of before are stale; those of native extensions show the new session.
    ///
    /// # Errors
    /// In an event handler, as [`Ctx::wait_for_idle`]; when the session file cannot be made.
    pub async fn new_session(&self, request: NewSessionRequest) -> Result<Replaced, ActionError> {
        self.in_command("newSession")?.new_session(request).await
    }

    /// Goes on in a copy of the path to an entry, with it or up to it. Of a user message that is left out, the text is
    /// returned.
    ///
    /// # Errors
    /// As [`Ctx::new_session`]; when there is no such entry, or it is no user message and should be left out.
    pub async fn fork(&self, entry_id: &str, position: ForkPosition) -> Result<Replaced, ActionError> {
        self.in_command("fork")?.fork(entry_id, position).await
    }

    /// Goes on with the session in a file, in that session's working directory.
    ///
    /// # Errors
    /// As [`Ctx::new_session`]; when the file is no session, or its working directory is gone.
    pub async fn switch_session(&self, path: &Path) -> Result<Replaced, ActionError> {
        self.in_command("switchSession")?.switch_session(path).await
    }

    /// Goes on at another place of the tree.
    ///
    /// # Errors
    /// In an event handler, as [`Ctx::wait_for_idle`]; while a run is under way; when there is no such entry, or the
    /// summary cannot be made.
    pub async fn navigate_tree(&self, target_id: &str, how: TreeMove) -> Result<TreeMoved, ActionError> {
        self.in_command("navigateTree")?.navigate_tree(target_id, how).await
    }
}
