//! Somebody who answers dialogs.

use std::sync::Arc;

use parking_lot::Mutex;
use tau_hooks::dialogs::{DialogAnswer, DialogBroker, DialogEvent, DialogKind, DialogRequest, NotifyLevel, UiCall};
use tokio_util::task::AbortOnDropHandle;

/// A front end that answers dialogs by a function and remembers what it was shown. Dropping it leaves the session
/// without a user interface again.
pub struct FakeUser {
    seen: Arc<Mutex<Seen>>,
    _task: AbortOnDropHandle<()>,
}

#[derive(Default)]
struct Seen {
    asked: Vec<DialogKind>,
    notices: Vec<(NotifyLevel, String)>,
    calls: Vec<UiCall>,
}

impl FakeUser {
    pub(super) fn sit_down(
        dialogs: &DialogBroker,
        mut answer: impl FnMut(&DialogRequest) -> Option<DialogAnswer> + Send + 'static,
    ) -> Self {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let notes = Arc::clone(&seen);
        let mut back_end = dialogs.subscribe_mounting();
        let task = tokio::spawn(async move {
            while let Some(event) = back_end.recv().await {
                match event {
                    DialogEvent::Opened(request) => {
                        notes.lock().asked.push(request.kind.clone());
                        if let Some(answer) = answer(&request) {
                            // The question may have been taken away in the meantime.
                            let _ = back_end.answer(request.id(), answer);
                        }
                    }
                    DialogEvent::Ui(event) => match &event.call {
                        UiCall::Notify { message, level } => {
                            notes.lock().notices.push((level.clone().unwrap_or_default(), message.clone()));
                        }
                        call => notes.lock().calls.push(call.clone()),
                    },
                    DialogEvent::Closed { .. } | DialogEvent::OwnerRemoved(_) => {}
                }
            }
        });
        Self { seen, _task: AbortOnDropHandle::new(task) }
    }

    /// The questions so far, oldest first.
    pub fn asked(&self) -> Vec<DialogKind> {
        self.seen.lock().asked.clone()
    }

    /// The notices so far, oldest first. They arrive a moment after they were sent: let the runtime take a turn.
    pub fn notices(&self) -> Vec<(NotifyLevel, String)> {
        self.seen.lock().notices.clone()
    }

    /// All other calls so far, oldest first. They arrive a moment after they were sent.
    pub fn calls(&self) -> Vec<UiCall> {
        self.seen.lock().calls.clone()
    }
}
