//! Replacing the session and moving about in its tree: what commands may ask of the session as a whole.

use std::sync::Arc;

use serde_json::Value;
use tau_session::Session;

use crate::error::HandlerError;
use crate::future::BoxFuture;

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
