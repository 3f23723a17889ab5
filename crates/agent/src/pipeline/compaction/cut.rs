//! Where a conversation is cut: what lies before is summarised, the rest stays as it is.

use std::collections::HashSet;

use tau_ai::Message;
use tau_session::{Entry, EntryBody, EntryKind, ProjectedEntry};

use crate::usage::estimate;

/// A place to cut a list of entries at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The first entry that is kept.
    pub(crate) first_kept: usize,
    /// Where the turn begins that the cut divides; `None` when it divides none.
    pub(crate) turn_start: Option<usize>,
}

/// Cuts so that about `keep` tokens stay at the end; `None` when there is nothing that could be cut at.
///
/// A tool's result stays with its call. Entries without a message stay with what follows them.
pub(crate) fn cut(entries: &[ProjectedEntry], keep: u64) -> Option<Cut> {
    let may_cut = |at: &usize| entries[*at].message.as_deref().is_some_and(is_cut_point);
    let points: Vec<usize> = (0..entries.len()).filter(may_cut).collect();
    let mut at = *points.first()?;
    let mut kept = 0;
    for (index, entry) in entries.iter().enumerate().rev() {
        let Some(message) = &entry.message else { continue };
        let tokens = estimate(message);
        kept += tokens;
        if tokens > 0 && kept >= keep {
            // Results of tools alone may be more than is to be kept; their call stays with them.
            at = points.iter().copied().find(|point| *point >= index).or(points.last().copied())?;
            if is_given_up(&entries[at + 1..]) {
                at += 1;
            }
            break;
        }
    }
    while at > 0 && entries[at - 1].message.is_none() && entries[at - 1].entry.kind() != EntryKind::Compaction {
        at -= 1;
    }
    let begins_turn = |entry: &ProjectedEntry| entry.message.as_deref().is_some_and(begins_turn);
    let within = !entries.get(at).is_some_and(begins_turn);
    let turn_start = within.then(|| entries[..at].iter().rposition(begins_turn)).flatten();
    Some(Cut { first_kept: at, turn_start })
}

/// Whether what follows the last message that counts is nothing but a failed answer that was taken out of the
/// conversation. Keeping only the message it failed on would not make room for another try.
fn is_given_up(behind: &[ProjectedEntry]) -> bool {
    let hidden = |item: &ProjectedEntry| speaks(&item.entry) && item.message.is_none();
    let hidden_ids: HashSet<&str> =
        behind.iter().filter(|item| hidden(item)).map(|item| item.entry.id().as_str()).collect();
    let gave_up = |item: &ProjectedEntry| hidden(item) && is_answer(&item.entry);
    let harmless = |item: &ProjectedEntry| match &*item.entry.body() {
        EntryBody::Compaction(_) => false,
        EntryBody::ContextEdit(edit) => edit.replacement.is_none() || hidden_ids.contains(edit.target_id.as_str()),
        _ => !speaks(&item.entry) || hidden(item),
    };
    behind.iter().any(gave_up) && behind.iter().all(harmless)
}

/// Whether an entry contributes a message unless it is hidden.
fn speaks(entry: &Entry) -> bool {
    match entry.kind() {
        EntryKind::CustomMessage | EntryKind::BranchSummary => true,
        EntryKind::Message => !matches!(&*entry.body(), EntryBody::Message(body) if body.message.role() == "system"),
        _ => false,
    }
}

fn is_answer(entry: &Entry) -> bool {
    matches!(&*entry.body(), EntryBody::Message(body) if body.message.as_assistant().is_some())
}

fn is_cut_point(message: &Message) -> bool {
    begins_turn(message) || message.as_assistant().is_some()
}

fn begins_turn(message: &Message) -> bool {
    match message {
        Message::User(_)
        | Message::Custom(_)
        | Message::BashExecution(_)
        | Message::BranchSummary(_)
        | Message::CompactionSummary(_) => true,
        Message::Assistant(_) | Message::ToolResult(_) | Message::System(_) | Message::Other(_) => false,
    }
}
