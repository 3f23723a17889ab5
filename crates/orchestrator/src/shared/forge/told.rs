//! Notices of failures.

use std::sync::atomic::{AtomicBool, Ordering};

use tau_hooks::Api;
use tau_hooks::dialogs::NotifyLevel;
use tokio_util::sync::CancellationToken;

use super::{ForgeError, Place};

/// Tells of the first of several failures in a row.
#[derive(Debug, Default)]
pub struct Told(AtomicBool);

impl Told {
    /// The forge answered.
    pub fn worked(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// It did not: `what` is missing for that.
    pub fn failed(&self, api: &Api, place: &Place, what: &str, error: &ForgeError) {
        let is_quiet = match error {
            ForgeError::Disabled { .. } | ForgeError::Ended => true,
            // A host without a login is probably no GitHub.
            ForgeError::Missing | ForgeError::SignedOut { .. } => !place.is_github(),
            ForgeError::TimedOut { .. } | ForgeError::Failed { .. } | ForgeError::Unreadable { .. } => false,
        };
        if is_quiet || self.0.swap(true, Ordering::Relaxed) {
            tracing::debug!(%error, what, "not suggested");
            return;
        }
        match api.ctx(CancellationToken::new(), false) {
            Ok(ctx) => ctx.ui().notify(&format!("{what} are not suggested: {error}"), NotifyLevel::Warning),
            Err(gone) => tracing::debug!(%error, %gone, "the session is gone, so no notice is shown"),
        }
    }
}
