//! What children do about signals.

use std::ffi::c_int;
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::libc;

/// Lets the child react to signals as a program does by itself. What this process ignores it would ignore too, such as
/// `SIGINT` when tau was started in the background of a script; what this process handles is not handed on anyway.
pub fn with_default_signals(command: &mut Command) {
    let ignored: Vec<c_int> = (1..32).filter(|&signal| signal != libc::SIGPIPE && is_ignored(signal)).collect();
    // A command without this can be started in a faster way. The library sees to `SIGPIPE` by itself.
    if ignored.is_empty() {
        return;
    }
    let reset = move || {
        for &signal in &ignored {
            // SAFETY: may be called between fork and exec, and installs no function.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: the closure neither allocates nor locks.
    unsafe { command.pre_exec(reset) };
}

fn is_ignored(signal: c_int) -> bool {
    // SAFETY: without a new action the call only writes the present one, into a value that may be all zeros.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut now) == 0 && now.sa_sigaction == libc::SIG_IGN
    }
}
