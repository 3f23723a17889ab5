//! How the bash tool starts its commands.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::FutureExt;
use tau_tools::OpError;
use tau_tools::bash::{BashExec, BashExecError, BashOperations};

use crate::dispatch::panicked;
use crate::error::HandlerError;
use crate::events::EventId;
use crate::extension::Registrar;
use crate::owner::Owner;
use crate::registry::Hooks;

/// The gate that whoever changes the start of commands holds.
pub(crate) const GATE: EventId = EventId::ToolCall;

/// Makes another way to run commands of the one that is there. Called for each command.
pub type BashWrapper =
    Arc<dyn Fn(Arc<dyn BashOperations>) -> Result<Arc<dyn BashOperations>, HandlerError> + Send + Sync>;

impl Registrar {
    /// Changes how the bash tool starts its commands, as a sandbox does: `wrap` gets the way that is there and gives another
    /// one, which may call it, with another command, directory or environment, or not at all. Several wrap each other in
    /// load order; the last one is asked first.
    ///
    /// What it does is a gate: when it fails or panics, the command does not run, and while the extension that registered it
    /// is missing, tool calls are blocked. Commands that the user types with `!` do not pass it.
    pub fn wrap_bash(
        &mut self,
        wrap: impl Fn(Arc<dyn BashOperations>) -> Result<Arc<dyn BashOperations>, HandlerError> + Send + Sync + 'static,
    ) -> &mut Self {
        self.staged.offers.bash_wrappers.push(Arc::new(wrap));
        self
    }
}

/// The way in which the bash tool runs a command, starting from its own. Without wrappers it is that one.
///
/// In a child session those of the sessions above count, too: they are nearer to the command, so they see it as the child's
/// own left it.
pub fn wrap_bash(hooks: &Hooks, own: Arc<dyn BashOperations>) -> Arc<dyn BashOperations> {
    let above = match hooks.parents() {
        Ok(above) => above,
        Err(closed) => return Arc::new(Refusing(closed.reason())),
    };
    let sessions = || above.iter().rev().map(|hooks| &**hooks).chain([hooks]);
    if sessions().any(|hooks| hooks.dispatcher.lacks_guard(GATE)) {
        return Arc::new(Refusing("Blocked: an extension that guards commands is not loaded".to_owned()));
    }
    let wrappers = |hooks: &Hooks| hooks.all_of(|registered| &registered.offers.bash_wrappers);
    // A child's own might never ask those above, so when one of these fails nothing is asked.
    match above.iter().rev().flat_map(|hooks| wrappers(hooks)).try_fold(own, wrap_by) {
        Ok(inner) => wrappers(hooks)
            .into_iter()
            .fold(inner, |inner, wrapper| wrap_by(inner, wrapper).unwrap_or_else(|why| Arc::new(Refusing(why)))),
        Err(why) => Arc::new(Refusing(why)),
    }
}

/// One way around another; why nothing may run when there is none.
fn wrap_by(
    inner: Arc<dyn BashOperations>,
    (owner, wrap): (Arc<Owner>, BashWrapper),
) -> Result<Arc<dyn BashOperations>, String> {
    match std::panic::catch_unwind(AssertUnwindSafe(|| wrap(inner))) {
        Ok(Ok(operations)) => Ok(Arc::new(Wrapped { owner, operations })),
        Ok(Err(error)) => Err(blocked(&owner, &error)),
        Err(panic) => Err(blocked(&owner, &panicked(panic))),
    }
}

fn blocked(owner: &Owner, error: &HandlerError) -> String {
    format!("Blocked: extension {} could not start the command: {error}", owner.path)
}

/// What an extension made, named when it fails.
struct Wrapped {
    owner: Arc<Owner>,
    operations: Arc<dyn BashOperations>,
}

#[async_trait]
impl BashOperations for Wrapped {
    async fn exec(&self, command: &str, cwd: &Path, exec: BashExec) -> Result<Option<i32>, BashExecError> {
        let running = AssertUnwindSafe(async { self.operations.exec(command, cwd, exec).await });
        match running.catch_unwind().await {
            Ok(done) => done,
            Err(panic) => Err(OpError::new(blocked(&self.owner, &panicked(panic))).into()),
        }
    }
}

/// Runs nothing.
struct Refusing(String);

#[async_trait]
impl BashOperations for Refusing {
    async fn exec(&self, _: &str, _: &Path, _: BashExec) -> Result<Option<i32>, BashExecError> {
        Err(OpError::new(self.0.clone()).into())
    }
}
