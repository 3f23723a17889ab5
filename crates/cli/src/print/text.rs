//! Print mode: the answer as text.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tau_agent::{AgentSession, Prompt, Prompted, SessionEvent};
use tau_ai::{AssistantMessage, StopReason, StreamEvent};
use tau_hooks::payload::Outcome;
use tau_launch::Stop;

use super::trouble;
use crate::diagnostics;
use crate::exit::{FAILURE, SUCCESS};
use crate::output::Output;

const NOTHING_ASKED: &str = "there is no prompt and no earlier answer to print: give a prompt, for example `tau -p \"What is in \
                             this directory?\"`, or pipe one in";

/// Sends the prompts one after another and prints the last answer.
///
/// On a terminal the text of every answer appears as it arrives; otherwise only the text of the last one is printed, so
/// that a program that reads it gets the result and nothing else. Prompts that only ran commands leave no answer, and an
/// older one of the session is not theirs.
pub(super) async fn print(session: &Arc<AgentSession>, prompts: Vec<Prompt>, stop: &Stop) -> u8 {
    let output = Output::new(session);
    let live = std::io::stdout().is_terminal();
    if live {
        let live = Live { output: output.clone(), shown: AtomicBool::new(false) };
        session.listen(move |event| live.show(event));
    }
    trouble::tell(session);
    let asked = !prompts.is_empty();
    let mut code = SUCCESS;
    for prompt in prompts {
        if session.exit_requested().is_cancelled() {
            break;
        }
        // Whoever stops the program wants no answer any more.
        let Some(done) = stop.unless(session.prompt(prompt)).await else { return FAILURE };
        match done {
            Ok(Prompted::Builtin(done)) if !done.is_silent() => output.write(format!("{done}\n").as_bytes()),
            // Why was reported; what comes after it is done all the same.
            Ok(Prompted::Command { failed: true }) => code = FAILURE,
            Ok(_) => {}
            Err(error) => {
                diagnostics::error(&error.to_string());
                return FAILURE;
            }
        }
        // Extensions may have asked for more.
        if stop.unless(session.wait_until_idle()).await.is_none() {
            return FAILURE;
        }
    }
    let answer = if asked {
        session.last_answer()
    } else {
        session.history().to_arcs().into_iter().rev().find(|message| message.as_assistant().is_some())
    };
    let Some(answer) = answer.as_deref().and_then(|message| message.as_assistant()) else {
        if !asked && !session.exit_requested().is_cancelled() {
            // A script whose input is empty must not go on as if it had an answer.
            diagnostics::error(NOTHING_ASKED);
            return FAILURE;
        }
        return code;
    };
    let flaw = flaw(answer, asked && session.last_outcome() == Outcome::Aborted);
    if !live && flaw.as_ref().is_none_or(|flaw| flaw.has_text) {
        let text: String = answer.texts().map(|text| format!("{text}\n")).collect();
        output.write(text.as_bytes());
    }
    match flaw {
        Some(flaw) => {
            diagnostics::line(&session.explain_failure(answer).unwrap_or(flaw.reason));
            FAILURE
        }
        None => code,
    }
}

const ABORTED: &str = "Request aborted";

/// Why the last answer is not what was asked for.
pub(super) struct Flaw {
    /// What the user reads.
    pub(super) reason: String,
    /// What there is of its text is worth something.
    has_text: bool,
}

/// What is wrong with the last answer of a run, which may have been aborted after it.
pub(super) fn flaw(answer: &AssistantMessage, aborted: bool) -> Option<Flaw> {
    let failed = |usual: &str| {
        let reason = answer.error_message.clone().unwrap_or_else(|| usual.to_owned());
        Some(Flaw { reason, has_text: false })
    };
    match answer.stop_reason {
        StopReason::Aborted => failed(ABORTED),
        // The answer is one that led to tools; what they were for did not come about.
        _ if aborted => Some(Flaw { reason: ABORTED.to_owned(), has_text: false }),
        StopReason::Error => failed("Request error"),
        StopReason::Length => Some(Flaw {
            reason: "The answer is cut off: the model reached its limit of output tokens.".to_owned(),
            has_text: true,
        }),
        _ => None,
    }
}

/// Shows text as it arrives.
struct Live {
    output: Output,
    /// Whether text of the current message was shown.
    shown: AtomicBool,
}

impl Live {
    fn show(&self, event: &SessionEvent) {
        match event {
            SessionEvent::MessageUpdate(update) => match &update.0.event {
                StreamEvent::TextDelta { delta, .. } => {
                    self.shown.store(true, Ordering::Relaxed);
                    self.output.write(delta.as_bytes());
                }
                StreamEvent::TextEnd { .. } => self.output.write(b"\n"),
                _ => {}
            },
            // What was cut off is not gone on with.
            SessionEvent::TtsrTriggered { .. } => self.output.write(b"\n"),
            // A provider may give its answer in one piece.
            SessionEvent::MessageEnd { message } => {
                let shown = self.shown.swap(false, Ordering::Relaxed);
                if let (false, Some(answer)) = (shown, message.as_assistant()) {
                    answer.texts().for_each(|text| self.output.write(format!("{text}\n").as_bytes()));
                }
            }
            _ => {}
        }
    }
}
