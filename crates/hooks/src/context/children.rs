//! Opening child sessions from a handler, a command or a tool.

use std::sync::Arc;

use super::Ctx;
use crate::host::{ChildError, ChildInfo, ChildRequest, ChildSession};

impl Ctx {
    /// Opens a session that works for this one. It passes every gate of this session and of those above, has no more
    /// rights, and ends with this session, with this extension, or with the run that is under way if that is aborted.
    ///
    /// # Errors
    /// See [`ChildError`].
    pub async fn open_child(&self, request: ChildRequest) -> Result<Arc<dyn ChildSession>, ChildError> {
        self.check()?;
        self.host().open_child(request, Arc::clone(self.owner())).await
    }

    /// What this session is called and where it stands, when another one opened it. A gate learns by this that a call is
    /// one of a child.
    pub fn child(&self) -> Option<ChildInfo> {
        self.host().child()
    }
}
