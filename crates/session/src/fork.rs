//! New sessions from parts of old ones.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::value::to_raw_value;

use crate::entry::Source;
use crate::json::{RawFields, mending};
use crate::load::Loaded;
use crate::tree::{Effect, Tree};
use crate::{Entry, EntryBody, EntryId, EntryKind, Header, NewSession, Session, SessionError, clock, id, location};

impl Session {
    /// A new session in `dir` with the path from the root to `entry_id`. Entries keep their ids; bookmarks of
    /// the path are set again at its end. A session in memory forks into memory. The file is written at once
    /// when the path holds a message, else by [`Self::persist`].
    ///
    /// # Errors
    /// [`SessionError::EntryNotFound`] for an unknown entry.
    pub fn fork_at(&self, entry_id: &str, dir: &Path, new: NewSession) -> Result<Self, SessionError> {
        let path = self.branch_path(Some(entry_id));
        if path.is_empty() {
            return Err(SessionError::EntryNotFound(entry_id.to_owned()));
        }
        let sources = self.sources();
        let mut tree = Tree::default();
        for (entry, effect) in chained(&path)? {
            tree.push(Arc::new(entry), effect);
        }
        for label in self.current_labels() {
            if tree.get(&label.target).is_none() {
                continue;
            }
            let id = EntryId::unused(&sources, |id| tree.get(id).is_some());
            let parent = tree.leaf().map(|leaf| leaf.id().clone());
            let body = EntryBody::label(&*label.target, Some(&label.label));
            let effect = Effect::of(&body);
            tree.push(Arc::new(Entry::new(id, parent, label.timestamp, body)), effect);
        }
        let parent = self.file().map(|file| file.to_string_lossy().into_owned());
        let dir = self.file().map(|_| dir);
        forked(tree, dir, self.cwd(), NewSession { parent_session: new.parent_session.or(parent), sources, ..new })
    }

    /// A session in memory with the entries of the current branch and nothing else, to try out what appending to it
    /// would do.
    pub fn branch_copy(&self) -> Self {
        let mut tree = Tree::default();
        for entry in self.branch_path(None) {
            tree.push(entry, Effect::None);
        }
        Self::planned(self.header().clone(), tree, None).with_sources(self.sources())
    }

    /// A new session for `cwd` in `dir` with all entries of the file `source`, which stays as it is.
    /// The file is written at once when there is a message among them.
    pub fn fork_from(source: &Path, dir: &Path, cwd: &Path, new: NewSession) -> Result<Self, SessionError> {
        let source = std::path::absolute(source).map_err(SessionError::io("resolve", source))?;
        let Loaded { tree, problems, .. } = Self::peek(&source)?;
        let parent = Some(source.to_string_lossy().into_owned());
        let new = NewSession { parent_session: new.parent_session.or(parent), ..new };
        Ok(forked(tree, Some(dir), cwd, new)?.made_from(&source, problems))
    }
}

fn forked(tree: Tree, dir: Option<&Path>, cwd: &Path, new: NewSession) -> Result<Session, SessionError> {
    let sources = new.sources;
    let header = Header::new(id::session_id(new.id, &sources)?, clock::now(&sources), cwd, new.parent_session);
    let file = dir.map(|dir| new.file.unwrap_or_else(|| dir.join(location::file_name(&header.timestamp, &header.id))));
    let file = file.map(|file| std::path::absolute(&file).map_err(SessionError::io("resolve", &file))).transpose()?;
    let has_message = tree.entries().iter().any(|entry| entry.kind() == EntryKind::Message && !entry.is_system());
    let session = Session::planned(header, tree, file).with_sources(sources);
    if has_message {
        session.persist()?;
    }
    Ok(session)
}

/// The path without bookmarks and leaf markers, each entry below the one before it.
fn chained(path: &[Arc<Entry>]) -> Result<Vec<(Entry, Effect)>, SessionError> {
    let mut kept: Vec<(Entry, Effect)> = Vec::new();
    // A compaction may keep from an entry that is left out; it then keeps from the next that is not.
    let mut stand_in: HashMap<&str, &EntryId> = HashMap::new();
    let mut left_out: Vec<&EntryId> = Vec::new();
    for entry in path {
        if is_left_out(entry) {
            left_out.push(entry.id());
            continue;
        }
        stand_in.extend(left_out.drain(..).map(|id| (id.as_str(), entry.id())));
        let parent = kept.last().map(|(entry, _)| entry.id().clone());
        let mut changes = vec![("parentId", to_raw_value(&parent)?)];
        let mut effect = Effect::None;
        match entry.kind() {
            EntryKind::SessionInfo => effect = Effect::of(&entry.body()),
            EntryKind::Compaction => {
                if let EntryBody::Compaction(compaction) = &*entry.body()
                    && let Some(first) = compaction.first_kept_entry_id.as_deref()
                    && let Some(other) = stand_in.get(first)
                {
                    changes.push(("firstKeptEntryId", to_raw_value(other)?));
                }
            }
            _ => {}
        }
        let line = mending(&entry.json()?, |text| RawFields::parse(text)?.with(&changes))?;
        let source = Source::Line { text: line.into(), place: None };
        let entry =
            Entry::read(entry.id().clone(), parent, entry.timestamp(), entry.kind(), entry.marks().clone(), source);
        kept.push((entry, effect));
    }
    Ok(kept)
}

fn is_left_out(entry: &Entry) -> bool {
    entry.kind() == EntryKind::Label || entry.marks().moves_leaf
}
