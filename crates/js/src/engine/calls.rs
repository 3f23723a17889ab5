//! How a call into an extension gets its result back.
//!
//! A call may answer at once or through a promise, and the promise may never settle: when the engine has to stop
//! code behind an `await`, the promise of its function is lost. So every call has a number, and whoever takes the
//! number first settles it: the runtime's own continuation, or the pump when it sees the fault.

use std::rc::{Rc, Weak};

use rquickjs::{Ctx, Function, Object, Value};

use super::{Core, Fault};

/// Adds the ops with which the runtime's entry module settles calls.
pub(super) fn install<'js>(ctx: &Ctx<'js>, ops: &Object<'js>, core: &Rc<Core>) -> rquickjs::Result<()> {
    let weak = Rc::downgrade(core);
    let done = move |ctx: Ctx<'js>, id: u32, value: Value<'js>| settle(&weak, &ctx, id, Ok(value));
    ops.set("callDone", Function::new(ctx.clone(), done)?)?;
    let weak = Rc::downgrade(core);
    let failed = move |ctx: Ctx<'js>, id: u32, error: Value<'js>| settle(&weak, &ctx, id, Err(error));
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

fn settle<'js>(core: &Weak<Core>, ctx: &Ctx<'js>, id: u32, result: Result<Value<'js>, Value<'js>>) {
    let Some(core) = core.upgrade() else { return };
    // A late answer to a call that was given up.
    let Some(call) = core.take_call(id) else { return };
    let result = result.map_err(|error| Fault::of_value(ctx, &core, call.extension(), error));
    call.finish(ctx, result);
}
