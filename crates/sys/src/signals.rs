//! Signals: their names and numbers, sending them, and those that ask this program to end.

use std::io;

use rustix::io::Errno;
use rustix::process::{Pid, Signal};
use tokio::signal::unix::{self, SignalKind};

/// Every signal of this system that has a name, with its number.
pub fn named() -> Vec<(&'static str, i32)> {
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
    all.into_iter().map(|(name, signal)| (name, signal.as_raw())).collect()
}

/// Sends a signal to one process; zero only asks whether there is one.
///
/// # Errors
/// `EINVAL` when there is no such signal, `ESRCH` when there is no such process, `EPERM` when it belongs to somebody else.
pub fn send(pid: Pid, signal: i32) -> io::Result<()> {
    Ok(match signal {
        0 => rustix::process::test_kill_process(pid),
        _ => rustix::process::kill_process(pid, Signal::from_named_raw(signal).ok_or(Errno::INVAL)?),
    }?)
}

/// Sends a signal to a process group; zero only asks whether there is one.
///
/// # Errors
/// As [`send`].
pub fn send_to_group(group: Pid, signal: i32) -> io::Result<()> {
    Ok(match signal {
        0 => rustix::process::test_kill_process_group(group),
        _ => rustix::process::kill_process_group(group, Signal::from_named_raw(signal).ok_or(Errno::INVAL)?),
    }?)
}

/// Whether a `kill(2)` with this number reaches this very program: itself, its group, or everything there is.
pub fn reaches_us(number: i32) -> bool {
    match number {
        0 | -1 => true,
        // In a container the group can be one from outside. It has the number 0 then, which rustix does not expect.
        ..-1 => number.checked_neg() == Some(nix::unistd::getpgrp().as_raw()),
        1.. => number == rustix::process::getpid().as_raw_nonzero().get(),
    }
}

/// The signals that ask a program to end.
pub struct Endings(Vec<(unix::Signal, u8)>);

/// Takes the signals that ask this program to end, for as long as it lives.
///
/// Children do not inherit that one of them is ignored, as it is in the background of a script, because from here on it is
/// handled.
///
/// # Errors
/// When the system refuses.
pub fn endings() -> io::Result<Endings> {
    let kinds = [SignalKind::hangup(), SignalKind::interrupt(), SignalKind::quit(), SignalKind::terminate()];
    let take = |kind: SignalKind| Ok((unix::signal(kind)?, u8::try_from(kind.as_raw_value()).unwrap_or_default()));
    kinds.into_iter().map(take).collect::<io::Result<_>>().map(Endings)
}

impl Endings {
    /// The number of the next one. Can be given up and called again.
    pub async fn next(&mut self) -> u8 {
        std::future::poll_fn(|context| {
            for (signal, number) in &mut self.0 {
                if signal.poll_recv(context).is_ready() {
                    return std::task::Poll::Ready(*number);
                }
            }
            std::task::Poll::Pending
        })
        .await
    }
}

/// Stops this program and the others of its process group, as ctrl+z does, until something continues it. Returns then; at once
/// in a group that nobody could continue, because no shell watches it.
///
/// # Errors
/// When the system refuses.
#[expect(unsafe_code, reason = "only the system stops a program as shells expect, and a handler takes its place")]
pub fn stop_group() -> io::Result<()> {
    use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, killpg, raise, sigaction};
    let with = |handler| SigAction::new(handler, SaFlags::empty(), SigSet::empty());
    // A child that is stopped before it runs its own program holds up the thread that starts it. That one cannot stop then,
    // and the shell waits for all threads.
    let _none_starts = crate::starting::none_starts();
    // The signal to the group is for the others: which thread of this program takes it, and when, nobody knows.
    // SAFETY: neither way runs code of this program.
    let before = unsafe { sigaction(Signal::SIGTSTP, &with(SigHandler::SigIgn)) }?;
    let sent = killpg(nix::unistd::getpgrp(), Signal::SIGTSTP);
    // SAFETY: as before.
    unsafe { sigaction(Signal::SIGTSTP, &with(SigHandler::SigDfl)) }?;
    // This one goes to this thread, and stops the program before it returns.
    let stopped = raise(Signal::SIGTSTP);
    // SAFETY: the handler was installed before.
    unsafe { sigaction(Signal::SIGTSTP, &before) }?;
    Ok(sent.and(stopped)?)
}

/// Makes writing to a file that grows beyond the limit of the process fail with an error that says so, instead of ending
/// the process. Programs that are started do not inherit it.
///
/// # Errors
/// When the system refuses.
pub fn survive_file_size_limit() -> io::Result<()> {
    // A handler is enough, and it stays when nobody listens any more.
    unix::signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_numbers_of_the_system() {
        let all = named();
        let number = |name: &str| all.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
        assert_eq!([number("SIGHUP"), number("SIGKILL"), number("SIGTERM")], [Some(1), Some(9), Some(15)]);
        assert_eq!(number("SIGINFO").is_some(), cfg!(target_os = "macos"));
    }

    #[test]
    fn what_reaches_this_program_is_known() {
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let group = nix::unistd::getpgrp().as_raw();
        assert_eq!([0, -1, own, -group].map(reaches_us), [true; 4]);
        assert_eq!([own + 1, i32::MAX].map(reaches_us), [false; 2]);
        assert_eq!(send(rustix::process::getpid(), 0).ok(), Some(()));
        let invalid = send(rustix::process::getpid(), 4711).expect_err("no signal");
        assert_eq!(invalid.raw_os_error(), Some(Errno::INVAL.raw_os_error()));
    }
}
