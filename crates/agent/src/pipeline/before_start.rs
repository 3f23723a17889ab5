//! Stage 5: `before_agent_start`, and the messages a run begins with.

use std::sync::Arc;

use tau_ai::{CustomMessage, JsonMap, Message, now_ms};
use tau_hooks::events::BeforeAgentStart;
use tau_hooks::payload::{BeforeAgentStartEvent, CustomDraft};

use super::Prompt;
use super::prompt::user_message;
use crate::session::{AgentSession, Run};

impl AgentSession {
    /// Asks extensions for messages and a system prompt. The messages of the run are: the user's, what was kept for
    /// the next turn, what extensions add now.
    pub(crate) async fn before_start(self: &Arc<Self>, run: &Run, prompt: &Prompt) -> Vec<Arc<Message>> {
        self.refresh_context_files();
        let base = self.base_system_prompt();
        let event = || BeforeAgentStartEvent {
            prompt: prompt.text.clone(),
            images: (!prompt.images.is_empty()).then(|| prompt.images.clone()),
            system_prompt: base.to_string(),
            system_prompt_options: self.system_prompt_options(),
        };
        let scope = run.scope(self);
        self.set_preparing(true);
        let done = self.hooks().dispatcher.dispatch::<BeforeAgentStart>(&scope, event).await;
        self.set_preparing(false);
        let output = done.output.unwrap_or_default();
        // Without a prompt of an extension the standard one is back, whatever the run before used.
        let built = output.system_prompt_options.as_ref().map(|options| self.prompt_from(options));
        let chosen = output.system_prompt.clone().or(built);
        self.set_run_prompt(match &output.system_prompt_append {
            Some(text) => Some(format!("{}\n\n{text}", chosen.as_deref().unwrap_or(&base))),
            None => chosen,
        });
        // Behind the handlers, which may have chosen another model.
        let prompt = self.with_fitting_images(prompt).await;
        let mut messages = vec![Arc::new(user_message(&prompt))];
        messages.extend(self.take_next_turn());
        messages.extend(output.messages().into_iter().map(|draft| Arc::new(custom_message(draft))));
        messages
    }
}

/// A message of an extension, stamped now.
pub(crate) fn custom_message(draft: CustomDraft) -> Message {
    Message::Custom(CustomMessage {
        custom_type: draft.custom_type,
        content: draft.content,
        display: draft.display,
        details: draft.details,
        timestamp: now_ms(),
        extra: JsonMap::new(),
    })
}
