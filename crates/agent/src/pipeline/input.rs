//! Stage 2: `input`.

use tau_hooks::events::Input;
use tau_hooks::payload::{InputEvent, InputSource};

use super::{Prompt, PromptError};
use crate::builtins::find_builtin;
use crate::parts::Live;

/// The text as the handlers of `input` leave it; `None` when one of them swallowed it.
///
/// # Errors
/// When one that may forbid prompts could not decide. Built-in commands, which no model sees, pass all the same.
pub(crate) async fn input(live: &Live, mut prompt: Prompt) -> Result<Option<Prompt>, PromptError> {
    let busy = !live.activity.is_idle();
    let event = || InputEvent {
        text: prompt.text.clone(),
        images: (!prompt.images.is_empty()).then(|| prompt.images.clone()),
        source: prompt.source,
        streaming_behavior: prompt.streaming_behavior.filter(|_| busy),
    };
    let done = live.hooks.dispatcher.dispatch::<Input>(&live.scope(), event).await;
    if done.stopped_by.is_some() {
        return Ok(None);
    }
    if let Some(shut) = done.shut
        && (prompt.source == InputSource::Extension || find_builtin(&prompt.text).is_none())
    {
        return Err(PromptError::Blocked(shut.reason()));
    }
    if let Some(event) = done.payload {
        prompt.text = event.text;
        prompt.images = event.images.unwrap_or_default();
    }
    Ok(Some(prompt))
}
