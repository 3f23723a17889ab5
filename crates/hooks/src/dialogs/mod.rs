//! The dialog broker: between extensions that ask the user something and the front ends that can show it.
//!
//! Any number of front ends ("back ends" from here) [subscribe](DialogBroker::subscribe), and all of them see every
//! question; the first answer wins. Any number of questions may be open at once. With nobody to show a question it
//! is answered at once, with its [default](DialogKind::default_answer). The same subscription carries the calls to
//! the user interface that nobody waits for; without a back end they are dropped.

mod back_end;
mod prompt;
mod request;
mod ui;

use std::fmt;
use std::future::pending;
use std::mem;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::error::HandlerError;
use crate::future::BoxFuture;
use crate::mount::{Component, Facts, FactsCell, Mount, Stage, UiHandle};

pub use self::back_end::{BackEndId, CalledBackEnd, DialogBackEnd};
use self::prompt::Prompts;
pub use self::prompt::{PromptEdge, PromptObserver, PromptPhase};
pub use self::request::{Blocked, DialogAnswer, DialogKind, DialogRequest, PromptKind};
pub use self::ui::{NotifyLevel, UiCall, UiEvent, WidgetContent, WidgetPlacement, WorkingIndicator};

/// What a back end is told.
#[derive(Debug, Clone, PartialEq)]
pub enum DialogEvent {
    /// A question is to be shown.
    Opened(Arc<DialogRequest>),
    /// A question is settled and is to be taken away.
    Closed {
        /// The question.
        id: Uuid,
        /// Who settled it.
        by: ClosedBy,
    },
    /// A call that needs no answer.
    Ui(Arc<UiEvent>),
    /// An extension is gone; what it put on the screen is to be taken away.
    OwnerRemoved(Arc<str>),
}

/// Why a question is open no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosedBy {
    /// A back end had the answer.
    BackEnd(BackEndId),
    /// The deadline passed.
    Deadline,
    /// The asker gave up on it.
    Abort,
    /// The extension that asked is gone.
    OwnerRemoved,
}

/// Why an answer was refused. The question stands as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// Somebody was faster, the asker gave up, the deadline passed, or there never was such a question.
    #[error("this dialog is not open")]
    NotOpen,
    /// For instance a text for a yes-or-no question.
    #[error("the answer does not fit the {} dialog", .0.as_str())]
    WrongKind(PromptKind),
}

/// The dialogs of one session. Clones share them.
#[derive(Clone, Default)]
pub struct DialogBroker(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    prompts: Prompts,
    facts: FactsCell,
}

#[derive(Default)]
struct State {
    back_ends: Vec<BackEnd>,
    last_back_end: u64,
    open: Vec<Open>,
    editor_text: String,
}

struct BackEnd {
    id: BackEndId,
    shows: Shows,
    events: Sink,
}

/// Where a back end takes its events.
enum Sink {
    Queue(mpsc::UnboundedSender<(Instant, DialogEvent)>),
    Call(Box<dyn Fn(DialogEvent) + Send>),
}

/// Which questions a back end can show.
type Shows = Arc<dyn Fn(&DialogRequest) -> bool + Send + Sync>;

/// Every question but those that need a component of an extension.
fn without_components() -> Shows {
    Arc::new(|request| request.kind.name() != PromptKind::Custom)
}

struct Open {
    request: Arc<DialogRequest>,
    answer: oneshot::Sender<DialogAnswer>,
}

impl DialogBroker {
    /// A broker that nobody has subscribed to.
    pub fn new() -> Self {
        Self::default()
    }

    /// Subscribes a back end for everything but [custom](DialogKind::Custom) dialogs. Questions that are open
    /// already come first.
    pub fn subscribe(&self) -> DialogBackEnd {
        self.add_back_end(without_components())
    }

    /// Subscribes a back end for the questions that it can show, as `shows` says. It is told of calls that nobody waits
    /// for in any case.
    pub fn subscribe_for(&self, shows: impl Fn(&DialogRequest) -> bool + Send + Sync + 'static) -> DialogBackEnd {
        self.add_back_end(Arc::new(shows))
    }

