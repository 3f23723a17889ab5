//! A program that has a time, and of whose output only so much is wanted.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Command, Output};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::group::{Place, kill_group, pid_of, piped};

/// Most bytes of each stream that are taken. A program that writes more finds its pipe closed.
const MAX_OUTPUT: usize = 1024 * 1024;

/// As [`super::output`], for a program that has the time `limit`: it leads a process group, which is killed after that;
/// `None` then. The group has a session of its own and so no terminal: a program that asks on one fails at once, where it
/// would be stopped and wait for ever. What the program started and left running when it ended is neither waited for nor ended, and of each stream
/// only the first mebibyte is taken.
///
/// # Errors
/// When it cannot be started, or when this program ends.
pub fn output_within(command: Command, limit: Duration) -> io::Result<Option<Output>> {
    let end = Instant::now() + limit;
    let (mut child, running) = piped(command, Place::Session)?;
    let pid = pid_of(&child);
    // From here on an error must not leave it behind.
    let group = Ending(pid);
    let mut stdout = Taken::of(child.stdout.take())?;
    let mut stderr = Taken::of(child.stderr.take())?;
    let (has_ended, ended) = io::pipe()?;
    let (sender, status) = mpsc::channel();
    // Only a thread can wait for the end and, here, for the pipes at once.
    std::thread::Builder::new().name("program".to_owned()).spawn(move || {
        let waited = child.wait();
        // Nobody listens once the limit is over.
        drop(sender.send(waited));
        drop(running);
        // Closing it is the sign.
        drop(ended);
    })?;
    let is_over = loop {
        let left = end.saturating_duration_since(Instant::now());
        let sign = wait(&has_ended, [&stdout, &stderr], left)?;
        stdout.read()?;
        stderr.read()?;
        if sign || left.is_zero() {
            break !sign;
        }
    };
    if is_over {
        return Ok(None);
    }
    group.forget();
    // What it wrote before it ended is there now; the pipes may stay open for ever.
    stdout.read()?;
    stderr.read()?;
    let status = status.recv().map_err(io::Error::other)??;
    Ok(Some(Output { status, stdout: stdout.bytes, stderr: stderr.bytes }))
}

/// Waits until there is something to read, or the time is over; tells whether the program has ended.
fn wait(has_ended: &impl AsFd, streams: [&Taken; 2], left: Duration) -> io::Result<bool> {
    let mut sources = vec![PollFd::new(has_ended, PollFlags::IN)];
    let open = streams.iter().filter_map(|stream| stream.pipe.as_ref());
    sources.extend(open.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
    let left = Timespec::try_from(left).map_err(|_| Errno::INVAL)?;
    match poll(&mut sources, Some(&left)) {
        Ok(_) => Ok(!sources[0].revents().is_empty()),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// A group that is killed when this is dropped.
struct Ending(Option<rustix::process::Pid>);

impl Ending {
    /// It may go on.
    fn forget(mut self) {
        self.0 = None;
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.into_iter().for_each(kill_group);
    }
}

/// A stream of the program, as far as it was read.
struct Taken {
    /// `None` once it has ended or brought enough.
    pipe: Option<OwnedFd>,
    bytes: Vec<u8>,
}

impl Taken {
    fn of(pipe: Option<impl Into<OwnedFd>>) -> io::Result<Self> {
        let pipe: Option<OwnedFd> = pipe.map(Into::into);
        if let Some(pipe) = &pipe {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(Self { pipe, bytes: Vec::new() })
    }

    /// Takes what is there.
    fn read(&mut self) -> io::Result<()> {
        let mut piece = [0; 16 * 1024];
        while let Some(pipe) = &self.pipe {
            let room = piece.len().min(MAX_OUTPUT - self.bytes.len());
            match rustix::io::read(pipe, &mut piece[..room]) {
                // Also when there is no room.
                Ok(0) => self.pipe = None,
                Ok(length) => self.bytes.extend_from_slice(&piece[..length]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    /// Long enough for whatever ends by itself.
    const PATIENT: Duration = Duration::from_secs(600);

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    fn taken(script: &str) -> Output {
        output_within(sh(script), PATIENT).expect("a program that starts").expect("its end")
    }

    #[test]
    fn output_is_collected_without_input() {
        let done = taken("cat; echo out; echo err >&2; exit 3");
        assert_eq!((done.stdout, done.stderr), (b"out\n".to_vec(), b"err\n".to_vec()));
        assert_eq!(super::super::exit_code(done.status), 3);
    }

    /// A program in another group of our session that reads from its terminal is stopped.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_has_no_terminal_to_wait_for() {
        let done = taken("echo $$; cut -d ' ' -f 6 /proc/$$/stat; cat /dev/tty");
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        let [leader, session] = said.lines().collect::<Vec<_>>()[..] else { panic!("{said}") };
        assert_eq!(leader, session, "it leads a session");
        assert!(!done.status.success(), "{done:?}");
    }

    #[test]
    fn only_a_mebibyte_is_taken_of_each_stream() {
        // Both more than fits, and the closed pipe ends a program that writes on.
        let done = taken("yes error >&2 & yes; wait");
        assert_eq!((done.stdout.len(), done.stderr.len()), (MAX_OUTPUT, MAX_OUTPUT));
        assert!(done.stdout.starts_with(b"y\ny\n") && done.stderr.starts_with(b"error\n"));
        let exact = taken(&format!("head -c {MAX_OUTPUT} /dev/zero"));
        assert_eq!((exact.stdout.len(), exact.status.success()), (MAX_OUTPUT, true));
    }

    #[test]
    fn what_a_program_leaves_running_is_not_waited_for() {
        let done = taken("sleep 1000 & echo \"$!\"");
        let left = String::from_utf8_lossy(&done.stdout).trim().parse().ok().and_then(rustix::process::Pid::from_raw);
        let left = left.expect("the number of what keeps running");
        // It keeps running, and holds the pipes.
        rustix::process::kill_process(left, rustix::process::Signal::KILL).expect("it is there");
    }

    #[test]
    fn a_program_that_takes_too_long_ends_with_all_that_it_started() {
        // On a slow machine it gets more time, until both have begun before it is over.
        let mut limit = Duration::from_millis(100);
        let said = loop {
            let (mut reader, writer) = io::pipe().expect("a pipe");
            let mut command = sh("(echo child >&3; sleep 1000) & echo shell >&3; sleep 1000");
            super::super::map_descriptors(&mut command, vec![(writer.into(), 3)]).expect("one number");
            assert!(output_within(command, limit).expect("a program that starts").is_none());
            let mut said = String::new();
            // The end comes when nobody has it open any more.
            reader.read_to_string(&mut said).expect("the end");
            if said.lines().count() == 2 {
                break said;
            }
            limit *= 2;
        };
        assert!(said.contains("shell\n") && said.contains("child\n"), "{said}");
    }
}
