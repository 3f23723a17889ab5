//! Functions of extensions, callable from Rust on any thread.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rquickjs::{Ctx, Function, IntoJs, Value};
use serde_json::Value as Json;
use tau_hooks::HandlerError;
use tokio::sync::oneshot;

use super::guest::HasBridge as _;
use crate::engine::{Activity, CallState, Core, ExtensionId, Fault, FaultKind, InFlight, LOST, Settle, WeakEngine};

/// A function that an extension gave to tau. When the last one of a number is dropped, JavaScript forgets it.
pub(crate) struct Callback {
    engine: WeakEngine,
    extension: ExtensionId,
    id: u32,
    /// Where it was registered, for failures that have no line of their own.
    location: Option<Arc<str>>,
}

impl Drop for Callback {
    fn drop(&mut self) {
        let (id, extension) = (self.id, self.extension);
        if let Some(engine) = self.engine.upgrade() {
            // An engine that has ended holds no functions.
            let _ = engine.post(move |core| {
                core.enter(extension, |ctx| {
                    let forget: rquickjs::Result<Function<'_>> = core.entry(ctx, "forget");
                    let _ = forget.and_then(|forget| forget.call::<_, ()>((id,)));
                });
            });
        }
    }
}

impl Callback {
    pub(crate) fn new(engine: WeakEngine, extension: ExtensionId, id: u32, location: Option<Arc<str>>) -> Arc<Self> {
        Arc::new(Self { engine, extension, id, location })
    }

    /// Whose function it is.
    pub(super) fn extension(&self) -> ExtensionId {
        self.extension
    }

