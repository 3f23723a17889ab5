//! Child processes: started and waited for by asking, or run to their end while the engine waits.

mod command;
mod running;
mod signals;
mod synchronous;

use std::sync::Arc;

use rquickjs::{Ctx, Value};

use super::{Bytes, Json, OpError, Ops};
use crate::engine::Waiting;
use command::Spec;
use running::Child;

pub(super) fn install<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    signals::install(ops)?;
    let host = ops.host();
    ops.function("childSpawn", move |ctx: Ctx<'js>, spec: Json| -> rquickjs::Result<Json> {
        let start = || running::start(&Spec::read(spec)?, &host);
        start().map_err(|error: OpError| error.throw(&ctx))
    })?;
    let host = ops.host();
    ops.function("childWait", move |ctx: Ctx<'js>, rid: u32| -> rquickjs::Result<Value<'js>> {
        let child = host.resources().get::<Child>(rid).map_err(|error| error.throw(&ctx))?;
        host.spawn(&ctx, async move { Ok(Json(child.wait().await)) })
    })?;
    let host = ops.host();
    ops.function("childKill", move |ctx: Ctx<'js>, rid: u32, signal: i32| -> rquickjs::Result<bool> {
        let child = host.resources().get::<Child>(rid).map_err(|error| error.throw(&ctx))?;
        child.kill(signal).map_err(|error| error.throw(&ctx))
    })?;
    let host = ops.host();
    ops.function("childRef", move |rid: u32, keep: bool| {
        if let Ok(child) = host.resources().get::<Child>(rid) {
            child.set_ref(keep);
        }
    })?;
    let host = ops.host();
    ops.function("childRun", move |ctx: Ctx<'js>, spec: Json, input: Option<Bytes>| {
        let spec = Spec::read(spec).map_err(|error| error.throw(&ctx))?;
        let run = |waiting: &Arc<Waiting>| synchronous::run(&spec, input.map(|input| input.0), &host, waiting);
        host.waiting(&ctx, format!("the command `{}`", spec.shown()), run)
    })
}
