//! What a compaction would do to a branch.

use std::sync::Arc;

use tau_hooks::payload::{CompactionNumbers, CompactionPreparation};
use tau_hooks::{HistoryMessage, Messages};
use tau_session::{Compaction, EntryBody, EntryKind, ProjectedEntry, Session, project};

use super::cut::cut;
use super::files::touched;
use crate::parts::Parts;
use crate::settings::CompactionSettings;

/// Why there is nothing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nothing {
    /// The branch ends with a compaction.
    Done,
    /// Everything would be kept.
    Small,
}

/// The settings of the model in use.
pub(crate) fn compaction_settings(parts: &Parts) -> CompactionSettings {
    let model = parts.choices.model().map(|model| format!("{}/{}", model.provider, model.id));
    let settings = parts.settings().compaction(model.as_deref());
    CompactionSettings { enabled: parts.compacts_by_itself(), ..settings }
}

/// Looks at the current branch of a session whose context has `tokens` tokens.
pub(crate) fn prepare(
    session: &Session,
    tokens: u64,
    settings: &CompactionSettings,
) -> Result<CompactionPreparation, Nothing> {
    let path = session.branch_path(None);
    if path.last().is_some_and(|entry| entry.kind() == EntryKind::Compaction) {
        return Err(Nothing::Done);
    }
    let entries = project(&path);
    let first = entries.first().map(|projected| projected.entry.body());
    let before = first.as_deref().and_then(compaction);
    let entries = &entries[usize::from(before.is_some())..];
    let cut = cut(entries, settings.keep_recent_tokens).ok_or(Nothing::Small)?;
    let first_kept = entries.get(cut.first_kept).ok_or(Nothing::Small)?;
    let history_end = cut.turn_start.unwrap_or(cut.first_kept);
    let to_summarize = messages(&entries[..history_end]);
    let turn_prefix = messages(&entries[history_end..cut.first_kept]);
    if to_summarize.is_empty() && turn_prefix.is_empty() {
        return Err(Nothing::Small);
    }
    Ok(CompactionPreparation {
        first_kept_entry_id: first_kept.entry.id().to_string(),
        file_ops: touched(before, [&to_summarize, &turn_prefix]),
        messages_to_summarize: to_summarize,
        turn_prefix_messages: turn_prefix,
        is_split_turn: cut.turn_start.is_some(),
        tokens_before: tokens,
        previous_summary: before.map(|before| before.summary.clone()),
        previous_preserve_data: before.and_then(|before| before.preserve_data.clone()),
        settings: CompactionNumbers {
            enabled: settings.enabled,
            reserve_tokens: settings.reserve_tokens,
            keep_recent_tokens: settings.keep_recent_tokens,
        },
    })
}

fn compaction(body: &EntryBody) -> Option<&Compaction> {
    match body {
        EntryBody::Compaction(compaction) => Some(compaction),
        _ => None,
    }
}

fn messages(entries: &[ProjectedEntry]) -> Messages {
    let item = |projected: &ProjectedEntry| {
        let id = Some(projected.entry.id().to_string());
        Some(Arc::new(HistoryMessage::new(Arc::clone(projected.message.as_ref()?), id)))
    };
    entries.iter().filter_map(item).collect()
}
