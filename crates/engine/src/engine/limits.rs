//! How long JavaScript may run without a pause, and what ends it when it holds too much memory.
//!
//! The engine asks whether it must stop every few thousand steps of a program. A step may be a native call that takes
//! milliseconds, such as a search in a large text, so these are seen in two more places: ops look at the clock, and
//! so does the allocator. Past the deadline and a little grace it refuses a large piece of memory: the native call fails,
//! and the error about it is made one that no program can catch. Small pieces are never refused for want of time, because
//! there are places where the engine does not survive it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::memory::{Memory, Verdict};

/// Bounds every stretch of JavaScript that runs without giving the thread back.
///
/// The engine asks [`Limits::must_stop`] every few thousand steps, so it is one or two atomic loads and a look at
/// the clock. Arming, pausing and asking happen on the engine's thread; only tripping comes from others.
#[derive(Debug)]
pub struct Limits {
    /// How long a stretch may take, in nanoseconds.
    budget: AtomicU64,
    /// Processor time of the engine's thread in nanoseconds; zero while no JavaScript runs.
    deadline: AtomicU64,
    /// Another stretch began behind the one the deadline is of. Noting that costs nothing; whoever asks for the deadline
    /// next counts from there.
    turned: AtomicBool,
    /// The number of the running stretch, or of the next one. Only the engine's thread changes it.
    stretch: AtomicU64,
    /// The number of the stretch that somebody wants to end now; zero is none.
    tripped: AtomicU64,
    /// How often the engine asked whether it must stop.
    polls: AtomicU64,
    /// What `polls` was when the running job began; [`NO_JOB`] while what runs is none.
    job: AtomicU64,
    /// Whose stretch is running; zero is nobody's.
    tag: AtomicU64,
    /// What runs must not be cut in two: tripping waits.
    sheltered: AtomicBool,
    /// How often the engine had to stop what runs now.
    stops: AtomicU32,
    /// How often the time of the running stretch is halved.
    hurried: AtomicU32,
    /// How often a stop was put off because nobody's code was at work.
    spared: AtomicU32,
    /// The engine knows that the stretch ends; what still runs only cleans up.
    stopping: AtomicBool,
    /// What runs now does not count.
    pausing: AtomicBool,
    /// What this stretch had to be ended for: a [`Cause`], or nothing.
    cause: AtomicU8,
    /// There is no error about that yet.
    refusal: AtomicBool,
    /// Something was ended because of the memory it holds, and nobody has cleaned up behind it yet.
    starved: AtomicBool,
    /// Allocations since the start; only some of them look at the clock.
    allocations: AtomicU32,
    /// When somebody last asked for the processor time, which takes a system call: monotonic nanoseconds.
    glanced: AtomicU64,
    /// How much memory the engine may hold.
    memory: Arc<Memory>,
}

/// No number of polls: what runs is the stretch itself.
const NO_JOB: u64 = u64::MAX;
/// How often the processor time is looked at by those who ask all the time, in nanoseconds.
const GLANCE: u64 = 10_000_000;
/// How long after its deadline a stretch still gets all memory, in nanoseconds: so long it may take to get to the
/// place where the engine asks.
const GRACE: u64 = 1_000_000_000;
/// Pieces of memory of this size, in bytes, take as long as a look at the clock.
const LARGE: usize = 64 << 10;
/// Smaller pieces, in bytes, are never refused for want of time.
const MIDDLING: usize = 8 << 10;

/// In how many steps the engine asks, at most, when it asks sooner than usual. However often it is halved it stays odd, so
/// that the questions do not all fall into the same step of a round.
const FIRST_DISTANCE: u32 = 8191;
/// How often the distance of a job before is halved at most for the next job, which may be that of another extension.
const MOST_HALVED: u32 = 6;

/// How often the time of a stretch is halved at most.
const MOST_HURRIED: u32 = 6;

/// How often a stop is put off at most. A round of promises takes a few steps, until code of a program is at work again.
const MOST_SPARED: u32 = 32;

