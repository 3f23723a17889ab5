//! How a call into an extension gets its result back.
//!
//! A call may answer at once or through a promise, and the promise may never settle: when the engine has to stop
//! code behind an `await`, the promise of its function is lost. So every call has a number, and whoever takes the
//! number first settles it: the runtime's own continuation, or the pump when it sees the fault.

use std::rc::Rc;

use rquickjs::{Ctx, Function, Object, Value};

use super::{Core, Fault};

/// Adds the ops with which the runtime's entry module settles calls.
pub(super) fn install<'js>(ctx: &Ctx<'js>, ops: &Object<'js>, core: &Rc<Core>) -> rquickjs::Result<()> {
    let weak = Rc::downgrade(core);
    let done = move |ctx: Ctx<'js>, id: u32, value: Value<'js>| {
        weak.upgrade().map_or(Ok(()), |core| core.done(&ctx, id, value))
    };
    ops.set("callDone", Function::new(ctx.clone(), done)?)?;
    let weak = Rc::downgrade(core);
    let failed = move |ctx: Ctx<'js>, id: u32, error: Value<'js>| {
        if let Some(core) = weak.upgrade() {
            core.failed(&ctx, id, error);
        }
    };
    ops.set("callFailed", Function::new(ctx.clone(), failed)?)?;
    let weak = Rc::downgrade(core);
    let uncaught = move |ctx: Ctx<'js>, error: Value<'js>| {
        if let Some(core) = weak.upgrade() {
            let fault = Fault::of_value(&ctx, &core, core.host().current(), error);
            core.report(fault.of_kind(super::FaultKind::Unhandled));
        }
    };
    ops.set("reportUncaught", Function::new(ctx.clone(), uncaught)?)
}

impl Core {
    /// A call has its result.
    ///
    /// # Errors
    /// When the code of the call wanted to end the program, or was stopped: whatever it went on to return is no answer.
    pub(crate) fn done<'js>(&self, ctx: &Ctx<'js>, id: u32, value: Value<'js>) -> rquickjs::Result<()> {
        if self.host().wants_exit() {
            return Err(crate::raw::interrupt(ctx));
        }
        self.is_whole(ctx)?;
        // None is a late answer to a call that was given up.
        if let Some(call) = self.take_call(id) {
            call.finish(ctx, Ok(value));
        }
        Ok(())
    }

    /// A call failed with an error.
    pub(crate) fn failed<'js>(&self, ctx: &Ctx<'js>, id: u32, error: Value<'js>) {
        if let Some(call) = self.take_call(id) {
            let fault = Fault::of_value(ctx, self, call.extension(), error);
            call.finish(ctx, Err(fault));
        }
    }
}
