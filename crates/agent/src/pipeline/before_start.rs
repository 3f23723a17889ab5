//! Stage 5: `before_agent_start`, and the messages a run begins with.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tau_ai::{CustomMessage, JsonMap, Message};
use tau_hooks::events::BeforeAgentStart;
use tau_hooks::payload::{BeforeAgentStartEvent, BeforeAgentStartResult, CustomDraft, StartedBy};

use super::prompt::user_message;
use super::{Prompt, PromptError};
use crate::session::{AgentSession, Run};

/// How long handlers may still take once one of them aborted the run, so that what they add to it is not lost.
const AFTER_ABORT: Duration = Duration::from_secs(1);

/// What a run begins with.
pub(crate) enum Start<'a> {
    /// Text.
    Prompt(&'a Prompt),
    /// A message of an extension.
    Message(Arc<Message>),
}

impl AgentSession {
    /// Asks extensions for messages and a system prompt. The messages of the run are: the one it begins with, what was
    /// kept for the next turn, what extensions add now. What handlers only wanted to have recorded comes before them.
    ///
    /// # Errors
    /// When the session file cannot be written.
    pub(crate) async fn before_start(
        self: &Arc<Self>,
        run: &Run,
        start: Start<'_>,
    ) -> Result<Vec<Arc<Message>>, PromptError> {
        self.refresh_context_files();
        self.prepare_loadout(true, &run.cancel).await;
        let base = self.base_system_prompt();
        let output = self.ask_before_start(run, &start, &base).await;
        // Without a prompt of an extension the standard one is back, whatever the run before used.
        let built = output.system_prompt_options.as_ref().map(|options| self.prompt_from(options));
        let chosen = output.system_prompt.clone().or(built);
        self.set_run_prompt(match &output.system_prompt_append {
            Some(text) => Some(format!("{}\n\n{text}", chosen.as_deref().unwrap_or(&base))),
            None => chosen,
        });
        let first = match start {
            // Behind the handlers, which may have chosen another model.
            Start::Prompt(prompt) => Arc::new(user_message(&self.with_fitting_images(prompt).await, self.now_ms())),
            Start::Message(message) => message,
        };
        // Before anything is taken out of a queue: without a file there is no run that would get it.
        self.record_parked(run).await?;
        let mut messages = vec![first];
        messages.extend(self.take_next_turn());
        messages.extend(output.messages().into_iter().map(|draft| Arc::new(custom_message(draft, self.now_ms()))));
        Ok(messages)
    }

    /// Calls the handlers. An extension that aborts the run does not cut itself off.
    async fn ask_before_start(self: &Arc<Self>, run: &Run, start: &Start<'_>, base: &str) -> BeforeAgentStartResult {
        let event = || {
            let (message_type, message, prompt, images) = match start {
                Start::Prompt(prompt) => (StartedBy::User, None, prompt.text.clone(), prompt.images.clone()),
                Start::Message(message) => (StartedBy::Custom, Some(Arc::clone(message)), String::new(), Vec::new()),
            };
            BeforeAgentStartEvent {
                message_type,
                message,
                prompt,
                images: (!images.is_empty()).then_some(images),
                system_prompt: base.to_owned(),
                system_prompt_options: self.system_prompt_options(),
            }
        };
        let scope = run.scope(self);
        let asking = self.begin_asking();
        let cut_off = async {
            asking.aborted().await;
            tokio::time::sleep(AFTER_ABORT).await;
            run.cancel.cancel();
            std::future::pending::<Infallible>().await
        };
        let done = tokio::select! {
            biased;
            done = self.hooks().dispatcher.dispatch::<BeforeAgentStart>(&scope, event) => done,
            never = cut_off => match never {},
        };
        if asking.end() {
            run.cancel.cancel();
        }
        done.output.unwrap_or_default()
    }
}

/// A message of an extension, with a time.
pub(crate) fn custom_message(draft: CustomDraft, timestamp: i64) -> Message {
    Message::Custom(CustomMessage {
        custom_type: draft.custom_type,
        content: draft.content,
        display: draft.display,
        details: draft.details,
        timestamp,
        extra: JsonMap::new(),
    })
}
