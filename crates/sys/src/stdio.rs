//! Standard input and output.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

/// The standard input and output that the program was started with. What else reads standard input from now on finds its
/// end, and what else writes to standard output, a child for instance, writes to standard error.
///
/// # Errors
/// When the system refuses.
pub fn take_over() -> io::Result<(File, File)> {
    let input = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?;
    let output = rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok((input.into(), output.into()))
}

/// What writes to standard error now goes into a pipe, for as long as this lives: a program that owns the screen cannot have
/// anybody else write there.
#[derive(Debug)]
pub struct DivertedErrors {
    before: OwnedFd,
}

/// Diverts standard error; gives the end of the pipe to read what is written.
///
/// # Errors
/// When the system refuses.
pub fn divert_errors() -> io::Result<(DivertedErrors, File)> {
    let before = rustix::io::fcntl_dupfd_cloexec(io::stderr(), 3)?;
    let (read, write) = io::pipe()?;
    // A slow reader must not block the writer.
    rustix::io::ioctl_fionbio(&write, true)?;
    rustix::stdio::dup2_stderr(&write)?;
    Ok((DivertedErrors { before }, OwnedFd::from(read).into()))
}

impl Drop for DivertedErrors {
    fn drop(&mut self) {
        if let Err(error) = rustix::stdio::dup2_stderr(&self.before) {
            tracing::debug!(%error, "standard error cannot be put back");
        }
    }
}
