//! What the system knows about a process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;

/// A process that is looked at from outside.
#[derive(Clone, Copy)]
pub struct Process(pub u32);

impl Process {
    /// Processor time of all its threads, also of those that have ended, by the clock of the process: ticks are too coarse
    /// for what one key takes.
    pub fn cpu(self) -> Duration {
        let clock = clock_getcpuclockid(Pid::from_raw(self.0.cast_signed())).expect("its clock");
        clock.now().expect("its time").into()
    }

    /// Memory in bytes: what it has for itself, and its share of what it has with others.
    pub fn pss(self) -> f64 {
        number(&self.file("smaps_rollup"), "Pss:") * 1024.0
    }

    /// The most memory it ever had at once, in bytes.
    pub fn peak(self) -> f64 {
        number(&self.file("status"), "VmHWM:") * 1024.0
    }

    /// How often each of its threads has gone to sleep, which is how often it woke.
    pub fn sleeps(self) -> BTreeMap<OsString, f64> {
        let threads = fs::read_dir(format!("/proc/{}/task", self.0)).expect("its threads").flatten();
        // A thread may end meanwhile.
        let count = |thread: fs::DirEntry| {
            let status = fs::read_to_string(thread.path().join("status")).ok()?;
            Some((thread.file_name(), number(&status, "voluntary_ctxt_switches:")))
        };
        threads.filter_map(count).collect()
    }

    /// How often its threads woke since then. What one that has ended did is not known any more, but that it ended.
    pub fn wakes_since(self, before: &BTreeMap<OsString, f64>) -> f64 {
        let now = self.sleeps();
        let ended = before.keys().filter(|thread| !now.contains_key(*thread)).count();
        let woke = now.iter().map(|(thread, count)| count - before.get(thread).copied().unwrap_or_default());
        woke.sum::<f64>() + ended as f64
    }

    fn file(self, name: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{name}", self.0)).expect("the process lives")
    }
}

/// The number in the line that begins like this.
fn number(text: &str, name: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("the system says it");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
}
