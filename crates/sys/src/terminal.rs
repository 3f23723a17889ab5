//! The terminal that the user sits at.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, Ordering};

use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use rustix::fs::OFlags;
use rustix::process::{Pid, getpgrp};
use rustix::termios::{
    LocalModes, OptionalActions, Termios, isatty, tcgetattr, tcgetpgrp, tcsetattr, tcsetpgrp, ttyname,
};

/// A terminal that does not echo what is typed, until this is dropped.
pub struct Quiet(Option<Termios>);

impl Quiet {
    /// Turns off the echo of standard input. What was typed before is not read. Does nothing where there is no terminal.
    pub fn begin() -> Self {
        let before = tcgetattr(io::stdin()).ok();
        let quiet = before.clone().map(|mut modes| {
            modes.local_modes.remove(LocalModes::ECHO);
            tcsetattr(io::stdin(), OptionalActions::Flush, &modes)
        });
        Self(before.filter(|_| quiet.is_some_and(|done| done.is_ok())))
    }

    /// Whether the echo was turned off.
    pub fn is_quiet(&self) -> bool {
        self.0.is_some()
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if let Some(before) = &self.0
            && let Err(error) = tcsetattr(io::stdin(), OptionalActions::Now, before)
        {
            // A terminal that is gone needs no echo.
            tracing::debug!(%error, "the echo of the terminal cannot be turned on again");
        }
    }
}

/// Opens the terminal of a descriptor once more, for reading and writing without blocking. This does
/// not affect other programs with the same descriptor, which share its flags and expect to block.
///
/// # Errors
/// When it is no terminal, or may not be opened.
pub fn reopened(terminal: impl AsFd) -> io::Result<File> {
    let terminal = File::from(terminal.as_fd().try_clone_to_owned()?);
    // The link works where the name does not, because the terminal is one of another container.
    let path = if cfg!(target_os = "linux") {
        PathBuf::from(format!("/proc/self/fd/{}", terminal.as_raw_fd()))
    } else {
        let name = ttyname(&terminal, Vec::new())?.into_string();
        name.map_err(|error| io::Error::new(io::ErrorKind::InvalidFilename, error))?.into()
    };
    let flags = (OFlags::NOCTTY | OFlags::NONBLOCK).bits().cast_signed();
    let opened = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)?;
    if isatty(&opened) && opened.metadata()?.rdev() == terminal.metadata()?.rdev() {
        Ok(opened)
    } else {
        Err(io::Error::other("another terminal has its name"))
    }
}

/// Whether this program is in the background of a terminal: what it reads there stops it, and what it writes disturbs
/// others. A terminal that does not control this program has no background.
pub fn is_in_background(terminal: impl AsFd) -> bool {
    let own = nix::unistd::getpgrp().as_raw();
    tcgetpgrp(terminal).is_ok_and(|group| group.as_raw_nonzero().get() != own)
}

/// The group that this program has given the foreground of its terminal to; zero is none.
static GIVEN: AtomicI32 = AtomicI32::new(0);

/// Notes that a group of this program's children has the foreground of the terminal.
pub fn gave_foreground(group: Pid) {
    GIVEN.store(group.as_raw_nonzero().get(), Ordering::SeqCst);
}

/// Takes the foreground of a terminal back from a group that this program gave it to, whether that group is still there or
/// not. One that others have given, as a shell does, is left alone.
///
/// # Errors
/// When the system refuses.
pub fn take_foreground_back(terminal: impl AsFd) -> io::Result<()> {
    take_back_from(terminal, GIVEN.swap(0, Ordering::SeqCst))
}

/// Takes the foreground of a terminal back from a group that this program gave it to and that has ended, unless another one
/// has it by now.
///
/// # Errors
/// When the system refuses.
pub fn foreground_ended(terminal: impl AsFd, group: Pid) -> io::Result<()> {
    let group = group.as_raw_nonzero().get();
    match GIVEN.compare_exchange(group, 0, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(given) => take_back_from(terminal, given),
        Err(_) => Ok(()),
    }
}

fn take_back_from(terminal: impl AsFd, given: i32) -> io::Result<()> {
    // A group that has ended has no number on some systems.
    let is_ours = tcgetpgrp(&terminal).map_or(true, |group| group.as_raw_nonzero().get() == given);
    if given == 0 || !is_ours {
        return Ok(());
    }
    unstopped(|| Ok(tcsetpgrp(&terminal, getpgrp())?))
}

/// Sets the modes of a terminal at once. Does not stop this program in the background, which has to put back what it found.
///
/// # Errors
/// When the system refuses.
pub fn set_modes(terminal: impl AsFd, modes: &Termios) -> io::Result<()> {
    unstopped(|| Ok(tcsetattr(terminal, OptionalActions::Now, modes)?))
}

/// Does something that would stop a program in the background.
fn unstopped(work: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let stop = SigSet::from(Signal::SIGTTOU);
    let before = stop.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let done = work();
    before.thread_set_mask()?;
    done
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use rustix::fs::{OFlags, fcntl_getfl};
    use rustix::termios::InputModes;

    use super::*;
    use crate::pty::Pty;

    #[test]
    fn a_terminal_that_is_opened_once_more_blocks_nobody_and_changes_no_flag_of_others() {
        let pty = Pty::open().expect("a terminal");
        let theirs = pty.theirs().expect("the terminal");
        let mut own = reopened(&theirs).expect("the terminal");
        let error = own.read(&mut [0]).expect_err("nothing was typed");
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        assert!(!fcntl_getfl(&theirs).expect("flags").contains(OFlags::NONBLOCK));
        own.write_all(b"said").expect("said");
        let mut shown = [0; 4];
        pty.ours().read_exact(&mut shown).expect("shown");
        assert_eq!(&shown, b"said");
        reopened(File::open("/dev/null").expect("a file")).expect_err("no terminal");
    }

    #[test]
    fn modes_are_set_and_a_terminal_of_nobody_has_no_background() {
        let pty = Pty::open().expect("a terminal");
        let theirs = pty.theirs().expect("the terminal");
        assert!(!is_in_background(&theirs));
        let mut modes = tcgetattr(&theirs).expect("modes");
        modes.input_modes.remove(InputModes::ICRNL);
        set_modes(&theirs, &modes).expect("set");
        assert!(!tcgetattr(&theirs).expect("modes").input_modes.contains(InputModes::ICRNL));
    }
}
