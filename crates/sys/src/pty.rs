//! Terminals that a program holds the other end of.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// A terminal without a screen: what is written to [`Pty::ours`] is typed in it, and what is read there is what it shows.
#[derive(Debug)]
pub struct Pty {
    ours: File,
    path: PathBuf,
}

impl Pty {
    /// Makes a terminal. It becomes nobody's controlling terminal by that.
    ///
    /// # Errors
    /// When the system has none left.
    pub fn open() -> io::Result<Self> {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        // A program that inherits this end keeps the terminal from ever hanging up.
        fcntl_setfd(&ours, FdFlags::CLOEXEC)?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let name = ptsname(&ours, Vec::new())?;
        let name = name.into_string().map_err(|error| io::Error::new(io::ErrorKind::InvalidFilename, error))?;
        Ok(Self { ours: ours.into(), path: name.into() })
    }

    /// The end of the program.
    pub fn ours(&self) -> &File {
        &self.ours
    }

    /// The file of the terminal; a session that has none and opens it is controlled by it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the terminal for the standard streams of a child, without being controlled by it.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn theirs(&self) -> io::Result<File> {
        let flags = OFlags::NOCTTY.bits().cast_signed();
        OpenOptions::new().read(true).write(true).custom_flags(flags).open(&self.path)
    }

    /// Says how large it is.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn resize(&self, columns: u16, rows: u16) -> io::Result<()> {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        Ok(tcsetwinsize(&self.ours, size)?)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, IsTerminal, Write};

    use rustix::io::fcntl_getfd;
    use rustix::termios::tcgetwinsize;

    use super::*;

    #[test]
    fn what_is_typed_is_read_and_what_is_said_is_shown() {
        let pty = Pty::open().expect("a terminal");
        pty.resize(100, 40).expect("a size");
        let mut theirs = pty.theirs().expect("the terminal");
        assert!(theirs.is_terminal());
        // Neither end is inherited.
        for end in [pty.ours(), &theirs] {
            assert!(fcntl_getfd(end).expect("flags").contains(FdFlags::CLOEXEC));
        }
        let size = tcgetwinsize(&theirs).expect("a size");
        assert_eq!((size.ws_col, size.ws_row), (100, 40));
        pty.ours().write_all(b"typed\n").expect("typed");
        let mut line = String::new();
        BufReader::new(&theirs).read_line(&mut line).expect("a line");
        assert_eq!(line, "typed\n");
        theirs.write_all(b"said\n").expect("said");
        let mut shown = BufReader::new(pty.ours()).lines().map_while(Result::ok);
        // What is typed is echoed first.
        assert_eq!([shown.next(), shown.next()], [Some("typed".to_owned()), Some("said".to_owned())]);
    }
}
