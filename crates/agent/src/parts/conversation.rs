//! What is said: the tree of the open session, and the history that the model sees.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tau_ai::{Message, WrittenMessages};
use tau_hooks::{HistoryMessage, Messages, VIRTUAL_MODEL_STATE};
use tau_session::{Entry, EntryBody, Session, SessionError};
use tokio::sync::oneshot;

use super::lock::{Mutex, Part, Rank, RwLock};
use crate::settings::Environment;

const APPENDING: Rank = Rank::new(Part::Conversation, 0);
const OPEN: Rank = Rank::new(Part::Conversation, 1);

/// The conversation. Read often; another session replaces what is open as a whole.
pub(crate) struct Conversation {
    /// Held while a message is appended and taken into the history, so that both have the same order.
    appending: Mutex<Calls>,
    open: RwLock<Open>,
    /// Another session is about to take the place of the open one.
    left: AtomicBool,
}

/// What must not stand between calls of tools and their results.
#[derive(Default)]
struct Calls {
    /// The last answer has calls whose results are still to come.
    are_open: bool,
    /// Shell commands of the user that wait for those results.
    parked: Vec<Parked>,
}

/// A shell command of the user, and who waits for it to be written.
struct Parked {
    message: Arc<Message>,
    written: oneshot::Sender<Result<(), Arc<SessionError>>>,
}

/// Tells that something is in the session file, or why it is not.
pub(crate) type Written = oneshot::Receiver<Result<(), Arc<SessionError>>>;

/// What became of a shell command of the user.
pub(crate) enum KeptCommand {
    /// It is in the session, or could not be written.
    Now(Result<(), Arc<SessionError>>),
    /// It waits for the results of the open calls.
    Parked(Written),
}

/// The session that is open, and what is known of it.
struct Open {
    session: Arc<Session>,
    env: Arc<Environment>,
    /// Counts the replacements.
    number: u64,
    history: Messages,
    /// What the model was sent of it.
    sent: WrittenMessages,
    /// The last answer of the model. It outlives a replacement.
    answered: Option<Arc<Message>>,
    /// How often the model was reminded of its list since the user's last prompt.
    reminders: u32,
    router: RouterMemory,
}

/// What the router that was asked last remembers on the branch that is open. The branch may be long, and there is a
/// request for each turn.
#[derive(Default)]
struct RouterMemory {
    /// Counts how often the branch began to say something else.
    version: u64,
    known: Option<(RouterKey, Option<Value>)>,
}

/// Provider and id of a virtual model.
pub(crate) type RouterKey = (String, String);

/// While it lives, the open session is being left.
pub(crate) struct Leaving<'a>(&'a AtomicBool);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Conversation {
    pub(crate) fn new(session: Arc<Session>, env: Environment) -> Self {
        let open = Open {
            history: history_of(&session),
            session,
            env: Arc::new(env),
            number: 0,
            sent: WrittenMessages::default(),
            answered: None,
            reminders: 0,
            router: RouterMemory::default(),
        };
        Self {
            appending: Mutex::new(APPENDING, Calls::default()),
            open: RwLock::new(OPEN, open),
            left: AtomicBool::new(false),
        }
    }

    /// The tree of the session that is open now.
    pub(crate) fn session(&self) -> Arc<Session> {
        Arc::clone(&self.open.read().session)
    }

    /// The program ends now: what is in memory of a long session is left to the system, which takes it back at once.
    pub(crate) fn leave_to_system(&self) {
        let open = self.open.read();
        std::mem::forget((Arc::clone(&open.session), open.history.clone(), open.sent.clone()));
    }

    pub(crate) fn env(&self) -> Arc<Environment> {
        Arc::clone(&self.open.read().env)
    }

    /// The working directory.
    pub(crate) fn cwd(&self) -> PathBuf {
        self.open.read().env.cwd.clone()
    }

    /// Names the open session among those that were open. What was asked for in one is not done in the next.
    pub(crate) fn number(&self) -> u64 {
        self.open.read().number
    }

    /// The conversation as the model sees it next. Costs the same at any length.
    pub(crate) fn history(&self) -> Messages {
        self.open.read().history.clone()
    }

    /// What requests wrote the conversation as.
    pub(crate) fn sent(&self) -> WrittenMessages {
        self.open.read().sent.clone()
    }

    /// The last answer of the model, also when it is no part of the conversation any more.
    pub(crate) fn last_answer(&self) -> Option<Arc<Message>> {
        self.open.read().answered.clone()
    }

