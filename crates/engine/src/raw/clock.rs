//! What a thread has had of the processor, seen from another one.
#![allow(unsafe_code, clippy::allow_attributes)]

use std::time::Duration;

/// The clock of a thread. It can be read from any thread.
#[derive(Debug, Clone, Copy)]
pub struct ThreadClock(#[cfg(target_os = "linux")] libc::clockid_t);

#[cfg(target_os = "linux")]
impl ThreadClock {
    /// That of the calling thread.
    pub fn own() -> Option<Self> {
        let mut clock: libc::clockid_t = 0;
        // SAFETY: the thread is alive, it is this one, and the call only writes the number of its clock.
        let failed = unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut clock) };
        (failed == 0).then_some(Self(clock))
    }

    /// The processor time so far; none when the thread has ended.
    pub fn read(self) -> Option<Duration> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the call only writes a time, and refuses the number of a clock that is not there any more.
        let failed = unsafe { libc::clock_gettime(self.0, &raw mut time) };
        if failed != 0 {
            return None;
        }
        Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
    }
}

#[cfg(not(target_os = "linux"))]
impl ThreadClock {
    /// There is none that others can read.
    pub fn own() -> Option<Self> {
        None
    }

    /// Never called: there is no such clock.
    pub fn read(self) -> Option<Duration> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn the_clock_of_a_thread_runs_while_the_thread_works_and_goes_with_it() {
        let (send, clock) = channel();
        let (stop, stopped) = channel::<()>();
        let thread = std::thread::spawn(move || {
            send.send(ThreadClock::own().expect("a clock")).expect("somebody who reads it");
            while stopped.try_recv().is_err() {}
        });
        let clock = clock.recv().expect("a clock");
        while clock.read().expect("a time") < Duration::from_millis(20) {
            std::thread::yield_now();
        }
        stop.send(()).expect("a thread that waits");
        thread.join().expect("a thread that ends");
    }
}
