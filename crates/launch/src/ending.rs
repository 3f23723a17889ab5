//! The end of a session, however far its start got.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tau_agent::extensions::Extensions;
use tau_hooks::Hooks;

/// How long the end waits for whatever runs extensions.
const PATIENCE: Duration = Duration::from_secs(2);

/// What has to end with a session, also with one that never began.
#[derive(Clone)]
pub struct Ending {
    pub(crate) hooks: Arc<Hooks>,
    /// Set when extensions are loaded.
    pub(crate) extensions: Arc<OnceLock<Arc<Extensions>>>,
}

impl Ending {
    /// Ends what extensions started, so that it does not outlive the session. A session that was shut down has done it
    /// already.
    pub async fn end(&self) {
        if let Some(extensions) = self.extensions.get() {
            extensions.shut_down(PATIENCE).await;
        }
    }

    /// The exit code of a program that ends with the session: extensions may want another one than `own`.
    pub fn code(&self, own: u8) -> u8 {
        self.hooks.exit.code(own)
    }
}
