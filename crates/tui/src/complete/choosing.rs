//! A suggestion that was chosen, until it is known what choosing it makes of the text.

use std::sync::Arc;

use parking_lot::Mutex;

use super::provider::{Edit, EditReply, Provider, Request, Suggestion};

/// What the user chose.
pub(super) struct Choice {
    /// About what was written then.
    pub(super) request: Arc<Request>,
    pub(super) item: Suggestion,
    pub(super) prefix: String,
    /// It is the name of a command.
    pub(super) is_command: bool,
    /// The key that was typed also sends a command.
    pub(super) sends: bool,
}

/// The choices that were made.
#[derive(Default)]
pub(super) struct Choosing {
    /// The one whose edit is not known yet, with its number.
    choice: Option<(u64, Choice)>,
    inbox: Arc<Mutex<Inbox>>,
    last: u64,
}

#[derive(Default)]
struct Inbox {
    /// A question is being asked: the answer is looked at when that is done.
    is_asking: bool,
    answer: Option<(u64, Option<Edit>)>,
}

impl Choosing {
    /// Whether an edit is waited for.
    pub(super) fn waits(&self) -> bool {
        self.choice.is_some()
    }

    /// Asks for the edit of a choice; `notify` is called, on any thread, when it comes later.
    pub(super) fn begin(&mut self, choice: Choice, provider: &dyn Provider, notify: impl FnOnce() + Send + 'static) {
        self.last += 1;
        let (number, inbox) = (self.last, Arc::clone(&self.inbox));
        self.inbox.lock().is_asking = true;
        let reply = EditReply::new(move |edit| {
            let mut inbox = inbox.lock();
            inbox.answer = Some((number, edit));
            let is_asking = inbox.is_asking;
            drop(inbox);
            if !is_asking {
                notify();
            }
        });
        provider.edit(&choice.request, &choice.item, &choice.prefix, reply);
        self.choice = Some((number, choice));
        self.inbox.lock().is_asking = false;
    }

    /// The choice whose edit is known now.
    pub(super) fn take(&mut self) -> Option<(Choice, Option<Edit>)> {
        let (number, edit) = self.inbox.lock().answer.take()?;
        let (_, choice) = self.choice.take_if(|(waiting, _)| *waiting == number)?;
        Some((choice, edit))
    }
}
