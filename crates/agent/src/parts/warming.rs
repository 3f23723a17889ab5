//! The prompt that is kept in the cache of its provider, and why none is.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use tau_ai::{LONGEST_IDLE_WARMING, LONGEST_WARMING, WarmingPhase};
use tau_hooks::Messages;
use tokio_util::sync::CancellationToken;

use super::lock::{Mutex, Part, Rank};

const STATE: Rank = Rank::new(Part::Warming, 0);

/// What is kept warm: at most the prompt of the last request.
pub(crate) struct Warming(Mutex<State>);

enum State {
    At(Arc<Warmed>),
    Stopped(WarmingStopped),
}

/// A prompt that is kept warm.
pub(crate) struct Warmed {
    /// Fires when it is kept warm no longer.
    pub(crate) cancel: CancellationToken,
    /// The conversation that it was made of.
    history: Messages,
    /// When its request was sent, in milliseconds since the epoch.
    began_ms: i64,
    /// How long after a request the next refresh is due.
    delay: Duration,
    /// How long the prompt stays cached.
    lifetime: Duration,
    is_idle: AtomicBool,
    /// When the next refresh is due, in milliseconds since the epoch.
    next_ms: AtomicI64,
    is_refreshing: AtomicBool,
}

/// Why no prompt is kept warm.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WarmingStopped {
    /// There was no request.
    #[error("no request was sent yet")]
    NoRequest,
    /// Another request is on its way.
    #[error("a request is on its way")]
    Asking,
    /// The setting says so.
    #[error("switched off")]
    Off,
    /// Another model answers in the place of the chosen one, and another one may answer next time.
    #[error("the model is virtual")]
    Virtual,
    /// Its lifetime in the cache is not known, or it cannot be asked for again.
    #[error("this model's cache cannot be kept warm")]
    Unsuitable,
    /// The run is over.
    #[error("nothing runs")]
    Settled,
    /// The longest time is over.
    #[error("warm for as long as it may be")]
    TooLong,
    /// The conversation or the model is another one now.
    #[error("the conversation changed")]
    Changed,
    /// The time for a refresh went by, as on a machine that slept.
    #[error("too late for a refresh")]
    TooLate,
    /// It would not save enough.
    #[error("a refresh would not save enough")]
    NotWorthIt,
    /// An extension decided so.
    #[error("an extension stopped it")]
    ByExtension,
    /// The prompt was not in the cache any more.
    #[error("the prompt was not cached")]
    NotCached,
    /// A refresh failed.
    #[error("a refresh failed: {0}")]
    Failed(String),
    /// The session ended.
    #[error("the session ended")]
    Ended,
}

/// Whether a prompt is kept in the cache of its provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WarmingStatus {
    /// A refresh is due at a time, in milliseconds since the epoch.
    Due(i64),
    /// A refresh is on its way.
    Refreshing,
    /// None is.
    Stopped(WarmingStopped),
}

impl fmt::Debug for Warmed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Warmed(next at {})", self.next_ms())
    }
}

impl Default for Warming {
    fn default() -> Self {
        Self(Mutex::new(STATE, State::Stopped(WarmingStopped::NoRequest)))
    }
}

impl Warming {
    /// Keeps a prompt warm in place of the one before.
    pub(crate) fn begin(&self, warmed: Arc<Warmed>) {
        self.set(State::At(warmed));
    }

    /// Keeps nothing warm any more. A refresh that is on its way ends at once.
    pub(crate) fn stop(&self, why: WarmingStopped) {
        self.set(State::Stopped(why));
    }

    /// As [`Self::stop`], unless another prompt is kept warm meanwhile.
    pub(crate) fn stop_one(&self, warmed: &Arc<Warmed>, why: WarmingStopped) {
        let mut state = self.0.lock();
        if matches!(&*state, State::At(current) if Arc::ptr_eq(current, warmed)) {
            state.replace(State::Stopped(why));
        }
    }

    fn set(&self, next: State) {
        self.0.lock().replace(next);
    }

