//! Going on at another place of the tree.

use std::sync::Arc;

use tau_hooks::events::{SessionBeforeTree, SessionTree};
use tau_hooks::payload::{SessionBeforeTreeEvent, SessionTreeEvent, TreePreparation, TreeSummary};
use tau_hooks::{TreeMove, TreeMoved};
use tau_session::{Entry, EntryBody, EntryId, EntryKind, Session, SessionError};
use tokio_util::sync::CancellationToken;

use super::AgentSession;
use super::fork::{text_of, user_text};
use super::replace::ReplaceError;
use crate::json::entry_json;
use crate::parts::Live;
use crate::pipeline::record::{branch_moved, record_tools_while_idle};
use crate::session::branch_summary::summarise_branch;

/// A summary, and whether an extension made it.
struct Summary {
    summary: TreeSummary,
    from_extension: bool,
}

impl AgentSession {
    /// Moves the leaf to another entry, or, for a message of the user or of an extension, in front of it: then its text
    /// is returned for the editor. The branch that is left is summarised when that is asked for. Where the leaf is
    /// survives a restart.
    ///
    /// # Errors
    /// While a run is under way; when there is no such entry, or no summary can be made. Then nothing has changed.
    pub async fn navigate_tree(self: &Arc<Self>, target_id: &str, how: TreeMove) -> Result<TreeMoved, ReplaceError> {
        let live = self.live();
        let _changing = self.parts.lifecycle.changing.lock().await;
        if self.parts.lifecycle.has_ended() {
            return Err(ReplaceError::ShuttingDown);
        }
        // A prompt that is read by handlers belongs to the branch where it was sent.
        if !self.parts.activity.is_idle() || self.parts.activity.incoming.count() > 0 {
            return Err(ReplaceError::Running);
        }
        let _held = self.parts.lifecycle.settle_gate.write().await;
        if !self.parts.activity.is_idle() || self.parts.activity.incoming.count() > 0 {
            return Err(ReplaceError::Running);
        }
        let _work = self.parts.lifecycle.background.begin();
        let cancel = CancellationToken::new();
        self.parts.activity.begin_navigation(cancel.clone());
        let done = navigate(&live, target_id, how, &cancel).await;
        self.parts.activity.end_navigation();
        // What handlers chose while the leaf did not move in the end belongs to this branch.
        if !matches!(&done, Ok(moved) if !moved.cancelled) {
            record_tools_while_idle(&self.parts);
        }
        done
    }

    /// Sets the bookmark of an entry; `None` and the empty text clear it.
    ///
    /// # Errors
    /// When there is no such entry, or the session file cannot be written.
    pub fn label(&self, entry_id: &str, label: Option<&str>) -> Result<(), SessionError> {
        self.parts.conversation.session().set_label(entry_id, label).map(drop)
    }
}

async fn navigate(
    live: &Live,
    target_id: &str,
    how: TreeMove,
    cancel: &CancellationToken,
) -> Result<TreeMoved, ReplaceError> {
    let session = live.conversation.session();
    let old_leaf = session.leaf();
    if old_leaf.as_deref() == Some(target_id) {
        return Ok(TreeMoved::default());
    }
    if how.summarize && live.choices.model().is_none() {
        return Err(ReplaceError::NoModel);
    }
    let unknown = || SessionError::EntryNotFound(target_id.to_owned());
    let target = session.entry(target_id).ok_or_else(unknown)?;
    let (left, common) = session.departure(old_leaf.as_deref(), target_id);

    let mut how = how;
    let scope = live.scope_until(cancel);
    let event = || SessionBeforeTreeEvent { preparation: preparation(&target, &old_leaf, common, &left, &how) };
    let done = live.hooks.dispatcher.dispatch::<SessionBeforeTree>(&scope, event).await;
    let answer = done.into_output().unwrap_or_default();
    if answer.cancel == Some(true) {
        return Ok(TreeMoved { cancelled: true, ..TreeMoved::default() });
    }
    how.custom_instructions = answer.custom_instructions.or(how.custom_instructions);
    how.replace_instructions = answer.replace_instructions.unwrap_or(how.replace_instructions);
    how.label = answer.label.or(how.label);
    let summary = match answer.summary {
        Some(summary) if how.summarize => Some(Summary { summary, from_extension: true }),
        _ if how.summarize && !left.is_empty() => match summarise_branch(live, &left, &how, cancel).await? {
            Some(summary) => Some(Summary { summary, from_extension: false }),
            None => return Ok(TreeMoved { cancelled: true, aborted: true, ..TreeMoved::default() }),
        },
        _ => None,
    };
    let summary = summary.filter(|summary| !summary.summary.summary.is_empty());
    arrive(live, &session, &target, old_leaf, summary, how.label.as_deref()).await
}

