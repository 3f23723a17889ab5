//! Terminals that a program holds the other end of.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::Pid;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{InputModes, OptionalActions, Winsize, tcgetattr, tcgetpgrp, tcsetattr, tcsetwinsize};
use tokio::net::unix::pipe;

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

    /// Deleting a character deletes all of its bytes, where what is typed is UTF-8.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn expect_utf8(&self) -> io::Result<()> {
        let mut modes = tcgetattr(&self.ours)?;
        modes.input_modes.insert(InputModes::IUTF8);
        Ok(tcsetattr(&self.ours, OptionalActions::Now, &modes)?)
    }

    /// The process group in the foreground; none when the terminal controls nobody any more.
    pub fn foreground(&self) -> Option<Pid> {
        tcgetpgrp(&self.ours).ok()
    }

    /// The end of the program for tasks, which it does not block: for what is shown, and for what is typed. The terminal hangs
    /// up when all three are dropped. Has to be called where tasks run.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn for_tasks(&self) -> io::Result<(pipe::Receiver, pipe::Sender)> {
        fcntl_setfl(&self.ours, fcntl_getfl(&self.ours)? | OFlags::NONBLOCK)?;
        // A terminal is no pipe, but it is waited for, read and written in the same way.
        let shown = pipe::Receiver::from_file_unchecked(self.ours.try_clone()?)?;
        let typed = pipe::Sender::from_file_unchecked(self.ours.try_clone()?)?;
        Ok((shown, typed))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, IsTerminal, Read, Write};

    use rustix::io::fcntl_getfd;
    use rustix::termios::tcgetwinsize;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

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

    #[tokio::test]
    async fn tasks_wait_for_what_is_shown_and_for_room_to_type() {
        let pty = Pty::open().expect("a terminal");
        pty.expect_utf8().expect("a mode");
        let theirs = pty.theirs().expect("the terminal");
        assert!(tcgetattr(&theirs).expect("modes").input_modes.contains(InputModes::IUTF8));
        assert_eq!(pty.foreground(), None);
        let mut modes = tcgetattr(&theirs).expect("modes");
        modes.make_raw();
        tcsetattr(&theirs, OptionalActions::Now, &modes).expect("a mode");
        let (mut shown_end, mut typed_end) = pty.for_tasks().expect("an end for tasks");
        // Neither fits into what the system keeps.
        let (typed, said) = ("typed ".repeat(20_000), "said ".repeat(20_000));
        let program = std::thread::spawn({
            let (mut read, said) = (vec![0; typed.len()], said.clone());
            move || {
                let mut terminal = theirs;
                terminal.read_exact(&mut read).expect("what was typed");
                terminal.write_all(said.as_bytes()).expect("said");
                read
            }
        });
        typed_end.write_all(typed.as_bytes()).await.expect("typed");
        let mut shown = vec![0; said.len()];
        shown_end.read_exact(&mut shown).await.expect("shown");
        assert_eq!(program.join().expect("a thread"), typed.as_bytes());
        assert_eq!(shown, said.as_bytes());
        assert_eq!(shown_end.read(&mut [0]).await.expect_err("hung up").raw_os_error(), Some(5));
    }
}
