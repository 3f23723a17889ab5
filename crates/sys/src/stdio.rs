//! Standard input and output.

use std::fs::File;
use std::io;

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
