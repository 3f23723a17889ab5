//! Everything that adds an entry or moves the leaf.

use std::sync::Arc;

use tau_ai::MessageContent;

use super::Session;
use super::write::Changing;
use crate::marks::LEAF_MARKER;
use crate::tree::Effect;
use crate::{Entry, EntryBody, EntryId, SessionError, clock, context};

impl Session {
    /// Appends an entry below the leaf and makes it the leaf.
    ///
    /// # Errors
    /// When it cannot be written; then it is neither in the tree nor in the file.
    pub fn append(&self, body: EntryBody) -> Result<Arc<Entry>, SessionError> {
        let mut changing = self.changing();
        let parent = self.leaf_id();
        self.add(&mut changing, parent, body)
    }

    /// Appends an entry that nobody could give again: an answer of the model, the result of a tool. When it cannot be
    /// written it is in the tree all the same, and its line goes into the file before the next one.
    ///
    /// The second value is the error of writing it, or of writing one of those before it.
    pub fn keep(&self, body: EntryBody) -> (Arc<Entry>, Result<(), SessionError>) {
        let mut changing = self.changing();
        let (entry, effect) = self.entry_of(self.leaf_id(), body);
        let written = changing.write_or_hold(&entry);
        self.tree.write().push(Arc::clone(&entry), effect);
        (entry, written)
    }

    /// Appends an entry below `parent` (`None`: as a root) and makes it the leaf.
    pub fn append_with_parent(&self, parent: Option<&str>, body: EntryBody) -> Result<Arc<Entry>, SessionError> {
        let mut changing = self.changing();
        let parent = parent.map(|id| self.known(id)).transpose()?;
        self.add(&mut changing, parent, body)
    }

    fn known(&self, id: &str) -> Result<EntryId, SessionError> {
        let tree = self.tree.read();
        tree.get(id).map(|entry| entry.id().clone()).ok_or_else(|| SessionError::EntryNotFound(id.to_owned()))
    }

    fn add(
        &self,
        changing: &mut Changing<'_>,
        parent_id: Option<EntryId>,
        body: EntryBody,
    ) -> Result<Arc<Entry>, SessionError> {
        let (entry, effect) = self.entry_of(parent_id, body);
        changing.write(&entry)?;
        self.tree.write().push(Arc::clone(&entry), effect);
        Ok(entry)
    }

    fn entry_of(&self, parent_id: Option<EntryId>, mut body: EntryBody) -> (Arc<Entry>, Effect) {
        let sources = self.sources();
        let id = {
            let tree = self.tree.read();
            EntryId::unused(&sources, |id| tree.get(id).is_some())
        };
        if let EntryBody::Compaction(compaction) = &mut body {
            compaction.first_kept_entry_id.get_or_insert_with(|| id.to_string());
        }
        let effect = Effect::of(&body);
        (Arc::new(Entry::new(id, parent_id, clock::now(&sources), body)), effect)
    }

    /// Moves the leaf in memory only: reopening finds the old one unless something is appended first. This is
    /// for a move that an append follows at once.
    pub fn set_leaf(&self, id: &str) -> Result<(), SessionError> {
        let _changing = self.storage.lock();
        let mut tree = self.tree.write();
        let leaf = tree.find(id).ok_or_else(|| SessionError::EntryNotFound(id.to_owned()))?;
        tree.set_leaf(Some(leaf));
        Ok(())
    }

    /// Moves the leaf before all entries, in memory only: the next entry becomes another root.
    pub fn reset_leaf(&self) {
        let _changing = self.storage.lock();
        self.tree.write().set_leaf(None);
    }

    /// Moves the leaf (`None`: before all entries) so that reopening finds it there, by appending a marker
    /// unless it would be found there anyway. Returns the marker.
    pub fn move_leaf(&self, target: Option<&str>) -> Result<Option<Arc<Entry>>, SessionError> {
        let mut changing = self.changing();
        let target = target.map(|id| self.known(id)).transpose()?;
        {
            let mut tree = self.tree.write();
            if tree.file_leaf().map(|leaf| leaf.id()) == target.as_ref() {
                let leaf = target.as_deref().and_then(|id| tree.find(id));
                tree.set_leaf(leaf);
                return Ok(None);
            }
        }
        self.add(&mut changing, target, EntryBody::custom(LEAF_MARKER, None)).map(Some)
    }

    /// Sets the bookmark of an entry; `None` and the empty string clear it.
    ///
    /// # Errors
    /// [`SessionError::EntryNotFound`] for an unknown target.
    pub fn set_label(&self, target: &str, label: Option<&str>) -> Result<Arc<Entry>, SessionError> {
        let mut changing = self.changing();
        self.known(target)?;
        let parent = self.leaf_id();
        self.add(&mut changing, parent, EntryBody::label(target, label))
    }

    /// Changes what the model sees of an earlier message of this branch from now on; `None` hides it.
    ///
    /// # Errors
    /// When the target is unknown, on another branch, or no message of the user, the model, a tool or an
    /// extension.
    pub fn edit_context(&self, target: &str, content: Option<MessageContent>) -> Result<Arc<Entry>, SessionError> {
        let mut changing = self.changing();
        let parent = self.leaf_id();
        let entry = {
            let tree = self.tree.read();
            let at = tree.find(target).ok_or_else(|| SessionError::EntryNotFound(target.to_owned()))?;
            if !tree.is_on_branch(at) {
                return Err(SessionError::NotOnBranch(target.to_owned()));
            }
            tree.entry(at).cloned()
        };
        let content = entry
            .and_then(|entry| context::replacement_for(&entry, content))
            .ok_or_else(|| SessionError::NotEditable(target.to_owned()))?;
        self.add(&mut changing, parent, EntryBody::context_edit(target, content))
    }
}
