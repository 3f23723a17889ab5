//! What the engine fills in for the ops of the bridge: who calls, and in which session.

use std::rc::Rc;

use rquickjs::{Ctx, IntoJs};
use tau_hooks::{ActionError, Ctx as HookCtx};

use tokio_util::sync::CancellationToken;

use super::{Bridge, Extension, refused};
use crate::ops::table::{Arguments, Param, Promised};
use crate::ops::table::{Direction, How, Passed, Signature, Type};
use crate::ops::{OpError, defect};

/// The extensions of the engine that is called.
pub(super) struct Bridged(pub(super) Rc<Bridge>);

impl<'js> Param<'js> for Bridged {
    const LEAST: usize = 0;

    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        let bridge = arguments.host().part::<Bridge>();
        bridge.map(Self).ok_or_else(|| defect(arguments.ctx(), "an engine has no bridge"))
    }

    fn describe(_: &mut Signature) {}
}

fn number(signature: &mut Signature) {
    let text = u32::write(Direction::In, signature);
    signature.params.push(Passed { text, how: How::Required });
}

/// The extension that calls, by the number of its `pi`.
pub(super) struct Caller {
    pub(super) bridge: Rc<Bridge>,
    pub(super) id: u32,
    pub(super) extension: Rc<Extension>,
}

impl<'js> Param<'js> for Caller {
    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        let Bridged(bridge) = Bridged::take(arguments)?;
        let id = arguments.argument()?;
        let extension = bridge.extension(arguments.ctx(), id)?;
        Ok(Self { bridge, id, extension })
    }

    fn describe(signature: &mut Signature) {
        number(signature);
    }
}

/// The extension that calls, and the context of the call that it belongs to, by their numbers.
pub(super) struct InCall {
    pub(super) bridge: Rc<Bridge>,
    pub(super) id: u32,
    pub(super) extension: Rc<Extension>,
    pub(super) call: u32,
    pub(super) ctx: HookCtx,
}

/// Finds the context of a call.
type Find = fn(&Bridge, &Extension, u32) -> Result<HookCtx, ActionError>;

impl InCall {
    fn found(arguments: &mut Arguments<'_, '_>, find: Find) -> rquickjs::Result<Self> {
        let Caller { bridge, id, extension } = Caller::take(arguments)?;
        let call = arguments.argument()?;
        let ctx = find(&bridge, &extension, call).map_err(|error| refused(arguments.ctx(), &error))?;
        Ok(Self { bridge, id, extension, call, ctx })
    }
}

impl<'js> Param<'js> for InCall {
    const LEAST: usize = 2;

    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        Self::found(arguments, |bridge, extension, call| bridge.context(extension, call, false))
    }

    fn describe(signature: &mut Signature) {
        number(signature);
        number(signature);
    }
}

/// The same for what an extension says to its user, which outlives sessions.
pub(super) struct Speaking {
    pub(super) bridge: Rc<Bridge>,
    pub(super) id: u32,
    pub(super) extension: Rc<Extension>,
    pub(super) ctx: HookCtx,
}

impl<'js> Param<'js> for Speaking {
    const LEAST: usize = 2;

    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        let InCall { bridge, id, extension, ctx, .. } = InCall::found(arguments, Bridge::speaking)?;
        Ok(Self { bridge, id, extension, ctx })
    }

    fn describe(signature: &mut Signature) {
        InCall::describe(signature);
    }
}

/// The extension that calls, and the context of the command that it belongs to: their numbers, and the number of the
/// handler that the running code runs for, where that is known.
pub(super) struct InCommand {
    pub(super) bridge: Rc<Bridge>,
    pub(super) id: u32,
    pub(super) extension: Rc<Extension>,
    pub(super) ctx: HookCtx,
}

impl<'js> Param<'js> for InCommand {
    const LEAST: usize = 3;

    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        let Caller { bridge, id, extension } = Caller::take(arguments)?;
        let (call, handler): (u32, Option<u32>) = (arguments.argument()?, arguments.argument()?);
        let core = bridge.core(arguments.ctx())?;
        let handles = core.is_handling() || handler.is_some_and(|handler| core.is_handler_at_work(handler));
        let ctx = if handles {
            // Whoever asks is a handler, whatever call the context is of.
            extension.api.ctx(CancellationToken::new(), false)
        } else {
            bridge.context(&extension, call, true)
        };
        let ctx = ctx.map_err(|error| refused(arguments.ctx(), &error))?;
        Ok(Self { bridge, id, extension, ctx })
    }

    fn describe(signature: &mut Signature) {
        InCall::describe(signature);
        <Option<u32> as Param<'_>>::describe(signature);
    }
}

impl InCommand {
    /// Acts on the session's own threads, and gives a promise of the outcome: what replaces the engine must not end with
    /// it.
    pub(super) fn act<'js, T: for<'a> IntoJs<'a> + Send + 'static>(
        &self,
        js: &Ctx<'js>,
        act: impl Future<Output = Result<T, ActionError>> + Send + 'static,
    ) -> rquickjs::Result<Promised<'js, T>> {
        let session = self.extension.runtime.clone();
        self.bridge.core(js)?.host().spawn(js, async move {
            match session.spawn(act).await {
                Ok(done) => done.map_err(|error| OpError::message(error.to_string())),
                Err(_) => Err(OpError::message("the session ended")),
            }
        })
    }
}
