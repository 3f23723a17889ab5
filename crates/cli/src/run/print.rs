//! Print mode: the answer as text.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

use tau_agent::{AgentSession, Prompt, Prompted, SessionEvent};
use tau_ai::{AssistantMessage, StopReason, StreamEvent};

use super::diagnostics;
use super::output::Output;

/// Sends the prompts one after another and prints the last answer.
///
/// On a terminal the text of every answer appears as it arrives; otherwise only the text of the last one is printed, so
/// that a program that reads it gets the result and nothing else. Prompts that only ran commands leave no answer, and an
/// older one of the session is not theirs.
pub(super) async fn print(session: &Arc<AgentSession>, prompts: Vec<Prompt>) -> ExitCode {
    let output = Output::new(session);
    let live = std::io::stdout().is_terminal();
    if live {
        let output = output.clone();
        session.listen(move |event| stream(&output, event));
    }
    let before = if prompts.is_empty() { None } else { last_entry(session) };
    for prompt in prompts {
        if session.exit_requested().is_cancelled() {
            break;
        }
        match session.prompt(prompt).await {
            Ok(Prompted::Builtin(text)) if !text.is_empty() => output.write(format!("{text}\n").as_bytes()),
            Ok(_) => {}
            Err(error) => return diagnostics::fail(&error.to_string()),
        }
        // Extensions may have asked for more.
        session.wait_until_idle().await;
    }
    let last = session.last_message().filter(|_| before.is_none() || before != last_entry(session));
    match last.as_deref().and_then(|message| message.as_assistant()) {
        Some(answer) => show(&output, answer, live),
        None => ExitCode::SUCCESS,
    }
}

/// Where the conversation ends in the session.
fn last_entry(session: &AgentSession) -> Option<String> {
    session.history().items().last().and_then(|item| item.entry_id.clone())
}

fn show(output: &Output, answer: &AssistantMessage, live: bool) -> ExitCode {
    if matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted) {
        let reason = answer.error_message.clone().unwrap_or_else(|| match answer.stop_reason {
            StopReason::Aborted => "Request aborted".to_owned(),
            _ => "Request error".to_owned(),
        });
        diagnostics::line(&reason);
        return ExitCode::FAILURE;
    }
    if !live {
        let text: String = answer.texts().map(|text| format!("{text}\n")).collect();
        output.write(text.as_bytes());
    }
    ExitCode::SUCCESS
}

fn stream(output: &Output, event: &SessionEvent) {
    let SessionEvent::MessageUpdate(update) = event else { return };
    match &update.0.event {
        StreamEvent::TextDelta { delta, .. } => output.write(delta.as_bytes()),
        StreamEvent::TextEnd { .. } => output.write(b"\n"),
        _ => {}
    }
}