    /// Subscribes a back end that can also mount the components of extensions.
    pub fn subscribe_mounting(&self) -> DialogBackEnd {
        self.add_back_end(Arc::new(|_| true))
    }

    /// Subscribes a back end that is told by a call, at once and in the order in which things happen: for one that puts
    /// them in line with what it is told by others. The call is made under a lock of the broker, so it returns soon and
    /// asks nothing of the broker.
    pub fn subscribe_with(&self, tell: impl Fn(DialogEvent) + Send + 'static) -> CalledBackEnd {
        let id = self.add(without_components(), Sink::Call(Box::new(tell)));
        CalledBackEnd::new(id, Arc::downgrade(&self.0))
    }

    fn add_back_end(&self, shows: Shows) -> DialogBackEnd {
        let (events, receiver) = mpsc::unbounded_channel();
        let id = self.add(shows, Sink::Queue(events));
        DialogBackEnd::new(id, Arc::downgrade(&self.0), receiver)
    }

    fn add(&self, shows: Shows, events: Sink) -> BackEndId {
        let mut state = self.0.state.lock();
        state.last_back_end += 1;
        let back_end = BackEnd { id: BackEndId(state.last_back_end), shows, events };
        for open in &state.open {
            back_end.tell_of(&open.request, &DialogEvent::Opened(open.request.clone()));
        }
        let id = back_end.id;
        state.back_ends.push(back_end);
        id
    }

    /// Whether somebody is there to show anything.
    pub fn has_back_end(&self) -> bool {
        !self.0.state.lock().back_ends.is_empty()
    }

    /// Whether somebody could be asked for a yes or no: about a tool call, or outside of any.
    pub fn can_ask(&self, tool_call: Option<&Arc<str>>) -> bool {
        let kind = DialogKind::Confirm { title: String::new(), message: String::new() };
        let mut request = DialogRequest::new(Arc::from(""), kind);
        request.tool_call = tool_call.cloned();
        self.0.state.lock().can_show(&request)
    }

    /// Whether somebody could be asked this.
    pub fn can_show(&self, request: &DialogRequest) -> bool {
        self.0.state.lock().can_show(request)
    }

    /// Whether somebody shows components of extensions.
    pub fn can_mount(&self) -> bool {
        let kind = DialogKind::Custom { handle: UiHandle(Arc::new(Nobody)), overlays: false, blocked: None };
        self.can_show(&DialogRequest::new(Arc::from(""), kind))
    }

    /// Asks the user, and waits for the first answer.
    ///
    /// The [default](DialogKind::default_answer) is the answer when no back end can show the question (at once, or
    /// as soon as the last one leaves), when the deadline passes, and when `cancel` fires. Dropping the future takes
    /// the question away.
    ///
    /// `on_open` is called once the question is open, not at all when it never is, and what it returns is dropped
    /// when the question is settled: a clock that must not count the user's time stops in between.
    pub async fn ask<G>(
        &self,
        request: DialogRequest,
        cancel: &CancellationToken,
        on_open: impl FnOnce() -> G,
    ) -> DialogAnswer {
        let default = request.kind.default_answer();
        let deadline = request.deadline;
        if cancel.is_cancelled() {
            return default;
        }
        let Some((open, mut answer)) = self.open(request) else { return default };
        let _guard = on_open();
        open.settled(&mut answer, deadline, cancel).await.unwrap_or(default)
    }

    fn open(&self, request: DialogRequest) -> Option<(OpenDialog, oneshot::Receiver<DialogAnswer>)> {
        let request = Arc::new(request);
        let id = request.id();
        let mut state = self.0.state.lock();
        if !state.can_show(&request) {
            // Extensions count a component as shown to any front end, even to a front end that cannot mount it.
            if request.kind.name() == PromptKind::Custom && !state.back_ends.is_empty() && state.open.is_empty() {
                self.0.prompts.start(&request.kind);
                self.0.prompts.end();
                drop(state);
                self.0.prompts.tell();
            }
            return None;
        }
        let (answer, receiver) = oneshot::channel();
        state.tell_of(&request, &DialogEvent::Opened(request.clone()));
        if state.open.is_empty() {
            self.0.prompts.start(&request.kind);
        }
        state.open.push(Open { request, answer });
        drop(state);
        self.0.prompts.tell();
        Some((OpenDialog { shared: Arc::downgrade(&self.0), id }, receiver))
    }

