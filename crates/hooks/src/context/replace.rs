//! What commands may ask of the session as a whole.

use std::path::Path;

use super::Ctx;
use crate::action_error::ActionError;
use crate::payload::ForkPosition;
use crate::replace::{NewSessionRequest, Replaced, TreeMove, TreeMoved};

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