    /// Whether another one lives in the same engine.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        self.engine.is_same(&other.engine)
    }

    /// Its number.
    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// Where it lives.
    pub(super) fn engine(&self) -> &WeakEngine {
        &self.engine
    }

    /// Calls the function and waits for its result, through a promise too. `args` makes the arguments of the call
    /// with that number and `read` takes the result on the engine's thread.
    ///
    /// When the future is dropped before the function came back, JavaScript that is running for it right now is
    /// stopped; a later answer is ignored.
    ///
    /// # Errors
    /// Whatever the function throws or rejects with, and everything that can happen to it.
    pub(crate) async fn call<A, R, T>(&self, args: A, read: R) -> Result<T, HandlerError>
    where
        A: for<'js> FnOnce(&Ctx<'js>, &Rc<Core>, u32) -> rquickjs::Result<Vec<Value<'js>>> + Send + 'static,
        R: for<'js> FnOnce(&Ctx<'js>, &Rc<Core>, Value<'js>, CallState) -> rquickjs::Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.called(None, args, read).await
    }

    /// The same for what no session waits for: until it first awaits something the function has `budget` of processor time,
    /// and when it is stopped nothing else of its extension fails.
    ///
    /// # Errors
    /// See [`Callback::call`].
    pub(super) async fn call_within<A, R, T>(&self, budget: Duration, args: A, read: R) -> Result<T, HandlerError>
    where
        A: for<'js> FnOnce(&Ctx<'js>, &Rc<Core>, u32) -> rquickjs::Result<Vec<Value<'js>>> + Send + 'static,
        R: for<'js> FnOnce(&Ctx<'js>, &Rc<Core>, Value<'js>, CallState) -> rquickjs::Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.called(Some(budget), args, read).await
    }

    async fn called<A, R, T>(&self, budget: Option<Duration>, args: A, read: R) -> Result<T, HandlerError>
    where
        A: for<'js> FnOnce(&Ctx<'js>, &Rc<Core>, u32) -> rquickjs::Result<Vec<Value<'js>>> + Send + 'static,
        R: for<'js> FnOnce(&Ctx<'js>, &Rc<Core>, Value<'js>, CallState) -> rquickjs::Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let engine = self.engine.upgrade().ok_or_else(ended)?;
        let activity = Arc::clone(engine.activity());
        let (sender, result) = oneshot::channel();
        let (extension, id) = (self.extension, self.id);
        let stretch = engine.stretch();
        let guard = engine.stop_on_drop(stretch);
        engine
            .post(move |core| {
                let owned = Rc::clone(core);
                // While it is tried its answer is kept: what it left for promises to do may have to be stopped.
                let early = Rc::new(RefCell::new(budget.is_some().then_some(None)));
                let sender = Rc::new(Cell::new(Some(sender)));
                let (kept, sends) = (Rc::clone(&early), Rc::clone(&sender));
                let settle: Settle = Box::new(move |ctx, result, state| {
                    let result = result.and_then(|value| {
                        read(ctx, &owned, value, state).map_err(|error| caught(ctx, &owned, extension, error))
                    });
                    match &mut *kept.borrow_mut() {
                        Some(early) => *early = Some(result),
                        None => answer(&sends, result),
                    }
                });
                let mut left = None;
                core.in_tagged_stretch(stretch, || left = invoke(core, extension, budget, id, args, settle));
                if let Some(early) = early.take().flatten() {
                    answer(&sender, left.map_or(early, Err));
                } else if let Some(left) = left {
                    core.report(left);
                }
            })
            .map_err(|_| gone(&activity))?;
        // The handle must not keep the engine alive while the function is at work.
        drop(engine);
        let result = activity.answer(result).await;
        guard.disarm();
        match result {
            Some(result) => result.map_err(|fault| failure(explained(fault, budget), self.location.as_ref())),
            None => Err(gone(&activity)),
        }
    }

    /// Calls the function with JSON values; its result as JSON, `None` when it gave nothing.
    ///
    /// # Errors
    /// See [`Callback::call`].
    pub(crate) async fn call_json(&self, args: Vec<Json>) -> Result<Option<Json>, HandlerError> {
        let args = making(move |js, _, _| args.iter().map(|arg| crate::convert::to_js(js, arg)).collect());
        let read = reading(|js, _, value, _| crate::convert::from_js(js, &value));
        self.call(args, read).await
    }

    /// Calls the function with JSON values and, behind them, the number of a context.
    ///
    /// # Errors
    /// See [`Callback::call`].
    pub(crate) async fn call_with_context(&self, hook: tau_hooks::Ctx, args: Vec<Json>) -> Result<(), HandlerError> {
        let session = hook.clone();
        let args = making(move |js, core, call| {
            core.add_context(call, hook);
            let values = args.iter().map(|arg| crate::convert::to_js(js, arg));
            let mut values = values.collect::<rquickjs::Result<Vec<_>>>()?;
            values.push(call.into_js(js)?);
            Ok(values)
        });
        let called = self.call(args, reading(|_, _, _, _| Ok(()))).await;
        match called {
            // A command that reloads ends with the runtime it ran in.
            Err(HandlerError::Gone(_)) if session.check().is_err() => Ok(()),
            called => called,
        }
    }
}

/// A fault of what has a limit of its own, in words that say what that is.
pub(super) fn explained(fault: Fault, budget: Option<Duration>) -> Fault {
    match budget {
        Some(budget) if fault.kind == FaultKind::TooLong => {
            Fault { message: format!("it took longer than {budget:?}, and was stopped"), ..fault }
        }
        _ => fault,
    }
}

/// A fault as the dispatcher knows failures; faults without a place get where the function was registered.
pub(super) fn failure(fault: Fault, registered: Option<&Arc<str>>) -> HandlerError {
    match fault.kind {
        FaultKind::Gone => HandlerError::Gone(fault.message),
        kind => HandlerError::Failed {
            ended: kind.cuts_off(),
            message: fault.message,
            stack: fault.stack,
            location: fault.location.or_else(|| registered.map(ToString::to_string)),
        },
    }
}

/// A closure that makes arguments, with the lifetimes the compiler does not find by itself.
pub(super) fn making<F>(make: F) -> F
where
    F: for<'js> FnOnce(&Ctx<'js>, &Rc<Core>, u32) -> rquickjs::Result<Vec<Value<'js>>>,
{
    make
}

