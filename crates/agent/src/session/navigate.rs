//! Going on at another place of the tree.

use std::sync::Arc;

use tau_hooks::events::{SessionBeforeTree, SessionTree};
use tau_hooks::payload::{SessionBeforeTreeEvent, SessionTreeEvent, TreePreparation, TreeSummary};
use tau_hooks::{Host, Scope, TreeMove, TreeMoved};
use tau_session::{Entry, EntryBody, EntryId, EntryKind, Session, SessionError};
use tokio_util::sync::CancellationToken;

use super::fork::{text_of, user_text};
use super::replace::ReplaceError;
use super::{AgentSession, entry_json};

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
        let _changing = self.changing.lock().await;
        if self.is_shut_down() {
            return Err(ReplaceError::ShuttingDown);
        }
        // A prompt that is read by handlers belongs to the branch where it was sent.
        if !self.is_idle() || self.expects_prompt() {
            return Err(ReplaceError::Running);
        }
        let _held = self.settle_gate.write().await;
        if !self.is_idle() || self.expects_prompt() {
            return Err(ReplaceError::Running);
        }
        let _work = self.background.begin();
        let cancel = CancellationToken::new();
        {
            let mut state = self.state.lock();
            state.navigation = Some(cancel.clone());
            state.leaving = true;
        }
        let done = self.navigate(target_id, how, &cancel).await;
        {
            let mut state = self.state.lock();
            state.navigation = None;
            state.leaving = false;
        }
        // What handlers chose while the leaf did not move in the end belongs to this branch.
        if !matches!(&done, Ok(moved) if !moved.cancelled) {
            self.record_tools_while_idle();
        }
        done
    }

    async fn navigate(
        self: &Arc<Self>,
        target_id: &str,
        how: TreeMove,
        cancel: &CancellationToken,
    ) -> Result<TreeMoved, ReplaceError> {
        let session = self.session();
        let old_leaf = session.leaf();
        if old_leaf.as_deref() == Some(target_id) {
            return Ok(TreeMoved::default());
        }
        if how.summarize && self.model().is_none() {
            return Err(ReplaceError::NoModel);
        }
        let unknown = || SessionError::EntryNotFound(target_id.to_owned());
        let target = session.entry(target_id).ok_or_else(unknown)?;
        let (left, common) = session.departure(old_leaf.as_deref(), target_id);

        let mut how = how;
        let scope = Scope::until(Arc::clone(self) as Arc<dyn Host>, cancel.clone());
        let event = || SessionBeforeTreeEvent { preparation: preparation(&target, &old_leaf, common, &left, &how) };
        let done = self.hooks.dispatcher.dispatch::<SessionBeforeTree>(&scope, event).await;
        let answer = done.output.unwrap_or_default();
        if answer.cancel == Some(true) {
            return Ok(TreeMoved { cancelled: true, ..TreeMoved::default() });
        }
        how.custom_instructions = answer.custom_instructions.or(how.custom_instructions);
        how.replace_instructions = answer.replace_instructions.unwrap_or(how.replace_instructions);
        how.label = answer.label.or(how.label);
        let summary = match answer.summary {
            Some(summary) if how.summarize => Some(Summary { summary, from_extension: true }),
            _ if how.summarize && !left.is_empty() => match self.summarise_branch(&left, &how, cancel).await? {
                Some(summary) => Some(Summary { summary, from_extension: false }),
                None => return Ok(TreeMoved { cancelled: true, aborted: true, ..TreeMoved::default() }),
            },
            _ => None,
        };
        let summary = summary.filter(|summary| !summary.summary.summary.is_empty());
        self.arrive(&session, &target, old_leaf, summary, how.label.as_deref()).await
    }

    /// Moves the leaf and tells everybody.
    async fn arrive(
        self: &Arc<Self>,
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
        self.rebuild_history();
        self.state.lock().leaving = false;
        self.branch_moved();
        let event = || SessionTreeEvent {
            new_leaf_id: session.leaf().map(|leaf| leaf.to_string()),
            old_leaf_id: old_leaf.map(|leaf| leaf.to_string()),
            summary_entry: summary_entry.clone(),
            from_extension,
        };
        self.hooks.dispatcher.dispatch::<SessionTree>(&self.scope(), event).await;
        Ok(TreeMoved { cancelled: false, aborted: false, editor_text, summary_entry })
    }

    /// Sets the bookmark of an entry; `None` and the empty text clear it.
    ///
    /// # Errors
    /// When there is no such entry, or the session file cannot be written.
    pub fn label(&self, entry_id: &str, label: Option<&str>) -> Result<(), SessionError> {
        self.session().set_label(entry_id, label).map(drop)
    }
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
        EntryKind::CustomMessage => match target.body() {
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
