//! A shell in a terminal, and who sits at it.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::termios::{Termios, tcgetattr};
use tau_sys::pty::Pty;
use tempfile::TempDir;

/// No test waits this long, but for something that never comes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A shell with job control that leads the session of a terminal, and starts this program in it.
pub(crate) struct Shell {
    pty: Option<Pty>,
    shell: Child,
    folder: TempDir,
    /// What was shown and not looked at yet.
    shown: String,
}

impl Shell {
    /// Runs a script in which `"$@"` is this program playing a part. It says `[before]` and waits for a line, and in the end
    /// `[ended N]`, and `[typed]` with what was left to be read.
    pub(crate) fn new(script: &str, part: &str) -> Self {
        let pty = Pty::open().expect("a terminal");
        pty.resize(100, 30).expect("a size");
        let folder = TempDir::new().expect("a folder");
        let script = format!(
            "exec < {0} > {0} 2>&1; set -m; ulimit -c 0; stty sane; echo '[before]'; read line; {script}; \
             echo \"[ended $?]\"; read line; stty -echo; echo \"[typed$line]\"; read line",
            pty.path().display()
        );
        let mut command = Command::new("setsid");
        command.args(["sh", "-c", &script, "sh"]).arg(std::env::current_exe().expect("this program"));
        command.args(["parts::plays", "--exact", "--nocapture", "--test-threads=1"]);
        command.env("TAU_TUI_PART", part).env("TAU_TUI_FOLDER", folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let shell = command.spawn().expect("a shell");
        Self { pty: Some(pty), shell, folder, shown: String::new() }
    }

    fn pty(&self) -> &Pty {
        self.pty.as_ref().expect("the terminal is there")
    }

    pub(crate) fn type_in(&self, text: &str) {
        std::io::Write::write_all(&mut self.pty().ours(), text.as_bytes()).expect("typed");
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        self.pty().resize(columns, rows).expect("a size");
    }

    /// The modes that the terminal has now.
    pub(crate) fn modes(&self) -> Termios {
        tcgetattr(self.pty().ours()).expect("modes")
    }

    /// Returns what is shown up to the end of `text`, when that is shown.
    pub(crate) fn until(&mut self, text: &str) -> String {
        let start = Instant::now();
        loop {
            if let Some(at) = self.shown.find(text) {
                let rest = self.shown.split_off(at + text.len());
                return std::mem::replace(&mut self.shown, rest);
            }
            assert!(start.elapsed() < PATIENCE, "{text:?} does not come after {:?}", self.shown);
            self.look();
        }
    }

    fn look(&mut self) {
        let mut ours = self.pty().ours();
        let mut fds = [PollFd::new(&ours, PollFlags::IN)];
        poll(&mut fds, Some(&Timespec { tv_sec: 1, tv_nsec: 0 })).expect("waited");
        if fds[0].revents().is_empty() {
            return;
        }
        let mut buffer = [0; 65536];
        let length = ours.read(&mut buffer).unwrap_or_default();
        self.shown.push_str(&String::from_utf8_lossy(&buffer[..length]));
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn said(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.file(name)).ok().filter(|text| text.ends_with('\n'))
    }

    /// Returns what the program said in a file, when it is there.
    pub(crate) fn until_said(&self, name: &str) -> String {
        let start = Instant::now();
        loop {
            if let Some(said) = self.said(name) {
                return said;
            }
            assert!(start.elapsed() < PATIENCE, "{name} is not said");
            std::thread::yield_now();
        }
    }

    /// The program.
    pub(crate) fn pid(&self) -> Pid {
        super::pid(&self.until_said("pid")).expect("a number")
    }

    /// Returns when the program is stopped.
    pub(crate) fn until_stopped(&self) {
        let path = format!("/proc/{}/stat", self.pid().as_raw_nonzero());
        let start = Instant::now();
        while !fs::read_to_string(&path).is_ok_and(|stat| stat.contains(") T ")) {
            assert!(start.elapsed() < PATIENCE, "it does not stop");
            std::thread::yield_now();
        }
    }

    /// How often the program wrote.
    pub(crate) fn ticks(&self) -> u64 {
        self.said("ticks").and_then(|text| text.trim().parse().ok()).unwrap_or_default()
    }

    /// Takes the terminal away; what the program says of it.
    pub(crate) fn hang_up(&mut self) -> String {
        self.pty = None;
        self.until_said("end")
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let shell = i32::try_from(self.shell.id()).ok().and_then(Pid::from_raw);
        for pid in [self.said("pid").as_deref().and_then(super::pid), shell].into_iter().flatten() {
            // It may have ended.
            kill_process_group(pid, Signal::KILL).unwrap_or_default();
        }
        self.pty = None;
        self.shell.wait().expect("the shell has ended");
    }
}
