//! Things that are done later, once or again and again.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;

use super::{Task, failed};
use crate::action_error::ActionError;
use crate::context::Ctx;
use crate::dispatch::panicked;
use crate::error::HandlerError;
use crate::extension::Registrar;
use crate::handler::IntoOutcome;

/// The shortest time between two rounds.
const SHORTEST: Duration = Duration::from_millis(1);

impl Registrar {
    /// Does something once, `after` so long, unless the extension is gone by then. The time begins with the session.
    pub fn after<F, Fut>(&mut self, name: &str, after: Duration, work: F) -> &mut Self
    where
        F: FnOnce(Ctx) -> Fut + Send + 'static,
        Fut: Future<Output: IntoOutcome<()>> + Send + 'static,
    {
        self.spawn(name, move |task| async move {
            if task.sleep(after).await { work(task.ctx()?).await.into_outcome().map(drop) } else { Ok(()) }
        })
    }

    /// Does something again and again, with `pause` between the end of a round and the beginning of the next, for as long
    /// as the extension is loaded. The first round begins after one pause. A round that fails or panics is reported, the
    /// same failure once in a row, and the next one begins all the same.
    pub fn every<F, Fut>(&mut self, name: &str, pause: Duration, work: F) -> &mut Self
    where
        F: Fn(Ctx) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoOutcome<()>> + Send + 'static,
    {
        let called = name.to_owned();
        self.spawn(name, move |task| async move {
            let mut told = None;
            while task.sleep(pause.max(SHORTEST)).await {
                let ctx = match task.ctx() {
                    Ok(ctx) => ctx,
                    // Between two sessions nothing can be done.
                    Err(ActionError::Loading) => continue,
                    Err(gone) => return Err(HandlerError::from(gone)),
                };
                let round = AssertUnwindSafe(async { work(ctx).await.into_outcome() }).catch_unwind().await;
                tell(&task, &called, &mut told, round.map_err(panicked).and_then(|done| done).err());
            }
            Ok(())
        })
    }
}

/// Reports the failure of a round unless the round before it failed the same way.
fn tell(task: &Task, name: &str, told: &mut Option<String>, failure: Option<HandlerError>) {
    if task.ends().is_cancelled() {
        return;
    }
    let text = failure.as_ref().map(ToString::to_string);
    if let Some(error) = failure.filter(|_| *told != text) {
        task.api().report(&failed(task.api().owner(), name, &error));
    }
    *told = text;
}