    /// What is kept warm.
    pub(crate) fn current(&self) -> Option<Arc<Warmed>> {
        match &*self.0.lock() {
            State::At(warmed) => Some(Arc::clone(warmed)),
            State::Stopped(_) => None,
        }
    }

    pub(crate) fn status(&self) -> WarmingStatus {
        match &*self.0.lock() {
            State::At(warmed) if warmed.is_refreshing.load(Ordering::Acquire) => WarmingStatus::Refreshing,
            State::At(warmed) => WarmingStatus::Due(warmed.next_ms()),
            State::Stopped(why) => WarmingStatus::Stopped(why.clone()),
        }
    }
}

impl Drop for Warming {
    fn drop(&mut self) {
        self.stop(WarmingStopped::Ended);
    }
}

impl State {
    fn replace(&mut self, next: Self) {
        if let Self::At(warmed) = self {
            warmed.cancel.cancel();
        }
        *self = next;
    }
}

impl Warmed {
    /// A prompt whose request is sent now, with when a refresh is due after a request, and how long it stays cached.
    pub(crate) fn new(history: Messages, now_ms: i64, (delay, lifetime): (Duration, Duration)) -> Self {
        Self {
            cancel: CancellationToken::new(),
            history,
            began_ms: now_ms,
            delay,
            lifetime,
            is_idle: AtomicBool::new(false),
            next_ms: AtomicI64::new(now_ms),
            is_refreshing: AtomicBool::new(false),
        }
    }

    pub(crate) fn phase(&self) -> WarmingPhase {
        if self.is_idle.load(Ordering::Acquire) { WarmingPhase::Idle } else { WarmingPhase::Running }
    }

    /// The run is over.
    ///
    /// # Errors
    /// When no refresh is due in time.
    pub(crate) fn become_idle(&self) -> Result<(), WarmingStopped> {
        self.is_idle.store(true, Ordering::Release);
        self.within_longest(self.next_ms())
    }

    /// When the next refresh is due, in milliseconds since the epoch.
    pub(crate) fn next_ms(&self) -> i64 {
        self.next_ms.load(Ordering::Acquire)
    }

    /// The prompt was sent just now.
    ///
    /// # Errors
    /// When no refresh is due in time.
    pub(crate) fn schedule(&self, now_ms: i64) -> Result<(), WarmingStopped> {
        self.is_refreshing.store(false, Ordering::Release);
        let next = now_ms.saturating_add(millis(self.delay));
        self.next_ms.store(next, Ordering::Release);
        self.within_longest(next)
    }

    fn within_longest(&self, next_ms: i64) -> Result<(), WarmingStopped> {
        let longest = match self.phase() {
            WarmingPhase::Idle => LONGEST_IDLE_WARMING,
            WarmingPhase::Running => LONGEST_WARMING,
        };
        if next_ms > self.began_ms.saturating_add(millis(longest)) { Err(WarmingStopped::TooLong) } else { Ok(()) }
    }

    /// Whether the prompt is certainly still cached. A timer may fire late, and half of what is left then is for the
    /// request: to write the prompt into the cache again costs its full price.
    ///
    /// # Errors
    /// When it may be gone.
    pub(crate) fn in_time(&self, now_ms: i64) -> Result<(), WarmingStopped> {
        let left = self.lifetime.saturating_sub(self.delay) / 2;
        if now_ms > self.next_ms().saturating_add(millis(left)) { Err(WarmingStopped::TooLate) } else { Ok(()) }
    }

    pub(crate) fn note_refreshing(&self) {
        self.is_refreshing.store(true, Ordering::Release);
    }

    /// Whether the next request still begins with this prompt.
    pub(crate) fn is_beginning_of(&self, history: &Messages) -> bool {
        let pairs = self.history.items().zip(history.items());
        self.history.len() <= history.len()
            && pairs
                .into_iter()
                .all(|(before, now)| Arc::ptr_eq(before.message(), now.message()) || before.message() == now.message())
    }
}

fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}
