//! Dialogs, notices and the status line, as one extension uses them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::dialogs::{DialogAnswer, DialogBroker, DialogKind, DialogRequest, NotifyLevel, UiCall, WidgetContent};
use crate::error::HandlerError;
use crate::limits::CallClock;
use crate::mount::{Facts, UiHandle};
use crate::owner::Owner;
use crate::status::StatusStore;

/// Makes a [`Ui`] for each call of a handler.
pub struct UiSource {
    dialogs: DialogBroker,
    status: StatusStore,
}

impl UiSource {
    pub(crate) fn new(dialogs: DialogBroker, status: StatusStore) -> Self {
        Self { dialogs, status }
    }

    pub(crate) fn ui_for(&self, owner: Arc<Owner>, clock: CallClock, signal: CancellationToken) -> Ui {
        let (dialogs, status) = (self.dialogs.clone(), self.status.clone());
        Ui { dialogs, status, owner, clock, signal, tool_call: None, child: None }
    }
}

/// The user interface. Without one, questions are answered at once: nothing chosen, no, no text.
#[derive(Clone)]
pub struct Ui {
    dialogs: DialogBroker,
    status: StatusStore,
    owner: Arc<Owner>,
    clock: CallClock,
    signal: CancellationToken,
    tool_call: Option<Arc<str>>,
    /// The child session that the question is about.
    child: Option<Arc<str>>,
}

/// How long a question stands.
#[derive(Debug, Clone, Default)]
pub struct DialogOptions {
    /// After this the question counts as left without an answer.
    pub timeout: Option<Duration>,
    /// Takes the question away.
    pub cancel: CancellationToken,
}

impl Ui {
    /// The same for what is asked about a tool call.
    pub(crate) fn about(self, tool_call: Option<Arc<str>>) -> Self {
        Self { tool_call, ..self }
    }

    /// The same for what is asked on behalf of a child session: its name stands in front of the question.
    pub(crate) fn on_behalf_of(self, child: Option<Arc<str>>) -> Self {
        Self { child, ..self }
    }

    /// Whether somebody is there to be asked.
    pub fn is_available(&self) -> bool {
        self.dialogs.can_ask(self.tool_call.as_ref())
    }

    /// Asks any question. The time until the answer does not count against the handler. When the run is aborted
    /// the question is taken away: nobody waits for its answer any more.
    pub async fn ask(&self, kind: DialogKind, options: DialogOptions) -> DialogAnswer {
        let default = kind.default_answer();
        let kind = match &self.child {
            Some(child) => kind.on_behalf_of(child),
            None => kind,
        };
        let mut request = DialogRequest::new(Arc::clone(&self.owner.path), kind);
        request.deadline = options.timeout;
        request.tool_call.clone_from(&self.tool_call);
        tokio::select! {
            biased;
            () = self.signal.cancelled() => default,
            answer = self.dialogs.ask(request, &options.cancel, || self.clock.pause()) => answer,
        }
    }

    /// Asks to choose one of several options.
    pub async fn select(&self, title: &str, options: &[&str]) -> Option<String> {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        let kind = DialogKind::Select { title: title.to_owned(), options };
        self.ask(kind, DialogOptions::default()).await.into_value()
    }

    /// Asks for yes or no.
    pub async fn confirm(&self, title: &str, message: &str) -> bool {
        let kind = DialogKind::Confirm { title: title.to_owned(), message: message.to_owned() };
        self.ask(kind, DialogOptions::default()).await.is_yes()
    }

    /// Asks for a line of text.
    pub async fn input(&self, title: &str, placeholder: Option<&str>) -> Option<String> {
        let kind = DialogKind::Input { title: title.to_owned(), placeholder: placeholder.map(str::to_owned) };
        self.ask(kind, DialogOptions::default()).await.into_value()
    }

    /// Asks for a longer text.
    pub async fn editor(&self, title: &str, prefill: Option<&str>) -> Option<String> {
        let kind = DialogKind::Editor { title: title.to_owned(), prefill: prefill.map(str::to_owned) };
        self.ask(kind, DialogOptions::default()).await.into_value()
    }

    /// Shows a notice.
    pub fn notify(&self, message: &str, level: NotifyLevel) {
        match &self.child {
            Some(child) => self.dialogs.notify(Arc::clone(&self.owner.path), format!("[{child}] {message}"), level),
            None => self.dialogs.notify(Arc::clone(&self.owner.path), message, level),
        }
    }

    /// Sets or (with `None`) removes a text in the status line.
    pub fn set_status(&self, key: &str, text: Option<&str>) {
        let text = text.map(str::to_owned);
        self.status.set(Arc::clone(&self.owner.path), key, text.clone());
        self.call(UiCall::SetStatus { key: key.to_owned(), text });
    }

    /// Shows or (with `None`) removes lines next to the editor.
    pub fn set_widget(&self, key: &str, lines: Option<Vec<String>>) {
        let content = lines.map(WidgetContent::Lines);
        self.call(UiCall::SetWidget { key: key.to_owned(), content, placement: None });
    }

    /// Shows a component in the place of the editor, or over the screen, until it says that it is done; what it said then.
    /// Nothing when it was taken away before, or nobody can show it.
    ///
    /// # Errors
    /// When the component could not be shown to its end.
    pub async fn custom(&self, handle: UiHandle, overlays: bool) -> Result<Option<Value>, HandlerError> {
        match self.ask(DialogKind::Custom { handle, overlays, blocked: None }, DialogOptions::default()).await {
            DialogAnswer::Custom(value) => Ok(Some(value)),
            DialogAnswer::Failed(why) => Err(HandlerError::msg(why)),
            DialogAnswer::Value(_) | DialogAnswer::Confirmed(_) | DialogAnswer::Cancelled => Ok(None),
        }
    }

    /// Whether somebody shows components.
    pub fn can_mount(&self) -> bool {
        self.dialogs.can_mount()
    }

    /// Whether somebody draws [menus](crate::mount::Menu).
    pub fn can_show_menus(&self) -> bool {
        self.can_mount() && self.facts().draws_menus
    }

    /// What the front end says about itself.
    pub fn facts(&self) -> Arc<Facts> {
        self.dialogs.facts().get()
    }

    /// The text in the editor; empty without one.
    pub fn editor_text(&self) -> String {
        self.dialogs.editor_text()
    }

    /// Any other call to the front end.
    pub fn call(&self, call: UiCall) {
        self.dialogs.call(Arc::clone(&self.owner.path), call);
    }
}
