//! Where a new thread begins.
#![allow(unsafe_code, clippy::allow_attributes)]

#[cfg(target_os = "linux")]
pub(crate) use linux::{begin_elsewhere, run_on};
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{begin_elsewhere, run_on};

#[cfg(target_os = "linux")]
mod linux {
    use std::os::unix::thread::JoinHandleExt;
    use std::thread::JoinHandle;

    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// Lets a new thread begin on another processor than the one this thread is busy on.
    ///
    /// Some systems, small virtual ones above all, leave it waiting for this one although other processors have nothing
    /// to do, for as long as four milliseconds. Gives the processors it may use, for [`run_on`]: until then it keeps
    /// away from this one. `None` when there is no other, or no telling.
    pub(crate) fn begin_elsewhere(thread: &JoinHandle<()>) -> Option<CpuSet> {
        let allowed = sched_getaffinity(None).ok()?;
        let here = sched_getcpu();
        // SAFETY: a set of processors is bits, and none of them set is the empty set.
        let mut others: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        for processor in (0..CpuSet::MAX_CPU).filter(|&processor| processor != here && allowed.is_set(processor)) {
            // SAFETY: the bit is one of the set's.
            unsafe { libc::CPU_SET(processor, &mut others) };
        }
        // SAFETY: a thread is known to the system until its handle is gone. Without a single processor it refuses.
        let done =
            unsafe { libc::pthread_setaffinity_np(thread.as_pthread_t(), size_of_val(&others), &raw const others) };
        (done == 0).then_some(allowed)
    }

    /// Lets this thread run on all of these.
    pub(crate) fn run_on(processors: &CpuSet) {
        let _ = sched_setaffinity(None, processors);
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    /// Leaves it to the system where a new thread begins.
    pub(crate) fn begin_elsewhere(_: &std::thread::JoinHandle<()>) -> Option<()> {
        None
    }

    /// Never called: nothing was changed.
    pub(crate) fn run_on((): &()) {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::mpsc::channel;

    use rustix::thread::{CpuSet, sched_getaffinity};

    use super::*;

    #[test]
    fn a_thread_keeps_away_from_one_processor_until_it_may_run_on_all() {
        let own = sched_getaffinity(None).expect("the processors of this thread");
        let (placed, begin) = channel::<Option<CpuSet>>();
        let thread = std::thread::spawn(move || {
            let Ok(Some(allowed)) = begin.recv() else { return };
            let kept = sched_getaffinity(None).expect("the processors of a thread");
            assert_eq!(kept.count() + 1, allowed.count(), "it keeps away from one");
            run_on(&allowed);
            assert_eq!(sched_getaffinity(None).expect("the processors of a thread"), own);
        });
        let allowed = begin_elsewhere(&thread);
        assert_eq!(allowed.is_some(), own.count() > 1, "there is another one");
        placed.send(allowed).expect("it waits");
        thread.join().expect("what it found");
    }
}
