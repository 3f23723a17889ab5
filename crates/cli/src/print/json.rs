//! JSON mode: the session's header, then every event, a line each.

use std::sync::Arc;

use tau_agent::{AgentSession, Prompt, Prompted, SessionEvent};
use tau_hooks::payload::Outcome;
use tau_launch::Stop;

use super::text::flaw;
use super::trouble;
use crate::diagnostics;
use crate::exit::{FAILURE, SUCCESS};
use crate::output::Output;
use crate::rpc::{Partials, Told};

/// Prints the header and starts to print events. Called as soon as there is a session, before anything happens in it.
pub(super) fn begin(session: &Arc<AgentSession>, partials: Partials) {
    let output = Output::new(session);
    match session.session().header().to_line() {
        Ok(line) => output.write(format!("{line}\n").as_bytes()),
        Err(error) => diagnostics::error(&format!("the session's header could not be written: {error}")),
    }
    let collected = output.clone();
    session.set_rest(move || collected.flush());
    // Pieces of an answer that arrive together are handed on together, and everything else at once: the system takes longer
    // to pass a line on than tau to make it.
    session.listen(move |event| match event {
        SessionEvent::MessageUpdate(_) => output.collect_json(&Told(event, partials)),
        // A script may make hundreds of calls, each of which has two lines.
        SessionEvent::ToolExecutionStart { parent_tool_call_id: Some(_), .. }
        | SessionEvent::ToolExecutionUpdate { parent_tool_call_id: Some(_), .. }
        | SessionEvent::ToolExecutionEnd { parent_tool_call_id: Some(_), .. } => {
            output.json_soon(&Told(event, partials));
        }
        _ => output.json(&Told(event, partials)),
    });
}

/// Sends the prompts one after another.
pub(super) async fn json(session: &Arc<AgentSession>, prompts: Vec<Prompt>, stop: &Stop) -> u8 {
    trouble::tell(session);
    let mut code = SUCCESS;
    for prompt in prompts {
        if session.exit_requested().is_cancelled() {
            break;
        }
        let Some(done) = stop.unless(session.prompt(prompt)).await else { break };
        match done {
            // What a command has to say is no event, and standard output carries events only.
            Ok(Prompted::Builtin(done)) if !done.is_silent() => diagnostics::line(&done.to_string()),
            Ok(Prompted::Command { failed: true }) => code = FAILURE,
            Ok(_) => {}
            Err(error) => {
                diagnostics::error(&error.to_string());
                return FAILURE;
            }
        }
        stop.unless(session.wait_until_idle()).await;
    }
    // Whoever asked for the end, or went away, has what there is.
    if session.exit_requested().is_cancelled() {
        return SUCCESS;
    }
    // The answer itself is among the events.
    let answer = session.last_answer();
    let aborted = session.last_outcome() == Outcome::Aborted;
    let answer = answer.as_deref().and_then(|message| message.as_assistant());
    if let Some(why) = answer.and_then(|answer| session.explain_failure(answer)) {
        diagnostics::line(&why);
    }
    let flaw = answer.and_then(|answer| flaw(answer, aborted));
    if flaw.is_some() { FAILURE } else { code }
}