/// Why a stretch had to be ended by refusing memory to it, or because of the memory it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It is far over its time.
    Time = 1,
    /// It holds more memory than it may.
    Memory = 2,
}

impl Limits {
    /// Those with this longest stretch.
    pub fn new(budget: Duration) -> Self {
        Self {
            budget: AtomicU64::new(whole_nanoseconds(budget)),
            deadline: AtomicU64::new(0),
            turned: AtomicBool::new(false),
            stretch: AtomicU64::new(1),
            tripped: AtomicU64::new(0),
            polls: AtomicU64::new(0),
            job: AtomicU64::new(NO_JOB),
            tag: AtomicU64::new(0),
            sheltered: AtomicBool::new(false),
            stops: AtomicU32::new(0),
            hurried: AtomicU32::new(0),
            spared: AtomicU32::new(0),
            stopping: AtomicBool::new(false),
            pausing: AtomicBool::new(false),
            cause: AtomicU8::new(0),
            refusal: AtomicBool::new(false),
            starved: AtomicBool::new(false),
            allocations: AtomicU32::new(0),
            glanced: AtomicU64::new(0),
            memory: Arc::new(Memory::default()),
        }
    }

    /// How much memory the engine holds, and may hold.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// How long the running stretch may take.
    pub fn budget(&self) -> Duration {
        Duration::from_nanos(self.budget.load(Ordering::Relaxed) >> self.hurried.load(Ordering::Relaxed))
    }

    /// Changes how long the stretches that begin from now on may take.
    pub fn set_budget(&self, budget: Duration) {
        self.budget.store(whole_nanoseconds(budget), Ordering::Relaxed);
    }

    /// The processor time of this thread, in nanoseconds: on a busy machine waiting for a turn must not count.
    pub(super) fn now() -> u64 {
        nanoseconds(ClockId::ThreadCPUTime)
    }

    /// Whether enough time has passed to look at the processor time again.
    fn may_glance(&self) -> bool {
        let now = nanoseconds(ClockId::Monotonic);
        let due = now.saturating_sub(self.glanced.load(Ordering::Relaxed)) >= GLANCE;
        if due {
            self.glanced.store(now, Ordering::Relaxed);
        }
        due
    }

    /// A stretch begins.
    pub fn arm(&self) {
        let budget = self.budget.load(Ordering::Relaxed);
        self.deadline.store(Self::now().saturating_add(budget).max(1), Ordering::Relaxed);
        self.turned.store(false, Ordering::Relaxed);
        self.job.store(NO_JOB, Ordering::Relaxed);
        self.hurried.store(0, Ordering::Relaxed);
        self.refusal.store(false, Ordering::Relaxed);
        self.stops.store(0, Ordering::Relaxed);
        self.spared.store(0, Ordering::Relaxed);
        self.stopping.store(false, Ordering::Relaxed);
    }

    /// The stretch that has just begun may take so long, and no longer.
    pub fn arm_for(&self, budget: Duration) {
        let until = Self::now().saturating_add(whole_nanoseconds(budget));
        self.deadline.store(until.max(1), Ordering::Relaxed);
    }

    /// The stretch that has just begun gets less time, because the `stopped` ones before it had to be stopped.
    pub fn hurry(&self, stopped: u32) {
        if stopped > 0 {
            self.hurried.store(stopped.min(MOST_HURRIED), Ordering::Relaxed);
            let until = Self::now().saturating_add(whole_nanoseconds(self.budget()));
            self.deadline.store(until.max(1), Ordering::Relaxed);
        }
    }

    /// How often the time of the running stretch was halved, because those before it had to be stopped.
    pub fn hurried(&self) -> u32 {
        self.hurried.load(Ordering::Relaxed)
    }

    /// The running stretch may take so many nanoseconds longer.
    pub fn prolong(&self, more: u64) {
        let deadline = self.deadline.load(Ordering::Relaxed);
        // A stretch that has not been looked at has all of its time.
        if deadline != 0 && !self.turned.load(Ordering::Relaxed) {
            self.deadline.store(deadline.saturating_add(more), Ordering::Relaxed);
        }
    }

