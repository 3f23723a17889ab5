//! What the module remembers.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Ctx, HandlerError, StateError, StateFile, StateScope};

/// Changes a value that is remembered for the user, and gives what `change` gives. Several sessions take turns. A file that
/// nobody can understand is moved away, with a notice, and a new one begun.
pub(super) async fn change<T, R>(
    ctx: &Ctx,
    name: &str,
    change: impl Fn(&mut T) -> R + Clone + Send + 'static,
) -> Result<R, HandlerError>
where
    T: Serialize + DeserializeOwned + Default + Send + 'static,
    R: Send + 'static,
{
    let file: StateFile<T> = ctx.api()?.state(StateScope::User)?.file(name)?;
    let (text, moved) = match changed(file.clone(), change.clone()).await? {
        Ok(done) => return Ok(done),
        Err(error @ StateError::Malformed { .. }) => {
            let damaged = file.clone();
            let moved = tokio::task::spawn_blocking(move || match damaged.read() {
                // Another session was faster.
                Ok(_) => Ok(None),
                Err(_) => damaged.set_aside().map(Some),
            });
            (error.to_string(), moved.await.map_err(HandlerError::msg)??)
        }
        Err(error) => return Err(error.into()),
    };
    if let Some(moved) = moved {
        let text = format!("{text}. It is {} now, and tau begins a new one.", moved.display());
        ctx.ui().notify(&tau_view::untrusted::plain(&text), NotifyLevel::Warning);
    }
    Ok(changed(file, change).await??)
}

async fn changed<T, R>(
    file: StateFile<T>,
    change: impl FnOnce(&mut T) -> R + Send + 'static,
) -> Result<Result<R, StateError>, HandlerError>
where
    T: Serialize + DeserializeOwned + Default + Send + 'static,
    R: Send + 'static,
{
    let work = move || {
        let mut given = None;
        let done = file.update(|value| given = Some(change(value)));
        done.map(|_| given)
    };
    match tokio::task::spawn_blocking(work).await.map_err(HandlerError::msg)? {
        Ok(Some(given)) => Ok(Ok(given)),
        Ok(None) => Err(HandlerError::msg("a state was not changed; this is a defect of tau, please report it")),
        Err(error) => Ok(Err(error)),
    }
}
