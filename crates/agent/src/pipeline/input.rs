//! Stage 2: `input`.

use std::sync::Arc;

use tau_hooks::events::Input;
use tau_hooks::payload::InputEvent;

use super::Prompt;
use crate::session::AgentSession;

impl AgentSession {
    /// The text as the handlers of `input` leave it; `None` when one of them swallowed it.
    pub(crate) async fn input(self: &Arc<Self>, mut prompt: Prompt) -> Option<Prompt> {
        let busy = !self.is_idle();
        let event = || InputEvent {
            text: prompt.text.clone(),
            images: (!prompt.images.is_empty()).then(|| prompt.images.clone()),
            source: prompt.source,
            streaming_behavior: prompt.streaming_behavior.filter(|_| busy),
        };
        let done = self.hooks().dispatcher.dispatch::<Input>(&self.scope(), event).await;
        if done.stopped_by.is_some() {
            return None;
        }
        if let Some(event) = done.payload {
            prompt.text = event.text;
            prompt.images = event.images.unwrap_or_default();
        }
        Some(prompt)
    }
}