    /// The running stretch has waited for work on another thread, which counts as if it were its own.
    pub fn charge(&self, time: Duration) {
        let deadline = self.deadline();
        if deadline != 0 {
            self.deadline.store(deadline.saturating_sub(whole_nanoseconds(time)).max(1), Ordering::Relaxed);
        }
    }

    /// A job begins, which shares the time of the stretch with other jobs.
    pub fn begin_job(&self) {
        self.job.store(self.polls.load(Ordering::Relaxed), Ordering::Relaxed);
        let stops = self.stops.load(Ordering::Relaxed);
        self.stops.store(stops.min(MOST_HALVED), Ordering::Relaxed);
    }

    /// A stretch begins right behind another one, and its time is its own. It is counted from when it is first looked at,
    /// because looking at the clock costs as much as the call of a handler.
    pub fn turn(&self) {
        self.next_stretch();
        self.turned.store(true, Ordering::Relaxed);
        self.forget();
    }

    /// What a stretch was ended for, and what followed from that, is nothing to the next one.
    fn forget(&self) {
        self.stops.store(0, Ordering::Relaxed);
        self.spared.store(0, Ordering::Relaxed);
        self.stopping.store(false, Ordering::Relaxed);
        self.refusal.store(false, Ordering::Relaxed);
        self.cause.store(0, Ordering::Relaxed);
    }

