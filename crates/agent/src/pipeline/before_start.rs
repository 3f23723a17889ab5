//! Stage 5: `before_agent_start`, and the messages a run begins with.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tau_ai::{CustomMessage, JsonMap, Message};
use tau_hooks::events::BeforeAgentStart;
use tau_hooks::payload::{BeforeAgentStartEvent, BeforeAgentStartResult, CustomDraft, StartedBy};

use super::prompt::user_message;
use super::{Prompt, PromptError};
use crate::pipeline::context_files::refresh_context_files;
use crate::pipeline::images::with_fitting_images;
use crate::pipeline::record::prepare_loadout;
use crate::pipeline::run::record_parked;
use crate::pipeline::system_prompt::{prompt_from, system_prompt_options};
use crate::pipeline::turn::Turn;

/// How long handlers may still take once one of them aborted the run, so that what they add to it is not lost.
const AFTER_ABORT: Duration = Duration::from_secs(1);

/// What a run begins with.
pub(crate) enum Start<'a> {
    /// Text.
    Prompt(&'a Prompt),
    /// A message of an extension.
    Message(Arc<Message>),
}

/// Asks extensions for messages and a system prompt. The messages of the run are: the one it begins with, what was
/// kept for the next turn, what extensions add now. What handlers only wanted to have recorded comes before them.
///
/// # Errors
/// When the session file cannot be written.
pub(crate) async fn before_start(turn: &Turn<'_>, start: Start<'_>) -> Result<Vec<Arc<Message>>, PromptError> {
    refresh_context_files(turn);
    prepare_loadout(turn, true, &turn.run.cancel).await;
    let base = turn.prompting.text();
    let output = ask_before_start(turn, &start, &base).await;
    // Without a prompt of an extension the standard one is back, whatever the run before used.
    let built = output.system_prompt_options.as_ref().map(|options| prompt_from(turn, options));
    let chosen = output.system_prompt.clone().or(built);
    let prompt = match &output.system_prompt_append {
        Some(text) => Some(format!("{}\n\n{text}", chosen.as_deref().unwrap_or(&base))),
        None => chosen,
    };
    turn.activity.set_run_prompt(prompt, turn.conversation.number(), base);
    let first = match start {
        // Behind the handlers, which may have chosen another model.
        Start::Prompt(prompt) => {
            Arc::new(user_message(&with_fitting_images(turn, prompt).await, turn.services.now_ms()))
        }
        Start::Message(message) => message,
    };
    // Before anything is taken out of a queue: without a file there is no run that would get it.
    record_parked(turn).await?;
    let mut messages = vec![first];
    messages.extend(turn.activity.take_next_turn());
    messages.extend(output.messages().into_iter().map(|draft| Arc::new(custom_message(draft, turn.services.now_ms()))));
    Ok(messages)
}

/// Calls the handlers. An extension that aborts the run does not cut itself off.
async fn ask_before_start(turn: &Turn<'_>, start: &Start<'_>, base: &str) -> BeforeAgentStartResult {
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
            system_prompt_options: system_prompt_options(turn),
        }
    };
    let scope = turn.scope();
    let asking = turn.activity.begin_preparing();
    let cut_off = async {
        asking.aborted().await;
        tokio::time::sleep(AFTER_ABORT).await;
        turn.run.cancel.cancel();
        std::future::pending::<Infallible>().await
    };
    let done = tokio::select! {
        biased;
        done = turn.hooks.dispatcher.dispatch::<BeforeAgentStart>(&scope, event) => done,
        never = cut_off => match never {},
    };
    if asking.end() {
        turn.run.cancel.cancel();
    }
    done.into_output().unwrap_or_default()
}

/// A message of an extension, stamped now.
pub(crate) fn custom_message(draft: CustomDraft, now_ms: i64) -> Message {
    Message::Custom(CustomMessage {
        custom_type: draft.custom_type,
        content: draft.content,
        display: draft.display,
        details: draft.details,
        timestamp: now_ms,
        extra: JsonMap::new(),
    })
}