    /// The questions that are open now, oldest first.
    pub fn open_dialogs(&self) -> Vec<Arc<DialogRequest>> {
        self.0.state.lock().open.iter().map(|open| open.request.clone()).collect()
    }

    /// Answers a question in the name of a back end.
    pub fn answer(&self, by: BackEndId, id: Uuid, answer: DialogAnswer) -> Result<(), AnswerError> {
        self.0.answer(by, id, answer)
    }

    /// Makes a call to the user interface on behalf of the extension `owner`.
    pub fn call(&self, owner: Arc<str>, call: UiCall) {
        if self.can_mount() {
            self.foresee(&call);
        }
        let event = Arc::new(UiEvent { owner, call });
        self.0.state.lock().tell_all(&DialogEvent::Ui(event.clone()));
    }

    /// What a call changes can be read at once, before the screen has taken it.
    fn foresee(&self, call: &UiCall) {
        match call {
            UiCall::SetEditorText(text) => self.0.state.lock().editor_text.clone_from(text),
            UiCall::PasteToEditor(text) => self.0.state.lock().editor_text.push_str(text),
            UiCall::SetToolsExpanded(expands_tools) => {
                let facts = (*self.0.facts.get()).clone();
                self.0.facts.set(Facts { expands_tools: *expands_tools, ..facts });
            }
            _ => {}
        }
    }

    /// Shows a message.
    pub fn notify(&self, owner: Arc<str>, message: impl Into<String>, level: NotifyLevel) {
        self.call(owner, UiCall::Notify { message: message.into(), level: Some(level) });
    }

    /// The text in the editor of the user interface, as it was last reported; empty without one.
    pub fn editor_text(&self) -> String {
        self.0.state.lock().editor_text.clone()
    }

    /// What the front end says about itself, for components that it shows.
    pub fn facts(&self) -> &FactsCell {
        &self.0.facts
    }

    /// Closes the questions of an extension that is gone, with their default, and has its traces removed from the
    /// screen.
    pub fn remove_owner(&self, owner: &Arc<str>) {
        let closed = {
            let mut state = self.0.state.lock();
            let closed =
                state.close_where(ClosedBy::OwnerRemoved, |open| open.request.owner == *owner, &self.0.prompts);
            state.tell_all(&DialogEvent::OwnerRemoved(owner.clone()));
            closed
        };
        self.0.prompts.tell();
        drop(closed);
    }

    /// Has `observer` called whenever the first question opens and the last one is settled.
    pub fn set_prompt_observer(&self, observer: PromptObserver) {
        let replaced = self.0.prompts.observe(observer);
        drop(replaced);
    }
}

impl Shared {
    fn answer(&self, by: BackEndId, id: Uuid, answer: DialogAnswer) -> Result<(), AnswerError> {
        let open = {
            let mut state = self.state.lock();
            let open = state.open.iter().find(|open| open.request.id() == id).ok_or(AnswerError::NotOpen)?;
            if !open.request.kind.accepts(&answer) {
                return Err(AnswerError::WrongKind(open.request.kind.name()));
            }
            state.close(ClosedBy::BackEnd(by), id, &self.prompts).ok_or(AnswerError::NotOpen)?
        };
        self.prompts.tell();
        // An asker that is gone by now has no use for it.
        let _ = open.answer.send(answer);
        Ok(())
    }

