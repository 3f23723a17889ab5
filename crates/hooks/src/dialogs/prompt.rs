//! Tells an observer when the user is being asked at all: the outermost question, not each one.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parking_lot::Mutex;

use super::{DialogKind, PromptKind};

/// The first question opened, or the last one was settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptEdge {
    /// Which of the two.
    pub phase: PromptPhase,
    /// The kind of the question that opened first.
    pub kind: PromptKind,
    /// Its title, if it has one.
    pub title: Option<String>,
}

/// The two edges of a time in which the user is being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptPhase {
    /// It begins.
    Start,
    /// It is over.
    End,
}

/// Called with each edge, in order and one at a time, on whatever thread brought it about.
pub type PromptObserver = Arc<dyn Fn(PromptEdge) + Send + Sync>;

/// The edges on their way to the observer. They are noted under the lock of the broker and told without it.
#[derive(Default)]
pub(super) struct Prompts(Mutex<State>);

#[derive(Default)]
struct State {
    observer: Option<PromptObserver>,
    outermost: Option<(PromptKind, Option<String>)>,
    edges: VecDeque<PromptEdge>,
    telling: bool,
}

impl Prompts {
    /// Returns the former observer to be dropped without a lock.
    pub(super) fn observe(&self, observer: PromptObserver) -> Option<PromptObserver> {
        self.0.lock().observer.replace(observer)
    }

    pub(super) fn start(&self, kind: &DialogKind) {
        let mut state = self.0.lock();
        let title = kind.title().filter(|title| !title.is_empty()).map(str::to_owned);
        state.outermost = Some((kind.name(), title.clone()));
        state.edges.push_back(PromptEdge { phase: PromptPhase::Start, kind: kind.name(), title });
    }

    pub(super) fn end(&self) {
        let mut state = self.0.lock();
        if let Some((kind, title)) = state.outermost.take() {
            state.edges.push_back(PromptEdge { phase: PromptPhase::End, kind, title });
        }
    }

    /// Tells what was noted, unless somebody is at it already: then that one goes on with it.
    pub(super) fn tell(&self) {
        loop {
            let (observer, edge) = {
                let mut state = self.0.lock();
                if state.telling {
                    return;
                }
                let Some(edge) = state.edges.pop_front() else { return };
                let Some(observer) = state.observer.clone() else { continue };
                state.telling = true;
                (observer, edge)
            };
            // A panic of the observer is no reason to lose the dialog.
            if catch_unwind(AssertUnwindSafe(|| observer(edge))).is_err() {
                tracing::error!("the prompt observer panicked");
            }
            self.0.lock().telling = false;
        }
    }
}
