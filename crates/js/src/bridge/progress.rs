//! How far the loading of extensions has come, seen from the thread that waits for it.
//!
//! An engine cannot watch the time while a factory keeps its thread busy, so the one who waits does.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tau_hooks::HandlerError;
use tau_script::LoadedScript;
use tokio::sync::oneshot;

use crate::engine::{Activity, Whose};

/// How long an engine may take to give up by itself what is over its time.
const PATIENCE: Duration = Duration::from_millis(20);

/// What became of an extension that was to be loaded.
pub(super) type Loaded = Result<LoadedScript, HandlerError>;

/// What became of extensions that were loaded one after another.
#[derive(Default)]
pub(super) struct Row {
    /// Those that were begun and are done.
    pub(super) loaded: Vec<Loaded>,
    /// What kept the row from its end.
    pub(super) stuck: Option<Stuck>,
}

/// Why a row was not loaded to its end: the engine is lost.
pub(super) enum Stuck {
    /// One of the row took it along: its place and its failure.
    At(usize, HandlerError),
    /// None of the row had begun: it was lost to what was loaded before.
    Before(HandlerError),
}

/// Extensions that are being loaded one after another.
pub(super) struct Progress {
    /// How long each may take.
    limit: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    loaded: Vec<Loaded>,
    /// The one at work: since when, and where it is.
    began: Option<Instant>,
    place: String,
    /// It is over its time.
    late: bool,
    /// What it was doing then.
    doing: Option<String>,
}

impl Progress {
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, state: Mutex::default() }
    }

    /// The next one begins.
    pub(super) fn begin(&self, path: &str) {
        let mut state = self.state.lock();
        let loaded = std::mem::take(&mut state.loaded);
        *state = State { loaded, began: Some(Instant::now()), place: path.to_owned(), ..State::default() };
    }

    /// The one at work is done.
    pub(super) fn push(&self, result: Loaded) {
        let mut state = self.state.lock();
        state.loaded.push(result);
        state.began = None;
    }

    /// Those that are done.
    pub(super) fn take(&self) -> Vec<Loaded> {
        std::mem::take(&mut self.state.lock().loaded)
    }

    /// Says where the factory is, once that is known.
    pub(super) fn place(&self, place: Option<String>) {
        if let Some(place) = place {
            self.state.lock().place = place;
        }
    }

    /// Whether one is at work; otherwise the next one has not begun.
    pub(super) fn is_at_work(&self) -> bool {
        self.state.lock().began.is_some()
    }

    /// Whether the one at work is over its time.
    pub(super) fn is_late(&self) -> bool {
        self.state.lock().late
    }

    /// The one at work is over its time, and this is what it does.
    pub(super) fn set_late(&self, doing: Option<String>) {
        let mut state = self.state.lock();
        state.late = true;
        state.doing = doing.or(state.doing.take());
    }

    /// The failure of the one at work.
    pub(super) fn overdue(&self, doing: Option<&str>) -> HandlerError {
        let state = self.state.lock();
        let doing = state.doing.as_deref().or(doing).map(|doing| format!(": {doing}")).unwrap_or_default();
        HandlerError::Failed {
            ended: false,
            message: format!("it was not done with loading after {:?} (tau.limits.loadMs){doing}", self.limit),
            stack: None,
            location: Some(state.place.clone()),
        }
    }

    /// How much time is left; all of it while nobody is at work.
    fn left(&self) -> Duration {
        let began = self.state.lock().began;
        began.map_or(self.limit, |began| self.limit.saturating_sub(began.elapsed()))
    }

    /// Completes when the one at work is over its time.
    pub(super) async fn passed(&self) {
        loop {
            let left = self.left();
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left.max(Duration::from_millis(1))).await;
        }
    }

    /// Waits until all are done, and ends what takes too long; none when the engine ended or does not answer any more.
    pub(super) async fn watch(&self, activity: &std::sync::Arc<Activity>, done: oneshot::Receiver<()>) -> Option<()> {
        let mut answer = std::pin::pin!(activity.answer(done));
        let mut ended = None;
        loop {
            tokio::select! {
                biased;
                answer = &mut answer => return answer,
                () = self.passed() => self.press(activity, &mut ended).await,
            }
        }
    }

    /// The one at work is over its time. An engine that gets to other work gives up by itself, whatever it runs at this
    /// moment: that may be the work of another extension, or over before it can be ended. Only a stretch that lasts is
    /// ended from here, each of them once.
    async fn press(&self, activity: &std::sync::Arc<Activity>, ended: &mut Option<u64>) {
        let before = activity.stretch();
        tokio::time::sleep(PATIENCE).await;
        let now = activity.stretch().filter(|now| Some(*now) == before && Some(*now) != *ended);
        if now.is_some() && self.left().is_zero() {
            self.set_late(activity.explain(0, activity.extension()));
            activity.end(Whose::Any);
            *ended = now;
        }
    }
}
