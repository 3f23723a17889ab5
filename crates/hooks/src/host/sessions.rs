//! How an extension may open other sessions.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;

use super::children::{ChildError, ChildRequest, ChildSession};
use super::view::HostView;
use crate::action_error::ActionError;
use crate::owner::Owner;
use crate::payload::ForkPosition;
use crate::replace::{NewSessionRequest, Replaced, TreeMove, TreeMoved};

/// How an extension may open another session, or another place of this one.
#[async_trait]
pub trait HostSessions: HostView {
    /// Goes on in a new session.
    async fn new_session(&self, _: NewSessionRequest) -> Result<Replaced, ActionError> {
        Err(ActionError::Refused("sessions cannot be replaced here".to_owned()))
    }
    /// Goes on in a copy of the path to an entry.
    async fn fork(&self, _: &str, _: ForkPosition) -> Result<Replaced, ActionError> {
        Err(ActionError::Refused("sessions cannot be forked here".to_owned()))
    }
    /// Goes on with the session in a file.
    async fn switch_session(&self, _: &Path) -> Result<Replaced, ActionError> {
        Err(ActionError::Refused("sessions cannot be replaced here".to_owned()))
    }
    /// Goes on at another place of the tree.
    async fn navigate_tree(&self, _: &str, _: TreeMove) -> Result<TreeMoved, ActionError> {
        Err(ActionError::Refused("there is no way around the tree here".to_owned()))
    }
    /// Opens a session that works for this one, for the extension that asks.
    async fn open_child(&self, _: ChildRequest, _: Arc<Owner>) -> Result<Arc<dyn ChildSession>, ChildError> {
        Err(ChildError::Unavailable)
    }
}
