//! Stage 2: `input`.

use tau_hooks::Dispatched;
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
    let is_builtin = || prompt.source != InputSource::Extension && find_builtin(&prompt.text).is_some();
    let folded = match done {
        Dispatched::Stopped { .. } => return Ok(None),
        Dispatched::Shut { shut, .. } if !is_builtin() => return Err(PromptError::Blocked(shut.reason())),
        Dispatched::Shut { folded, .. } => folded,
        Dispatched::Unheard => None,
        Dispatched::Done(folded) | Dispatched::Cancelled { folded, .. } | Dispatched::Withheld { folded, .. } => {
            Some(folded)
        }
    };
    if let Some(event) = folded.map(|folded| folded.payload) {
        prompt.text = event.text;
        prompt.images = event.images.unwrap_or_default();
    }
    Ok(Some(prompt))
}
