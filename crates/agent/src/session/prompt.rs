//! From submitted text to a run.

use std::sync::Arc;

use tau_hooks::payload::{InputSource, StreamingBehavior};

use super::builtin::outcome::BuiltinOutcome;
use super::{AgentSession, builtin};
use crate::builtins::find_builtin;
use crate::crash::guarded;
use crate::parts::Queued;
use crate::pipeline::command::{extension_command, extension_command_name};
use crate::pipeline::expand::expand;
use crate::pipeline::input::input;
use crate::pipeline::prompt::{Prompt, PromptError, user_message};
use crate::pipeline::run_state::Run;
use crate::pipeline::tell::{queue, queue_anyway};
use crate::pipeline::upcoming::Upcoming;
use crate::work::Item;

/// What became of submitted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompted {
    /// A run took place and is over.
    Ran,
    /// It waits in a queue of the run that is under way.
    Queued,
    /// It was a command of an extension.
    Command {
        /// It failed, which was reported.
        failed: bool,
    },
    /// It was a built-in command, and this is what it has to say.
    Builtin(BuiltinOutcome),
    /// A handler of `input` swallowed it.
    Handled,
}

/// What became of submitted text in the stages that decide where it goes.
pub enum Submitted {
    /// There is nothing left to do.
    Done(Prompted),
    /// It begins a run: no other can begin until this is dropped or over.
    Run(Box<Upcoming>),
}

impl AgentSession {
    /// Sends text through the pipeline and waits until the run it starts is over.
    ///
    /// The stages are those of the documented order: a command of an extension runs at once, also while a run is
    /// under way; then `input`, built-in commands, skills and templates, and a run or a queue.
    ///
    /// # Errors
    /// When no run can start; what happens within a run is told by events and messages instead.
    pub async fn prompt(self: &Arc<Self>, prompt: Prompt) -> Result<Prompted, PromptError> {
        match self.submit(prompt).await? {
            Submitted::Done(prompted) => Ok(prompted),
            Submitted::Run(upcoming) => {
                upcoming.prepare().await?.run().await?;
                Ok(Prompted::Ran)
            }
        }
    }

    /// The stages that decide where text goes: commands, `input`, built-in commands, skills and templates, then a queue
    /// or a run of its own. For front ends that go on before the run is over; the others use [`AgentSession::prompt`].
    ///
    /// # Errors
    /// When the text can neither be queued nor begin a run, and when a built-in command fails.
    pub async fn submit(self: &Arc<Self>, prompt: Prompt) -> Result<Submitted, PromptError> {
        guarded(place(self, prompt)).await?
    }

    /// Puts text into a queue, also while no run is under way: then it waits for the next one.
    ///
    /// # Errors
    /// When the text is a command of an extension, and when a built-in command fails.
    pub async fn enqueue(self: &Arc<Self>, prompt: Prompt, to: StreamingBehavior) -> Result<Prompted, PromptError> {
        let parts = &self.parts;
        if parts.lifecycle.has_ended() {
            return Err(PromptError::ShuttingDown);
        }
        if let Some(name) = extension_command_name(parts, &prompt.text) {
            return Err(PromptError::NotQueueable(name));
        }
        let prompt = Prompt { streaming_behavior: Some(to), ..prompt };
        match guarded(read_input(self, prompt, &mut None)).await?? {
            Input::Prompt(prompt) => {
                queue_anyway(parts, to, queued(&prompt, parts.services.now_ms()));
                Ok(Prompted::Queued)
            }
            Input::Done(prompted) => Ok(prompted),
        }
    }

    /// The extension's command that a text is, if any.
    pub fn extension_command_name(&self, text: &str) -> Option<String> {
        extension_command_name(&self.parts, text)
    }
}

async fn place(session: &Arc<AgentSession>, prompt: Prompt) -> Result<Submitted, PromptError> {
    let parts = &session.parts;
    if parts.lifecycle.has_ended() {
        return Err(PromptError::ShuttingDown);
    }
    if prompt.finds_commands()
        && let Some(worked) = extension_command(parts, &prompt.text).await
    {
        return Ok(Submitted::Done(Prompted::Command { failed: !worked }));
    }
    let queueable = prompt.streaming_behavior.is_some();
    let compacting = parts.activity.asides.is_compacting_by_hand() && !queueable;
    if (compacting || parts.activity.is_navigating()) && find_builtin(&prompt.text).is_none() {
        return Err(PromptError::Compacting);
    }
    // Nobody moves in the tree until the prompt is where it belongs.
    let mut expected = Some(parts.activity.incoming.begin());
    let prompt = match read_input(session, prompt, &mut expected).await? {
        Input::Prompt(prompt) => prompt,
        Input::Done(prompted) => return Ok(Submitted::Done(prompted)),
    };
    loop {
        // Handlers of `agent_settled` are told of the run before this one first, and a session that is being replaced
        // is not asked any more.
        let begun = {
            let _open = parts.lifecycle.settle_gate.read().await;
            Run::begin(parts)
        };
        if let Some(run) = begun {
            return Ok(Submitted::Run(Box::new(Upcoming::new(session.live(), run, prompt))));
        }
        if parts.lifecycle.has_ended() {
            return Err(PromptError::ShuttingDown);
        }
        let behavior = prompt.streaming_behavior.ok_or(PromptError::Busy)?;
        // When the run ended in the meantime, this prompt begins one of its own.
        if queue(parts, behavior, queued(&prompt, parts.services.now_ms())).is_ok() {
            return Ok(Submitted::Done(Prompted::Queued));
        }
    }
}

/// What became of text before it is known where it goes.
enum Input {
    /// It is a prompt, as handlers and templates left it.
    Prompt(Prompt),
    /// There is nothing left to do.
    Done(Prompted),
}

/// What handlers of `input`, built-in commands, skills and templates make of text. A built-in command does not count as
/// a prompt that is `expected`.
async fn read_input(
    session: &Arc<AgentSession>,
    prompt: Prompt,
    expected: &mut Option<Item>,
) -> Result<Input, PromptError> {
    let Some(mut prompt) = input(&session.live(), prompt).await? else { return Ok(Input::Done(Prompted::Handled)) };
    if prompt.source != InputSource::Extension
        && let Some(command) = find_builtin(&prompt.text)
    {
        *expected = None;
        // On the heap: commands are rare, and every prompt would carry the space that the largest of them needs.
        let said = Box::pin(builtin::run(command, session)).await?;
        return Ok(Input::Done(Prompted::Builtin(said)));
    }
    if prompt.finds_commands() {
        expand(&session.parts, &mut prompt).await?;
    }
    Ok(Input::Prompt(prompt))
}

fn queued(prompt: &Prompt, now_ms: i64) -> Queued {
    Queued { message: Arc::new(user_message(prompt, now_ms)), text: Some(prompt.text.clone()) }
}
