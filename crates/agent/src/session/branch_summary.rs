//! The summary of a branch that is being left, by the model.

use std::sync::Arc;

use tau_ai::{AssistantMessage, Message, StopReason};
use tau_hooks::payload::{FileOps, TreeSummary};
use tau_hooks::{HistoryMessage, Messages, TreeMove};
use tau_session::{Entry, EntryBody, EntryKind, project_part};
use tokio_util::sync::CancellationToken;

use super::replace::ReplaceError;
use crate::parts::Live;
use crate::pipeline::compaction::{
    AskError, AskedBy, FileLists, Question, note_calls, note_details, serialize_conversation,
};
use crate::pipeline::compaction::{ask_for_summary, summariser};
use crate::pipeline::routing::answering_model;
use crate::settings::keys;
use crate::usage::estimate;

/// For a model whose size is not known, in tokens.
const CONTEXT_WINDOW: u64 = 128_000;

/// Said in front of every summary.
const PREAMBLE: &str =
    "Before coming back to this point, the conversation went another way. What happened there, in short:\n\n";

const INSTRUCTIONS: &str = "Summarise this part of a conversation. The user leaves it and goes on from an earlier \
    point; whoever reads the summary there should know what was tried and what came of it. Keep to this form:

## Wanted
What the user was after here, with what was to be observed.

## Tried
What was done, in order: what worked, what did not, what was left half done.

## Learned
What was found out or decided, each with its reason.

## Left Open
What would have come next.

Be brief. Give paths, names in code and error messages exactly as they are.";

/// Asks the model for a summary of the entries; `None` when it was stopped.
pub(super) async fn summarise_branch(
    live: &Live,
    left: &[Arc<Entry>],
    how: &TreeMove,
    cancel: &CancellationToken,
) -> Result<Option<TreeSummary>, ReplaceError> {
    let model = answering_model(live).ok_or(ReplaceError::NoModel)?;
    let settings = live.settings();
    let reserve = settings.of(keys::BRANCH_SUMMARY_RESERVE_TOKENS);
    let window = if model.context_window > 0 { model.context_window } else { CONTEXT_WINDOW };
    let messages = worth_reading(left, window.saturating_sub(reserve));
    if messages.is_empty() {
        return Ok(Some(TreeSummary { summary: "No content to summarize".to_owned(), ..TreeSummary::default() }));
    }
    let prompt =
        format!("<conversation>\n{}\n</conversation>\n\n{}", serialize_conversation(&messages), instructions(how));
    let asked = match summariser(live, cancel).await {
        Ok(asked) => asked,
        Err(_) if cancel.is_cancelled() => return Ok(None),
        Err(error) => return Err(ReplaceError::Summary(error.to_string())),
    };
    let what = "Branch summarization";
    let question = Question { text: prompt, what, asked_by: AskedBy::BranchSummary };
    let answer = match ask_for_summary(live, &asked, question, cancel).await {
        Ok(answer) => answer,
        Err(AskError::Cancelled) => return Ok(None),
        Err(AskError::Failed(text)) => return Err(ReplaceError::Summary(text)),
    };
    let files = FileLists::of(&touched(left, &messages));
    Ok(Some(TreeSummary {
        summary: format!("{PREAMBLE}{}{}", answer.text, files.text()),
        details: Some(files.details()),
        usage: Some(answer.usage),
    }))
}

fn instructions(how: &TreeMove) -> String {
    match how.custom_instructions.as_deref().filter(|text| !text.is_empty()) {
        Some(own) if how.replace_instructions => own.to_owned(),
        Some(own) => format!("{INSTRUCTIONS}\n\nAdditional focus: {own}"),
        None => INSTRUCTIONS.to_owned(),
    }
}

/// The latest messages of a branch that fit into so many tokens; what tools gave is told by the calls.
fn worth_reading(left: &[Arc<Entry>], budget: u64) -> Messages {
    let mut kept = Vec::new();
    let mut tokens = 0;
    for message in project_part(left).into_iter().rev().filter_map(|projected| projected.message) {
        if message.role() == "toolResult" || message.as_assistant().is_some_and(has_failed) {
            continue;
        }
        let cost = estimate(&message);
        if tokens + cost > budget {
            // A summary stands for much that came before it.
            let is_summary = matches!(*message, Message::CompactionSummary(_) | Message::BranchSummary(_));
            if is_summary && tokens < budget / 10 * 9 {
                kept.push(message);
            }
            break;
        }
        tokens += cost;
        kept.push(message);
    }
    kept.into_iter().rev().map(|message| Arc::new(HistoryMessage::new(message, None))).collect()
}

/// Half an answer says nothing of what came about.
fn has_failed(answer: &AssistantMessage) -> bool {
    matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted)
}

/// The files that were touched on a branch, also those that summaries on it name.
fn touched(left: &[Arc<Entry>], messages: &Messages) -> FileOps {
    let mut files = FileOps::default();
    for entry in left.iter().filter(|entry| entry.kind() == EntryKind::BranchSummary) {
        if let EntryBody::BranchSummary(summary) = &*entry.body()
            && summary.from_hook != Some(true)
            && let Some(details) = &summary.details
        {
            note_details(&mut files, details);
        }
    }
    messages.iter().for_each(|message| note_calls(&mut files, message));
    files
}
