//! Tools that come late, such as those of servers that are still being connected: who calls or looks for tools waits for
//! them here, once its own call was let through.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
pub use tau_tools::Reach;
use tokio_util::sync::CancellationToken;

use crate::action_error::ActionError;
use crate::api::Api;
use crate::extension::Registrar;
use crate::future::BoxFuture;
pub use crate::missing_tools::MissingTools;
use crate::registry::Hooks;
use crate::report::Report;

/// Waits until the tools that are needed are there, or cannot be; gives what is missing. Ends early when the token fires.
pub type LateTools = Arc<dyn Fn(Reach, CancellationToken) -> BoxFuture<Vec<MissingTools>> + Send + Sync>;

/// What an extension whose tools come late says of them.
#[derive(Clone)]
pub(crate) struct Late {
    /// Whether some may still come.
    expects: Arc<dyn Fn() -> bool + Send + Sync>,
    wait: LateTools,
}

impl Registrar {
    /// Tools of this extension come after it was loaded: `expects` says whether this session has some, and `wait` waits for
    /// those that somebody needs. It must end by itself when they do not come.
    pub fn late_tools<F, Fut>(&mut self, expects: impl Fn() -> bool + Send + Sync + 'static, wait: F) -> &mut Self
    where
        F: Fn(Reach, CancellationToken) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Vec<MissingTools>> + Send + 'static,
    {
        let wait: LateTools = Arc::new(move |reach, cancel| Box::pin(wait(reach, cancel)));
        self.staged.offers.late_tools = Some(Late { expects: Arc::new(expects), wait });
        self
    }
}

impl Api {
    /// Waits for tools that come late, of all extensions at once; gives what is missing. One that fails is reported, and
    /// nobody waits for it.
    ///
    /// # Errors
    /// When the session is gone.
    pub async fn late_tools(&self, reach: Reach, cancel: CancellationToken) -> Result<Vec<MissingTools>, ActionError> {
        let hooks = self.hooks()?;
        let all = hooks.all_of(|registered| registered.offers.late_tools.as_slice());
        let waits = all.into_iter().map(|(owner, Late { wait, .. })| {
            let (reach, cancel, hooks) = (reach.clone(), cancel.clone(), Arc::clone(&hooks));
            async move {
                let waited = AssertUnwindSafe(async { wait(reach, cancel).await }).catch_unwind().await;
                waited.unwrap_or_else(|panic| {
                    let text = crate::dispatch::panicked(panic).to_string();
                    let report = Report::diagnostic(Arc::clone(&owner.path), "late_tools", text);
                    hooks.dispatcher.reports.send(&report);
                    Vec::new()
                })
            }
        });
        let missing = cancel.run_until_cancelled(futures_util::future::join_all(waits)).await;
        Ok(missing.unwrap_or_default().into_iter().flatten().collect())
    }

    /// All tools that come late are there, except those of these groups. What the user says about tools is checked then.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn late_tools_came(&self, missing: &[MissingTools]) -> Result<(), ActionError> {
        self.host()?.late_tools_came(missing);
        Ok(())
    }
}

impl Hooks {
    /// Whether tools may come after a session started.
    pub fn expects_late_tools(&self) -> bool {
        self.all_of(|registered| registered.offers.late_tools.as_slice()).iter().any(|(_, late)| (late.expects)())
    }
}
