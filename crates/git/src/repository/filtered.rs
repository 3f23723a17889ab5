//! Files whose content in the repository is made by a program, which is not run here.

use std::path::PathBuf;

use gix::attrs::StateRef;
use gix::bstr::{BStr, ByteSlice};
use gix::worktree::stack::state::attributes::Source;

use super::Repository;

/// Knows which files have a filter.
pub(super) struct Filtered<'repo> {
    rules: gix::AttributeStack<'repo>,
    found: gix::attrs::search::Outcome,
    /// The filters that are set up. Others do nothing.
    names: Vec<Vec<u8>>,
    work_tree: PathBuf,
}

impl<'repo> Filtered<'repo> {
    pub(super) fn new(repository: &'repo Repository, index: &gix::index::State) -> gix::Result<Self> {
        let rules = repository.git.attributes_only(index, Source::WorktreeThenIdMapping)?;
        let found = rules.selected_attribute_matches(["filter"]);
        let sections = repository.settings.sections_by_name("filter").into_iter().flatten();
        let names = sections.filter_map(|section| Some(section.header().subsection_name()?.to_vec())).collect();
        let work_tree = repository.work_tree().unwrap_or_default();
        Ok(Self { rules, found, names, work_tree })
    }

    /// Whether a file that differs from what is in the repository has a filter, and still the size that git saw: then the
    /// difference says nothing.
    pub(super) fn is_unchanged(&mut self, entry: &gix::index::Entry, path: &BStr) -> bool {
        if self.names.is_empty() || !self.has_filter(path) {
            return false;
        }
        let file = gix::path::from_bstr(path).map(|path| self.work_tree.join(path));
        let size = file.ok().and_then(|file| file.symlink_metadata().ok()).map(|found| found.len());
        size == Some(u64::from(entry.stat.size))
    }

    fn has_filter(&mut self, path: &BStr) -> bool {
        let Ok(at) = self.rules.at_entry(path, None) else { return false };
        at.matching_attributes(&mut self.found);
        self.found.iter_selected().any(|found| match found.assignment.state {
            StateRef::Value(name) => self.names.iter().any(|known| known == name.as_bstr().as_bytes()),
            StateRef::Set | StateRef::Unset | StateRef::Unspecified => false,
        })
    }
}
