//! Signals by number, and sending them.

use rquickjs::Ctx;
use tau_sys::process::Pid;
use tau_sys::signals;

use crate::ops::table::{Host, ops};
use crate::ops::{Json, OpError, OpHost};

ops! {
    /// Signals by number, and sending them.
    pub static OPS: watched;

    /// The signals of this system, by name.
    fn signals() -> "Record<string, number>" = signals, Pure;
    /// Sends a signal to a process.
    fn processKill(pid, signal) = process_kill, Refused;
}

/// `kill(2)`, except that the host itself is never its target: a signal to it ends the JavaScript alone.
fn kill(ctx: &Ctx<'_>, host: &OpHost, number: i32, signal: i32) -> rquickjs::Result<()> {
    if signals::reaches_us(number) {
        return if signal == 0 { Ok(()) } else { Err(host.exit(ctx, 128 + signal)) };
    }
    let Some(pid) = Pid::from_raw(number.saturating_abs()) else { return Ok(()) };
    let sent = if number < 0 { signals::send_to_group(pid, signal) } else { signals::send(pid, signal) };
    sent.map_err(|error| OpError::io(&error, "kill", None).throw(ctx))
}

fn signals() -> Json {
    Json(
        signals::named().into_iter().map(|(name, number)| (name.to_owned(), serde_json::Value::from(number))).collect(),
    )
}

fn process_kill<'js>(ctx: Ctx<'js>, Host(host): Host, pid: i32, signal: i32) -> rquickjs::Result<()> {
    kill(&ctx, &host, pid, signal)
}
