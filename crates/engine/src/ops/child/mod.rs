//! Child processes: started and waited for by asking, or run to their end while the engine waits.

mod command;
mod running;
pub(super) mod signals;
mod synchronous;
pub(super) mod terminal;

use std::sync::Arc;

use rquickjs::Ctx;

use super::{Bytes, Json, OpError};
use crate::engine::Waiting;
use crate::ops::table::{Host, Promised, ops};
use command::Spec;
use running::Child;

ops! {
    /// Child processes.
    pub static OPS: watched;

    /// Starts a program.
    fn childSpawn(spec: "ChildPlan") -> "{ pid: number; rid: number; stdio: (number | null)[] }" = child_spawn, Refused;
    /// How a program ended.
    fn childWait(rid) -> "{ code: number | null; signal: number | null }" = child_wait, Recorded;
    /// Sends a signal to a program; whether it was still there.
    fn childKill(rid, signal) = child_kill, Refused;
    /// Whether a program keeps the engine from being idle.
    fn childRef(rid, keep) = child_ref, Pure;
    /// Runs a program to its end.
    fn childRun(spec: "ChildPlan & { timeout: number; maxBuffer: number | null; killSignal: number }", input) = child_run, Refused;
}

fn child_spawn<'js>(ctx: Ctx<'js>, Host(host): Host, spec: Json) -> rquickjs::Result<Json> {
    let start = || running::start(&Spec::read(spec)?, &host);
    start().map_err(|error: OpError| error.throw(&ctx))
}

fn child_wait<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32) -> rquickjs::Result<Promised<'js, Json>> {
    let child = host.resources().get::<Child>(rid).map_err(|error| error.throw(&ctx))?;
    host.spawn(&ctx, async move { Ok(Json(child.wait().await)) })
}

fn child_kill<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32, signal: i32) -> rquickjs::Result<bool> {
    let child = host.resources().get::<Child>(rid).map_err(|error| error.throw(&ctx))?;
    child.kill(signal).map_err(|error| error.throw(&ctx))
}

fn child_ref(Host(host): Host, rid: u32, keep: bool) {
    if let Ok(child) = host.resources().get::<Child>(rid) {
        child.set_ref(keep);
    }
}

fn child_run<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    spec: Json,
    input: Option<Bytes>,
) -> rquickjs::Result<synchronous::Outcome> {
    let spec = Spec::read(spec).map_err(|error| error.throw(&ctx))?;
    let run = |waiting: &Arc<Waiting>| synchronous::run(&spec, input.map(|input| input.0), &host, waiting);
    host.waiting(&ctx, format!("the command `{}`", spec.shown()), run)
}
