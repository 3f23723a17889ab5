//! A panic of tau's own code as an error: a defect, but no reason to lose the session or to leave somebody waiting.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use tokio::task::JoinError;

/// Part of tau panicked while it worked on something; holds what the panic said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("tau crashed: {0}. This is a bug in tau. The session is kept up to this point; you can continue it.")]
pub struct Crash(String);

impl Crash {
    /// From what was caught.
    pub(crate) fn of(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Self(text.unwrap_or("a panic without a message").to_owned())
    }

    /// Panics again, on the task that the panic is meant to end. The hook for panics has seen it already.
    pub(crate) fn resume(self) -> ! {
        std::panic::resume_unwind(Box::new(self.0))
    }

    /// From the end of a task; `None` when the task was cancelled because the program ends.
    pub(crate) fn of_task(error: JoinError) -> Option<Self> {
        error.try_into_panic().ok().map(|panic| Self::of(panic.as_ref()))
    }

    /// What the user reads when it happened in code of an extension.
    pub(crate) fn of_extension(&self) -> String {
        format!("crashed: {}", self.0)
    }

    /// What the user reads when it happened in the code that speaks to a provider.
    pub(crate) fn of_provider(&self, api: &str) -> String {
        format!("The code for the wire format \"{api}\" crashed: {}", self.0)
    }
}

/// Waits for `work`; a panic in it is an error.
pub(crate) async fn guarded<T>(work: impl Future<Output = T>) -> Result<T, Crash> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|panic| Crash::of(panic.as_ref()))
}
