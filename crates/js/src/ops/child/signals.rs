//! Signals by number, and sending them.

use rquickjs::Ctx;
use rustix::io::Errno;
use rustix::process::{Pid, Signal};

use crate::ops::{Json, OpError, OpHost, Ops};

/// Every signal of this system that has a name.
fn named() -> Vec<(&'static str, Signal)> {
    let mut all = vec![
        ("SIGHUP", Signal::HUP),
        ("SIGINT", Signal::INT),
        ("SIGQUIT", Signal::QUIT),
        ("SIGILL", Signal::ILL),
        ("SIGTRAP", Signal::TRAP),
        ("SIGABRT", Signal::ABORT),
        ("SIGIOT", Signal::ABORT),
        ("SIGBUS", Signal::BUS),
        ("SIGFPE", Signal::FPE),
        ("SIGKILL", Signal::KILL),
        ("SIGUSR1", Signal::USR1),
        ("SIGSEGV", Signal::SEGV),
        ("SIGUSR2", Signal::USR2),
        ("SIGPIPE", Signal::PIPE),
        ("SIGALRM", Signal::ALARM),
        ("SIGTERM", Signal::TERM),
        ("SIGCHLD", Signal::CHILD),
    ];
    #[cfg(target_os = "linux")]
    all.push(("SIGSTKFLT", Signal::STKFLT));
    all.extend([
        ("SIGCONT", Signal::CONT),
        ("SIGSTOP", Signal::STOP),
        ("SIGTSTP", Signal::TSTP),
        ("SIGTTIN", Signal::TTIN),
        ("SIGTTOU", Signal::TTOU),
        ("SIGURG", Signal::URG),
        ("SIGXCPU", Signal::XCPU),
        ("SIGXFSZ", Signal::XFSZ),
        ("SIGVTALRM", Signal::VTALARM),
        ("SIGPROF", Signal::PROF),
        ("SIGWINCH", Signal::WINCH),
        ("SIGIO", Signal::IO),
    ]);
    #[cfg(target_os = "linux")]
    all.extend([("SIGPOLL", Signal::IO), ("SIGPWR", Signal::POWER)]);
    #[cfg(target_os = "macos")]
    all.push(("SIGINFO", Signal::INFO));
    all.push(("SIGSYS", Signal::SYS));
    all
}

/// Sends a signal to one process; zero only asks whether there is one.
pub(super) fn send(pid: Pid, signal: i32) -> Result<(), Errno> {
    match signal {
        0 => rustix::process::test_kill_process(pid),
        _ => rustix::process::kill_process(pid, Signal::from_named_raw(signal).ok_or(Errno::INVAL)?),
    }
}

/// `kill(2)`, except that the host itself is never its target: a signal to it ends the JavaScript alone.
fn kill(ctx: &Ctx<'_>, host: &OpHost, number: i32, signal: i32) -> rquickjs::Result<()> {
    let failed = |error: Errno| OpError::io(&error.into(), "kill", None).throw(ctx);
    let own = rustix::process::getpid();
    let own_group = rustix::process::getpgrp();
    let pid = Pid::from_raw(number.saturating_abs());
    let hits_host = match pid {
        None => true,
        Some(pid) => (number > 0 && pid == own) || (number < 0 && (pid == own_group || pid.is_init())),
    };
    if hits_host {
        return if signal == 0 { Ok(()) } else { Err(host.exit(ctx, 128 + signal)) };
    }
    let Some(pid) = pid else { return Ok(()) };
    let done = match (number < 0, signal) {
        (false, _) => send(pid, signal),
        (true, 0) => rustix::process::test_kill_process_group(pid),
        (true, _) => match Signal::from_named_raw(signal) {
            Some(signal) => rustix::process::kill_process_group(pid, signal),
            None => Err(Errno::INVAL),
        },
    };
    done.map_err(failed)
}

pub(super) fn install<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    ops.function("signals", || {
        Json(
            named()
                .into_iter()
                .map(|(name, signal)| (name.to_owned(), serde_json::Value::from(signal.as_raw())))
                .collect(),
        )
    })?;
    let host = ops.host();
    ops.function("processKill", move |ctx: Ctx<'js>, pid: i32, signal: i32| kill(&ctx, &host, pid, signal))
}