    /// Forgets a back end; questions that nobody is left to show get their default.
    fn remove_back_end(&self, id: BackEndId) {
        let (back_end, closed) = {
            let mut state = self.state.lock();
            let (gone, left) = mem::take(&mut state.back_ends).into_iter().partition::<Vec<_>, _>(|one| one.id == id);
            state.back_ends = left;
            if state.back_ends.is_empty() {
                state.editor_text.clear();
            }
            let orphans = state.open.iter().filter(|open| !state.can_show(&open.request));
            let orphans = orphans.map(|open| open.request.id()).collect::<Vec<_>>();
            let is_orphan = |open: &Open| orphans.contains(&open.request.id());
            (gone, state.close_where(ClosedBy::Abort, is_orphan, &self.prompts))
        };
        self.prompts.tell();
        drop((back_end, closed));
    }
}

// Everything that a method of the state returns is dropped by the caller, without the lock.
impl State {
    fn can_show(&self, request: &DialogRequest) -> bool {
        self.back_ends.iter().any(|back_end| back_end.can_show(request))
    }

    fn tell_of(&self, request: &DialogRequest, event: &DialogEvent) {
        self.back_ends.iter().for_each(|back_end| back_end.tell_of(request, event));
    }

    fn tell_all(&self, event: &DialogEvent) {
        self.back_ends.iter().for_each(|back_end| back_end.tell(event));
    }

    fn close(&mut self, by: ClosedBy, id: Uuid, prompts: &Prompts) -> Option<Open> {
        let position = self.open.iter().position(|open| open.request.id() == id)?;
        let open = self.open.remove(position);
        self.tell_of(&open.request, &DialogEvent::Closed { id, by });
        if self.open.is_empty() {
            prompts.end();
        }
        Some(open)
    }

    fn close_where(&mut self, by: ClosedBy, which: impl Fn(&Open) -> bool, prompts: &Prompts) -> Vec<Open> {
        let ids = self.open.iter().filter(|open| which(open)).map(|open| open.request.id()).collect::<Vec<_>>();
        ids.into_iter().filter_map(|id| self.close(by, id, prompts)).collect()
    }
}

impl BackEnd {
    fn can_show(&self, request: &DialogRequest) -> bool {
        (self.shows)(request)
    }

    fn tell_of(&self, request: &DialogRequest, event: &DialogEvent) {
        if self.can_show(request) {
            self.tell(event);
        }
    }

    fn tell(&self, event: &DialogEvent) {
        match &self.events {
            Sink::Queue(events) => {
                // A back end whose receiver is gone is about to be removed.
                let _ = events.send((Instant::now(), event.clone()));
            }
            Sink::Call(tell) => tell(event.clone()),
        }
    }
}

/// A factory that nobody calls.
struct Nobody;

impl Mount for Nobody {
    fn mount(&self, _: Stage) -> BoxFuture<Result<Arc<dyn Component>, HandlerError>> {
        Box::pin(async { Err(HandlerError::msg("there is no component")) })
    }
}

/// A question while somebody waits for its answer.
struct OpenDialog {
    shared: Weak<Shared>,
    id: Uuid,
}

impl OpenDialog {
    /// Waits until the question is settled; without an answer it is by its default.
    async fn settled(
        &self,
        answer: &mut oneshot::Receiver<DialogAnswer>,
        deadline: Option<Duration>,
        cancel: &CancellationToken,
    ) -> Option<DialogAnswer> {
        let expired = async {
            match deadline {
                Some(deadline) => tokio::time::sleep(deadline).await,
                None => pending().await,
            }
        };
        let by = tokio::select! {
            biased;
            answer = &mut *answer => return answer.ok(),
            () = cancel.cancelled() => ClosedBy::Abort,
            () = expired => ClosedBy::Deadline,
        };
        if self.close(by) {
            return None;
        }
        // An answer was accepted at the last moment and is about to arrive.
        answer.await.ok()
    }

    /// Takes the question away; `false` when it was settled before.
    fn close(&self, by: ClosedBy) -> bool {
        let Some(shared) = self.shared.upgrade() else { return false };
        let closed = shared.state.lock().close(by, self.id, &shared.prompts);
        shared.prompts.tell();
        closed.is_some()
    }
}

impl Drop for OpenDialog {
    fn drop(&mut self) {
        self.close(ClosedBy::Abort);
    }
}

impl fmt::Debug for DialogBroker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DialogBroker").finish_non_exhaustive()
    }
}
