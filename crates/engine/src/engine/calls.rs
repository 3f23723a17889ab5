//! How a call into an extension gets its result back.
//!
//! A call may answer at once or through a promise, and the promise may never settle: when the engine has to stop
//! code behind an `await`, the promise of its function is lost. So every call has a number. The first to take it
//! settles the call: the runtime's own continuation, or the pump when it sees the fault.

use std::rc::{Rc, Weak};

use rquickjs::{Ctx, Value};

use super::{Core, Fault};
use crate::ops::defect;
use crate::ops::table::Signature;
use crate::ops::table::{Arguments, Host, Param, ops};

ops! {
    /// Calls into extensions.
    pub(super) static OPS: always;

    /// A call has its result.
    fn callDone(id, value) = call_done, Pure;
    /// A call failed with an error.
    fn callFailed(id, error) = call_failed, Pure;
    /// Reports an error that nobody caught.
    fn reportUncaught(error) = report_uncaught, Pure;
    /// The exit code of the program when nothing else goes wrong.
    fn exitCode(code) = exit_code, Pure;
    /// The number of the extension whose code is at work.
    fn currentExtension() = current_extension, Pure;
}

fn call_done<'js>(ctx: Ctx<'js>, Engine(core): Engine, id: u32, value: Value<'js>) -> rquickjs::Result<()> {
    core.done(&ctx, id, value)
}

fn call_failed<'js>(ctx: Ctx<'js>, Engine(core): Engine, id: u32, error: Value<'js>) {
    core.failed(&ctx, id, error);
}

fn report_uncaught<'js>(ctx: Ctx<'js>, Engine(core): Engine, error: Value<'js>) {
    let fault = Fault::of_value(&ctx, &core, core.host().current(), error);
    core.report(fault.of_kind(super::FaultKind::Unhandled));
}

fn exit_code(Engine(core): Engine, code: Option<i32>) {
    core.guest().would_exit_with(core.host().current(), code);
}

fn current_extension(Host(host): Host) -> u32 {
    host.current().0
}

/// The engine that is called.
pub(super) struct Engine(Rc<Core>);

/// Where [`Engine`] finds it.
pub(super) struct Calling(pub(super) Weak<Core>);

impl<'js> Param<'js> for Engine {
    const LEAST: usize = 0;

    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        let core = arguments.host().part::<Calling>().and_then(|calling| calling.0.upgrade());
        core.map(Self).ok_or_else(|| defect(arguments.ctx(), "an op is called in an engine that has ended"))
    }

    fn describe(_: &mut Signature) {}
}

impl Core {
    /// A call has its result.
    ///
    /// # Errors
    /// When the code of the call wanted to end the program, or was stopped: whatever it went on to return is no answer.
    pub fn done<'js>(&self, ctx: &Ctx<'js>, id: u32, value: Value<'js>) -> rquickjs::Result<()> {
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
    pub fn failed<'js>(&self, ctx: &Ctx<'js>, id: u32, error: Value<'js>) {
        if let Some(call) = self.take_call(id) {
            let fault = Fault::of_value(ctx, self, call.extension(), error);
            call.finish(ctx, Err(fault));
        }
    }
}
