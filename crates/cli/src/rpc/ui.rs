//! The dialog broker's back end at the other end of the line.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;
use tau_hooks::dialogs::{
    CalledBackEnd, DialogAnswer, DialogBroker, DialogEvent, DialogKind, DialogRequest, UiCall, WidgetContent,
};
use tau_rpc::{UiRequest, UiResponse};
use tokio::runtime::Handle;
use uuid::Uuid;

use super::writer::{Item, Writer};

/// A request as a line.
#[derive(Serialize)]
struct Line {
    r#type: &'static str,
    id: String,
    #[serde(flatten)]
    request: UiRequest,
}

impl Line {
    fn new(id: Uuid, request: UiRequest) -> Self {
        Self { r#type: "extension_ui_request", id: id.to_string(), request }
    }
}

/// Shows what extensions want to be shown, and gives them the client's answers.
pub(super) struct Ui {
    broker: DialogBroker,
    back_end: Mutex<Option<CalledBackEnd>>,
    /// Nobody answers any more.
    ended: Arc<AtomicBool>,
}

impl Ui {
    /// From now on extensions have a user.
    pub(super) fn subscribe(broker: &DialogBroker, writer: &Writer) -> Arc<Self> {
        let ended = Arc::new(AtomicBool::new(false));
        let ui = Arc::new(Self { broker: broker.clone(), back_end: Mutex::new(None), ended: Arc::clone(&ended) });
        let (writer, me, tasks) = (writer.clone(), Arc::downgrade(&ui), Handle::current());
        let back_end = broker.subscribe_with(move |event| match event {
            DialogEvent::Opened(request) if ended.load(Ordering::Acquire) => {
                let Some(me) = me.upgrade() else { return };
                // The broker cannot be asked from here.
                tasks.spawn(async move { me.give(request.id(), request.kind.default_answer()) });
            }
            DialogEvent::Opened(request) => {
                if let Some(shown) = dialog(&request) {
                    writer.push(Item::json(&Line::new(request.id(), shown)));
                }
            }
            DialogEvent::Ui(event) => {
                if let Some((about, shown)) = call(&event.call) {
                    let line = Line::new(tau_ai::random_id(), shown);
                    writer.push(match about {
                        Some(about) => Item::news(about, &line),
                        None => Item::json(&line),
                    });
                }
            }
            // The client is not told: it may answer, and then nothing happens.
            DialogEvent::Closed { .. } | DialogEvent::OwnerRemoved(_) => {}
        });
        *ui.back_end.lock() = Some(back_end);
        ui
    }

    /// Gives an extension the client's answer. One that comes too late does not matter.
    ///
    /// # Errors
    /// When it does not fit the question, which then counts as left without an answer.
    pub(super) fn answer(&self, response: &UiResponse) -> Result<(), String> {
        let Ok(id) = Uuid::parse_str(&response.id) else { return Ok(()) };
        let Some(request) = self.broker.open_dialogs().into_iter().find(|request| request.id() == id) else {
            return Ok(());
        };
        match fitting(&request.kind, response).filter(|answer| request.kind.accepts(answer)) {
            Some(answer) => self.give(id, answer),
            None => {
                self.give(id, request.kind.default_answer());
                return Err(format!("the answer does not fit the {} dialog", request.kind.name().as_str()));
            }
        }
        Ok(())
    }

    /// Nobody answers any more: what is open, and what will be asked, gets its default.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        for request in self.broker.open_dialogs() {
            self.give(request.id(), request.kind.default_answer());
        }
    }

    fn give(&self, id: Uuid, answer: DialogAnswer) {
        let by = self.back_end.lock().as_ref().map(CalledBackEnd::id);
        if let Some(by) = by {
            // Somebody may have been faster.
            let _ = self.broker.answer(by, id, answer);
        }
    }
}

fn fitting(kind: &DialogKind, response: &UiResponse) -> Option<DialogAnswer> {
    if response.body.cancelled == Some(true.into()) {
        return Some(kind.default_answer());
    }
    match kind {
        DialogKind::Confirm { .. } => response.body.confirmed.as_ref()?.as_bool().map(DialogAnswer::Confirmed),
        _ => response.body.value.as_ref()?.as_str().map(|text| DialogAnswer::Value(text.to_owned())),
    }
}

fn dialog(request: &DialogRequest) -> Option<UiRequest> {
    let timeout = request.deadline.map(millis);
    Some(match request.kind.clone() {
        DialogKind::Select { title, options } => UiRequest::Select { title, options, timeout },
        DialogKind::Confirm { title, message } => UiRequest::Confirm { title, message, timeout },
        DialogKind::Input { title, placeholder } => UiRequest::Input { title, placeholder, timeout },
        DialogKind::Editor { title, prefill } => UiRequest::Editor { title, prefill },
        DialogKind::Custom { .. } => return None,
    })
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// What is shown of a call, and what it is about when a later call makes it superfluous.
fn call(call: &UiCall) -> Option<(Option<String>, UiRequest)> {
    Some(match call.clone() {
        UiCall::Notify { message, level } => (None, UiRequest::Notify { message, notify_type: level }),
        UiCall::SetStatus { key, text } => {
            (Some(format!("status {key}")), UiRequest::SetStatus { status_key: key, status_text: text })
        }
        UiCall::SetWidget { key, content, placement } => {
            let lines = match content {
                Some(WidgetContent::Lines(lines)) => Some(lines),
                // A component needs a terminal.
                Some(WidgetContent::Handle(_)) => return None,
                None => None,
            };
            let about = format!("widget {key}");
            (Some(about), UiRequest::SetWidget { widget_key: key, widget_lines: lines, widget_placement: placement })
        }
        UiCall::SetTitle(title) => (Some("title".to_owned()), UiRequest::SetTitle { title }),
        UiCall::SetEditorText(text) | UiCall::PasteToEditor(text) => {
            (Some("editor".to_owned()), UiRequest::SetEditorText { text })
        }
        // All others need a terminal.
        _ => return None,
    })
}