/// A closure that reads a result, with the lifetimes the compiler does not find by itself.
pub(super) fn reading<F, T>(read: F) -> F
where
    F: for<'js> FnOnce(&Ctx<'js>, &Rc<Core>, Value<'js>, CallState) -> rquickjs::Result<T>,
{
    read
}

/// There is no engine any more.
pub(super) fn ended() -> HandlerError {
    HandlerError::Gone("the JavaScript engine has ended".to_owned())
}

/// The engine ended, or was given up, before there was an answer.
pub(super) fn gone(activity: &Activity) -> HandlerError {
    if activity.is_lost() { HandlerError::Lost(LOST.to_owned()) } else { ended() }
}

pub(super) fn caught(ctx: &Ctx<'_>, core: &Core, extension: ExtensionId, error: rquickjs::Error) -> Fault {
    match error {
        rquickjs::Error::Exception => Fault::caught(ctx, core, extension),
        error => Fault { kind: FaultKind::Thrown, message: error.to_string(), ..Fault::gone(extension, "") },
    }
}

/// Sends an answer to whoever waits for it, once.
fn answer<T>(sender: &Cell<Option<oneshot::Sender<Result<T, Fault>>>>, result: Result<T, Fault>) {
    if let Some(sender) = sender.take() {
        // The call may have been given up.
        let _ = sender.send(result);
    }
}

/// Calls a kept function as a stretch of its own. Within a budget, what it was stopped for after it had answered.
pub(super) fn invoke<A>(
    core: &Rc<Core>,
    extension: ExtensionId,
    budget: Option<Duration>,
    callback: u32,
    args: A,
    settle: Settle,
) -> Option<Fault>
where
    A: for<'js> FnOnce(&Ctx<'js>, &Rc<Core>, u32) -> rquickjs::Result<Vec<Value<'js>>>,
{
    call_entry_within(core, extension, budget, "invoke", settle, |ctx, call| {
        let list = crate::raw::array(ctx, &args(ctx, core, call)?)?;
        let mut all = rquickjs::function::Args::new(ctx.clone(), 3);
        all.push_arg(call)?;
        all.push_arg(callback)?;
        all.push_arg(list)?;
        Ok(all)
    })
}

/// Calls a function of the entry module that settles a call by its number.
pub(super) fn call_entry<A>(core: &Rc<Core>, extension: ExtensionId, name: &str, settle: Settle, args: A)
where
    A: for<'js> FnOnce(&Ctx<'js>, u32) -> rquickjs::Result<rquickjs::function::Args<'js>>,
{
    // Without a budget the call itself takes every fault.
    call_entry_within(core, extension, None, name, settle, args);
}

fn call_entry_within<A>(
    core: &Rc<Core>,
    extension: ExtensionId,
    budget: Option<Duration>,
    name: &str,
    settle: Settle,
    args: A,
) -> Option<Fault>
where
    A: for<'js> FnOnce(&Ctx<'js>, u32) -> rquickjs::Result<rquickjs::function::Args<'js>>,
{
    let call = core.add_call(InFlight::new(extension, settle));
    if let Some(budget) = budget {
        let enter = |ctx: &Ctx<'_>| core.entry(ctx, name)?.call_arg::<()>(args(ctx, call)?);
        let fault = core.attempt(extension, budget, enter).err()?;
        // One that only began is answered later, and stays noted.
        let Some(failed) = core.take_call(call) else { return Some(fault) };
        core.settle(failed, Err(fault));
        return None;
    }
    let fault = core.enter(extension, |ctx| {
        let done = core.entry(ctx, name).and_then(|entry| entry.call_arg::<()>(args(ctx, call)?));
        done.err().map(|error| caught(ctx, core, extension, error))
    });
    if let Some(fault) = fault {
        core.cut(call, fault);
    }
    None
}
