//! Signals by number, and sending them.

use rquickjs::Ctx;
use tau_sys::process::Pid;
use tau_sys::signals;

use crate::ops::{Json, OpError, OpHost, Ops};

/// `kill(2)`, except that the host itself is never its target: a signal to it ends the JavaScript alone.
fn kill(ctx: &Ctx<'_>, host: &OpHost, number: i32, signal: i32) -> rquickjs::Result<()> {
    if signals::reaches_us(number) {
        return if signal == 0 { Ok(()) } else { Err(host.exit(ctx, 128 + signal)) };
    }
    let Some(pid) = Pid::from_raw(number.saturating_abs()) else { return Ok(()) };
    let sent = if number < 0 { signals::send_to_group(pid, signal) } else { signals::send(pid, signal) };
    sent.map_err(|error| OpError::io(&error, "kill", None).throw(ctx))
}

pub(super) fn install<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    ops.function("signals", || {
        Json(
            signals::named()
                .into_iter()
                .map(|(name, number)| (name.to_owned(), serde_json::Value::from(number)))
                .collect(),
        )
    })?;
    let host = ops.host();
    ops.function("processKill", move |ctx: Ctx<'js>, pid: i32, signal: i32| kill(&ctx, &host, pid, signal))
}
