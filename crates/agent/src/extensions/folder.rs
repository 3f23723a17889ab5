//! The extensions of a folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::package;
use crate::resources::{Diagnostic, ignore_rules};
use crate::settings::ResourceKind;

/// An extension file, and the folder whose manifest names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub path: PathBuf,
    pub manifest: Option<PathBuf>,
}

/// Folders whose manifests are being followed, so that one that names itself comes to an end.
pub(super) type Open = Vec<PathBuf>;

/// The extensions of a folder: when the folder is an extension itself, only that; else those in it, one level deep and in
/// byte order. Hidden entries, `node_modules` and what ignore files name are passed over.
pub(super) fn extensions_of(folder: &Path, open: &mut Open, diagnostics: &mut Vec<Diagnostic>) -> Vec<Entry> {
    if let Some(own) = own_extensions(folder, open, diagnostics) {
        return own;
    }
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    names.sort_unstable_by(|a, b| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));
    let rules = ignore_rules(folder);
    let mut found = Vec::new();
    for name in names {
        if name.as_encoded_bytes().starts_with(b".") || name == "node_modules" {
            continue;
        }
        let path = folder.join(name);
        let is_dir = path.is_dir();
        if rules.matched(&path, is_dir).is_ignore() {
            continue;
        }
        if is_dir {
            found.extend(own_extensions(&path, open, diagnostics).unwrap_or_default());
        } else if path.is_file() && path.extension().is_some_and(|extension| extension == "ts" || extension == "js") {
            found.push(Entry { path, manifest: None });
        }
    }
    found
}

/// What a folder is as an extension: what its manifest names, else its index; `None` when it is none.
pub(super) fn own_extensions(folder: &Path, open: &mut Open, diagnostics: &mut Vec<Diagnostic>) -> Option<Vec<Entry>> {
    if !open.iter().any(|other| other == folder)
        && let Some(manifest) = Manifest::read(folder, diagnostics)
        && let Some(entries) = manifest.entries(ResourceKind::Extensions).filter(|entries| !entries.is_empty())
    {
        open.push(folder.to_path_buf());
        let found = package::extensions_of_entries(folder, entries, open, diagnostics);
        open.pop();
        if !found.is_empty() {
            return Some(found);
        }
    }
    index_of(folder).map(|path| vec![Entry { path, manifest: None }])
}

/// The index file of a folder.
pub(super) fn index_of(folder: &Path) -> Option<PathBuf> {
    ["index.ts", "index.js"].map(|name| folder.join(name)).into_iter().find(|path| path.is_file())
}
