//! How the program ends.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tau_agent::AgentSession;
use tau_hooks::payload::SessionShutdownReason;
use tokio_util::task::TaskTracker;

/// How long what is under way may take at the end.
const PATIENCE: Duration = Duration::from_secs(1);

/// How the program ends.
pub(crate) enum End {
    /// With this code, unless an extension wants another one.
    Own(u8),
    /// With this code: there was no session.
    Failed(u8),
    /// As after the signal of a hang-up: the terminal is gone.
    HungUp,
}

/// Waits until somebody asks for the end, and then until nothing is under way.
pub(crate) async fn is_wanted(session: Option<Arc<AgentSession>>) {
    let Some(session) = session else { return pending().await };
    session.exit_requested().cancelled().await;
    session.wait_until_idle().await;
}

/// Stops what is under way and ends the session.
pub(crate) async fn end_session(session: &Arc<AgentSession>, tasks: &TaskTracker) {
    session.abort();
    session.abort_bash();
    session.shut_down(SessionShutdownReason::Quit).await;
    session.leave_to_system();
    tasks.close();
    if tokio::time::timeout(PATIENCE, tasks.wait()).await.is_err() {
        tracing::debug!("a task is not over at the end");
    }
}
