//! The steps that front ends of one session share.

use std::sync::Arc;

use tau_agent::AgentSession;
use tau_hooks::payload::SessionShutdownReason;
use tau_launch::{Configured, Prepared, Ready, Stop, Trust};

use crate::exit::{FAILURE, Reported};
use crate::{exit, output};

/// Loads everything and judges the whole command line.
pub(crate) async fn configure(prepared: Prepared) -> Result<Configured, Reported> {
    let loaded = prepared.load(Trust::Dialogs).await.map_err(|error| Reported::fail(&error))?;
    loaded.configure().await.map_err(|error| Reported(exit::usage_error(&error)))
}

/// Starts the session, with what `listens` to it from the beginning. From here on a signal ends it in order. Gives whether
/// it was started before one came; it is there in any case, and extensions may hold something that its end has to release.
pub(crate) async fn begin(
    ready: Ready,
    stop: &Stop,
    listens: impl FnOnce(&Arc<AgentSession>),
) -> Result<(Arc<AgentSession>, bool), Reported> {
    stop.watch().map_err(|error| Reported::fail(&error))?;
    let unstarted = ready.build().map_err(|error| Reported::fail(&error))?;
    let session = Arc::clone(unstarted.session());
    listens(&session);
    let is_started = stop.unless(Box::pin(unstarted.start())).await.is_some();
    Ok((session, is_started))
}

/// Ends the session; gives the exit code, with what became of standard output.
pub(crate) async fn end(session: &Arc<AgentSession>, code: u8) -> u8 {
    session.shut_down(SessionShutdownReason::Quit).await;
    session.leave_to_system();
    if output::has_failed() { FAILURE } else { code }
}
