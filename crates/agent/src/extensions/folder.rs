//! The extensions of a folder, and what the entries of a manifest lead to.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::glob;
use super::manifest::Manifest;
use crate::resources::{Diagnostic, PathFilter, Wanted, ignore_rules, scan};
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
        let found = extensions_of_entries(folder, entries, open, diagnostics);
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

/// The extensions that a manifest's entries lead to, with the manifest's folder.
fn extensions_of_entries(
    root: &Path,
    entries: &[String],
    open: &mut Open,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Entry> {
    let found = files_of_entries(root, entries, ResourceKind::Extensions, open, diagnostics);
    let filter = PathFilter::new(entries.iter().map(String::as_str).filter(|entry| is_sign(entry)));
    let found = found.into_iter().filter(|entry| filter.allows(&entry.path, root));
    found.map(|entry| Entry { manifest: entry.manifest.or_else(|| Some(root.to_path_buf())), ..entry }).collect()
}

/// The files of a kind that a manifest's entries lead to.
pub(super) fn files_of_entries(
    root: &Path,
    entries: &[String],
    kind: ResourceKind,
    open: &mut Open,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    for entry in entries.iter().filter(|entry| !is_sign(entry)) {
        let paths = if entry.contains(['*', '?']) { glob::expand(entry, root) } else { vec![resolve(root, entry)] };
        for path in paths {
            let files = if path.is_dir() {
                files_in(&path, kind, open, diagnostics)
            } else if path.is_file() {
                vec![Entry { path, manifest: None }]
            } else {
                let message = format!("`pi.{}` names {entry}, which does not exist", kind.key());
                diagnostics.push(Diagnostic::warning(&root.join("package.json"), message));
                continue;
            };
            for file in files {
                if found.iter().all(|known| known.path != file.path) {
                    found.push(file);
                }
            }
        }
    }
    found
}

/// The files of a kind in a folder.
pub(super) fn files_in(
    folder: &Path,
    kind: ResourceKind,
    open: &mut Open,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Entry> {
    let wanted = match kind {
        ResourceKind::Extensions => return extensions_of(folder, open, diagnostics),
        ResourceKind::Skills => Wanted::Skills,
        ResourceKind::Prompts => Wanted::Markdown,
        ResourceKind::Themes => Wanted::Json,
    };
    scan(folder, wanted).files.into_iter().map(|path| Entry { path, manifest: None }).collect()
}

/// Whether an entry of a manifest is a pattern that leaves out or puts back in.
pub(super) fn is_sign(entry: &str) -> bool {
    entry.starts_with(['!', '+', '-'])
}

fn resolve(root: &Path, entry: &str) -> PathBuf {
    let mut path = root.to_path_buf();
    for component in Path::new(entry).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(path.pop()),
            other => path.push(other),
        }
    }
    path
}
