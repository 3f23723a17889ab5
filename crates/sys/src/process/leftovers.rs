//! What programs leave running when they end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Weak};

use parking_lot::Mutex;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process, test_kill_process_group};

use super::session;

#[derive(Debug, Default)]
struct Groups(Mutex<Vec<Left>>);

/// What is left of a program that has ended, by its number.
#[derive(Debug, Clone, Copy)]
enum Left {
    /// Its process group.
    Group(Pid),
    /// All groups of the session that it led.
    Session(Pid),
}

impl Left {
    /// The groups in which something still runs.
    fn groups(self) -> Vec<Pid> {
        match self {
            Self::Group(group) if is_there(group) => vec![group],
            // No process gets the number of the leader while somebody is in its session.
            Self::Session(leader) if test_kill_process(leader) == Err(Errno::SRCH) => session::groups(leader),
            Self::Group(_) | Self::Session(_) => Vec::new(),
        }
    }

    fn end(self) {
        for group in self.groups() {
            // One that is stopped notices only when it goes on.
            for signal in [Signal::HUP, Signal::CONT] {
                if let Err(error) = kill_process_group(group, signal)
                    && error != Errno::SRCH
                {
                    tracing::debug!(?group, %error, "signal not delivered");
                }
            }
        }
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        self.end();
    }
}

// Whoever ends the program must find them all, whichever session they belong to.
static EVERYWHERE: LazyLock<Mutex<Vec<Weak<Groups>>>> = LazyLock::new(Mutex::default);

/// The program ends, so nothing may be left any more.
static ENDED: AtomicBool = AtomicBool::new(false);

/// Collects the process groups in which something still runs although the program that began them has ended.
///
/// They end as the jobs of a terminal do when it closes: the whole group gets `SIGHUP`. So what wants to outlive the
/// session can: it ignores the signal, as `nohup` does, or leaves the group, as `setsid` and daemons do. They end when
/// [`Leftovers::end`] is called, when the last clone is dropped, and when the program ends.
///
/// A group is known by the number of its first process, which has ended. No process gets that number while the group
/// exists, so a process that has it shows that the group is gone and that the number belongs to something else.
#[derive(Debug, Clone)]
pub struct Leftovers(Arc<Groups>);

impl Default for Leftovers {
    fn default() -> Self {
        let groups = Arc::default();
        let mut everywhere = EVERYWHERE.lock();
        everywhere.retain(|known| known.strong_count() > 0);
        everywhere.push(Arc::downgrade(&groups));
        Self(groups)
    }
}

impl Leftovers {
    /// Takes a group whose first process has ended and was waited for, if there is anything left in it.
    pub fn take(&self, group: Pid) {
        self.add(Left::Group(group));
    }

    /// Takes all groups of the session that a process led which has ended and was waited for.
    pub fn take_session(&self, leader: Pid) {
        self.add(Left::Session(leader));
    }

    fn add(&self, left: Left) {
        {
            let mut all = self.0.0.lock();
            all.retain(|known| !known.groups().is_empty());
            if !left.groups().is_empty() {
                all.push(left);
            }
        }
        // Those who end everything may have looked before the group was there.
        if ENDED.load(Ordering::SeqCst) {
            self.end();
        }
    }

    /// Ends all of them.
    pub fn end(&self) {
        self.0.end();
    }
}

/// Ends what programs left running, for all sessions, and from now on whatever is left at once.
pub(crate) fn end_everywhere() {
    ENDED.store(true, Ordering::SeqCst);
    let everywhere: Vec<Arc<Groups>> = EVERYWHERE.lock().iter().filter_map(Weak::upgrade).collect();
    everywhere.iter().for_each(|groups| groups.end());
}

impl Groups {
    fn end(&self) {
        std::mem::take(&mut *self.0.lock()).into_iter().for_each(Left::end);
    }
}

/// Whether something is left in a group whose first process has ended and was waited for.
pub(crate) fn is_there(group: Pid) -> bool {
    test_kill_process(group) == Err(Errno::SRCH) && test_kill_process_group(group).is_ok()
}