/// Moves the leaf and tells everybody.
async fn arrive(
    live: &Live,
    session: &Session,
    target: &Entry,
    old_leaf: Option<EntryId>,
    summary: Option<Summary>,
    label: Option<&str>,
) -> Result<TreeMoved, ReplaceError> {
    let editor_text = chosen_text(target);
    let place = if editor_text.is_some() { target.parent_id() } else { Some(target.id()) };
    let label = label.filter(|label| !label.is_empty());
    let from_extension = summary.as_ref().map(|summary| summary.from_extension);
    let mut summary_entry = None;
    if let Some(summary) = summary {
        let body = summary_body(old_leaf.as_deref(), summary);
        let entry = session.append_with_parent(place.map(|place| &**place), body)?;
        if let Some(label) = label {
            session.set_label(entry.id(), Some(label))?;
        }
        summary_entry = Some(entry_json(&entry));
    } else if let Some(label) = label {
        // A bookmark is an entry of its own, and says where the leaf is.
        session.append_with_parent(place.map(|place| &**place), EntryBody::label(&**target.id(), Some(label)))?;
    } else {
        session.move_leaf(place.map(|place| &**place))?;
    }
    live.conversation.rebuild();
    live.activity.note_left_branch();
    branch_moved(live);
    let event = || SessionTreeEvent {
        new_leaf_id: session.leaf().map(|leaf| leaf.to_string()),
        old_leaf_id: old_leaf.map(|leaf| leaf.to_string()),
        summary_entry: summary_entry.clone(),
        from_extension,
    };
    live.hooks.dispatcher.dispatch::<SessionTree>(&live.scope(), event).await;
    Ok(TreeMoved { cancelled: false, aborted: false, editor_text, summary_entry })
}

fn preparation(
    target: &Entry,
    old_leaf: &Option<EntryId>,
    common: Option<EntryId>,
    left: &[Arc<Entry>],
    how: &TreeMove,
) -> TreePreparation {
    TreePreparation {
        target_id: target.id().to_string(),
        old_leaf_id: old_leaf.as_ref().map(ToString::to_string),
        common_ancestor_id: common.map(|common| common.to_string()),
        entries_to_summarize: left.iter().map(|entry| entry_json(entry)).collect(),
        user_wants_summary: how.summarize,
        custom_instructions: how.custom_instructions.clone(),
        replace_instructions: how.replace_instructions.then_some(true),
        label: how.label.clone(),
    }
}

/// What goes to the editor when this entry was chosen.
fn chosen_text(target: &Entry) -> Option<String> {
    match target.kind() {
        EntryKind::Message => user_text(target),
        EntryKind::CustomMessage => match &*target.body() {
            EntryBody::CustomMessage(body) => Some(text_of(&body.content)),
            _ => None,
        },
        _ => None,
    }
}

fn summary_body(old_leaf: Option<&str>, Summary { summary, from_extension }: Summary) -> EntryBody {
    let mut body = EntryBody::branch_summary(old_leaf, summary.summary);
    if let EntryBody::BranchSummary(branch) = &mut body {
        branch.details = summary.details;
        branch.usage = summary.usage;
        branch.from_hook = Some(from_extension);
    }
    body
}
