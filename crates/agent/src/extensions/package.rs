//! What a package brings: by its manifest, else by the names of its folders, and what a filter leaves of it.

use std::path::Path;

use super::folder::{self, Entry, files_in, files_of_entries, is_sign};
use super::manifest::Manifest;
use crate::package_entry::Filter;
use crate::resources::{Diagnostic, PathFilter};
use crate::settings::ResourceKind;

/// A file of a package, and whether it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub kind: ResourceKind,
    pub entry: Entry,
    pub enabled: bool,
}

/// What the package in a folder brings; `None` when the folder is laid out like none.
pub(super) fn parts(root: &Path, filter: Option<&Filter>, diagnostics: &mut Vec<Diagnostic>) -> Option<Vec<Part>> {
    let manifest = Manifest::read(root, diagnostics);
    let mut package = Package { root, manifest: manifest.as_ref(), diagnostics };
    let mut parts = Vec::new();
    if filter.is_none() && manifest.is_none() && !is_laid_out(root) {
        return None;
    }
    for kind in ResourceKind::ALL {
        let enabled = |entries: Vec<Entry>| entries.into_iter().map(move |entry| Part { kind, entry, enabled: true });
        match filter.map(|filter| (filter, filter.lists[kind as usize].as_deref())) {
            // A manifest says all there is; folders count only without one.
            None if manifest.is_some() => parts.extend(enabled(package.listed(kind).unwrap_or_default())),
            None => parts.extend(enabled(package.in_folder(kind))),
            Some((Filter { autoload: false, .. }, patterns)) => {
                parts.extend(package.changed(kind, patterns.unwrap_or_default()));
            }
            Some((_, None)) => parts.extend(enabled(package.everything(kind))),
            Some((_, Some(patterns))) => parts.extend(package.filtered(kind, patterns)),
        }
    }
    Some(parts)
}

/// Whether a folder has one of the folders that packages have.
fn is_laid_out(root: &Path) -> bool {
    ResourceKind::ALL.iter().any(|kind| root.join(kind.key()).is_dir())
}

/// Whether a folder says itself what it brings.
pub(super) fn has_manifest(root: &Path) -> bool {
    Manifest::read(root, &mut Vec::new()).is_some()
}

struct Package<'a> {
    root: &'a Path,
    manifest: Option<&'a Manifest>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Package<'_> {
    /// What the manifest lists.
    fn listed(&mut self, kind: ResourceKind) -> Option<Vec<Entry>> {
        let entries = self.manifest?.entries(kind)?;
        let mut open = vec![self.root.to_path_buf()];
        let found = files_of_entries(self.root, entries, kind, &mut open, self.diagnostics);
        let filter = PathFilter::new(entries.iter().map(String::as_str).filter(|entry| is_sign(entry)));
        Some(found.into_iter().filter(|entry| filter.allows(&entry.path, self.root)).collect())
    }

    /// What is in the folder of that name.
    fn in_folder(&mut self, kind: ResourceKind) -> Vec<Entry> {
        let folder = self.root.join(kind.key());
        if !folder.is_dir() {
            // A folder that is laid out like no package brings the extensions that lie in it.
            let flat = kind == ResourceKind::Extensions && self.manifest.is_none() && !is_laid_out(self.root);
            return if flat { folder::extensions_of(self.root, &mut Vec::new(), self.diagnostics) } else { Vec::new() };
        }
        files_in(&folder, kind, &mut vec![self.root.to_path_buf()], self.diagnostics)
    }

    fn everything(&mut self, kind: ResourceKind) -> Vec<Entry> {
        match self.listed(kind) {
            Some(listed) => listed,
            None => self.in_folder(kind),
        }
    }

    /// What there is, to be filtered: an empty list counts as none.
    fn choice(&mut self, kind: ResourceKind) -> Vec<Entry> {
        match self.manifest.and_then(|manifest| manifest.entries(kind)) {
            Some([]) | None => self.in_folder(kind),
            Some(_) => self.everything(kind),
        }
    }

    /// What a list of patterns leaves; an empty list leaves nothing.
    fn filtered(&mut self, kind: ResourceKind, patterns: &[String]) -> Vec<Part> {
        let filter = PathFilter::of_patterns(patterns.iter().map(String::as_str));
        let all = self.choice(kind).into_iter();
        all.map(|entry| {
            let enabled = !patterns.is_empty() && filter.chooses(&entry.path, self.root);
            Part { kind, entry, enabled }
        })
        .collect()
    }

    /// What patterns switch on and off; the last one that matches counts, and what none matches is not mentioned.
    fn changed(&mut self, kind: ResourceKind, patterns: &[String]) -> Vec<Part> {
        let mut parts = Vec::new();
        for entry in if patterns.is_empty() { Vec::new() } else { self.choice(kind) } {
            let matches = |pattern: &&String| {
                let shown = match pattern.strip_prefix(['!', '-']) {
                    Some(rest) if pattern.starts_with('-') => format!("+{rest}"),
                    Some(rest) => rest.to_owned(),
                    None => (*pattern).clone(),
                };
                // A path that is put back in only counts against something that left it out.
                let all_out = shown.starts_with('+').then_some("!**");
                PathFilter::of_patterns(all_out.into_iter().chain([shown.as_str()])).chooses(&entry.path, self.root)
            };
            if let Some(last) = patterns.iter().rev().find(matches) {
                let enabled = !last.starts_with(['!', '-']);
                parts.push(Part { kind, entry, enabled });
            }
        }
        parts
    }
}
