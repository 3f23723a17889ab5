//! The threads behind an index.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::rank::Ranking;
use super::store::{Part, Paths};
use super::walk::{Finds, walk};
use super::{Found, MOST_FOUND, Manner, Ticket};

/// While folders are read, results are ranked again at most this often.
const ROUND: Duration = Duration::from_millis(30);

/// What an index and its threads share.
pub(super) struct Shared {
    root: PathBuf,
    manner: Manner,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    paths: Paths,
    /// Grows when `paths` is replaced instead of added to.
    edition: u64,
    reading: Reading,
    /// How long the last reading took.
    took: Duration,
    recent: Arc<[String]>,
    /// The search that gets results.
    job: Option<Arc<Ticket>>,
    /// Since when there has been no search.
    idle: Option<Instant>,
    is_ranking: bool,
    is_closed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Reading {
    /// Nothing is known, or only what an abandoned reading found.
    #[default]
    Never,
    /// The first reading: paths are added as they are found.
    First,
    /// A later reading: the paths read at this time stay until it is finished.
    Again(Instant),
    Done(Instant),
}

impl Reading {
    fn goes_on(self) -> bool {
        matches!(self, Self::First | Self::Again(_))
    }
}

impl State {
    /// Whether there is a search, or was one until a moment ago.
    fn is_wanted(&self, grace: Duration) -> bool {
        !self.is_closed && (self.job.is_some() || self.idle.is_some_and(|since| since.elapsed() < grace))
    }
}

impl Shared {
    pub(super) fn new(root: PathBuf, manner: Manner) -> Self {
        Self { root, manner, state: Mutex::default(), changed: Condvar::new() }
    }

    pub(super) fn set_recent(&self, paths: Vec<String>) {
        self.state.lock().recent = paths.into();
    }

    pub(super) fn count(&self) -> usize {
        self.state.lock().paths.count()
    }

    #[cfg(test)]
    pub(super) fn is_reading(&self) -> bool {
        self.state.lock().reading.goes_on()
    }

    pub(super) fn close(&self) {
        self.state.lock().is_closed = true;
        self.changed.notify_all();
    }

    pub(super) fn begin(this: &Arc<Self>, ticket: &Arc<Ticket>) {
        let mut state = this.state.lock();
        let before = state.job.replace(Arc::clone(ticket));
        state.idle = None;
        Self::read_if_stale(this, &mut state);
        let known = this.known(&state, ticket, before.as_deref());
        let is_settled = known.settled;
        *ticket.found.lock() = known;
        if !is_settled && !state.is_ranking {
            let shared = Arc::clone(this);
            state.is_ranking = start("tau-file-ranking", move || rank(&shared));
        }
        drop(state);
        this.changed.notify_all();
    }

    pub(super) fn end(&self, ticket: &Arc<Ticket>) {
        let mut state = self.state.lock();
        if state.job.as_ref().is_some_and(|job| Arc::ptr_eq(job, ticket)) {
            state.job = None;
            state.idle = Some(Instant::now());
            drop(state);
            self.changed.notify_all();
        }
    }

    fn read_if_stale(this: &Arc<Self>, state: &mut State) {
        let again = match state.reading {
            Reading::First | Reading::Again(_) => return,
            Reading::Never => None,
            Reading::Done(at) if at.elapsed() < this.manner.stale.max(state.took.saturating_mul(this.manner.rest)) => {
                return;
            }
            Reading::Done(at) => Some(at),
        };
        state.begin_reading(again);
        let shared = Arc::clone(this);
        if !start("tau-file-reading", move || read(&shared)) {
            state.reading = Reading::Done(Instant::now());
        }
    }

    /// What can be returned at once: the whole result if there are few paths, otherwise the previous result, narrowed.
    fn known(&self, state: &State, ticket: &Ticket, before: Option<&Ticket>) -> Found {
        let mut ranking = Ranking::new(&ticket.query, &state.recent, MOST_FOUND);
        if state.paths.count() <= self.manner.at_once {
            state.paths.since(0).iter().for_each(|part| part.iter().for_each(|path| ranking.add(path)));
            return Found { paths: ranking.found(), settled: !state.reading.goes_on() };
        }
        if let Some(before) = before.filter(|before| ticket.query.starts_with(&before.query)) {
            before.found.lock().paths.iter().for_each(|path| ranking.add(path));
        }
        Found { paths: ranking.found(), settled: false }
    }
}

impl State {
    fn begin_reading(&mut self, again: Option<Instant>) {
        if let Some(at) = again {
            self.reading = Reading::Again(at);
            return;
        }
        self.reading = Reading::First;
        self.paths = Paths::default();
        self.edition += 1;
    }
}

/// Starts a thread. If that fails there are no more results, but the session continues.
fn start(name: &str, work: impl FnOnce() + Send + 'static) -> bool {
    let started = thread::Builder::new().name(name.to_owned()).spawn(work);
    if let Err(error) = &started {
        tracing::warn!(%error, "no thread can be started for finding files");
    }
    started.is_ok()
}

struct Reader<'a> {
    shared: &'a Shared,
    is_first: bool,
    /// What a later reading has found.
    found: Paths,
}

