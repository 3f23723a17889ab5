//! Prints the functions of a program in the order in which it first calls them, one name a line, as a linker takes them for
//! `--symbol-ordering-file`. For Linux on x86-64.
//!
//! `order [--terminal] PROGRAM ARGUMENTS` runs the program with a breakpoint at the start of each function. A breakpoint is
//! taken away at its first hit, so that the program is nearly as fast as without. With `--terminal` the program runs in a
//! terminal, and gets ctrl+d once it shows its editor.

#![allow(clippy::disallowed_methods, reason = "a tool of the build starts programs as it likes")]

mod symbols;
mod terminal;

use std::collections::HashSet;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use nix::errno::Errno;
use nix::libc::user_regs_struct;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use symbols::Symbols;

/// The instruction that stops a program.
const BREAKPOINT: u8 = 0xcc;

fn main() -> Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_terminal = arguments.first().is_some_and(|first| first == "--terminal");
    if is_terminal {
        arguments.remove(0);
    }
    let Some(program) = arguments.first().cloned() else { bail!("usage: order [--terminal] PROGRAM ARGUMENTS") };
    let symbols = Symbols::of(&program)?;
    let mut command = Command::new(&program);
    command.args(&arguments[1..]);
    let seat = match is_terminal {
        true => Some(terminal::sit(&mut command)?),
        false => {
            command.stdout(Stdio::null()).stderr(Stdio::null());
            None
        }
    };
    // SAFETY: only a system call is made between fork and exec.
    unsafe { command.pre_exec(|| Ok(ptrace::traceme()?)) };
    let child = command.spawn().with_context(|| format!("{program} cannot be started"))?;
    drop(command);
    let order = trace(Pid::from_raw(i32::try_from(child.id())?), &program, &symbols)?;
    drop(seat);
    let mut out = std::io::stdout().lock();
    for name in order.iter().flat_map(|address| symbols.names(*address)) {
        writeln!(out, "{name}")?;
    }
    Ok(())
}

/// Runs it to its end; gives the addresses of its functions in the order of their first calls.
fn trace(main: Pid, program: &str, symbols: &Symbols) -> Result<Vec<u64>> {
    // It stops at its start.
    waitpid(main, None)?;
    ptrace::setoptions(main, Options::PTRACE_O_TRACECLONE | Options::PTRACE_O_TRACEFORK | Options::PTRACE_O_EXITKILL)?;
    let base = symbols::base(main, program)?;
    let text = symbols.text();
    let mut with_breakpoints = text.to_vec();
    for address in symbols.addresses() {
        with_breakpoints[symbols.offset(address)] = BREAKPOINT;
    }
    memory(main)?.write_all_at(&with_breakpoints, base + symbols.start())?;

    let (mut order, mut called) = (Vec::new(), HashSet::new());
    ptrace::cont(main, None)?;
    loop {
        let status = waitpid(None, Some(WaitPidFlag::__WALL))?;
        let (thread, signal) = match status {
            WaitStatus::Exited(ended, _) | WaitStatus::Signaled(ended, ..) if ended == main => return Ok(order),
            WaitStatus::Stopped(thread, Signal::SIGTRAP) => {
                let passed = registers(thread).and_then(|registers| {
                    let address = registers.rip.wrapping_sub(1).wrapping_sub(base);
                    if !symbols.has(address) {
                        return Ok(Some(Signal::SIGTRAP));
                    }
                    if called.insert(address) {
                        order.push(address);
                    }
                    // A process that was forked has breakpoints of its own.
                    memory(thread)?.write_all_at(&[text[symbols.offset(address)]], base + address)?;
                    ptrace::setregs(thread, user_regs_struct { rip: registers.rip - 1, ..registers })?;
                    Ok(None)
                });
                match passed {
                    Ok(signal) => (thread, signal),
                    Err(error) if is_gone(&error) => continue,
                    Err(error) => return Err(error),
                }
            }
            // A new thread begins with it.
            WaitStatus::Stopped(thread, Signal::SIGSTOP) => (thread, None),
            WaitStatus::Stopped(thread, signal) => (thread, Some(signal)),
            WaitStatus::PtraceEvent(thread, ..) => (thread, None),
            _ => continue,
        };
        match ptrace::cont(thread, signal) {
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn registers(thread: Pid) -> Result<user_regs_struct> {
    Ok(ptrace::getregs(thread)?)
}

/// Whether a thread was ended while it was stopped, as all are when the program ends.
fn is_gone(error: &anyhow::Error) -> bool {
    let code = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::raw_os_error);
    let code = code.map(Errno::from_raw).or(error.downcast_ref::<Errno>().copied());
    matches!(code, Some(Errno::ESRCH | Errno::ENOENT | Errno::EIO))
}

fn memory(thread: Pid) -> Result<File> {
    let path = format!("/proc/{thread}/mem");
    File::options().write(true).open(&path).with_context(|| path)
}
