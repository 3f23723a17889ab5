//! Children that a terminal controls.

use std::os::unix::process::CommandExt;
use std::process::Command;

use libc::{SIG_DFL, SIG_IGN, SIGTSTP, SIGTTOU, signal};
use rustix::process::{getpid, ioctl_tiocsctty, setpgid, setsid};
use rustix::termios::{isatty, tcsetpgrp};

/// Lets the child begin a session of its own, which the terminal on its standard input controls.
pub fn with_controlling_terminal(command: &mut Command) {
    let begin = || {
        setsid()?;
        // The library has put the standard streams in their places by now.
        ioctl_tiocsctty(rustix::stdio::stdin())?;
        Ok(())
    };
    // SAFETY: the closure only makes two calls of the system, which may be made between fork and exec.
    unsafe { command.pre_exec(begin) };
}

/// Gives the child's group the foreground of the terminal on its standard streams: the child reads the keys, and ctrl+c is
/// for it. Nobody could continue one that ctrl+z has stopped, so that is ignored.
pub fn with_foreground(command: &mut Command) {
    let begin = || {
        setpgid(None, None)?;
        let streams = [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()];
        // SAFETY: may be called between fork and exec, and installs no function.
        unsafe { signal(SIGTTOU, SIG_IGN) };
        for terminal in streams.into_iter().filter(|stream| isatty(stream)) {
            // A terminal that does not control this program has no foreground.
            if tcsetpgrp(terminal, getpid()).is_ok() {
                break;
            }
        }
        // SAFETY: as above.
        unsafe {
            signal(SIGTTOU, SIG_DFL);
            signal(SIGTSTP, SIG_IGN);
        }
        Ok(())
    };
    // SAFETY: the closure only makes calls of the system, which may be made between fork and exec.
    unsafe { command.pre_exec(begin) };
}