impl Finds for Reader<'_> {
    fn take(&mut self, part: Part) {
        if !self.is_first {
            return self.found.push(part);
        }
        self.shared.state.lock().paths.push(part);
        self.shared.changed.notify_all();
    }

    fn is_wanted(&self) -> bool {
        self.shared.state.lock().is_wanted(self.shared.manner.grace)
    }
}

/// Reads the folders.
fn read(shared: &Shared) {
    loop {
        let is_first = shared.state.lock().reading == Reading::First;
        let mut reader = Reader { shared, is_first, found: Paths::default() };
        let started = Instant::now();
        let walked = catch_unwind(AssertUnwindSafe(|| walk(&shared.root, shared.manner.limits, &mut reader)));
        // After a panic, what was found so far has to do.
        let is_whole = walked.unwrap_or(true);
        let found = reader.found;
        let mut state = shared.state.lock();
        let was = match state.reading {
            Reading::Again(at) => Some(at),
            _ => None,
        };
        if is_whole {
            if !is_first {
                state.paths = found;
                state.edition += 1;
            }
            state.reading = Reading::Done(Instant::now());
            state.took = started.elapsed();
        } else if state.job.is_some() && !state.is_closed {
            // A search started just when this reading was abandoned.
            state.begin_reading(was);
            continue;
        } else {
            state.reading = was.map_or(Reading::Never, Reading::Done);
        }
        drop(state);
        shared.changed.notify_all();
        return;
    }
}

/// The search being ranked.
struct Current {
    ticket: Arc<Ticket>,
    edition: u64,
    ranking: Ranking,
    /// How many parts have been ranked.
    parts: usize,
    /// Whether the last published result was final.
    said: Option<bool>,
}

/// Ranks paths for the current search.
fn rank(shared: &Shared) {
    let mut current: Option<Current> = None;
    let mut state = shared.state.lock();
    while state.is_wanted(shared.manner.grace) {
        let Some(job) = state.job.clone() else {
            current = None;
            shared.changed.wait_for(&mut state, shared.manner.grace);
            continue;
        };
        let edition = state.edition;
        let same = current.take().filter(|current| Arc::ptr_eq(&current.ticket, &job) && current.edition == edition);
        let now = current.insert(same.unwrap_or_else(|| {
            let ranking = Ranking::new(&job.query, &state.recent, MOST_FOUND);
            Current { ticket: job, edition, ranking, parts: 0, said: None }
        }));
        let parts = state.paths.since(now.parts).to_vec();
        let settled = !state.reading.goes_on();
        if parts.is_empty() && now.said == Some(settled) {
            shared.changed.wait(&mut state);
            continue;
        }
        MutexGuard::unlocked(&mut state, || now.look_at(&parts, settled));
        if !settled {
            pause(shared, &mut state, now);
        }
    }
    state.is_ranking = false;
}

/// Waits a moment, unless the search changes: the walk keeps finding more.
fn pause(shared: &Shared, state: &mut MutexGuard<'_, State>, now: &Current) {
    let until = Instant::now() + ROUND;
    let goes_on = |state: &State| {
        !state.is_closed
            && state.reading.goes_on()
            && state.edition == now.edition
            && state.job.as_ref().is_some_and(|job| Arc::ptr_eq(job, &now.ticket))
    };
    while goes_on(state) && !shared.changed.wait_until(state, until).timed_out() {}
}

impl Current {
    fn look_at(&mut self, parts: &[Arc<Part>], settled: bool) {
        for part in parts {
            if !self.ticket.is_live() {
                return;
            }
            part.iter().for_each(|path| self.ranking.add(path));
            self.parts += 1;
        }
        self.said = Some(settled);
        let found = Found { paths: self.ranking.found(), settled };
        let has_changed = {
            let mut known = self.ticket.found.lock();
            let differs = *known != found;
            known.clone_from(&found);
            differs
        };
        if has_changed && self.ticket.is_live() {
            (self.ticket.more)(&found);
        }
    }
}
