//! The same question on the bus, for a dashboard.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_hooks::bus::{BusEvent, BusPayload, EngineId, Subscription};
use tau_hooks::{ActionError, Api};
use tau_view::untrusted::plain;
use tokio::sync::oneshot;

use super::Answer;
use crate::shared::channels::{UI_DISMISS, UI_REQUEST, UI_RESPONSE};
use crate::shared::commands::emit;

/// Longest answer from the bus, in characters. Somebody typed it.
const LONGEST_ANSWER: usize = 100_000;

/// A question that stands on the bus. Dropping it stops listening for its answer.
pub(super) struct Elsewhere {
    id: String,
    answer: oneshot::Receiver<Answer>,
    _listening: Subscription,
}

impl Elsewhere {
    /// Sends the question. Nobody may listen.
    pub(super) fn ask(api: &Api, question: &str, options: &[String]) -> Result<Self, ActionError> {
        let id = format!("ask-{}", tau_ai::random_id());
        let (sender, answer) = oneshot::channel();
        let sender = Mutex::new(Some(sender));
        let own = id.clone();
        let listener = Arc::new(move |event: BusEvent| {
            let Some(answer) = read(&event.payload, &own) else { return };
            // A second answer comes too late, and so does one after the end.
            if let Some(Err(answer)) = sender.lock().take().map(|sender| sender.send(answer)) {
                tracing::debug!(?answer, "an answer from the bus came too late");
            }
        });
        let bus = api.events()?;
        let listening = bus.on(UI_RESPONSE, EngineId::NATIVE, Arc::clone(&api.owner().path), listener);
        let method = if options.is_empty() { "input" } else { "select" };
        let mut request = json!({"id": id, "type": "extension_ui_request", "method": method, "title": question});
        if !options.is_empty() {
            request["options"] = json!(options);
        }
        emit(api, UI_REQUEST, BusPayload::Json(Arc::new(request)));
        Ok(Self { id, answer, _listening: listening })
    }

    /// Waits for an answer; for ever where nobody listens.
    pub(super) async fn answer(&mut self) -> Answer {
        match (&mut self.answer).await {
            Ok(answer) => answer,
            // The listener is gone with the session, which ends the call itself.
            Err(_) => std::future::pending().await,
        }
    }

    /// The question is answered: a dashboard that shows it takes it away.
    pub(super) fn dismiss(self, api: &Api) {
        emit(api, UI_DISMISS, BusPayload::Json(Arc::new(json!({"id": self.id}))));
    }
}

/// The answer to the question of this id. An empty one counts as leaving it, so that nothing hangs.
fn read(payload: &BusPayload, id: &str) -> Option<Answer> {
    let response = payload.to_json().filter(|response| response["id"] == id)?;
    if response["cancelled"] == true {
        return Some(Answer::Cancelled);
    }
    let text = |key: &str| match &response[key] {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let value = text("value").or_else(|| text("response")).filter(|text| !text.trim().is_empty());
    let bounded = |text: String| plain(&text).chars().take(LONGEST_ANSWER).collect();
    Some(value.map(bounded).map_or(Answer::Cancelled, Answer::Text))
}