    /// What comes now is another stretch: one that was told to end is over.
    fn next_stretch(&self) {
        // Nobody else writes it.
        self.stretch.store(self.stretch.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// The number of the running stretch; none while no JavaScript runs.
    pub fn stretch(&self) -> Option<u64> {
        (self.deadline.load(Ordering::Relaxed) != 0).then(|| self.stretch.load(Ordering::Relaxed))
    }

    /// How often the engine has asked whether it must stop: a number that moves while JavaScript runs as it should.
    pub fn polls(&self) -> u64 {
        self.polls.load(Ordering::Relaxed)
    }

    /// Whether what runs now is not JavaScript, and its time does not count.
    pub fn is_paused(&self) -> bool {
        self.pausing.load(Ordering::Relaxed)
    }

    /// Until when the running stretch may take; zero while no JavaScript runs.
    fn deadline(&self) -> u64 {
        if self.turned.load(Ordering::Relaxed) && self.deadline.load(Ordering::Relaxed) != 0 {
            self.arm();
        }
        self.deadline.load(Ordering::Relaxed)
    }

    /// The stretch is over.
    pub fn disarm(&self) {
        self.deadline.store(0, Ordering::Relaxed);
        self.turned.store(false, Ordering::Relaxed);
        self.next_stretch();
        self.forget();
    }

    /// Ends the stretch that is running, if one is.
    pub fn trip(&self) {
        if let Some(stretch) = self.stretch() {
            self.trip_stretch(stretch);
        }
    }

    /// Ends the stretch of this number; no other one is touched when it is over already.
    pub fn trip_stretch(&self, stretch: u64) {
        self.tripped.store(stretch, Ordering::Relaxed);
    }

    /// Whose stretch is running; zero is nobody's.
    pub fn current_tag(&self) -> u64 {
        self.tag.load(Ordering::Relaxed)
    }

    /// Says whose stretch begins.
    pub fn tag(&self, tag: u64) {
        self.tag.store(tag, Ordering::Relaxed);
    }

    /// Whether the running stretch was told to end.
    pub fn is_tripped(&self) -> bool {
        self.tripped.load(Ordering::Relaxed) == self.stretch.load(Ordering::Relaxed)
    }

    /// Whether the running stretch must end.
    pub fn must_stop(&self) -> bool {
        self.polls.store(self.polls.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        let deadline = self.deadline.load(Ordering::Relaxed);
        let tripped = || self.is_tripped() && !self.sheltered.load(Ordering::Relaxed);
        let stop = deadline != 0 && (tripped() || Self::now() >= self.deadline());
        if stop {
            self.relent();
        }
        stop
    }

    /// Takes note of a stop. In how many steps the engine must ask again when something caught an earlier one: each time
    /// at half of the distance, at the end after every step.
    pub fn stop_again(&self) -> Option<u32> {
        let before = self.stops.load(Ordering::Relaxed);
        self.stops.store(before.saturating_add(1), Ordering::Relaxed);
        (before > 0).then(|| (FIRST_DISTANCE >> before.min(31)).max(1))
    }

    /// Puts a stop off by a step, because nobody's code is at work; at most some times in a stretch.
    ///
    /// Between two jobs the engine only moves promises on. A stop there says nothing of who took the time, and the engine
    /// makes a rejected promise of it, while the jobs of whoever took the time go on.
    pub fn spare(&self) -> bool {
        let before = self.spared.load(Ordering::Relaxed);
        let spares = before < MOST_SPARED;
        if spares {
            self.spared.store(before + 1, Ordering::Relaxed);
            self.stopping.store(false, Ordering::Relaxed);
        }
        spares
    }

    /// Whether the running stretch must end because of what it holds; `collect` looks for garbage.
    pub fn must_stop_for_memory(&self, collect: impl FnOnce()) -> bool {
        let armed = self.deadline.load(Ordering::Relaxed) != 0;
        if !armed || !self.memory.is_over() || self.sheltered.load(Ordering::Relaxed) {
            return false;
        }
        let stop = self.memory.must_end(collect);
        if stop {
            self.blame(Cause::Memory);
            self.relent();
        }
        stop
    }

    /// Runs a piece of the runtime in the middle of a stretch. It has a budget of its own and is not ended by others:
    /// half of a module of the runtime would be of no use to anybody.
    pub fn sheltered<T>(&self, work: impl FnOnce() -> T) -> T {
        let deadline = self.deadline();
        if deadline == 0 || self.sheltered.swap(true, Ordering::Relaxed) {
            return work();
        }
        let before = Self::now();
        let budget = self.budget.load(Ordering::Relaxed);
        self.deadline.store(before.saturating_add(budget).max(1), Ordering::Relaxed);
        let done = work();
        self.sheltered.store(false, Ordering::Relaxed);
        self.deadline.store(deadline.saturating_add(Self::now() - before), Ordering::Relaxed);
        done
    }

    /// Whether the running stretch is over its time, for those who ask so often that looking at the clock each time
    /// would show. A stretch that was told to end may still get through when it is short.
    pub fn is_late(&self) -> bool {
        let deadline = self.deadline.load(Ordering::Relaxed);
        let late = deadline != 0 && self.may_glance() && Self::now() >= self.deadline().saturating_add(self.credit());
        if late {
            self.relent();
        }
        late
    }

    /// Whether the running stretch is over its time, or told to end.
    pub fn is_over(&self) -> bool {
        let deadline = self.deadline();
        deadline != 0 && (self.is_tripped() || Self::now() >= deadline)
    }

    /// What a job that has hardly begun may take beyond the deadline before an op ends it, in nanoseconds: the time went
    /// into the jobs before it, which may be those of another extension. The engine asks soon, within the job that
    /// takes the time.
    fn credit(&self) -> u64 {
        let fresh = self.job.load(Ordering::Relaxed) == self.polls.load(Ordering::Relaxed);
        if fresh { self.budget.load(Ordering::Relaxed) / 4 } else { 0 }
    }

    /// What becomes of the wish for a piece of memory of that many bytes, which takes the place of one of `before` bytes.
    pub fn judge(&self, size: usize, before: usize, compiles: impl Fn() -> bool) -> Verdict {
        let cause = match self.memory.judge(size, before, self.runs(), &compiles) {
            Verdict::Give if self.refuses_late(size) && !compiles() => Cause::Time,
            Verdict::Refuse => Cause::Memory,
            verdict => return verdict,
        };
        self.blame(cause);
        self.refusal.store(true, Ordering::Relaxed);
        Verdict::Refuse
    }

    fn blame(&self, cause: Cause) {
        self.cause.store(cause as u8, Ordering::Relaxed);
        if cause == Cause::Memory {
            self.starved.store(true, Ordering::Relaxed);
        }
    }

    /// Whether what runs is code of a program that goes on, as opposed to what cleans up behind it, and to the runtime.
    fn runs(&self) -> bool {
        let spared = [&self.stopping, &self.pausing, &self.sheltered];
        self.deadline.load(Ordering::Relaxed) != 0 && !spared.iter().any(|spared| spared.load(Ordering::Relaxed))
    }

    /// Whether the stretch is so far over its time that a large piece is refused.
    fn refuses_late(&self, size: usize) -> bool {
        let deadline = self.deadline.load(Ordering::Relaxed);
        let spared = self.stopping.load(Ordering::Relaxed) || self.pausing.load(Ordering::Relaxed);
        if deadline == 0 || spared {
            return false;
        }
        let count = self.allocations.load(Ordering::Relaxed).wrapping_add(1);
        self.allocations.store(count, Ordering::Relaxed);
        if size < MIDDLING || (size < LARGE && !count.is_multiple_of(16)) || !self.may_glance() {
            return false;
        }
        let deadline = self.deadline();
        let now = Self::now();
        let tripped = self.is_tripped() && !self.sheltered.load(Ordering::Relaxed);
        if tripped && now < deadline {
            self.deadline.store(now.max(1), Ordering::Relaxed);
            return false;
        }
        now >= deadline.saturating_add(GRACE)
    }

    /// Refuses nothing any more: the stretch is ending, and errors take memory too.
    pub fn relent(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Whether the error that is being made is about memory that was refused.
    pub fn take_refusal(&self) -> bool {
        self.refusal.swap(false, Ordering::Relaxed)
    }

    /// What the running stretch had to be ended for by the allocator, or because of what it holds.
    pub fn cause(&self) -> Option<Cause> {
        [Cause::Time, Cause::Memory].into_iter().find(|cause| *cause as u8 == self.cause.load(Ordering::Relaxed))
    }

    /// Whether something was ended because of the memory it holds since this was last asked.
    pub fn take_starved(&self) -> bool {
        self.starved.swap(false, Ordering::Relaxed)
    }

    /// Runs something that is not JavaScript in the middle of a stretch, such as waiting for a child process: the
    /// processor time it takes is not that of the stretch.
    pub fn paused<T>(&self, work: impl FnOnce() -> T) -> T {
        let outer = self.pausing.swap(true, Ordering::Relaxed);
        self.deadline();
        let before = Self::now();
        let done = work();
        self.pausing.store(outer, Ordering::Relaxed);
        let deadline = self.deadline.load(Ordering::Relaxed);
        if deadline != 0 && !outer {
            self.deadline.store(deadline.saturating_add(Self::now() - before), Ordering::Relaxed);
        }
        done
    }
}

fn whole_nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn nanoseconds(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses up processor time of this thread until so much of the budget is gone, then asks as an op does.
    fn asked_at(limits: &Limits, start: u64, milliseconds: u64) -> bool {
        while Limits::now() - start < milliseconds * 1_000_000 {
            std::hint::spin_loop();
        }
        limits.glanced.store(0, Ordering::Relaxed);
        limits.is_late()
    }

    #[test]
    fn a_job_that_has_hardly_begun_is_not_ended_for_the_time_of_others() {
        let limits = Limits::new(Duration::from_millis(80));
        let start = Limits::now();
        limits.arm();
        assert!(!asked_at(&limits, start, 10));
        assert!(asked_at(&limits, start, 90), "a stretch has its budget and no more");

        let start = Limits::now();
        limits.arm();
        limits.begin_job();
        assert!(!asked_at(&limits, start, 90), "the time may have gone into other jobs");
        assert!(asked_at(&limits, start, 120), "no job gets more than a quarter on top");
        limits.begin_job();
        assert!(limits.must_stop(), "where the engine asks, the budget is what it was");
        limits.glanced.store(0, Ordering::Relaxed);
        assert!(limits.is_late(), "the job that the engine asked in is the one that takes the time");
    }
}
