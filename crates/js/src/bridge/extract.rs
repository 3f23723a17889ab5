//! What the engine fills in for the ops of the bridge: who calls, and in which session.

use std::rc::Rc;

use tau_hooks::{ActionError, Ctx as HookCtx};

use super::{Bridge, Extension, refused};
use crate::ops::defect;
use crate::ops::table::{Arguments, Param};
#[cfg(test)]
use crate::ops::table::{Direction, How, Passed, Signature, Type};

/// The extensions of the engine that is called.
pub(super) struct Bridged(pub(super) Rc<Bridge>);

impl<'js> Param<'js> for Bridged {
    const LEAST: usize = 0;

    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        let bridge = arguments.host().part::<Bridge>();
        bridge.map(Self).ok_or_else(|| defect(arguments.ctx(), "an engine has no bridge"))
    }

    #[cfg(test)]
    fn describe(_: &mut Signature) {}
}

#[cfg(test)]
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
        let id = arguments.next()?;
        let extension = bridge.extension(arguments.ctx(), id)?;
        Ok(Self { bridge, id, extension })
    }

    #[cfg(test)]
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
        let call = arguments.next()?;
        let ctx = find(&bridge, &extension, call).map_err(|error| refused(arguments.ctx(), &error))?;
        Ok(Self { bridge, id, extension, call, ctx })
    }
}

impl<'js> Param<'js> for InCall {
    const LEAST: usize = 2;

    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        Self::found(arguments, |bridge, extension, call| bridge.context(extension, call, false))
    }

    #[cfg(test)]
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

    #[cfg(test)]
    fn describe(signature: &mut Signature) {
        InCall::describe(signature);
    }
}
