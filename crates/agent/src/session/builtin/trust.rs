//! `/trust`: what is known of the trust in the project, and another answer for the next start.

use std::sync::Arc;

use super::Answer;
use super::outcome::{BuiltinOutcome, Choice, ChoiceOption};
use crate::aside::aside;
use crate::pipeline::PromptError;
use crate::session::AgentSession;
use crate::trust::{TrustAnswer, TrustState};

const WORDS: &str = "Change it with /trust yes, parent (also trusts the enclosing folder), no or forget.";

pub(super) async fn trust(session: &Arc<AgentSession>, word: &str) -> Answer {
    let failed = |why: String| PromptError::Command(why);
    if word.is_empty() {
        return Ok(shown(&TrustState::of(&session.env()), session.settings().snapshot().is_trusted()));
    }
    let answer =
        TrustAnswer::parse(word).ok_or_else(|| failed(format!("\"{word}\" is not a valid answer. {WORDS}")))?;
    let env = session.env();
    let kept = aside(move || TrustState::remember(&env, answer)).await;
    let state = kept.map_err(|error| failed(format!("The answer could not be kept: {error}")))?;
    Ok(format!("{}\nIt takes effect at the next start.", remembered(&state)).into())
}

fn shown(state: &TrustState, trusted: bool) -> BuiltinOutcome {
    let short = |path: &std::path::PathBuf| path.strip_prefix(&state.folder).unwrap_or(path).display().to_string();
    let files: Vec<String> = state.files.iter().map(short).collect();
    let files = if files.is_empty() { "nothing".to_owned() } else { files.join(", ") };
    let now = if trusted { "trusted" } else { "not trusted" };
    let folder = state.folder.display();
    let text = format!("Project: {folder}\nNeeds trust: {files}\nNow: {now}\n{}\n{WORDS}", remembered(state));
    let option = |answer: TrustAnswer| {
        let (value, label) = match answer {
            TrustAnswer::Yes => ("yes", "Trust the project"),
            TrustAnswer::Parent => ("parent", "Trust everything in the folder around the project"),
            TrustAnswer::No => ("no", "Do not trust the project"),
            TrustAnswer::Forget => ("forget", "Keep no answer for the project"),
        };
        ChoiceOption { value: value.to_owned(), label: label.to_owned(), current: false }
    };
    let options = TrustAnswer::ALL.into_iter().map(option).collect();
    BuiltinOutcome::Choice(Choice { command: "trust", options, text })
}

fn remembered(state: &TrustState) -> String {
    match &state.remembered {
        Ok(Some(entry)) => {
            let answer = if entry.trusted { "trusted" } else { "not trusted" };
            format!("Remembered: {answer}, for {}", entry.folder.display())
        }
        Ok(None) => "Remembered: nothing".to_owned(),
        Err(error) => format!("Remembered: it cannot be read, so it counts as no ({error})"),
    }
}
