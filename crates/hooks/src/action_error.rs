//! Why an extension could not do something.

use std::sync::Arc;

/// Why an action was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ActionError {
    /// The extension is still being registered.
    #[error("Extension runtime not initialized. Action methods cannot be called during extension loading.")]
    Loading,
    /// The session this context belonged to is gone.
    #[error(
        "This extension ctx is stale after session replacement or reload. What was kept from before (pi, ctx) ends \
         there: after newSession, fork and switchSession go on in withSession, with the ctx it is given; after reload a \
         command has nothing left to do."
    )]
    Stale,
    /// The extension failed to load, so nothing it kept may act.
    #[error("Extension \"{0}\" failed to load and its API is no longer active.")]
    FailedToLoad(Arc<str>),
    /// Waiting here would wait for the caller itself.
    #[error("`{0}` cannot be used in an event handler: the session waits for the handler, so it would wait for itself")]
    WouldDeadlock(&'static str),
    /// Anything else.
    #[error("{0}")]
    Refused(String),
}
