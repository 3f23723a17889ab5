//! Abort signals: cancellation of the session as JavaScript's `AbortSignal`, and the other way round.
#![expect(clippy::disallowed_methods, reason = "called on the thread of the engine only")]

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use rquickjs::{Array, Ctx, Function, Persistent, Value};
use tokio_util::sync::CancellationToken;

use super::extract::Bridged;
use crate::engine::Core;
use crate::ops::table::ops;

ops! {
    /// Abort signals.
    pub(crate) static OPS: always;

    /// A token that JavaScript can cancel.
    fn tokenNew() = token_new, Pure;
    /// Cancels a token.
    fn tokenCancel(id) = token_cancel, Pure;
    /// Forgets a token.
    fn tokenDrop(id) = token_drop, Pure;
}

/// An `AbortSignal` that fires with the token, for as long as the call is under way.
pub(super) fn watch<'js>(
    js: &Ctx<'js>,
    core: &Rc<Core>,
    call: u32,
    token: CancellationToken,
) -> rquickjs::Result<Value<'js>> {
    let make: Function<'js> = core.entry(js, "makeSignal")?;
    let pair: Array<'js> = make.call((token.is_cancelled(),))?;
    if !token.is_cancelled() {
        let abort = Persistent::save(js, pair.get::<Function<'js>>(1)?);
        let completions = core.host().completions();
        let extension = core.host().asking(js);
        let over = CancellationToken::new();
        let guard = over.clone().drop_guard();
        core.with_call(call, |state| state.done.push(guard));
        tokio::task::spawn_local(async move {
            tokio::select! {
                // A call that ends because it was aborted still hears of it.
                biased;
                () = token.cancelled() => {
                    let fire = move |ctx: &Ctx<'_>| abort.restore(ctx)?.call::<_, ()>(());
                    // This fails when the engine has ended, and then nothing has the signal any more.
                    let _ = completions.send((extension, Box::new(fire)));
                }
                () = over.cancelled() => {}
            }
        });
    }
    pair.get(0)
}

/// Tokens that JavaScript cancels, by number.
#[derive(Default)]
pub(crate) struct Tokens {
    next: Cell<u32>,
    open: RefCell<HashMap<u32, CancellationToken>>,
}

impl Tokens {
    /// A token made by `tokenNew`; one that never fires when there is none of that number.
    pub(crate) fn get(&self, id: Option<u32>) -> CancellationToken {
        id.and_then(|id| self.open.borrow().get(&id).cloned()).unwrap_or_default()
    }
}

fn token_new(Bridged(bridge): Bridged) -> u32 {
    let id = bridge.tokens.next.get() + 1;
    bridge.tokens.next.set(id);
    bridge.tokens.open.borrow_mut().insert(id, CancellationToken::new());
    id
}

fn token_cancel(Bridged(bridge): Bridged, id: u32) {
    if let Some(token) = bridge.tokens.open.borrow().get(&id) {
        token.cancel();
    }
}

fn token_drop(Bridged(bridge): Bridged, id: u32) {
    bridge.tokens.open.borrow_mut().remove(&id);
}
