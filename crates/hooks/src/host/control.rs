//! How an extension may steer what is going on.

use async_trait::async_trait;

use super::requests::CompactCallback;
use super::view::HostView;
use crate::action_error::ActionError;

/// How an extension may steer what is going on in a session.
#[async_trait]
pub trait HostControl: HostView {
    /// Stops the run; does not wait.
    fn abort(&self);
    /// Compacts the conversation in the background, which aborts the run that is under way. `instructions` say what the
    /// summary should look at.
    fn compact(&self, instructions: Option<String>, done: CompactCallback) {
        let _ = instructions;
        done(Err("conversations cannot be compacted here".to_owned()));
    }
    /// Ends the program once the run is over.
    fn shutdown(&self);
    /// Waits until nothing is under way or queued.
    async fn wait_for_idle(&self) -> Result<(), ActionError>;
    /// Loads the extensions again, with settings and resources as they are on the disk now. What was loaded before is
    /// gone afterwards.
    async fn reload(&self) -> Result<(), ActionError> {
        Err(ActionError::Refused("extensions cannot be loaded again here".to_owned()))
    }
}
