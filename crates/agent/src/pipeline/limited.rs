//! What extensions are asked beside events, which has no clock of its own.

use std::future::Future;

use tau_hooks::HandlerError;
use tau_hooks::table::Deadline;

use crate::parts::Parts;

/// Waits for something of an extension for as long as a handler that decides may take.
///
/// # Errors
/// When it takes longer. The future is dropped then, which stops a script.
pub(crate) async fn within_limit<T>(parts: &Parts, work: impl Future<Output = T>) -> Result<T, HandlerError> {
    match parts.hooks.dispatcher.limit(Deadline::Decide, parts.mode) {
        Some(limit) => tokio::time::timeout(limit, work).await.map_err(|_| Deadline::Decide.passed(limit)),
        None => Ok(work.await),
    }
}
