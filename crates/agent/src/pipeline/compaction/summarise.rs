//! The summary of a compaction: of the history, and by itself of the beginning of a turn that is divided.

use serde_json::Value;
use tau_ai::Usage;
use tau_hooks::payload::{CompactReason, CompactionPreparation, SessionCompactingResult};
use tokio_util::sync::CancellationToken;

use super::ask::{AskError, Asked, AskedBy, Question, Summary};
use super::files::FileLists;
use super::serialize_conversation;
use super::wording::{FIRST, NO_HISTORY, TURN_PREFIX, UPDATE};
use crate::parts::Live;
use crate::pipeline::compaction::ask::ask_for_summary;

/// What somebody wants of a summary.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    /// What it should look at, from the user.
    pub(crate) instructions: Option<String>,
    /// What handlers of `session.compacting` want.
    pub(crate) handlers: SessionCompactingResult,
}

/// A finished summary, ready to be appended.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) summary: String,
    pub(crate) usage: Option<Usage>,
    pub(crate) details: Value,
}

/// Asks for the summary that a compaction needs.
pub(crate) async fn summarise(
    live: &Live,
    asked: &Asked,
    prepared: &CompactionPreparation,
    wishes: &Wishes,
    reason: CompactReason,
    cancel: &CancellationToken,
) -> Result<Written, AskError> {
    let asked_by = AskedBy::Compaction(reason);
    let history = || Question { text: history_question(prepared, wishes), what: "Summarization", asked_by };
    let prefix = || Question { text: prefix_question(prepared, wishes), what: "Turn prefix summarization", asked_by };
    let Summary { text, usage } = match (prepared.turn_prefix_messages.is_empty(), prepared) {
        (true, _) => ask_for_summary(live, asked, history(), cancel).await?,
        (false, prepared) => {
            let before = if prepared.messages_to_summarize.is_empty() {
                Summary {
                    text: prepared.previous_summary.clone().unwrap_or_else(|| NO_HISTORY.to_owned()),
                    usage: Usage::default(),
                }
            } else {
                ask_for_summary(live, asked, history(), cancel).await?
            };
            let prefix = ask_for_summary(live, asked, prefix(), cancel).await?;
            Summary {
                text: format!("{}\n\n---\n\n**Turn Context (split turn):**\n\n{}", before.text, prefix.text),
                usage: before.usage.plus(&prefix.usage),
            }
        }
    };
    let files = FileLists::of(&prepared.file_ops);
    Ok(Written { summary: text + &files.text(), usage: Some(usage), details: files.details() })
}

fn history_question(prepared: &CompactionPreparation, wishes: &Wishes) -> String {
    let mut text =
        format!("<conversation>\n{}\n</conversation>\n\n", serialize_conversation(&prepared.messages_to_summarize));
    if let Some(previous) = &prepared.previous_summary {
        text.push_str(&format!("<previous-summary>\n{previous}\n</previous-summary>\n\n"));
    }
    text.push_str(&additional_context(wishes));
    let standard = if prepared.previous_summary.is_some() { UPDATE } else { FIRST };
    text.push_str(wishes.handlers.prompt.as_deref().unwrap_or(standard));
    text + &focus(wishes)
}

/// What the user wants both parts of a summary to look at.
fn focus(wishes: &Wishes) -> String {
    let focus = wishes.instructions.as_deref().filter(|focus| !focus.is_empty());
    focus.map(|focus| format!("\n\nAdditional focus: {focus}")).unwrap_or_default()
}

fn prefix_question(prepared: &CompactionPreparation, wishes: &Wishes) -> String {
    let conversation = serialize_conversation(&prepared.turn_prefix_messages);
    // What should be kept must be said at least once.
    let facts = if prepared.messages_to_summarize.is_empty() { additional_context(wishes) } else { String::new() };
    format!("# Conversation\n{conversation}\n\n{facts}# Instructions\n{TURN_PREFIX}{}", focus(wishes))
}

/// The facts that handlers want the summary to keep.
fn additional_context(wishes: &Wishes) -> String {
    let facts: String = wishes.handlers.context.iter().flatten().map(|fact| format!("- {fact}\n")).collect();
    if facts.is_empty() { facts } else { format!("<additional-context>\n{facts}</additional-context>\n\n") }
}