    /// Begins to leave the open session: nothing may take it over from here on.
    pub(crate) fn leave(&self) -> Leaving<'_> {
        self.left.store(true, Ordering::Release);
        Leaving(&self.left)
    }

    pub(crate) fn is_left(&self) -> bool {
        self.left.load(Ordering::Acquire)
    }

    /// Another session is open. The history stays the previous one until [`Self::rebuild`].
    pub(crate) fn replace(&self, session: Arc<Session>, env: Arc<Environment>) {
        let mut calls = self.appending.lock();
        *calls = Calls::default();
        let mut open = self.open.write();
        let (history, answered) = (std::mem::take(&mut open.history), open.answered.take());
        let router = RouterMemory { version: open.router.version + 1, known: None };
        let (number, sent) = (open.number + 1, WrittenMessages::default());
        *open = Open { session, env, number, history, sent, answered, reminders: 0, router };
    }

    /// Takes the history from the session again, after an entry changed what is behind it.
    pub(crate) fn rebuild(&self) {
        let _appending = self.appending.lock();
        let history = history_of(&self.session());
        let mut open = self.open.write();
        open.history = history;
        open.router.forget();
    }

    /// Appends a message to the session and the history. When it cannot be written it is in both all the same, and in the
    /// file as soon as that can be written again.
    pub(crate) fn keep(&self, message: Arc<Message>) -> Result<Arc<HistoryMessage>, SessionError> {
        self.keep_in(&mut self.appending.lock(), message)
    }

    /// Keeps a shell command of the user: now, or behind the results of open tool calls, as providers refuse a
    /// conversation in which something stands between a call and its result.
    pub(crate) fn keep_command(&self, message: Arc<Message>) -> KeptCommand {
        // An answer with calls takes the same lock: either it comes before this, or it waits.
        let mut calls = self.appending.lock();
        if calls.are_open {
            let (written, waits) = oneshot::channel();
            calls.parked.push(Parked { message, written });
            return KeptCommand::Parked(waits);
        }
        KeptCommand::Now(self.keep_in(&mut calls, message).map(drop).map_err(Arc::new))
    }

    /// The open calls have their results, or never will: keeps the commands that waited for them.
    pub(crate) fn close_calls(&self) {
        let mut calls = self.appending.lock();
        calls.are_open = false;
        for Parked { message, written } in std::mem::take(&mut calls.parked) {
            let kept = self.keep_in(&mut calls, message).map(drop).map_err(Arc::new);
            // Nobody waits any more when the session is being shut down.
            let _ = written.send(kept);
        }
    }

    fn keep_in(&self, calls: &mut Calls, message: Arc<Message>) -> Result<Arc<HistoryMessage>, SessionError> {
        let session = self.session();
        let answer = message.as_assistant();
        if answer.is_some_and(|answer| answer.tool_calls().next().is_some()) {
            calls.are_open = true;
        }
        let body = match &*message {
            Message::Custom(custom) => EntryBody::custom_message(
                custom.custom_type.clone(),
                custom.content.clone(),
                custom.display,
                custom.details.clone(),
            ),
            _ => EntryBody::message(Arc::clone(&message)),
        };
        let (entry, mut written) = session.keep(body);
        // The file appears with the first message of the user, or with an answer nobody typed anything for; before
        // that a session is not worth a file.
        let worth = matches!(*message, Message::User(_) | Message::Assistant(_));
        if worth && session.file().is_some() && !session.is_persisted() {
            written = written.and_then(|()| session.persist());
        }
        let is_answer = answer.is_some();
        let item = Arc::new(HistoryMessage::new(message, Some(entry.id().to_string())));
        let mut open = self.open.write();
        if is_answer {
            open.answered = Some(Arc::clone(item.message()));
        }
        open.history.push_item(Arc::clone(&item));
        drop(open);
        written.map(|()| item)
    }

    /// Appends state of an extension, which the model never sees.
    pub(crate) fn append_state(&self, kind: &str, data: Option<Value>) -> Result<Arc<Entry>, SessionError> {
        let entry = self.session().append(EntryBody::custom(kind, data))?;
        if kind == VIRTUAL_MODEL_STATE {
            self.open.write().router.forget();
        }
        Ok(entry)
    }

    /// What the router of a virtual model remembered last on this branch; `read` looks for it.
    pub(crate) fn router_state(&self, model: RouterKey, read: impl FnOnce(&Session) -> Option<Value>) -> Option<Value> {
        let (session, version) = {
            let open = self.open.read();
            match &open.router.known {
                Some((known, state)) if *known == model => return state.clone(),
                _ => (Arc::clone(&open.session), open.router.version),
            }
        };
        let state = read(&session);
        let mut open = self.open.write();
        // What was written meanwhile must not be missed the next time.
        if open.router.version == version {
            open.router.known = Some((model, state.clone()));
        }
        state
    }

    /// How often the model was reminded of its list since the user's last prompt.
    pub(crate) fn reminders(&self) -> u32 {
        self.open.read().reminders
    }

    pub(crate) fn set_reminders(&self, count: u32) {
        self.open.write().reminders = count;
    }
}

impl RouterMemory {
    /// The branch says something else now.
    fn forget(&mut self) {
        self.version += 1;
        self.known = None;
    }
}

/// The conversation of a session's current branch.
pub(crate) fn history_of(session: &Session) -> Messages {
    let context = session.context();
    let item =
        |item: tau_session::ContextItem| Arc::new(HistoryMessage::new(item.message, Some(item.entry_id.to_string())));
    context.messages.into_iter().map(item).collect()
}
